//! All components of a server, and what they have in common.

use super::{ActionSpec, Actor, AskSpec, CompleteSpec, Prompt, Resource, SendSpec, Tool, WrapSpec};
use crate::lang::diag::Span;
use std::fmt;
use std::sync::{Arc, LazyLock};

/// What kind of component.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// `[[tool]]`.
    Tool,
    /// `[[resource]]`.
    Resource,
    /// `[[prompt]]`.
    Prompt,
    /// `[[actor]]`.
    Actor,
}

impl Kind {
    /// The word for one, as manifests write it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Tool => "tool",
            Self::Resource => "resource",
            Self::Prompt => "prompt",
            Self::Actor => "actor",
        }
    }
}

impl Kind {
    /// The word with its article.
    pub fn one(self) -> &'static str {
        match self {
            Self::Tool => "a tool",
            Self::Resource => "a resource",
            Self::Prompt => "a prompt",
            Self::Actor => "an actor",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// What every kind of component has beside what it declares.
pub trait Component: fmt::Debug + Send + Sync + 'static {
    /// Which kind it is.
    const KIND: Kind;

    /// What it is asked for by, unique among its kind.
    fn key(&self) -> &str;

    /// What it does; `None` answers from `result` alone.
    fn action(&self) -> Option<&ActionSpec>;

    /// What it asks of its caller before its action.
    fn asks(&self) -> &AskSpec {
        AskSpec::nothing()
    }

    /// What stands around its action, the outermost first.
    fn wraps(&self) -> &[WrapSpec];

    /// The scopes that a caller needs for it, in byte order, each once; empty is open to everybody.
    fn scopes(&self) -> &Arc<[String]> {
        static OPEN: LazyLock<Arc<[String]>> = LazyLock::new(Arc::default);
        &OPEN
    }

    /// How values that it takes are completed, by name.
    fn completions(&self) -> &[(String, CompleteSpec)] {
        &[]
    }

    /// Changes whenever anything that a list shows of it does.
    fn fingerprint(&self) -> &str;

    /// Changes whenever anything that the manifest says of it does, defaults and the files it names
    /// included. Two of one kind with the same digest are the same, wherever they are declared.
    fn definition(&self) -> &[u8; 32];

    /// Where it was declared, for messages.
    fn at(&self) -> &Span;
}

/// One component of any kind.
#[derive(Clone, Debug)]
pub enum AnyComponent {
    /// A tool.
    Tool(Arc<Tool>),
    /// A resource.
    Resource(Arc<Resource>),
    /// A prompt.
    Prompt(Arc<Prompt>),
    /// An actor.
    Actor(Arc<Actor>),
}

/// The components of all files, each kind by file path and place in the file.
#[derive(Clone, Debug, Default)]
pub struct Catalog {
    /// The tools.
    pub tools: Vec<Arc<Tool>>,
    /// The resources, those with a template too.
    pub resources: Vec<Arc<Resource>>,
    /// The prompts.
    pub prompts: Vec<Arc<Prompt>>,
    /// The actors.
    pub actors: Vec<Arc<Actor>>,
}

impl Catalog {
    /// Adds one after the others of its kind.
    pub fn add(&mut self, component: AnyComponent) {
        match component {
            AnyComponent::Tool(tool) => self.tools.push(tool),
            AnyComponent::Resource(resource) => self.resources.push(resource),
            AnyComponent::Prompt(prompt) => self.prompts.push(prompt),
            AnyComponent::Actor(actor) => self.actors.push(actor),
        }
    }

    /// Everything that components do, completions included.
    pub fn actions(&self) -> impl Iterator<Item = &ActionSpec> {
        let tools = self.tools.iter().flat_map(|tool| actions_of(&**tool));
        let resources = self.resources.iter();
        let resources = resources.flat_map(|resource| actions_of(&**resource));
        let prompts = self.prompts.iter();
        let prompts = prompts.flat_map(|prompt| actions_of(&**prompt));
        tools.chain(resources).chain(prompts)
    }

    /// How many there are.
    pub fn counts(&self) -> Counts {
        Counts {
            tools: self.tools.len(),
            resources: self.resources.len(),
            prompts: self.prompts.len(),
            actors: self.actors.len(),
        }
    }
}

/// How many components of each kind there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Tools.
    pub tools: usize,
    /// Resources, those with a template too.
    pub resources: usize,
    /// Prompts.
    pub prompts: usize,
    /// Actors.
    pub actors: usize,
}

impl fmt::Display for Counts {
    /// `2 tools, 1 prompt`: tools always, the other kinds when there are any.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = |count| if count == 1 { "" } else { "s" };
        write!(f, "{} tool{}", self.tools, plural(self.tools))?;
        for (count, word) in [
            (self.resources, "resource"),
            (self.prompts, "prompt"),
            (self.actors, "actor"),
        ] {
            if count > 0 {
                write!(f, ", {count} {word}{}", plural(count))?;
            }
        }
        Ok(())
    }
}

/// Everything that a component does, its completions included.
pub fn actions_of<C: Component>(component: &C) -> impl Iterator<Item = &ActionSpec> {
    let completions = component.completions().iter();
    let live = completions.filter_map(|(_, complete)| match complete {
        CompleteSpec::Live(live) => live.action.as_ref(),
        CompleteSpec::List(_) => None,
    });
    component.action().into_iter().chain(live)
}

/// Every message that a component sends to actors: by its actions, and by its wrappers.
pub fn sends_of<C: Component>(component: &C) -> impl Iterator<Item = &Arc<SendSpec>> {
    let actions = actions_of(component).filter_map(|action| match action {
        ActionSpec::Actor(spec) => Some(spec),
        _ => None,
    });
    let wraps = component.wraps().iter().filter_map(|wrap| match wrap {
        WrapSpec::Actor(spec) => Some(spec),
        _ => None,
    });
    actions.chain(wraps)
}
