//! What a component asks of its caller before it does anything (specification: patterns, Multi
//! Round-Trip Requests).

use super::MessageSpec;
use crate::lang::schema::Schema;
use crate::lang::template::{Template, Tree};
use serde_json::{Map, Value};
use std::sync::Arc;

/// Something that a caller's program can do for a server that asks it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClientCapability {
    /// Put a form before the user.
    Form,
    /// Send the user to a URL.
    Url,
    /// Ask its model.
    Sampling,
    /// Ask its model, with tools.
    SamplingTools,
    /// Ask its model, with context of other servers.
    SamplingContext,
    /// Say where it works.
    Roots,
}

impl ClientCapability {
    /// All of them, by the names that manifests have for them.
    pub const WORDS: [(&'static str, Self); 6] = [
        ("elicitation", Self::Form),
        ("elicitation.url", Self::Url),
        ("sampling", Self::Sampling),
        ("sampling.tools", Self::SamplingTools),
        ("sampling.context", Self::SamplingContext),
        ("roots", Self::Roots),
    ];
}

/// What a caller's program can do (schema: ClientCapabilities).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClientCapabilities(u8);

impl ClientCapabilities {
    /// These and one more.
    #[must_use]
    pub const fn with(self, capability: ClientCapability) -> Self {
        Self(self.0 | 1 << capability as u8)
    }

    /// Whether it is among them.
    pub const fn has(self, capability: ClientCapability) -> bool {
        self.0 & 1 << capability as u8 != 0
    }

    /// Those of both.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Those that are needed and not here.
    #[must_use]
    pub const fn lacking(self, needed: Self) -> Self {
        Self(needed.0 & !self.0)
    }

    /// A bit for each, in the order of [`ClientCapability`].
    pub const fn to_bits(self) -> u8 {
        self.0
    }

    /// Those of these bits; others mean nothing.
    pub const fn of_bits(bits: u8) -> Self {
        Self(bits & 0b11_1111)
    }

    /// Whether there are none.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Their names, as manifests write them.
    pub fn words(self) -> impl Iterator<Item = &'static str> {
        let all = ClientCapability::WORDS.into_iter();
        all.filter(move |(_, capability)| self.has(*capability))
            .map(|(word, _)| word)
    }
}

impl FromIterator<ClientCapability> for ClientCapabilities {
    fn from_iter<I: IntoIterator<Item = ClientCapability>>(capabilities: I) -> Self {
        capabilities.into_iter().fold(Self::default(), Self::with)
    }
}

/// What a component asks, and of whom.
#[derive(Debug, Default)]
pub struct AskSpec {
    /// The rounds, in order: at most [`AskSpec::MOST`].
    pub rounds: Vec<RoundSpec>,
    /// A caller without these is refused before anything else.
    pub requires: ClientCapabilities,
    /// Answers count only with the state that was given with the questions.
    pub sealed: bool,
}

impl AskSpec {
    /// Most rounds of a component, and most questions of a round.
    pub const MOST: usize = 16;

    /// What asks nothing.
    pub fn nothing() -> &'static Self {
        static NOTHING: AskSpec = AskSpec {
            rounds: Vec::new(),
            requires: ClientCapabilities(0),
            sealed: false,
        };
        &NOTHING
    }
}

/// Questions that are asked together.
#[derive(Debug)]
pub struct RoundSpec {
    /// The round is left out unless this holds.
    pub when: Option<Template>,
    /// A question that the caller's program cannot put is left out instead of refusing the call.
    pub skip_unsupported: bool,
    /// The questions: at least one.
    pub questions: Vec<QuestionSpec>,
}

/// One question.
#[derive(Debug)]
pub struct QuestionSpec {
    /// What its answer is found by, unique in the component.
    pub id: String,
    /// What is asked.
    pub kind: QuestionKind,
}

/// What is asked.
#[derive(Debug)]
pub enum QuestionKind {
    /// The user, by a form.
    Form(FormSpec),
    /// The user, to go to a URL.
    Url {
        /// Why.
        message: Template,
        /// Where: `http:` or `https:`.
        url: Template,
    },
    /// The caller's model.
    Sample(SampleSpec),
    /// Where the caller works.
    Roots,
}

/// A form.
#[derive(Debug)]
pub struct FormSpec {
    /// What it is for.
    pub message: Template,
    /// The form as a client is shown it (schema: `requestedSchema`).
    pub shown: Arc<Value>,
    /// What its answer is held against.
    pub schema: Arc<Schema>,
}

/// A request to a model (schema: CreateMessageRequestParams).
#[derive(Debug)]
pub struct SampleSpec {
    /// The conversation: at least one message.
    pub messages: Vec<MessageSpec>,
    /// `systemPrompt`.
    pub system_prompt: Option<Template>,
    /// The provider's own (`metadata`): an object.
    pub metadata: Option<Tree>,
    /// The other members, in the specification's names; `maxTokens` among them.
    pub others: Map<String, Value>,
    /// Context of servers is asked for.
    pub wants_context: bool,
}

impl QuestionKind {
    /// What the caller's program must be able to do.
    pub fn needs(&self) -> ClientCapabilities {
        let needs = ClientCapabilities::default();
        match self {
            Self::Form(_) => needs.with(ClientCapability::Form),
            Self::Url { .. } => needs.with(ClientCapability::Url),
            Self::Sample(sample) if sample.wants_context => needs
                .with(ClientCapability::Sampling)
                .with(ClientCapability::SamplingContext),
            Self::Sample(_) => needs.with(ClientCapability::Sampling),
            Self::Roots => needs.with(ClientCapability::Roots),
        }
    }
}

impl RoundSpec {
    /// What the caller's program must be able to do for all of its questions.
    pub fn needs(&self) -> ClientCapabilities {
        let questions = self.questions.iter();
        questions.fold(ClientCapabilities::default(), |all, question| {
            all.and(question.kind.needs())
        })
    }
}
