//! The sections of the server file.

use super::{Asked, Environment, default_identity};
use crate::lang::schema::Validation;
use crate::manifest::lower::codes::{MISSING_VALUE, NOT_SERVED};
use crate::manifest::lower::refuse_unserved;
use crate::manifest::read::{OUT_OF_RANGE, Table};
use crate::model::{
    Cache, CacheScope, HttpSettings, Listen, OnError, ReloadSettings, ServerSettings, Settings,
    Values,
};
use crate::telemetry::{self, FileLog, LogFilter, LogFormat, LogSettings, Rotate};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

/// What reading the server file may look at.
pub(super) struct Reader<'a> {
    pub(super) environment: &'a Environment,
    /// The server file's folder; relative paths count from it.
    pub(super) folder: PathBuf,
    /// The files that were read.
    pub(super) sources: RefCell<Vec<PathBuf>>,
}

impl Reader<'_> {
    /// Everything.
    pub(super) fn settings(&self, table: Table<'_>, asked: &Asked) -> Settings {
        let manifests = self.manifests(&table, asked);
        let server = self.server(&table, &manifests);
        let (http, request_timeout, max_in_flight) = http(&table);
        let reload = reload(&table);
        let log = self.log(&table);
        let secrets = self.secrets(&table);
        let env = self.env(&table);
        table.finish();
        Settings {
            manifests,
            server,
            http,
            request_timeout,
            max_in_flight,
            reload,
            log,
            values: Values { secrets, env },
            sources: self.sources.take(),
        }
    }

    fn manifests(&self, table: &Table<'_>, asked: &Asked) -> Vec<PathBuf> {
        let listed = table.strings("manifests");
        if !asked.paths.is_empty() {
            return asked.paths.clone();
        }
        match listed {
            Some(listed) => listed
                .iter()
                .map(|path| self.folder.join(&path.value))
                .collect(),
            None => {
                table.missing("manifests");
                Vec::new()
            }
        }
    }

    fn server(&self, table: &Table<'_>, manifests: &[PathBuf]) -> ServerSettings {
        let mut identity = default_identity(manifests);
        let mut settings = ServerSettings {
            identity: identity.clone(),
            validation: Validation::Full,
            on_error: OnError::Refuse,
            secret: None,
            page_size: 100,
            tools_cache: FRESH,
            discovery_cache: FRESH,
            grace: Duration::from_secs(10),
        };
        let Some(server) = table.table("server") else {
            return settings;
        };
        for (key, field) in [
            ("name", &mut identity.name),
            ("version", &mut identity.version),
        ] {
            let Some(read) = server.string(key) else {
                continue;
            };
            if read.value.is_empty() {
                server.error(OUT_OF_RANGE, read.at, format!("`{key}` cannot be empty"));
            } else {
                *field = read.value;
            }
        }
        identity.title = server.string("title").map(|read| read.value);
        identity.instructions = server.string("instructions").map(|read| read.value);
        settings.identity = identity;
        if let Some(read) = server.word(
            "validation",
            &[
                ("full", Validation::Full),
                ("basic", Validation::Basic),
                ("none", Validation::None),
            ],
        ) {
            settings.validation = read.value;
        }
        if let Some(read) = server.word(
            "on_error",
            &[("refuse", OnError::Refuse), ("skip", OnError::Skip)],
        ) {
            settings.on_error = read.value;
        }
        settings.secret = server
            .entry("secret")
            .and_then(|entry| self.secret(&server, &entry));
        if let Some(read) = server.count("page_size", 1..=10_000) {
            settings.page_size = read.value;
        }
        if let Some(read) = server.millis("grace_ms", 0..=3_600_000) {
            settings.grace = read.value;
        }
        caches(&server, &mut settings);
        // Read by `env`, which needs the whole table.
        let _ = server.entry("env");
        refuse_unserved(&server, &["protocols", "state_dir", "capabilities"]);
        server.finish();
        settings
    }

    /// `server.env`: the variables that templates may see.
    fn env(&self, table: &Table<'_>) -> BTreeMap<String, String> {
        let names = table
            .table("server")
            .and_then(|server| server.strings("env"));
        let mut env = BTreeMap::new();
        for name in names.unwrap_or_default() {
            match self.environment.get(&name.value) {
                Some(value) => {
                    env.insert(name.value, value.to_owned());
                }
                None => table.error(
                    MISSING_VALUE,
                    name.at,
                    format!("the variable `{}` is not set", name.value),
                ),
            }
        }
        env
    }

    fn log(&self, table: &Table<'_>) -> LogSettings {
        let mut settings = LogSettings {
            journal: telemetry::is_journal(self.environment.get("JOURNAL_STREAM")),
            ..LogSettings::default()
        };
        let Some(log) = table.table("log") else {
            return settings;
        };
        if let Some(read) = log.string("level") {
            match read.value.parse::<LogFilter>() {
                Ok(level) => settings.level = level,
                Err(error) => log.error(
                    OUT_OF_RANGE,
                    read.at,
                    format!("`level` cannot be used: {error}"),
                ),
            }
        }
        if let Some(read) = log.word(
            "format",
            &[("text", LogFormat::Text), ("json", LogFormat::Json)],
        ) {
            settings.format = read.value;
        }
        if let Some(file) = log.table("file") {
            settings.file = self.log_file(&file);
            file.finish();
        }
        log.finish();
        settings
    }

    fn log_file(&self, file: &Table<'_>) -> Option<FileLog> {
        let dir = file.required_string("dir");
        let rotate = file.word(
            "rotate",
            &[
                ("daily", Rotate::Daily),
                ("hourly", Rotate::Hourly),
                ("never", Rotate::Never),
            ],
        );
        let keep = file.count("keep", 1..=10_000);
        Some(FileLog {
            dir: self.folder.join(dir?.value),
            rotate: rotate.map_or(Rotate::Daily, |read| read.value),
            keep: keep.map_or(14, |read| read.value),
        })
    }
}

