//! The dialect of 2026-07-28: every request carries its version, its client's capabilities and,
//! over HTTP, headers that mirror its body. Nothing is remembered from one request to the next.

mod declare;
mod headers;
mod listen;
mod mirrored;
mod operation;
mod outcome;
mod resources;

pub(super) use declare::{discover_result, prompts_page, tools_page};
pub(super) use listen::{acknowledged, cancelled, change, listen_response};
pub(super) use operation::{What, read};
pub(super) use outcome::{
    completion_response, input_required_response, prompt_response, tool_response,
};
pub(super) use resources::{resource_response, resources_page, templates_page};
