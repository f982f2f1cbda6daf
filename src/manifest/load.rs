//! One load: all files, all components, everything wrong with them. A file that has not changed
//! since the load before is not read again, so a reload costs what changed.

mod messages;
mod side_by_side;

use super::discover::{self, Found, VANISHED_FILE};
use super::environment::Environment;
use super::lower::{
    Cx, Folder, Lowered, Outside, TestOf, actor, check_defaults, finish_defaults, prompt, resource,
    tool,
};
use super::overlap;
use super::read::{At, Findings, Layer, Table, UNKNOWN_KEY, parse};
use crate::lang::diag::{Code, Diagnostic, Severity, SourceFile, Span};
use crate::lang::schema::SchemaCache;
use crate::model::{Catalog, Kind, OnError, Settings, Tool, ToolTest};
use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Two components of one name.
pub const DUPLICATE_NAME: Code = Code("duplicate-name");

/// What `snodo check --explain` prints for the code of this file.
pub const EXPLAIN: &[(Code, &str)] = &[(
    DUPLICATE_NAME,
    "Names are unique across all manifest files of a server: a client asks for a tool or a prompt by \
     its name alone, and for a resource by its URI. Both places are shown; rename one, or remove it. \
     Upper and lower case differ, but for a URI's scheme and host. The names of one tool's tests are \
     unique in that tool.",
)];

/// What one file came to.
#[derive(Debug)]
pub struct LoadedFile {
    source: Arc<SourceFile>,
    outside: Vec<Outside>,
    components: Vec<Lowered>,
    /// Each with its tool, unless that is left out or broken.
    tests: Vec<TestOf>,
    findings: Vec<Diagnostic>,
}

impl LoadedFile {
    fn says_the_same(self: &Arc<Self>, before: &Arc<Self>) -> bool {
        Arc::ptr_eq(self, before)
            || self.source.text() == before.source.text() && self.outside == before.outside
    }

    fn is_broken(&self) -> bool {
        let mut findings = self.findings.iter();
        findings.any(|found| found.severity == Severity::Error)
    }
}

/// What a load came to.
#[derive(Debug, Default)]
pub struct Loaded {
    files: BTreeMap<PathBuf, Arc<LoadedFile>>,
    /// The same, in the order of the search.
    in_order: Vec<Arc<LoadedFile>>,
    /// What is to be served.
    pub catalog: Catalog,
    /// Everything found wrong, and every warning.
    pub diagnostics: Vec<Diagnostic>,
    /// How many files were read and lowered, not taken over from the load before.
    pub fresh_files: usize,
    /// A file came or went while the set was read: this is neither what was there before nor what
    /// is there now. Loading again will tell.
    pub unsettled: bool,
    /// The folders that were listed.
    pub folders: Vec<PathBuf>,
    /// The links that were met on the way.
    pub links: Vec<PathBuf>,
    /// What kept files from being found or read, in full: what these files hold is not known.
    unread: Vec<String>,
}

impl Loaded {
    /// How many findings are errors.
    pub fn errors(&self) -> usize {
        let is_error = |found: &&Diagnostic| found.severity == Severity::Error;
        self.diagnostics.iter().filter(is_error).count()
    }

    /// How many files there are.
    pub fn files(&self) -> usize {
        self.files.len()
    }

    /// True when both loads read the same: nothing is new since `before`.
    pub fn says_the_same(&self, before: &Self) -> bool {
        let same_files = self.files.len() == before.files.len()
            && self.files.iter().all(|(path, file)| {
                let known = before.files.get(path);
                known.is_some_and(|known| file.says_the_same(known))
            });
        same_files && self.unread == before.unread
    }

    /// The files without a single error, by the path they were found at.
    pub fn whole_files(&self) -> impl Iterator<Item = &Path> {
        let broken: HashSet<&Path> = self
            .diagnostics
            .iter()
            .filter(|found| found.severity == Severity::Error)
            .filter_map(|found| found.at.as_ref().map(|at| at.file.path()))
            .collect();
        let paths = self.files.keys().map(PathBuf::as_path);
        paths.filter(move |path| !broken.contains(path))
    }

    /// The files that say something, each with what it declares. An empty file is the state of one
    /// that is being written anew.
    pub fn keys(&self) -> impl Iterator<Item = (&Path, impl Iterator<Item = (Kind, &str)>)> {
        let said = self.files.iter();
        let said = said.filter(|(_, file)| !file.source.text().trim_ascii().is_empty());
        said.map(|(path, file)| {
            let keys = file.components.iter().filter_map(|lowered| {
                let key = lowered.key.as_ref()?;
                Some((lowered.kind, key.value.as_str()))
            });
            (path.as_path(), keys)
        })
    }

