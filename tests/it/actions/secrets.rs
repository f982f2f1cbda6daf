//! A marker as the value of a secret, used in every place that an action has: it goes where the
//! manifest sends it and shows nowhere else.

use super::upstream::{Upstream, answer, ok};
use super::{failure, result, serve, text};
use crate::support::{Project, call, list};
use serde_json::json;

const MARK: &str = "mArK/s3cr3t value";
const ENCODED: &str = "mArK%2Fs3cr3t%20value";

fn project(upstream: &Upstream) -> Project {
    let gone = "http://127.0.0.1:1";
    Project::with(&format!(
        r#"
        [defaults.http]
        url = "{url}"
        [[tool]]
        name = "everywhere"
        [tool.http]
        method = "POST"
        url = "/{{{{ secrets.mark }}}}/x?k={{{{ secrets.mark }}}}"
        query = {{ q = "{{{{ secrets.mark }}}}" }}
        headers = {{ authorization = "Bearer {{{{ secrets.mark }}}}", x-key = "{{{{ secrets.mark }}}}" }}
        json = {{ key = "{{{{ secrets.mark }}}}" }}
        [[tool]]
        name = "blob"
        http.url = "/blob/{{{{ secrets.mark }}}}"
        [[tool]]
        name = "refused"
        http = {{ url = "{gone}/{{{{ secrets.mark }}}}", headers = {{ x-key = "{{{{ secrets.mark }}}}" }} }}
        [[tool]]
        name = "host"
        http = {{ url = "http://{{{{ secrets.host }}}}/", allow_hosts = ["*"] }}
        [[tool]]
        name = "bad_header"
        http.headers.x-key = "{{{{ secrets.mark }}}}\n"
        [[tool]]
        name = "bad_url"
        http = {{ url = "{{{{ secrets.mark | raw }}}}", allow_hosts = ["*"] }}
        [[tool]]
        name = "redirect"
        http = {{ url = "/redirect", headers.x-key = "{{{{ secrets.mark }}}}" }}
        [[tool]]
        name = "says_it"
        shell = {{ script = 'echo "fatal: https://u:$KEY@host: $KEY" >&2; exit 1', env.KEY = "{{{{ secrets.mark }}}}" }}
        [[tool]]
        name = "says_it_late"
        shell = {{ script = 'echo "$KEY"; sleep 300', env.KEY = "{{{{ secrets.mark }}}}", timeout_ms = 1000 }}
        [[tool]]
        name = "argument"
        shell = {{ command = ["no-such-program", "{{{{ secrets.mark }}}}"], stdin = "{{{{ secrets.mark }}}}" }}
        [[tool]]
        name = "dash"
        shell = {{ command = ["true", "{{{{ secrets.dash }}}}"] }}
        [[tool]]
        name = "undefined"
        result.text = "{{{{ secrets.mark }}}} {{{{ secrets.mark.nothing }}}}"
        [[tool]]
        name = "operation"
        result.text = "{{{{ secrets.mark | fromjson }}}}"
        [[tool]]
        name = "given"
        shell = {{ script = 'printf %s "$KEY"', env.KEY = "{{{{ secrets.mark }}}}" }}
        "#,
        url = upstream.url()
    ))
    .file(
        "snodo.toml",
        "manifests = [\"manifests\"]\n[secrets]\nmark = { env = \"MARK\" }\nhost = { file = \"host\" }\ndash = { env = \"DASH\" }\n[log]\nlevel = \"trace\"\n",
    )
    .file("host", "secret-host.invalid\n")
    .arg("--config")
    .arg("snodo.toml")
    .env("MARK", MARK)
    .env("DASH", &format!("-{MARK}"))
}

/// The upstream repeats what it was told, as services do.
fn upstream() -> Upstream {
    Upstream::new(|request| match request.target() {
        "/redirect" => answer("302 Found", &[("Location", "http://127.0.0.1:1/")], ""),
        target if target.starts_with("/blob") => ok("application/pdf", b"%PDF\xff"),
        _ => {
            let text = format!("bad key {} in {}", request.text(), request.line);
            answer("401 Unauthorized", &[("Content-Type", "text/plain")], text)
        }
    })
}

fn is_clean(what: &str, text: &str) {
    for form in [MARK, ENCODED, "s3cr3t", "secret-host"] {
        assert!(!text.contains(form), "{what}: {text}");
    }
}

#[test]
fn no_secret_shows_in_an_error_a_list_a_check_or_a_log() {
    let upstream = upstream();
    let project = project(&upstream);
    let daemon = project.serve();
    let mut stdio = project.stdio();
    for tool in [
        "everywhere",
        "refused",
        "host",
        "bad_header",
        "bad_url",
        "redirect",
        "says_it",
        "says_it_late",
        "argument",
        "dash",
        "undefined",
        "operation",
    ] {
        is_clean(tool, &failure(&daemon, tool, json!({})));
        let answer = stdio.ask(&call(1, tool, json!({})));
        assert_eq!(answer["result"]["isError"], true, "{answer}");
        is_clean(tool, &answer.to_string());
    }
    // It did go where the manifest sends it.
    let requests = upstream.requests();
    let sent = requests
        .iter()
        .find(|request| request.line.starts_with("POST"))
        .unwrap();
    assert_eq!(
        sent.target(),
        format!("/{ENCODED}/x?k={ENCODED}&q=mArK%2Fs3cr3t+value")
    );
    assert_eq!(
        sent.header("authorization"),
        Some(&*format!("Bearer {MARK}"))
    );
    assert_eq!(sent.header("x-key"), Some(MARK));
    assert_eq!(sent.text(), format!("{{\"key\":\"{MARK}\"}}"));
    assert_eq!(
        text(&daemon, "given", json!({})),
        MARK,
        "an answer is the author's word"
    );

    is_clean("tools/list", &daemon.ask(&list(1)).to_string());
    for format in ["text", "json", "sarif"] {
        let checked = project.check(&["--format", format]);
        assert_eq!(checked.code, 0, "{}", checked.stderr);
        is_clean(format, &(checked.stdout + &checked.stderr));
    }
    daemon.wait_for_log("a request is over");
    is_clean("the log", &daemon.stderr());
    is_clean("the log", &stdio.stderr());
}

#[test]
fn failures_show_what_happened_around_a_secret() {
    let upstream = upstream();
    let daemon = serve(project(&upstream));
    assert_eq!(
        failure(&daemon, "says_it", json!({})),
        "the command failed with exit code 1\nfatal: https://u:[secret]@host: [secret]"
    );
    assert_eq!(
        failure(&daemon, "says_it_late", json!({})),
        "timed out after 1 s\noutput so far:\n[secret]"
    );
    let said = failure(&daemon, "everywhere", json!({}));
    assert!(
        said.starts_with("the upstream answered 401 Unauthorized\nbad key {\"key\":\"[secret]\"} in POST /[secret]/x?k=[secret]&q="),
        "{said}"
    );
    assert_eq!(
        failure(&daemon, "host", json!({})),
        "could not resolve the host"
    );
    // What would be named by its address is named by its content.
    let uri = result(&daemon, "blob", json!({}))["content"][0]["resource"]["uri"].clone();
    assert_eq!(
        uri,
        "ni:///sha-256;ZiTSHZgcZlfjnIh_NOAbPberUTGTfVmOObWJveCaaQ4"
    );
}
