//! What stands in results, in the form its revisions share, and about how many bytes each result
//! takes, so that it is written without moving.

use super::content;
use super::json::{self, Members};
use super::pieces::Cuts;
use super::version::Shape;
use crate::model::Role;
use crate::ops::{Completion, Message, PromptOutcome, ResourceOutcome, ToolOutcome};

/// About how many bytes a response takes beside its content.
const FRAME: usize = 192;

/// Writes the content of a CallToolResult.
pub(super) fn content(out: &mut Vec<u8>, outcome: &ToolOutcome, shape: Shape, cuts: &mut Cuts) {
    json::array(out, &outcome.content, |out, block| {
        content::block(out, block, shape, cuts);
    });
}

/// Writes the messages of a GetPromptResult.
pub(super) fn messages(out: &mut Vec<u8>, outcome: &PromptOutcome, shape: Shape, cuts: &mut Cuts) {
    json::array(out, &outcome.messages, |out, item| {
        message(out, item, shape, cuts)
    });
}

/// Writes a PromptMessage or a SamplingMessage.
pub(super) fn message(out: &mut Vec<u8>, message: &Message, shape: Shape, cuts: &mut Cuts) {
    let mut members = Members::open(out);
    members.text(
        "role",
        match message.role {
            Role::User => "user",
            Role::Assistant => "assistant",
        },
    );
    content::block(members.member("content"), &message.content, shape, cuts);
    members.close();
}

/// Writes the contents of a ReadResourceResult.
pub(super) fn contents(out: &mut Vec<u8>, outcome: &ResourceOutcome, cuts: &mut Cuts) {
    json::array(out, &outcome.contents, |out, item| {
        content::contents(
            out,
            &item.uri,
            item.mime_type.as_deref(),
            &item.payload,
            &item.meta,
            cuts,
        );
    });
}

/// Writes the `completion` of a CompleteResult.
pub(super) fn completion(out: &mut Vec<u8>, completion: &Completion) {
    let mut members = Members::open(out);
    json::array(
        members.member("values"),
        &completion.values,
        |out, value| {
            json::string(out, value);
        },
    );
    json::display(members.member("total"), completion.total);
    members.raw(
        "hasMore",
        if completion.has_more() {
            b"true"
        } else {
            b"false"
        },
    );
    members.close();
}

/// A structured value mostly stands in the content as text too, and is about as long.
pub(super) fn room_of_tool(outcome: &ToolOutcome) -> usize {
    let content: usize = outcome.content.iter().map(content::room).sum();
    let structured = if outcome.structured.is_some() {
        content
    } else {
        0
    };
    FRAME + content + content / 16 + structured
}

pub(super) fn room_of_prompt(outcome: &PromptOutcome) -> usize {
    let messages = outcome.messages.iter();
    let content: usize = messages
        .map(|message| content::room(&message.content))
        .sum();
    FRAME + content
}

pub(super) fn room_of_completion(completion: &Completion) -> usize {
    let values: usize = completion.values.iter().map(|value| value.len() + 3).sum();
    FRAME + values
}

pub(super) fn room_of_resource(outcome: &ResourceOutcome) -> usize {
    let contents = outcome
        .contents
        .iter()
        .map(|item| FRAME + item.uri.len() + content::room_of_payload(&item.payload));
    let contents: usize = contents.sum();
    FRAME + contents + contents / 16
}
