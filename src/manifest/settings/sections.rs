//! The sections of the server file.

use super::{Asked, Environment, default_identity};
use crate::lang::schema::Validation;
use crate::manifest::lower::codes::{MISSING_VALUE, NOT_SERVED, UNREADABLE};
use crate::manifest::lower::refuse_unserved;
use crate::manifest::read::{Findings, OUT_OF_RANGE, Table};
use crate::model::{
    Cache, CacheScope, HttpSettings, LogFile, LogSettings, OnError, ReloadSettings, Rotate,
    ServerSettings, Settings, Values,
};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

/// What reading the server file may look at.
pub(super) struct Reader<'a> {
    pub(super) environment: &'a Environment,
    pub(super) findings: &'a Findings,
    /// The server file's folder; relative paths count from it.
    pub(super) folder: PathBuf,
}

impl Reader<'_> {
    /// Everything.
    pub(super) fn settings(&self, table: Table<'_>, asked: &Asked) -> Settings {
        let manifests = self.manifests(&table, asked);
        let server = self.server(&table, &manifests);
        let http = http(&table);
        let reload = reload(&table);
        let log = self.log(&table);
        let secrets = self.secrets(&table);
        let env = self.env(&table);
        table.finish();
        Settings {
            manifests,
            server,
            http,
            reload,
            log,
            values: Values { secrets, env },
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
        for (key, field) in [("name", &mut identity.name), ("version", &mut identity.version)] {
            let Some(read) = server.string(key) else { continue };
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
        if let Some(read) = server.word("on_error", &[("refuse", OnError::Refuse), ("skip", OnError::Skip)]) {
            settings.on_error = read.value;
        }
        settings.secret = server.entry("secret").and_then(|entry| self.secret(&server, &entry));
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
        let names = table.table("server").and_then(|server| server.strings("env"));
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
            level: "info".to_owned(),
            json: false,
            file: None,
        };
        let Some(log) = table.table("log") else {
            return settings;
        };
        if let Some(read) = log.string("level") {
            match crate::telemetry::check_level(&read.value) {
                Ok(()) => settings.level = read.value,
                Err(error) => log.error(OUT_OF_RANGE, read.at, format!("`level` cannot be used: {error}")),
            }
        }
        if let Some(read) = log.word("format", &[("text", false), ("json", true)]) {
            settings.json = read.value;
        }
        if let Some(file) = log.table("file") {
            settings.file = self.log_file(&file);
            file.finish();
        }
        log.finish();
        settings
    }

    fn log_file(&self, file: &Table<'_>) -> Option<LogFile> {
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
        let dir = dir?;
        let path = self.folder.join(&dir.value);
        if !path.is_dir() {
            file.error(UNREADABLE, dir.at, format!("the folder `{}` is not here", path.display()));
        }
        Some(LogFile {
            dir: path,
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
        let Some(sub) = caches.table(key) else { continue };
        if let Some(read) = sub.integer("ttl_ms", 0..=31_536_000_000) {
            cache.ttl_ms = u64::try_from(read.value).unwrap_or(0);
        }
        if let Some(read) = sub.word(
            "scope",
            &[("public", CacheScope::Public), ("private", CacheScope::Private)],
        ) {
            cache.scope = read.value;
        }
        sub.finish();
    }
    refuse_unserved(&caches, &["prompts", "resources"]);
    caches.finish();
}

fn http(table: &Table<'_>) -> HttpSettings {
    let mut settings = HttpSettings {
        listen: vec!["127.0.0.1:4000".to_owned()],
        path: "/mcp".to_owned(),
        allowed_origins: Vec::new(),
        allowed_hosts: Vec::new(),
        max_connections: 1024,
        head_timeout: Duration::from_secs(10),
        body_timeout: Duration::from_secs(10),
        max_body_bytes: 4 << 20,
        request_timeout: Duration::from_secs(60),
        max_in_flight: 256,
    };
    let Some(http) = table.table("http") else {
        return settings;
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
            http.error(OUT_OF_RANGE, path.at, "`path` must begin with `/` and hold no `?`, `#` or space");
        }
    }
    settings.allowed_origins = texts("allowed_origins").unwrap_or_default();
    settings.allowed_hosts = texts("allowed_hosts").unwrap_or_default();
    for (key, bounds, field) in [
        ("max_connections", 1..=1_000_000, &mut settings.max_connections),
        ("max_body_bytes", 1024..=1 << 30, &mut settings.max_body_bytes),
        ("max_in_flight", 1..=100_000, &mut settings.max_in_flight),
    ] {
        if let Some(read) = http.count(key, bounds) {
            *field = read.value;
        }
    }
    for (key, field) in [
        ("head_timeout_ms", &mut settings.head_timeout),
        ("body_timeout_ms", &mut settings.body_timeout),
        ("request_timeout_ms", &mut settings.request_timeout),
    ] {
        if let Some(read) = http.millis(key, 1..=86_400_000) {
            *field = read.value;
        }
    }
    refuse_unserved(&http, &["max_subscriptions", "tls"]);
    http.finish();
    settings
}

/// `listen`: addresses with a port, or `unix:` and a path.
fn listen(http: &Table<'_>) -> Option<Vec<String>> {
    let listen = http.strings("listen")?;
    for address in &listen {
        let text = address.value.as_str();
        let port = text.rsplit_once(':').and_then(|(_, port)| port.parse::<u16>().ok());
        if text == "systemd" {
            http.error(NOT_SERVED, address.at.clone(), "`systemd` is not served by this version of snodo");
        } else if text.strip_prefix("unix:").map_or(port.is_none(), str::is_empty) {
            http.error(
                OUT_OF_RANGE,
                address.at.clone(),
                format!("`{text}` is not an address: write `host:port` or `unix:/path`"),
            );
        }
    }
    if listen.is_empty() {
        http.error(OUT_OF_RANGE, http.at(), "`listen` must name at least one address");
    }
    Some(listen.into_iter().map(|address| address.value).collect())
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
    settings.poll = reload.millis("poll_ms", 50..=3_600_000).map(|read| read.value);
    if let Some(read) = reload.millis("debounce_ms", 10..=10_000) {
        settings.debounce = read.value;
    }
    reload.finish();
    settings
}
