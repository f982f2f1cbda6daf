//! Calls whose whole answer is known beforehand: a client learns it byte by byte in the calm, where its meaning is
//! checked, and under load it must be the same but for the call's own word.

use serde_json::{Value, json};

/// One kind of request.
pub struct Kind {
    pub name: &'static str,
    pub method: &'static str,
    /// What is asked with this word.
    pub params: fn(&str) -> Value,
    /// What the answer holds at least.
    pub means: fn(&str) -> Value,
    /// How often it is asked in each pass.
    pub weight: usize,
}

/// A kind of `tools/call`, by the tool's name.
const fn tool(
    name: &'static str,
    params: fn(&str) -> Value,
    means: fn(&str) -> Value,
    weight: usize,
) -> Kind {
    let method = "tools/call";
    Kind {
        name,
        method,
        params,
        means,
        weight,
    }
}

fn call(tool: &str, arguments: Value) -> Value {
    json!({ "name": tool, "arguments": arguments })
}

fn named(tool: &str, word: &str) -> Value {
    call(tool, json!({ "name": word }))
}

fn says(text: impl Into<String>) -> Value {
    json!({ "result": { "content": [{ "type": "text", "text": text.into() }], "isError": false } })
}

fn fails(text: impl Into<String>) -> Value {
    json!({ "result": { "content": [{ "type": "text", "text": text.into() }], "isError": true } })
}

/// A long text that holds everything that is escaped.
fn long(word: &str) -> String {
    format!("{word} \"\\ \u{7} \u{e9} \u{1f600}\n").repeat(4000)
}

pub const KINDS: &[Kind] = &[
    tool(
        "greet",
        |word| named("greet", word),
        |word| says(format!("Hello, {word}!")),
        20,
    ),
    tool(
        "shape",
        |word| named("shape", word),
        |word| json!({ "result": { "structuredContent": { "name": word, "long": 10 } } }),
        10,
    ),
    tool(
        "greet, without its argument",
        |_| call("greet", json!({})),
        |_| fails("Missing required arguments: name"),
        5,
    ),
    tool(
        "no such tool",
        |word| named(&format!("no-{word}"), word),
        |_| json!({ "error": { "code": -32602 } }),
        5,
    ),
    tool("say", |word| named("say", word), |word| says(word), 2),
    tool(
        "pipe",
        |word| call("pipe", json!({ "text": long(word) })),
        |word| says(long(word)),
        1,
    ),
    tool(
        "fail",
        |word| named("fail", word),
        |word| fails(format!("the command failed with exit code 3\nno {word}")),
        1,
    ),
    tool("slow", |_| call("slow", json!({})), |_| says(""), 1),
    tool(
        "relay",
        |word| named("relay", word),
        |word| json!({ "result": { "structuredContent": { "q": word } } }),
        4,
    ),
    tool(
        "absent",
        |word| named("absent", word),
        |word| fails(format!("the upstream answered 404 Not Found\nno {word}")),
        1,
    ),
    tool(
        "silent",
        |_| call("silent", json!({})),
        |_| json!({ "result": { "isError": true } }),
        1,
    ),
    tool(
        "cut",
        |_| call("cut", json!({})),
        |_| json!({ "result": { "isError": true } }),
        1,
    ),
    tool(
        "lines",
        |_| call("lines", json!({})),
        |_| says("two\nthree\n"),
        5,
    ),
    tool(
        "missing",
        |word| call("missing", json!({ "path": format!("../{word}") })),
        |_| fails("file not found"),
        1,
    ),
    tool(
        "echo",
        |word| named("echo", word),
        |word| json!({ "result": { "structuredContent": { "name": word } } }),
        5,
    ),
    tool(
        "tell",
        |_| call("tell", json!({})),
        |_| json!({ "result": { "structuredContent": { "uri": "told://it" } } }),
        1,
    ),
    tool(
        "decided: refuse",
        |word| call("decided", json!({ "name": word, "wish": "refuse" })),
        |word| fails(format!("not {word}")),
        1,
    ),
    tool(
        "decided: answer",
        |word| call("decided", json!({ "name": word, "wish": "answer" })),
        |word| says(format!("{word} is answered")),
        1,
    ),
    tool(
        "decided: continue",
        |word| call("decided", json!({ "name": word, "wish": "continue" })),
        |word| says(format!("{word} went on")),
        1,
    ),
    tool(
        "late",
        |_| call("late", json!({})),
        |_| fails("timed out after 50 ms"),
        1,
    ),
    tool(
        "kept",
        |_| call("kept", json!({})),
        |_| json!({ "result": { "isError": false } }),
        3,
    ),
    tool(
        "limited",
        |word| named("limited", word),
        |word| says(word),
        1,
    ),
    Kind {
        name: "a resource that is a file",
        method: "resources/read",
        params: |_| json!({ "uri": "notes:///notes.txt" }),
        means: |_| json!({ "result": { "contents": [{ "uri": "notes:///notes.txt", "text": "one\ntwo\nthree\nfour\n" }] } }),
        weight: 2,
    },
    Kind {
        name: "a resource by a template",
        method: "resources/read",
        params: |word| json!({ "uri": format!("words://it/{word}") }),
        means: |word| json!({ "result": { "contents": [{ "text": format!("The word is {word}.") }] } }),
        weight: 2,
    },
    Kind {
        name: "a prompt",
        method: "prompts/get",
        params: |word| json!({ "name": "write", "arguments": { "to": word } }),
        means: |word| json!({ "result": { "messages": [{ "content": { "text": format!("Write to {word}.") } }] } }),
        weight: 2,
    },
    Kind {
        name: "a completion",
        method: "completion/complete",
        params: |_| json!({ "ref": { "type": "ref/prompt", "name": "write" }, "argument": { "name": "to", "value": "on" } }),
        means: |_| json!({ "result": { "completion": { "values": ["one"] } } }),
        weight: 1,
    },
];

/// Whether a value holds all that another says: of objects the members, of lists as many items.
pub fn holds(value: &Value, least: &Value) -> bool {
    match (value, least) {
        (Value::Object(value), Value::Object(least)) => least
            .iter()
            .all(|(name, least)| value.get(name).is_some_and(|value| holds(value, least))),
        (Value::Array(value), Value::Array(least)) => {
            value.len() == least.len()
                && value
                    .iter()
                    .zip(least)
                    .all(|(value, least)| holds(value, least))
        }
        _ => value == least,
    }
}