    /// The tests, in the order of the search and of the files, each with its tool; without one where
    /// that is left out. They are there only after [`load_with_tests`].
    pub fn tests(&self) -> impl Iterator<Item = (Option<&Arc<Tool>>, &ToolTest)> {
        let tests = self.in_order.iter().flat_map(|file| &file.tests);
        tests.map(|(tool, test)| (tool.as_ref(), test))
    }

    /// The manifests' texts, in the order of the search.
    pub fn sources(&self) -> Vec<Arc<SourceFile>> {
        let files = self.in_order.iter();
        files.map(|file| Arc::clone(&file.source)).collect()
    }

    /// The files that manifests name and that were read with them.
    pub fn outside(&self) -> impl Iterator<Item = &Path> {
        self.files
            .values()
            .flat_map(|file| file.outside.iter().map(|outside| outside.path.as_path()))
    }
}

/// Loads all manifests that the settings name, and keeps the tests that stand in them.
pub fn load_with_tests(
    settings: &Settings,
    environment: &Environment,
    schemas: &SchemaCache,
) -> Loaded {
    read_all(settings, environment, schemas, None, true)
}

/// Loads all manifests that the settings name. `previous` is the load whose unchanged files may be
/// taken over: one made with the same settings and environment, or none.
pub fn load(
    settings: &Settings,
    environment: &Environment,
    schemas: &SchemaCache,
    previous: Option<&Loaded>,
) -> Loaded {
    read_all(settings, environment, schemas, previous, false)
}

fn read_all(
    settings: &Settings,
    environment: &Environment,
    schemas: &SchemaCache,
    previous: Option<&Loaded>,
    with_tests: bool,
) -> Loaded {
    let survey = discover::discover(&settings.manifests, settings.server_file.as_deref());
    let mut diagnostics = survey.diagnostics;
    let mut loaded = Loaded {
        unsettled: survey.unsettled,
        folders: survey.folders,
        links: survey.links,
        ..Loaded::default()
    };
    let read = side_by_side::map(&survey.found, |found| {
        let source = discover::read(found).map_err(Box::new)?;
        if let Some(file) = previous.and_then(|previous| reuse(previous, found, &source)) {
            return Ok::<_, Box<Diagnostic>>((file, false));
        }
        let mut file = lower_file(settings, environment, schemas, source);
        if !with_tests {
            // A server has no use for them.
            file.tests = Vec::new();
        }
        Ok((Arc::new(file), true))
    });
    for (found, read) in survey.found.iter().zip(read) {
        match read {
            Ok((file, is_fresh)) => {
                loaded.fresh_files += usize::from(is_fresh);
                loaded.in_order.push(Arc::clone(&file));
                loaded.files.insert(found.path.clone(), file);
            }
            Err(diagnostic) => {
                loaded.unsettled |= diagnostic.code == VANISHED_FILE;
                diagnostics.push(*diagnostic);
            }
        }
    }
    loaded.unread = diagnostics.iter().map(in_full).collect();
    let skip = settings.server.on_error == OnError::Skip;
    for file in &loaded.in_order {
        diagnostics.extend(file.findings.iter().cloned());
    }
    loaded.catalog = unique(&loaded.in_order, skip, &mut diagnostics);
    messages::check(&loaded.in_order, &mut diagnostics);
    diagnostics.extend(overlap::overlaps(&loaded.catalog.resources));
    loaded.diagnostics = diagnostics;
    loaded
}

/// A finding with the text it stands in: the same only when both are.
fn in_full(found: &Diagnostic) -> String {
    let text = found.at.as_ref().map_or("", |at| at.file.text());
    format!("{}\n{text}", found.message)
}

/// The file of the load before, when neither it nor any file it names has changed. A broken one is
/// read again: what is wrong may be that a folder it names is not there yet.
fn reuse(previous: &Loaded, found: &Found, source: &SourceFile) -> Option<Arc<LoadedFile>> {
    let file = previous.files.get(&found.path)?;
    let same = !file.is_broken()
        && file.source.text() == source.text()
        && file.outside.iter().all(Outside::is_unchanged);
    same.then(|| Arc::clone(file))
}

