//! The neutral protocol: what is asked, what comes of it, what can go wrong. It knows no ids,
//! no versions and no HTTP; a dialect under `protocol/` gives each of these its bytes.

mod base64;
mod caller;
mod change;
mod completion;
mod content;
mod context;
mod error;
mod input;
mod notice;
mod notices;
mod operation;
mod outcome;

pub use base64::{Base64, Base64Encoder};
pub use caller::Caller;
pub use change::{Change, Filter, ListKind};
pub use completion::{Completion, Reference};
pub use content::{Annotations, Block, Payload, Role};
pub use context::{
    ClientCapabilities, ClientCapability, ClientInfo, Context, LogLevel, ProgressToken, Trace,
};
pub use error::OpError;
pub use input::{Input, InputRequest, InputRequired};
pub use notice::{Log, Notice, Progress};
pub use notices::{Notices, Take, Waiting};
pub use operation::{Arguments, Operation, Texts};
pub use outcome::{
    Answer, Message, PromptOutcome, Ready, ResourceContent, ResourceOutcome, ToolOutcome,
};
