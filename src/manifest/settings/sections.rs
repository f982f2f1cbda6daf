//! The sections of the server file.

use super::{Asked, Environment, default_identity};
use crate::lang::diag::{Diagnostic, SourceFile, Span};
use crate::lang::schema::Validation;
use crate::manifest::lower::codes::MISSING_VALUE;
use crate::manifest::lower::refuse_unserved;
use crate::manifest::read::{MISSING_KEY, OUT_OF_RANGE, Table, span};
use crate::model::{
    Cache, CacheScope, Caches, OnError, ReloadSettings, Revision, ServerSettings, Settings, Values,
};
use crate::telemetry::{self, AuditLog, FileLog, LogFilter, LogFormat, LogSettings, Rotate};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// What reading the server file may look at.
pub(super) struct Reader<'a> {
    pub(super) environment: &'a Environment,
    /// The server file; relative paths in it count from its folder.
    pub(super) file: Option<Arc<SourceFile>>,
    /// The files that were read.
    pub(super) sources: RefCell<Vec<PathBuf>>,
}

impl Reader<'_> {
    /// Everything.
    pub(super) fn settings(
        &self,
        table: Table<'_>,
        asked: &Asked,
        server_file: Option<PathBuf>,
    ) -> Settings {
        let manifests = self.manifests(&table, asked);
        let server = self.server(&table, &manifests);
        let (http, requests) = self.http(&table);
        let reports = self.reports(&table);
        let traces = self.traces(&table);
        let auth = self.auth(&table);
        let reload = reload(&table);
        let log = self.log(&table);
        let secrets = self.secrets(&table);
        let env = self.env(&table);
        table.finish();
        Settings {
            server_file,
            manifests,
            server,
            http,
            auth,
            request_timeout: requests.timeout,
            max_in_flight: requests.in_flight,
            max_queued: requests.queued,
            reports,
            traces,
            reload,
            log,
            values: Values { secrets, env },
            sources: self.sources.take(),
        }
    }

    /// A path as what says it means it: from the server file's folder in that file, and from the
    /// folder that the program was started in on the command line.
    pub(super) fn resolve(&self, at: &Span, path: &str) -> PathBuf {
        let folder = self
            .file
            .as_ref()
            .filter(|file| Arc::ptr_eq(file, &at.file))
            .and_then(|file| file.path().parent());
        shortest(folder.unwrap_or(Path::new("")).join(path))
    }

    fn manifests(&self, table: &Table<'_>, asked: &Asked) -> Vec<PathBuf> {
        let listed = table.literals("manifests");
        if !asked.paths.is_empty() {
            return asked.paths.clone();
        }
        let Some(listed) = listed else {
            if let Some(file) = self.file.as_ref().filter(|_| !table.has("manifests")) {
                let message = "missing key `manifests`";
                table.report(
                    Diagnostic::error(MISSING_KEY, span(file, 0..0), message)
                        .help("write for example `manifests = [\"manifests\"]`, or name a folder on the command line"),
                );
            }
            return Vec::new();
        };
        if listed.is_empty()
            && let Some(entry) = table.entry("manifests")
            && entry.items().is_empty()
        {
            let message = "`manifests` must list at least one folder or file";
            table.error(OUT_OF_RANGE, entry.at, message);
        }
        listed
            .iter()
            .map(|path| self.resolve(&path.at, &path.value))
            .collect()
    }

    fn server(&self, table: &Table<'_>, manifests: &[PathBuf]) -> ServerSettings {
        let mut identity = default_identity(manifests);
        let mut settings = ServerSettings {
            identity: identity.clone(),
            protocols: None,
            validation: Validation::Full,
            on_error: OnError::Refuse,
            state_dir: None,
            secret: None,
            earlier_secrets: Vec::new(),
            ask_ttl: Duration::from_secs(300),
            page_size: 100,
            caches: Caches {
                tools: FRESH,
                resources: FRESH,
                prompts: FRESH,
                discovery: FRESH,
            },
            grace: Duration::from_secs(10),
        };
        let Some(server) = section(table, "server") else {
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
        settings.protocols = protocols(&server);
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
            .and_then(|entry| self.secret(&server, &entry, "in `server.secret`"));
        for item in server.array("earlier_secrets").unwrap_or_default() {
            let earlier = self.secret(&server, &item, "in `server.earlier_secrets`");
            settings.earlier_secrets.extend(earlier);
        }
        if let Some(read) = server.millis("ask_ttl_ms", 1_000..=900_000) {
            settings.ask_ttl = read.value;
        }
        if let Some(read) = server.literal("state_dir") {
            settings.state_dir = Some(absolute(&self.resolve(&read.at, &read.value)));
        }
        if let Some(read) = server.count("page_size", 1..=10_000) {
            settings.page_size = read.value;
        }
        if let Some(read) = server.millis("grace_ms", 0..=3_600_000) {
            settings.grace = read.value;
        }
        caches(&server, &mut settings.caches);
        // Read by `env`, which needs the whole table.
        server.knows("env");
        refuse_unserved(&server, &["capabilities"]);
        server.finish();
        settings
    }

    /// `server.env`: the variables that templates may see.
    fn env(&self, table: &Table<'_>) -> BTreeMap<String, String> {
        let mut env = BTreeMap::new();
        let Some(server) = section(table, "server") else {
            return env;
        };
        for name in server.strings("env").unwrap_or_default() {
            let value = self.environment.get(&name.value);
            if value.is_none() {
                let why = self.why_missing(&name.value);
                server.error(MISSING_VALUE, name.at, why);
            }
            // What is missing is declared all the same: its uses are not called unknown.
            env.insert(name.value, value.unwrap_or_default().to_owned());
        }
        env
    }

    fn log(&self, table: &Table<'_>) -> LogSettings {
        let mut settings = LogSettings {
            journal: telemetry::is_journal(self.environment.get("JOURNAL_STREAM")),
            ..LogSettings::default()
        };
        let Some(log) = section(table, "log") else {
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
        if let Some(audit) = log.table("audit") {
            settings.audit = self.audit(&audit);
            audit.finish();
        }
        log.finish();
        settings
    }

    /// `log.audit`: files of its own, or lines of the log.
    fn audit(&self, audit: &Table<'_>) -> Option<AuditLog> {
        let arguments = audit.boolean("arguments");
        let file = match audit.has("dir") {
            true => Some(self.log_file(audit)?),
            false => {
                for key in ["rotate", "keep"] {
                    if let Some(entry) = audit.entry(key) {
                        let message = format!("`{key}` is for files: say `dir` too");
                        audit.error(MISSING_KEY, entry.at, message);
                    }
                }
                None
            }
        };
        Some(AuditLog {
            file,
            arguments: arguments.is_some_and(|read| read.value),
        })
    }

    fn log_file(&self, file: &Table<'_>) -> Option<FileLog> {
        if !file.has("dir") {
            file.missing("dir");
        }
        let dir = file.literal("dir");
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
            dir: dir.map(|dir| self.resolve(&dir.at, &dir.value))?,
            rotate: rotate.map_or(Rotate::Daily, |read| read.value),
            keep: keep.map_or(14, |read| read.value),
        })
    }
}

