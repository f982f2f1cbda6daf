//! `[[prompt]]`: one prompt, whole.

use super::action::{Action, action};
use super::codes::{CONFLICT, EMPTY_COMPONENT, SECRET_SHOWN};
use super::scopes::scopes;
use super::wrap::{check_cache, wraps};
use super::{Cx, Lowered, ask, available, base, blocks, complete, identity, names, result};
use crate::lang::diag::Diagnostic;
use crate::lang::template::{Names, Template};
use crate::manifest::read::{At, Entry, Table, Templates};
use crate::model::{
    AnyComponent, BlockKind, BlockSpec, CompleteSpec, Kind, MessageSpec, Prompt, PromptArgument,
    PromptDeclaration, PromptResultSpec, Role,
};
use std::sync::Arc;
use toml::de::DeValue;

/// Reads one `[[prompt]]`. `defaults` is the file's `[defaults]`, when it has one.
pub fn prompt<'a>(cx: &Cx<'a>, mut table: Table<'a>, defaults: Option<&Table<'a>>) -> Lowered {
    let before = cx.findings.errors();
    let name = identity::name(&mut table, Kind::Prompt);
    let (is_available, prompt) =
        available::read(cx, &table, || build(cx, &table, name.as_ref(), defaults));
    table.finish();
    let is_whole = is_available && cx.findings.errors() == before;
    Lowered {
        kind: Kind::Prompt,
        component: prompt
            .filter(|_| is_whole)
            .map(|prompt| AnyComponent::Prompt(Arc::new(prompt))),
        key: name.filter(|_| is_available),
    }
}

fn build<'a>(
    cx: &Cx<'a>,
    table: &Table<'a>,
    name: Option<&At<String>>,
    defaults: Option<&Table<'a>>,
) -> Option<Prompt> {
    let outside_before = cx.outside.borrow().len();
    let title = table.prose("title");
    let description = table.prose("description");
    let icons = base::icons(table);
    let metadata = base::metadata(table);
    let declared = table.table("arguments");
    let entries = declared.as_ref().map(Table::entries).unwrap_or_default();
    let call = names::texts(cx, "args", entries.iter().map(|entry| entry.key));
    let mut arguments = Vec::new();
    let mut completions = Vec::new();
    for entry in &entries {
        if let Some((argument, completion)) = argument(cx, table, entry, &call, defaults) {
            completions.extend(completion.map(|complete| (argument.name.clone(), complete)));
            arguments.push(argument);
        }
    }
    let asks = ask::asks(cx, table, &call);
    let call = &asks.call;
    let action = action(cx, table, defaults, call);
    let wraps = wraps(cx, table, defaults, call);
    let scopes = scopes(cx, table, defaults);
    check_cache(table, &wraps, &action);
    let result = messages(cx, table, call, &action);
    let refused = ask::refused(table, &asks, |refused, call| {
        self::result(cx, refused, call.names())
    });
    let declaration = PromptDeclaration {
        name: name?.value.clone(),
        title,
        description,
        icons,
        arguments,
        metadata,
    };
    Some(Prompt {
        fingerprint: identity::fingerprint(&declaration, &[]),
        declaration,
        action: match action {
            Action::None => None,
            Action::Whole(spec) => Some(spec),
            Action::Many | Action::Broken(_) => return None,
        },
        asks: asks.spec,
        refused: refused.flatten(),
        wraps,
        scopes: scopes?,
        result: result?,
        completions,
        definition: identity::definition(cx, table, defaults, outside_before),
        at: table.at(),
    })
}

/// One argument, and how it is completed.
fn argument<'a>(
    cx: &Cx<'a>,
    table: &Table<'a>,
    entry: &Entry<'a>,
    call: &names::Call,
    defaults: Option<&Table<'a>>,
) -> Option<(PromptArgument, Option<CompleteSpec>)> {
    let arguments = table.table("arguments")?;
    let mut read = arguments.sub_table(entry)?;
    read.set_place(format!("{}, argument \"{}\"", table.place(), entry.key));
    let argument = PromptArgument {
        name: entry.key.to_owned(),
        title: read.prose("title"),
        description: read.prose("description"),
        required: read.boolean("required").is_some_and(|read| read.value),
    };
    let complete = complete::complete(cx, &read, "complete", call, defaults);
    read.finish();
    Some((argument, complete))
}

/// A prompt's `result`. The outer `None` means that it is broken, or that there is nothing to say.
fn messages<'a>(
    cx: &Cx<'a>,
    table: &Table<'a>,
    call: &names::Call,
    action: &Action,
) -> Option<Option<PromptResultSpec>> {
    let before = cx.findings.errors();
    let spec = table.table("result").and_then(|result| {
        let names = call.names_with_output(action);
        self::result(cx, result, &names)
    });
    let says = spec.as_ref().is_some_and(|spec| spec.messages.is_some());
    if matches!(action, Action::None) && !says && cx.findings.errors() == before {
        let message = "the prompt has neither an action nor messages";
        table.report(
            Diagnostic::error(EMPTY_COMPONENT, table.at(), message)
                .help("add `text` or `messages` to `[prompt.result]`"),
        );
        return None;
    }
    (spec.is_some() || !table.has("result")).then_some(spec)
}

fn result(cx: &Cx<'_>, table: Table<'_>, names: &Names) -> Option<PromptResultSpec> {
    let templates = Templates::shown(
        names,
        SECRET_SHOWN,
        "a secret in a prompt is shown to every caller",
    );
    if let [text, messages] = table.alternatives(&["text", "messages"]).as_slice() {
        let message = "`text` and `messages` exclude each other";
        table.report(
            Diagnostic::error(CONFLICT, messages.key_at.clone(), message)
                .related(text.key_at.clone(), "the text"),
        );
    }
    let text = templates
        .key(&table, "text")
        .map(|read| vec![said(Role::User, read.value)]);
    let messages = table.has("messages").then(|| {
        let items = table.tables("messages").into_iter();
        items
            .filter_map(|item| message(cx, item, &templates))
            .collect()
    });
    let spec = PromptResultSpec {
        messages: text.or(messages),
        description: templates.key(&table, "description").map(|read| read.value),
        metadata: result::metadata(&table, &templates),
    };
    table.finish();
    Some(spec)
}

/// One of `messages`: `{ role, content }`, where content is a text or a block.
pub(super) fn message(
    cx: &Cx<'_>,
    item: Table<'_>,
    templates: &Templates<'_>,
) -> Option<MessageSpec> {
    let roles = [("user", Role::User), ("assistant", Role::Assistant)];
    if !item.has("role") {
        item.missing_with("role", "write `user` or `assistant`");
    }
    let role = item.word("role", &roles).map(|read| read.value);
    if !item.has("content") {
        item.missing_with(
            "content",
            "write a text, or a block such as `{ type = \"image\", … }`",
        );
    }
    let content = item.entry("content").and_then(|entry| match entry.value {
        DeValue::Table(_) => blocks::block(cx, item.sub_table(&entry)?, templates),
        _ => templates.read(&item, &entry).map(|read| text(read.value)),
    });
    item.finish();
    Some(MessageSpec {
        role: role?,
        content: content?,
    })
}

fn said(role: Role, template: Template) -> MessageSpec {
    MessageSpec {
        role,
        content: text(template),
    }
}

fn text(template: Template) -> BlockSpec {
    BlockSpec {
        kind: BlockKind::Text(template),
        annotations: None,
    }
}