fn lower_file(
    settings: &Settings,
    environment: &Environment,
    schemas: &SchemaCache,
    source: Arc<SourceFile>,
) -> LoadedFile {
    let findings = Findings::default();
    let outside = RefCell::default();
    let tests = RefCell::default();
    let components = {
        let cx = Cx {
            findings: &findings,
            settings,
            environment,
            schemas,
            folder: Folder::of(source.path()),
            outside: &outside,
            tests: &tests,
            call_names: OnceCell::new(),
        };
        match parse(&source, &findings) {
            Some(document) => {
                let layer = Layer {
                    file: &source,
                    table: &document,
                    span: 0..0,
                    inherited: None,
                };
                lower_document(&cx, Table::new(vec![layer], &findings, "at the top level"))
            }
            None => Vec::new(),
        }
    };
    LoadedFile {
        outside: outside.into_inner(),
        tests: tests.into_inner(),
        components,
        findings: findings.into_vec(),
        source,
    }
}

fn lower_document<'a>(cx: &Cx<'a>, table: Table<'a>) -> Vec<Lowered> {
    let mut defaults = table.table("defaults");
    if let Some(defaults) = &mut defaults {
        defaults.set_place("in [defaults]");
        check_defaults(cx, defaults);
    }
    let tools = table.tables("tool").into_iter();
    let mut components: Vec<Lowered> = tools
        .map(|each| tool(cx, each, defaults.as_ref()))
        .collect();
    let resources = table.tables("resource").into_iter();
    components.extend(resources.map(|each| resource(cx, each, defaults.as_ref())));
    let prompts = table.tables("prompt").into_iter();
    components.extend(prompts.map(|each| prompt(cx, each, defaults.as_ref())));
    let actors = table.tables("actor").into_iter();
    components.extend(actors.map(|each| actor(cx, each)));
    refuse_strays(&table);
    if let Some(defaults) = defaults {
        finish_defaults(defaults);
    }
    table.finish();
    components
}

/// Keys that stand a level too high, or in the wrong file.
fn refuse_strays(table: &Table<'_>) {
    const OF_A_TOOL: [&str; 8] = [
        "annotations",
        "arguments",
        "available",
        "file",
        "http",
        "result",
        "returns",
        "shell",
    ];
    const OF_THE_SERVER: [&str; 6] = ["http", "log", "manifests", "reload", "secrets", "server"];
    let is_of_a_tool = |key: &str| {
        OF_A_TOOL.contains(&key) && (table.has("tool") || !OF_THE_SERVER.contains(&key))
    };
    for key in OF_A_TOOL.into_iter().chain(OF_THE_SERVER) {
        if !table.has(key) {
            continue;
        }
        if let Some(entry) = table.entry(key) {
            let (message, help) = match is_of_a_tool(key) {
                true => (
                    format!("unknown key `{key}`"),
                    format!("write `[tool.{key}]` below the `[[tool]]` that it belongs to"),
                ),
                false => (
                    format!("`{key}` belongs to the server file, and this is a manifest"),
                    "name the server file with `--config`".to_owned(),
                ),
            };
            table.report(Diagnostic::error(UNKNOWN_KEY, entry.key_at, message).help(help));
        }
    }
}

/// The components of all files, one of each name. With `skip`, what a broken file declares is left
/// out.
fn unique(files: &[Arc<LoadedFile>], skip: bool, diagnostics: &mut Vec<Diagnostic>) -> Catalog {
    let mut seen: HashMap<(Kind, &str), &Span> = HashMap::new();
    let mut catalog = Catalog::default();
    for file in files {
        let broken = file.is_broken();
        for lowered in &file.components {
            let Some(key) = &lowered.key else { continue };
            if let Some(first) = seen.get(&(lowered.kind, key.value.as_str())) {
                diagnostics.push(taken(lowered.kind, key, first));
                continue;
            }
            seen.insert((lowered.kind, &key.value), &key.at);
            if let Some(component) = &lowered.component
                && !(skip && broken)
            {
                catalog.add(component.clone());
            }
        }
    }
    catalog
}

fn taken(kind: Kind, key: &At<String>, first: &Span) -> Diagnostic {
    let message = match kind {
        Kind::Resource => format!("`{}` is taken", key.value),
        kind => format!("the {kind} name `{}` is taken", key.value),
    };
    Diagnostic::error(DUPLICATE_NAME, key.at.clone(), message)
        .label(format!("in {kind} \"{}\"", key.value))
        .related(first.clone(), "first declared here")
        .help("rename or remove one of them")
}
