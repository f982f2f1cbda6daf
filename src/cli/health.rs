//! `snodo health`.

use super::output::Word;
use super::show::for_output;
use super::{Source, output, show};
use crate::client::{self, Options, Target};
use crate::manifest::environment::Environment;
use crate::manifest::settings;
use crate::model::{Listen, Settings};
use clap::Args;
use std::net::IpAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;
use url::Url;

/// What `snodo health --help` ends with.
pub(super) const EXAMPLES: &str = "\
Examples:
  snodo health                                      the server that the server file here describes
  snodo health --url http://127.0.0.1:4000
  snodo health --url unix:/run/snodo/mcp.sock

It asks for /readyz and prints the answer: what is served, and how the last reload went.
Exit codes: 0 it serves, 1 it does not or there is no answer, 2 misused.";

/// Where it is asked.
const PATH: &str = "/readyz";

#[derive(Debug, Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    source: Source,
    /// Where the server is, instead of what the server file says: http://…, https://… or unix:/…
    #[arg(long, value_name = "URL", conflicts_with_all = ["paths", "config", "set"])]
    url: Option<String>,
    /// A file of certificates to trust beside the platform's
    #[arg(long, value_name = "FILE", requires = "url")]
    ca_file: Option<PathBuf>,
    /// How long to wait for an answer, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 3000, value_parser = clap::value_parser!(u64).range(1..=600_000))]
    timeout_ms: u64,
}

/// Asks a server whether it serves.
pub(super) fn run(arguments: Arguments) -> ExitCode {
    let target = match &arguments.url {
        Some(url) => at(url),
        None => described(arguments.source),
    };
    let target = match target {
        Ok(target) => target,
        Err((message, code)) => {
            output::error(&message);
            return ExitCode::from(code);
        }
    };
    let ca = arguments.ca_file.as_ref().map(std::fs::read).transpose();
    let ca = match ca {
        Ok(ca) => ca.into_iter().collect(),
        Err(error) => {
            let what = format!("cannot read the file of --ca-file: {error}");
            output::say(Word::Error, &what, None);
            return ExitCode::from(2);
        }
    };
    match ask(&target, Duration::from_millis(arguments.timeout_ms), ca) {
        Ok((status, text)) => {
            output::result(&for_output(text.trim_end()));
            ExitCode::from(u8::from(status != 200))
        }
        Err(why) => {
            output::say(Word::Error, &why, None);
            ExitCode::FAILURE
        }
    }
}

fn ask(target: &Target, timeout: Duration, ca: Vec<Vec<u8>>) -> Result<(u16, String), String> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| format!("cannot start: {error}"))?;
    let options = Options {
        timeout,
        ca,
        ..Options::default()
    };
    let got = runtime.block_on(client::get(target, &options));
    let (status, body) = got.map_err(|error| error.to_string())?;
    Ok((status, String::from_utf8_lossy(&body).into_owned()))
}

/// The place behind a URL; a message and an exit code when it is none.
fn at(url: &str) -> Result<Target, (String, u8)> {
    if let Some(socket) = url.strip_prefix("unix:") {
        return Ok(Target::Unix(socket.into(), PATH.into()));
    }
    let parsed = Url::parse(url).ok();
    let parsed = parsed.filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
    let Some(mut url) = parsed else {
        let message = format!(
            "error: `{url}` is no address of a server\n  = help: an address is http://HOST:PORT, https://… or unix:/PATH"
        );
        return Err((show::plain(&message).into_owned(), 2));
    };
    url.set_path(PATH);
    Ok(Target::Http(url))
}

/// The place that the settings name: that of reports before that of messages.
fn described(source: Source) -> Result<Target, (String, u8)> {
    let environment = Environment::of_process();
    let no_color = environment.asks_for_no_color();
    // A secret that is missing here is none of a health check's business.
    let (settings, found) = settings::check(&source.asked(), &environment);
    let Some(settings) = settings else {
        output::findings(&found, no_color);
        return Err((String::new(), 1));
    };
    let target = places(&settings).find_map(target);
    target.ok_or_else(|| {
        let message = match settings.http.tls {
            // Which name its certificate is for is not known here.
            Some(_) => {
                "error: the server speaks TLS at all of its addresses\n  = help: name the place by the certificate's name: `snodo health --url https://NAME:PORT`, or add a Unix socket to `http.listen`"
            }
            None => {
                "error: the server file does not say where the server is to be found\n  = help: name the place: `snodo health --url http://127.0.0.1:4000`"
            }
        };
        (message.to_owned(), 1)
    })
}

fn places(settings: &Settings) -> impl Iterator<Item = &Listen> {
    let is_clear =
        |place: &&Listen| settings.http.tls.is_none() || !matches!(place, Listen::Tcp { .. });
    let messages = settings.http.listen.iter().filter(is_clear);
    settings.reports.iter().chain(messages)
}

/// Where a server that listens there is reached from this machine.
fn target(place: &Listen) -> Option<Target> {
    match place {
        Listen::Tcp { port: 0, .. } | Listen::Passed(_) => None,
        Listen::Unix(path) => Some(Target::Unix(path.clone(), PATH.into())),
        Listen::Tcp { host, port } => {
            let host = match host.parse::<IpAddr>() {
                Ok(IpAddr::V4(ip)) if ip.is_unspecified() => "127.0.0.1".to_owned(),
                Ok(IpAddr::V6(ip)) if ip.is_unspecified() => "[::1]".to_owned(),
                Ok(IpAddr::V6(ip)) => format!("[{ip}]"),
                _ => host.clone(),
            };
            let url = Url::parse(&format!("http://{host}:{port}{PATH}")).ok()?;
            Some(Target::Http(url))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_to_listen_is_reached_from_this_machine() {
        let shown = |place: &str| match target(&place.parse().unwrap()) {
            Some(Target::Http(url)) => url.to_string(),
            Some(Target::Unix(path, at)) => format!("{} {at}", path.display()),
            _ => "-".into(),
        };
        for (place, expected) in [
            ("0.0.0.0:4000", "http://127.0.0.1:4000/readyz"),
            ("[::]:80", "http://[::1]/readyz"),
            ("[fe80::1]:81", "http://[fe80::1]:81/readyz"),
            ("localhost:4000", "http://localhost:4000/readyz"),
            ("unix:/run/s", "/run/s /readyz"),
            ("127.0.0.1:0", "-"),
            ("systemd", "-"),
        ] {
            assert_eq!(shown(place), expected, "{place}");
        }
    }
}
