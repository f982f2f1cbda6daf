//! The Rust SDK (rmcp) against the manifests beside the other clients.
//!
//!     snodo-rmcp-client http MANIFESTS URL
//!     snodo-rmcp-client stdio MANIFESTS PROGRAM ARGUMENT...

use anyhow::{Context as _, bail, ensure};
use rmcp::model::{
    CallToolRequestParams, ClientCapabilities, ClientConfig, ElicitRequestParams, ElicitResult,
    ElicitationAction, ElicitationCapability, GetPromptRequestParams, Implementation,
    ProgressNotificationParam, ReadResourceRequestParams,
};
use rmcp::service::{
    NotificationContext, RequestContext, RoleClient, RunningService, ServiceError,
};
use rmcp::transport::{StreamableHttpClientTransport, TokioChildProcess};
use rmcp::{ClientHandler, ServiceExt as _};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use tokio::process::Command;
use tokio::sync::Notify;

/// Hears what the server says.
#[derive(Clone)]
struct Heard {
    /// Made once progress was heard.
    gate: PathBuf,
    tools_changed: Arc<Notify>,
    /// What it was asked.
    asked: Arc<Mutex<Vec<String>>>,
}

impl ClientHandler for Heard {
    fn get_info(&self) -> ClientConfig {
        let mut able = ClientCapabilities::default();
        able.elicitation = Some(ElicitationCapability::new());
        ClientConfig::new(able, Implementation::new("snodo-check", "1.0.0"))
    }

    /// Agrees that `a.txt` is deleted, and to nothing else.
    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, rmcp::ErrorData> {
        let ElicitRequestParams::FormElicitationParams { message, .. } = request else {
            return Ok(ElicitResult::new(ElicitationAction::Cancel));
        };
        let answer = match message.as_str() {
            "Delete a.txt?" => Some(json!({ "sure": true })),
            "Why?" => Some(json!({ "text": "old" })),
            _ => None,
        };
        if let Ok(mut asked) = self.asked.lock() {
            asked.push(message);
        }
        Ok(match answer {
            Some(content) => ElicitResult::new(ElicitationAction::Accept).with_content(content),
            None => ElicitResult::new(ElicitationAction::Decline),
        })
    }

    async fn on_progress(&self, _: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        let _ = std::fs::write(&self.gate, "");
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.tools_changed.notify_one();
    }
}

fn arguments(value: Value) -> serde_json::Map<String, Value> {
    value.as_object().cloned().unwrap_or_default()
}

/// The JSON-RPC code with which the server refused.
fn code<T>(answered: Result<T, ServiceError>) -> anyhow::Result<i32> {
    match answered {
        Err(ServiceError::McpError(error)) => Ok(error.code.0),
        Err(other) => bail!("another failure: {other}"),
        Ok(_) => bail!("it was not refused"),
    }
}

async fn check(
    client: &RunningService<RoleClient, Heard>,
    manifests: &Path,
    heard: &Heard,
) -> anyhow::Result<usize> {
    let info = client
        .peer_info()
        .context("nothing is known of the server")?;
    let revision = info.protocol_version.to_string();
    let tools = client.list_all_tools().await?;
    let names: Vec<_> = tools.iter().map(|tool| tool.name.as_ref()).collect();
    ensure!(
        names == ["greet", "count", "wait", "fails", "delete"],
        "{names:?}"
    );
    ensure!(client.list_all_resources().await?.len() == 3);
    ensure!(client.list_all_resource_templates().await?.len() == 1);
    ensure!(client.list_all_prompts().await?.len() == 1);

    let greet = |name: &str| {
        CallToolRequestParams::new("greet").with_arguments(arguments(json!({ "name": name })))
    };
    let greeted = client.call_tool(greet("ada")).await?;
    ensure!(greeted.structured_content == Some(json!({ "greeting": "hello ada" })));
    let bad = client.call_tool(greet(&"x".repeat(30))).await?;
    ensure!(bad.is_error == Some(true), "{bad:?}");
    let none = client
        .call_tool(CallToolRequestParams::new("no_such_tool"))
        .await;
    ensure!(code(none)? == -32602);

    let _ = std::fs::remove_file(&heard.gate);
    let count = CallToolRequestParams::new("count").with_arguments(arguments(json!({ "to": 5 })));
    let counted = client.call_tool(count).await?;
    let text = counted.content.first().and_then(|block| block.as_text());
    ensure!(
        text.is_some_and(|text| text.text == "1\n2\n3\n4\n5\n"),
        "{counted:?}"
    );

    let read = client
        .read_resource(ReadResourceRequestParams::new("users://ada"))
        .await?;
    ensure!(read.contents.len() == 1);
    let none = client
        .read_resource(ReadResourceRequestParams::new("notes://never"))
        .await;
    let expected = if revision.as_str() >= "2026" {
        -32602
    } else {
        -32002
    };
    ensure!(code(none)? == expected);
    let review = GetPromptRequestParams::new("review")
        .with_arguments(arguments(json!({ "code": "1 + 1", "language": "rust" })));
    ensure!(client.get_prompt(review).await?.messages.len() == 1);
    let languages = client
        .complete_prompt_simple("review", "language", "ru")
        .await?;
    ensure!(languages == ["rust", "ruby"], "{languages:?}");

    let delete = |path: &str| {
        CallToolRequestParams::new("delete").with_arguments(arguments(json!({ "path": path })))
    };
    for (path, said) in [("a.txt", "deleted a.txt: old"), ("b.txt", "kept b.txt")] {
        let done = client.call_tool(delete(path)).await?;
        let text = done.content.first().and_then(|block| block.as_text());
        ensure!(text.is_some_and(|text| text.text == said), "{done:?}");
    }
    let asked = heard.asked.lock().map(|asked| asked.join(" "));
    ensure!(asked.is_ok_and(|asked| asked == "Delete a.txt? Why? Delete b.txt?"));

    let mut checks = 15;
    if revision.as_str() < "2026" {
        let file = manifests.join("all.toml");
        let text = std::fs::read_to_string(&file)?.replace("\"fails\"", "\"breaks\"");
        let new = manifests.join("all.toml.new");
        std::fs::write(&new, text)?;
        std::fs::rename(&new, &file)?;
        heard.tools_changed.notified().await;
        let tools = client.list_all_tools().await?;
        ensure!(tools.iter().any(|tool| tool.name == "breaks"));
        checks += 1;
    }
    println!("rmcp speaks {revision}");
    Ok(checks)
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let mut words = std::env::args().skip(1);
    let mut word = || words.next().context("a word is missing");
    let (kind, manifests, target) = (word()?, PathBuf::from(word()?), word()?);
    let heard = Heard {
        gate: manifests.join("heard"),
        tools_changed: Arc::new(Notify::new()),
        asked: Arc::default(),
    };
    let client = match kind.as_str() {
        "http" => {
            let transport = StreamableHttpClientTransport::from_uri(target);
            heard.clone().serve(transport).await?
        }
        _ => {
            let mut command = Command::new(target);
            command.args(words);
            heard
                .clone()
                .serve(TokioChildProcess::new(command)?)
                .await?
        }
    };
    let checks = check(&client, &manifests, &heard).await?;
    client.cancel().await?;
    println!("rmcp over {kind}: {checks} passed, 0 failed");
    Ok(())
}
