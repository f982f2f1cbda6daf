//! What the dialects need to know of the server, written once per runtime.

use super::json::Members;
use super::seal::Sealer;
use super::version::{Dialect, Protocols, Shape};
use super::{legacy, modern};
use crate::lang::schema::HeaderParam;
use crate::model::{Cache, Identity, PromptDeclaration, ResourceDeclaration, ToolDeclaration};
use crate::ops::{Caller, Ready};
use crate::secret::Secret;
use bytes::Bytes;
use std::collections::HashMap;
use std::sync::Arc;

/// What the dialects need to know of the server to read a request and write an answer; made once
/// per runtime.
#[derive(Clone, Debug)]
pub struct Face {
    /// The revisions that are spoken.
    pub(super) protocols: Protocols,
    /// What sessions are sealed with. Without one a handshake gives no session.
    pub(super) sealer: Option<Sealer>,
    pub(super) offer: Offer,
    pub(super) instructions: Option<String>,
    /// `serverInfo`: a JSON object.
    pub(super) server_info: Box<[u8]>,
    /// The tools some of whose arguments stand in headers too, and which.
    mirrored: HashMap<Box<str>, Mirrored>,
}

/// The arguments of a tool that stand in headers too.
#[derive(Clone, Debug)]
struct Mirrored {
    params: Box<[HeaderParam]>,
    /// The scopes that the tool takes.
    scopes: Arc<[String]>,
}

/// What the server offers. A method of a kind that is not offered is not found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Offer {
    /// Tools, and how their list behaves.
    pub tools: Option<Behaviour>,
    /// Resources, and how their lists behave.
    pub resources: Option<Behaviour>,
    /// Prompts, and how their list behaves.
    pub prompts: Option<Behaviour>,
    /// Some value can be completed.
    pub completions: bool,
    /// Some component may log to its caller.
    pub logging: bool,
}

/// How a kind behaves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Behaviour {
    /// Changes of the list are notified to those who listen.
    pub list_changed: bool,
    /// Changes of one of them are, too.
    pub subscribe: bool,
}

impl Face {
    /// The face of a server of this identity that offers this. It speaks every revision, and its
    /// sessions last as long as the process.
    pub fn new(identity: &Identity, offer: Offer) -> Self {
        let mut server_info = Vec::new();
        let mut members = Members::open(&mut server_info);
        members.text("name", &identity.name);
        members.maybe_text("title", identity.title.as_deref());
        members.text("version", &identity.version);
        members.close();
        Self {
            protocols: Protocols::ALL,
            sealer: Sealer::new(legacy::PURPOSE, None),
            offer,
            instructions: identity.instructions.clone(),
            server_info: server_info.into(),
            mirrored: HashMap::new(),
        }
    }

    /// Speaks just these revisions. With a secret its sessions are those of every server that has it.
    #[must_use]
    pub fn speaking(mut self, protocols: Protocols, secret: Option<&Secret>) -> Self {
        self.protocols = protocols;
        self.sealer = Sealer::new(legacy::PURPOSE, secret.map(Secret::reveal));
        self
    }

    /// Understands sessions too that were sealed with these secrets.
    #[must_use]
    pub fn knowing(mut self, earlier: &[Secret]) -> Self {
        let sealer = self.sealer.take();
        self.sealer = sealer.map(|sealer| sealer.knowing(legacy::PURPOSE, earlier));
        self
    }

    /// Whether a revision is spoken that has a handshake.
    pub fn shakes_hands(&self) -> bool {
        self.protocols.newest_legacy().is_some()
    }

    /// Adds which arguments of which tools are mirrored into `Mcp-Param-*` headers, and the scopes
    /// that the tool takes.
    #[must_use]
    pub fn with_mirrored<'t>(
        mut self,
        tools: impl Iterator<Item = (&'t str, (&'t [HeaderParam], &'t Arc<[String]>))>,
    ) -> Self {
        let some = tools.filter(|(_, (params, _))| !params.is_empty());
        let mirrored = some.map(|(name, (params, scopes))| {
            let mirrored = Mirrored {
                params: params.into(),
                scopes: Arc::clone(scopes),
            };
            (name.into(), mirrored)
        });
        self.mirrored = mirrored.collect();
        self
    }