/// The path without its `..`, where that leads to the same place: `config/../manifests` is shown as
/// `manifests` unless `config` is a link.
fn shortest(path: PathBuf) -> PathBuf {
    let mut short = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir if short.file_name().is_some() => {
                short.pop();
            }
            part => short.push(part),
        }
    }
    if short.as_os_str().is_empty() {
        short.push(".");
    }
    let is_same = short
        .canonicalize()
        .is_ok_and(|short| path.canonicalize().is_ok_and(|path| path == short));
    if is_same { short } else { path }
}

/// A section of the server file, named as the file names it.
pub(super) fn section<'a>(table: &Table<'a>, key: &'a str) -> Option<Table<'a>> {
    let mut section = table.table(key)?;
    section.set_place(format!("in [{key}]"));
    Some(section)
}

/// `server.protocols`: at least one, each once.
fn protocols(server: &Table<'_>) -> Option<Vec<Revision>> {
    let listed = server.literals("protocols")?;
    let mut revisions: Vec<Revision> = Vec::new();
    for read in listed {
        if revisions.iter().any(|known| known.name == read.value) {
            let message = format!("`{}` is listed twice", read.value);
            server.error(OUT_OF_RANGE, read.at, message);
            continue;
        }
        revisions.push(Revision {
            name: read.value,
            at: read.at,
        });
    }
    if let Some(entry) = server.entry("protocols")
        && entry.items().is_empty()
    {
        let message = "`protocols` must list at least one revision";
        server.error(OUT_OF_RANGE, entry.at, message);
    }
    Some(revisions)
}

/// What is said of caching when nothing else is: fresh for no time at all, for the caller alone.
const FRESH: Cache = Cache {
    ttl_ms: 0,
    scope: CacheScope::Private,
};

fn caches(server: &Table<'_>, caches: &mut Caches) {
    let Some(table) = server.table("cache") else {
        return;
    };
    for (key, cache) in [
        ("tools", &mut caches.tools),
        ("resources", &mut caches.resources),
        ("prompts", &mut caches.prompts),
        ("discovery", &mut caches.discovery),
    ] {
        if let Some(sub) = table.table(key) {
            *cache = self::cache(sub, *cache);
        }
    }
    table.finish();
}

/// Reads `{ ttl_ms, scope }`; what it does not say is as in `cache`.
pub(in crate::manifest) fn cache(sub: Table<'_>, mut cache: Cache) -> Cache {
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
    cache
}

fn reload(table: &Table<'_>) -> ReloadSettings {
    let mut settings = ReloadSettings {
        watch: true,
        poll: None,
        debounce: Duration::from_millis(100),
    };
    let Some(reload) = section(table, "reload") else {
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

/// A path that does not depend on the folder the process is in.
fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}