/// What is said of caching when nothing else is: fresh for no time at all, for the caller alone.
const FRESH: Cache = Cache {
    ttl_ms: 0,
    scope: CacheScope::Private,
};

fn caches(server: &Table<'_>, settings: &mut ServerSettings) {
    let Some(caches) = server.table("cache") else {
        return;
    };
    for (key, cache) in [
        ("tools", &mut settings.tools_cache),
        ("discovery", &mut settings.discovery_cache),
    ] {
        let Some(sub) = caches.table(key) else {
            continue;
        };
        if let Some(read) = sub.integer("ttl_ms", 0..=31_536_000_000) {
            cache.ttl_ms = u64::try_from(read.value).unwrap_or(0);
        }
        if let Some(read) = sub.word(
            "scope",
            &[
                ("public", CacheScope::Public),
                ("private", CacheScope::Private),
            ],
        ) {
            cache.scope = read.value;
        }
        sub.finish();
    }
    refuse_unserved(&caches, &["prompts", "resources"]);
    caches.finish();
}

/// `[http]`: the transport's settings, and what bounds a request on either transport.
fn http(table: &Table<'_>) -> (HttpSettings, Duration, usize) {
    let mut settings = HttpSettings::default();
    let mut request_timeout = Duration::from_secs(60);
    let mut max_in_flight = 256;
    let Some(http) = table.table("http") else {
        return (settings, request_timeout, max_in_flight);
    };
    let texts = |key: &'static str| {
        let read = http.strings(key)?;
        Some(read.into_iter().map(|text| text.value).collect::<Vec<_>>())
    };
    if let Some(listen) = listen(&http) {
        settings.listen = listen;
    }
    if let Some(path) = http.string("path") {
        if path.value.starts_with('/') && !path.value.contains(['?', '#', ' ']) {
            settings.path = path.value;
        } else {
            http.error(
                OUT_OF_RANGE,
                path.at,
                "`path` must begin with `/` and hold no `?`, `#` or space",
            );
        }
    }
    settings.allowed_origins = texts("allowed_origins").unwrap_or_default();
    settings.allowed_hosts = texts("allowed_hosts").unwrap_or_default();
    for (key, bounds, field) in [
        (
            "max_connections",
            1..=1_000_000,
            &mut settings.max_connections,
        ),
        (
            "max_body_bytes",
            1024..=1 << 30,
            &mut settings.max_body_bytes,
        ),
        ("max_in_flight", 1..=100_000, &mut max_in_flight),
    ] {
        if let Some(read) = http.count(key, bounds) {
            *field = read.value;
        }
    }
    for (key, field) in [
        ("head_timeout_ms", &mut settings.head_timeout),
        ("body_timeout_ms", &mut settings.body_timeout),
        ("idle_timeout_ms", &mut settings.idle_timeout),
        ("write_timeout_ms", &mut settings.write_timeout),
        ("request_timeout_ms", &mut request_timeout),
    ] {
        if let Some(read) = http.millis(key, 1..=86_400_000) {
            *field = read.value;
        }
    }
    refuse_unserved(&http, &["max_subscriptions", "tls"]);
    http.finish();
    (settings, request_timeout, max_in_flight)
}

/// `listen`: addresses with a port, or `unix:` and a path.
fn listen(http: &Table<'_>) -> Option<Vec<Listen>> {
    let mut places = Vec::new();
    for text in http.strings("listen")? {
        if text.value == "systemd" {
            http.error(
                NOT_SERVED,
                text.at,
                "`systemd` is not served by this version of snodo",
            );
            continue;
        }
        match text.value.parse() {
            Ok(place) => places.push(place),
            Err(error) => http.error(OUT_OF_RANGE, text.at, format!("{error}")),
        }
    }
    if places.is_empty() {
        http.error(
            OUT_OF_RANGE,
            http.at(),
            "`listen` must name at least one address",
        );
        return None;
    }
    Some(places)
}

fn reload(table: &Table<'_>) -> ReloadSettings {
    let mut settings = ReloadSettings {
        watch: true,
        poll: None,
        debounce: Duration::from_millis(100),
    };
    let Some(reload) = table.table("reload") else {
        return settings;
    };
    if let Some(read) = reload.boolean("watch") {
        settings.watch = read.value;
    }
    settings.poll = reload
        .millis("poll_ms", 50..=3_600_000)
        .map(|read| read.value);
    if let Some(read) = reload.millis("debounce_ms", 10..=10_000) {
        settings.debounce = read.value;
    }
    reload.finish();
    settings
}
