//! The targets. Each says what its input is and what must hold whatever the input.

mod header;
mod http;
mod manifest;
mod message;
mod schema;
mod sealed;
mod template;
mod uri_template;
pub mod worker;

/// All of them, by name.
pub const ALL: [(&str, fn(&[u8])); 9] = [
    ("header", header::run),
    ("http", http::run),
    ("manifest", |input| text(input, manifest::run)),
    ("message", message::run),
    ("schema", |input| text(input, schema::run)),
    ("sealed", sealed::run),
    ("template", |input| text(input, template::run)),
    ("uri_template", |input| text(input, uri_template::run)),
    ("worker", worker::run),
];

/// For targets whose input is text: anything else is refused before it comes to them.
fn text(input: &[u8], run: fn(&str)) {
    if let Ok(input) = std::str::from_utf8(input) {
        run(input);
    }
}
