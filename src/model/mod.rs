//! Validated components: what a manifest means once it has been checked. Valid by construction;
//! nothing here knows TOML, and nothing here does IO.

mod action;
mod actor;
mod ask;
mod auth;
mod catalog;
mod complete;
mod declaration;
mod hosts;
mod http;
mod oauth;
mod progress;
mod prompt;
mod resource;
mod result;
mod settings;
mod test;
mod tls;
mod tool;
mod traces;
mod window;
mod wrap;

pub use action::{
    ActionSpec, ArgSpec, ClientIdentity, DEFAULT_PATH, Encoding, FileSpec, HeaderSpec, HttpBody,
    HttpSpec, HttpTarget, KeyPem, LimitsSpec, ListingSpec, Parse, Program, RetrySpec, ShellSpec,
    WindowSpec, is_own_header,
};
pub use actor::{
    Actor, Body, DeclaredSpec, Handler, Restart, SendSpec, Supervision, Timer, WorkerSpec,
};
pub use ask::{
    AskSpec, ClientCapabilities, ClientCapability, FormSpec, QuestionKind, QuestionSpec, RoundSpec,
    SampleSpec,
};
pub use auth::{AuthSettings, CallerSpec, TokenSpec, is_scope};
pub use catalog::{AnyComponent, Catalog, Component, Counts, Kind, actions_of, sends_of};
pub use complete::{CompleteSpec, LiveSpec};
pub use declaration::{
    Annotations, Cache, CacheScope, Icon, Identity, Role, Theme, ToolAnnotations, ToolDeclaration,
};
pub use hosts::{HostPattern, HostPatternError};
pub use http::{HttpSettings, Listen, ListenError};
pub use oauth::{OauthSpec, is_out_of_reach, resource_identifier};
pub use progress::{PatternError, ProgressPattern, ProgressSpec, Reached};
pub use prompt::{MessageSpec, Prompt, PromptArgument, PromptDeclaration, PromptResultSpec};
pub use resource::{ContentData, ContentSpec, Resource, ResourceDeclaration, ResourceResultSpec};
pub use result::{BlockKind, BlockSpec, MediaSpec, PayloadSpec, ProtocolErrorSpec, ResultSpec};
pub use settings::{Caches, OnError, ReloadSettings, Revision, ServerSettings, Settings, Values};
pub use test::{
    Ending, Expectation, ProtocolErrorExpectation, RequestExpectation, TestAnswer, ToolTest,
    UpstreamAnswer, UpstreamBody, UpstreamFault, UpstreamReply,
};
pub use tls::{TlsError, TlsSettings};
pub use tool::Tool;
pub use traces::TracesSettings;
pub use window::{Window, WindowError};
pub use wrap::WrapSpec;