    /// The arguments of this tool that are mirrored. Who may not use the tool is not told of them.
    pub(super) fn mirrored(&self, tool: &str, caller: &Caller) -> &[HeaderParam] {
        let mirrored = self.mirrored.get(tool);
        let mirrored = mirrored.filter(|mirrored| caller.has(&mirrored.scopes));
        mirrored.map_or(&[], |mirrored| &mirrored.params)
    }

    /// The answer to `server/discover` (specification: discovery).
    pub fn discover_result(&self, cache: Cache) -> Ready {
        let modern = || modern::discover_result(self, cache);
        // The other revisions have no such method.
        self.ready(modern, |_| Bytes::new(), false)
    }

    /// One page of `tools/list`: these tools in this order, and the cursor of the next page unless
    /// this is the last (specification: tools, pagination, caching).
    pub fn tools_page(
        &self,
        tools: &[&ToolDeclaration],
        next_cursor: Option<&str>,
        cache: Cache,
    ) -> Ready {
        self.ready(
            || modern::tools_page(self, tools, next_cursor, cache),
            |shape| legacy::tools_page(tools, next_cursor, shape),
            tools.iter().any(|tool| !tool.icons.is_empty()),
        )
    }

    /// One page of `resources/list`, as for tools (specification: resources).
    pub fn resources_page(
        &self,
        resources: &[&ResourceDeclaration],
        next_cursor: Option<&str>,
        cache: Cache,
    ) -> Ready {
        self.ready(
            || modern::resources_page(self, resources, next_cursor, cache),
            |shape| legacy::resources_page(resources, next_cursor, shape),
            resources.iter().any(|item| !item.icons.is_empty()),
        )
    }

    /// One page of `resources/templates/list`, as for tools (specification: resources).
    pub fn templates_page(
        &self,
        templates: &[&ResourceDeclaration],
        next_cursor: Option<&str>,
        cache: Cache,
    ) -> Ready {
        self.ready(
            || modern::templates_page(self, templates, next_cursor, cache),
            |shape| legacy::templates_page(templates, next_cursor, shape),
            templates.iter().any(|item| !item.icons.is_empty()),
        )
    }

    /// One page of `prompts/list`, as for tools (specification: prompts).
    pub fn prompts_page(
        &self,
        prompts: &[&PromptDeclaration],
        next_cursor: Option<&str>,
        cache: Cache,
    ) -> Ready {
        self.ready(
            || modern::prompts_page(self, prompts, next_cursor, cache),
            |shape| legacy::prompts_page(prompts, next_cursor, shape),
            prompts.iter().any(|item| !item.icons.is_empty()),
        )
    }

    /// A result as each dialect that is spoken writes it. Unless what is written is `shaped` by the
    /// revision, those with a handshake share one writing.
    fn ready(
        &self,
        modern: impl FnOnce() -> Bytes,
        legacy: impl Fn(Shape) -> Bytes,
        shaped: bool,
    ) -> Ready {
        let mut renderings = vec![Bytes::new(); Dialect::ALL.len()];
        let mut written: Option<Bytes> = None;
        let mut modern = Some(modern);
        let spoken = Dialect::ALL.into_iter();
        for dialect in spoken.filter(|dialect| dialect.is_of(self.protocols)) {
            let rendering = match dialect {
                Dialect::Modern => modern.take().map(|modern| modern()).unwrap_or_default(),
                Dialect::Legacy(_) => match written.clone().filter(|_| !shaped) {
                    Some(written) => written,
                    None => legacy(dialect.shape()),
                },
            };
            if dialect != Dialect::Modern {
                written = Some(rendering.clone());
            }
            if let Some(place) = renderings.get_mut(dialect.place()) {
                *place = rendering;
            }
        }
        Ready::new(renderings)
    }
}
