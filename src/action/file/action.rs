//! The `file` action of a component: templates to a path and a window, what was read to an answer.

use super::Listed;
use super::{Body, FileContent, FileError, Fixed, Found, Listing, ReadOptions, Root, RootError};
use crate::action::{Call, Failure, NotRead, Output, media, render};
use crate::lang::template::text_of;
use crate::model::{FileSpec, ListingSpec, Window, WindowSpec};
use crate::ops::{Block, ToolOutcome};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// A file action ready to run: its folder is open.
#[derive(Debug)]
pub struct FileAction {
    spec: Arc<FileSpec>,
    source: Source,
}

#[derive(Debug)]
enum Source {
    Below(Root),
    Literal(Fixed),
}

/// What a file action read.
#[derive(Debug)]
pub struct FileOutput(Found);

impl FileAction {
    /// Opens the folder.
    ///
    /// # Errors
    /// It cannot be opened.
    pub fn prepare(spec: &Arc<FileSpec>) -> Result<Self, RootError> {
        let source = match spec.path.literal().filter(|_| spec.literal_path) {
            Some(name) => Source::Literal(Fixed::new(&spec.root.join(name), name)),
            None => Source::Below(Root::open(&spec.root)?),
        };
        Ok(Self {
            spec: Arc::clone(spec),
            source,
        })
    }

    /// Whether the folder that is open is the one that has its name. A folder whose name is gone
    /// stays in use.
    pub fn is_current(&self) -> bool {
        match &self.source {
            Source::Below(root) => root.is_at(&self.spec.root),
            Source::Literal(_) => true,
        }
    }

    /// Reads.
    ///
    /// # Errors
    /// A path or window that cannot be made or used, or a file that cannot be read.
    pub async fn run(&self, call: Call<'_>) -> Result<FileOutput, Failure> {
        let found = self.find(call).await?;
        found
            .map(FileOutput)
            .map_err(|error| Failure(error.to_string()))
    }

    /// Reads what may not be there.
    ///
    /// # Errors
    /// Why nothing was read. What the system refuses is not what is not there: it is an error that
    /// says nothing of the path.
    pub async fn read(&self, call: Call<'_>) -> Result<FileOutput, NotRead> {
        match self.find(call).await? {
            Ok(found) => Ok(FileOutput(found)),
            Err(FileError::NotFound) => Err(NotRead::NotFound),
            Err(FileError::Denied) => Err(Failure("the file cannot be read".into()).into()),
            Err(error) => Err(Failure(error.to_string()).into()),
        }
    }

    /// Which files stand in a list of their own, when any do.
    pub fn listing(&self) -> Option<&ListingSpec> {
        self.spec.listing.as_ref()
    }

    /// The files that stand in a list of their own, by path; none for an action without such a list.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub async fn list(&self) -> Result<Vec<Listed>, FileError> {
        match (&self.source, &self.spec.listing) {
            (Source::Below(root), Some(listing)) => root.walk(&listing.glob).await,
            _ => Ok(Vec::new()),
        }
    }

    async fn find(&self, call: Call<'_>) -> Result<Result<Found, FileError>, Failure> {
        let spec = &*self.spec;
        let options = ReadOptions {
            max_bytes: spec.max_bytes,
            window: self.window(call)?,
            encoding: spec.encoding,
            list_directories: spec.list_directories,
        };
        Ok(match &self.source {
            Source::Literal(file) => file.read(&options).await,
            Source::Below(root) => {
                let path = render::text("path", &spec.path, call.scope)?;
                let path =
                    path.ok_or_else(|| Failure("cannot make `path`: its value is absent".into()))?;
                root.read(&path, &options).await
            }
        })
    }

    fn window(&self, call: Call<'_>) -> Result<Window, Failure> {
        match &self.spec.window {
            WindowSpec::Whole => Ok(Window::Whole),
            WindowSpec::Lines(lines) => match render::text("lines", lines, call.scope)? {
                None => Ok(Window::Whole),
                Some(lines) => {
                    Window::parse_lines(&lines).map_err(|error| Failure(error.to_string()))
                }
            },
            WindowSpec::Bytes { offset, length } => {
                let number = |key: &str, template: &Option<_>| match template {
                    None => Ok(None),
                    Some(template) => count(key, render::value(key, template, call.scope)?),
                };
                let offset = number("offset", offset)?;
                let length = number("length", length)?;
                Ok(if offset.is_none() && length.is_none() {
                    Window::Whole
                } else {
                    Window::Bytes {
                        offset: offset.unwrap_or(0),
                        length,
                    }
                })
            }
        }
    }
}

