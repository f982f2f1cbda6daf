//! What snodo is compared with: small servers and programs, each this program in another role.

mod bare;
mod checked;
mod listening;
mod server;
mod upstream;
mod worker;

pub use upstream::BODY as UPSTREAM_BODY;

use std::ffi::OsString;

/// Takes the role that the arguments name.
pub fn be(role: &str, arguments: &[OsString]) {
    match role {
        "tied" => crate::process::tied(arguments),
        "bare" => server::serve(arguments, bare::same_bytes),
        "checked" => server::serve(arguments, checked::greet),
        "text" => server::serve(arguments, bare::text),
        "spawn" => server::serve(arguments, bare::spawn),
        "file" => server::serve(arguments, bare::file),
        "blob" => server::serve(arguments, bare::blob),
        "relay" => server::serve(arguments, bare::relay),
        "listening" => server::run(listening::serve(arguments)),
        "upstream" => upstream::serve(arguments),
        "worker" => worker::work(arguments),
        _ => panic!("there is no role {role}"),
    }
}
