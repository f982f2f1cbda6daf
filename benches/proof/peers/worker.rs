//! The program behind a worker actor: a line in, a line out.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::ffi::OsString;
use std::io::{BufRead as _, Write as _};

#[derive(Deserialize)]
struct Request<'a> {
    id: u64,
    #[serde(borrow)]
    message: &'a RawValue,
}

#[derive(Serialize)]
struct Reply<'a> {
    id: u64,
    reply: &'a RawValue,
}

/// `worker [CORE]`: answers each line with the message that it holds; on that core, if one is named.
pub(super) fn work(arguments: &[OsString]) {
    if let Some(core) = arguments.first() {
        let core = core.to_str().and_then(|core| core.parse().ok());
        crate::cores::pin(core.expect("a core"));
    }
    let (mut input, mut output) = (std::io::stdin().lock(), std::io::stdout().lock());
    let (mut line, mut answer) = (String::new(), Vec::new());
    while input.read_line(&mut line).is_ok_and(|read| read > 0) {
        let request: Request<'_> = serde_json::from_str(&line).expect("a request");
        let reply = Reply {
            id: request.id,
            reply: request.message,
        };
        answer.clear();
        serde_json::to_writer(&mut answer, &reply).expect("memory takes it");
        answer.push(b'\n');
        output.write_all(&answer).expect("a reader");
        output.flush().expect("a reader");
        line.clear();
    }
}
