//! What manifests take over from the library whose capabilities they bring: its examples, written as
//! manifests, and that values arrive as they were sent.

mod arrival;
mod examples;