/// A count of bytes: an integer, or its text.
fn count(key: &str, value: Option<Value>) -> Result<Option<u64>, Failure> {
    let Some(value) = value else {
        return Ok(None);
    };
    text_of(&value)
        .parse()
        .map(Some)
        .map_err(|_| Failure(format!("`{key}` must be a count of bytes, 0 or more")))
}

impl Output for FileOutput {
    fn answer(&self) -> Result<ToolOutcome, Failure> {
        Ok(match &self.0 {
            Found::File(file) => ToolOutcome {
                content: vec![block(file)],
                ..ToolOutcome::default()
            },
            Found::Folder(listing) => ToolOutcome {
                content: vec![Block::text(lines(listing))],
                ..ToolOutcome::default()
            },
        })
    }

    fn value(&self) -> Value {
        match &self.0 {
            Found::File(file) => {
                let mut output = Map::new();
                match &file.body {
                    Body::Text(text) => output.insert("text".into(), text.as_str().into()),
                    Body::Base64(bytes) => output.insert("bytes".into(), bytes.as_str().into()),
                };
                output.insert("mime".into(), file.mime.as_str().into());
                output.insert("size".into(), file.size.into());
                if let Some(modified) = &file.modified {
                    output.insert("modified".into(), modified.as_str().into());
                }
                output.insert("path".into(), file.path.as_str().into());
                Value::Object(output)
            }
            Found::Folder(listing) => json!({
                "path": listing.path,
                "mime": "inode/directory",
                "modified": listing.modified,
                "entries": entries(listing),
            }),
        }
    }

    fn media_type(&self) -> Option<String> {
        Some(match &self.0 {
            Found::File(file) => file.mime.clone(),
            Found::Folder(_) => "inode/directory".to_owned(),
        })
    }
}

/// A file as a content block: text, or an image, a sound or a blob by its type.
fn block(file: &FileContent) -> Block {
    let data = match &file.body {
        Body::Text(text) => return Block::text(text.clone()),
        Body::Base64(data) => data.clone(),
    };
    media::block(file.mime.clone(), data, || uri(&file.path))
}

/// A `file:` URI of the path below the root, not of where that is: such a URI need not be of a
/// physical file system (specification: resources, "Common URI Schemes").
fn uri(path: &str) -> String {
    let path = percent_encoding::utf8_percent_encode(path.trim_start_matches('/'), PATH);
    format!("file:///{path}")
}

/// Everything that RFC 3986 §3.3 does not let stand in a path.
const PATH: &percent_encoding::AsciiSet = &percent_encoding::NON_ALPHANUMERIC
    .remove(b'/')
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// One entry a line; a folder's name ends in `/`.
fn lines(listing: &Listing) -> String {
    let mut text = String::new();
    for entry in &listing.entries {
        text.push_str(&entry.name);
        if entry.kind == super::EntryKind::Folder {
            text.push('/');
        }
        text.push('\n');
    }
    if listing.truncated {
        text.push_str(&format!(
            "[only the first {} entries are listed]\n",
            Listing::MOST
        ));
    }
    text
}

fn entries(listing: &Listing) -> Value {
    let entries = listing.entries.iter().map(
        |entry| json!({ "name": entry.name, "kind": entry.kind.as_str(), "size": entry.size }),
    );
    entries.collect()
}
