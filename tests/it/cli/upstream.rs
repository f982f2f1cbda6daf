//! The stand-in for an upstream in `snodo test`: nothing leaves the machine, nothing is waited for,
//! and what is wrong with the requests is told.

use crate::support::Project;
use std::net::TcpListener;
use std::time::{Duration, Instant};

const TOOL: &str = "[[tool]]\nname = \"t\"\narguments.host = { type = \"string\" }\n";

/// What is printed of one test of a tool with this `http`.
fn said(http: &str, test: &str) -> (i32, String) {
    let manifest = format!("{TOOL}{http}\n[[tool.test]]\nname = \"t\"\n{test}\n");
    let ran = Project::with(&manifest).test(&[]);
    assert_eq!(ran.stderr, "", "{manifest}");
    (ran.code, ran.stdout)
}

/// The same for one that must pass.
fn passes(http: &str, test: &str) {
    let said = said(http, test);
    assert_eq!(
        said,
        (0, "ok    t: t\nok: 1 test passed\n".into()),
        "{test}"
    );
}

/// The lines below the test's place, of one that must fail.
fn problems(http: &str, test: &str) -> String {
    let (code, said) = said(http, test);
    assert_eq!(code, 1, "{said}");
    let lines = said.lines().skip(2);
    let lines = lines.filter_map(|line| line.strip_prefix("      "));
    lines.collect::<Vec<_>>().join("\n")
}

const GET: &str = "http.url = \"https://shop.example/a\"";
const RETRIED: &str =
    "http = { url = \"https://shop.example/a\", retry = { attempts = 3, backoff_ms = 1 } }";

#[test]
fn faults_are_those_of_the_real_client_and_cost_no_time() {
    let begun = Instant::now();
    for (fault, told) in [
        ("refused", "https://shop.example: connection refused"),
        ("timeout", "https://shop.example: timed out after 10 s"),
        (
            "closed",
            "https://shop.example: connection closed before the response",
        ),
        (
            "unknown_host",
            "https://shop.example: could not resolve the host",
        ),
    ] {
        let test = format!(
            "http = {{ error = \"{fault}\" }}\nexpect = {{ text = \"{told}\", is_error = true }}"
        );
        passes(GET, &test);
    }
    assert!(begun.elapsed() < Duration::from_secs(8));
}

#[test]
fn an_answer_is_read_as_a_real_one_is() {
    for (http, test) in [
        // gzip of `hello`.
        (
            GET,
            "http = { headers = { content-encoding = \"gzip\", content-type = \"text/plain\" }, bytes = \"H4sIAAAAAAAAA8tIzcnJBwCGphA2BQAAAA==\" }\nexpect.text = \"hello\"",
        ),
        (
            "http = { url = \"https://shop.example/a\", max_bytes = 3 }",
            "http.text = \"four\"\nexpect.error_contains = \"response larger than 3 bytes\"",
        ),
        (
            GET,
            "http = [{ status = 302, headers = { location = \"/b\" } }, { text = \"x\", expect.url = \"https://shop.example/b\" }]\nexpect.text = \"x\"",
        ),
        (
            RETRIED,
            "http = [{ status = 503 }, { error = \"refused\" }, { json = [] }]\nexpect.structured = []",
        ),
        (
            "http = { url = \"http://{{ args.host }}/\", allow_hosts = [\"*\"] }",
            "arguments.host = \"169.254.169.254\"\nexpect.error_contains = \"address not allowed\"",
        ),
        (
            "http = { url = \"http://{{ args.host }}/\", allow_hosts = [\"*\"] }",
            "arguments.host = \"localhost\"\nexpect.error_contains = \"address not allowed\"",
        ),
    ] {
        passes(http, test);
    }
}

#[test]
fn as_many_requests_are_made_as_there_are_answers() {
    for (http, test, told) in [
        (
            RETRIED,
            "http = [{ status = 503 }, {}, {}]\nexpect.is_error = false",
            "http: 2 requests were made, and there are 3 answers",
        ),
        (
            RETRIED,
            "http = { status = 503 }\nexpect.is_error = true",
            "http: 3 requests were made, and there is 1 answer: nothing answers at https://shop.example\n  | https://shop.example: connection refused",
        ),
        (
            GET,
            "expect.is_error = true",
            "http: 1 request was made, and there is no answer: nothing answers at https://shop.example\n  | https://shop.example: connection refused",
        ),
        (
            "http.url = \"https://shop.example/{{ args.host }}\"",
            "http = {}\nexpect.is_error = true",
            "http: no request was made, and there is 1 answer\n  | cannot make `url`",
        ),
    ] {
        let problems = problems(http, test);
        assert!(problems.starts_with(told), "{problems}");
    }
}

#[test]
fn what_was_asked_is_held_against_what_must_be() {
    let http = "http = { method = \"POST\", url = \"https://shop.example/a\", headers = { x-a = \"1\" }, json = { a = [1] } }";
    let test = "http = { json = {}, expect = { method = \"PUT\", url = \"https://shop.example/b\", headers = { x-a = \"2\", x-b = \"3\" }, json = { a = [2], b = 1 } } }\n\
                expect.is_error = false";
    assert_eq!(
        problems(http, test),
        "http method: expected PUT, actual POST\n\
         http url differs (- expected, + actual)\n  - https://shop.example/b\n  + https://shop.example/a\n\
         http header `x-a` differs (- expected, + actual)\n  - 2\n  + 1\n\
         http header `x-b`: expected `3`, and it was not sent\n\
         http json differs\n  /a/0: expected 2, actual 1\n  /b: expected 1, and it is absent"
    );
}

#[test]
fn nothing_is_sent_to_anybody_who_listens() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let address = listener.local_addr().unwrap();
    let http = format!(
        "http = {{ url = \"http://{address}/\", retry.attempts = 2, retry.backoff_ms = 1 }}"
    );
    passes(
        &http,
        "http.text = \"stood in for\"\nexpect.text = \"stood in for\"",
    );
    problems(&http, "expect.is_error = true");
    assert!(listener.accept().is_err());
}

#[test]
fn a_file_that_is_gone_fails_its_test_alone() {
    let manifest = format!(
        "{TOOL}{GET}\n[[tool.test]]\nname = \"a\"\nhttp.file = \"answer.json\"\nexpect.structured = [1]\n\
         [[tool.test]]\nname = \"b\"\nhttp.json = [1]\nexpect.structured = [1]\n"
    );
    let project = Project::with(&manifest);
    let ran = project.test(&[]);
    let path = project.manifests().join("answer.json");
    let told = format!(
        "http: cannot read `{}`: there is no such file\n",
        path.display()
    );
    assert!(ran.stdout.contains(&told), "{}", ran.stdout);
    assert!(ran.stdout.ends_with("ok    t: b\nfailed: 1 of 2 tests\n"));
    // It is no reason not to serve.
    let checked = project.check(&[]);
    assert_eq!(checked.code, 0, "{}", checked.stderr);
    assert!(
        checked
            .stderr
            .contains("warning: `answer.json` is not a file")
    );
    project.write("manifests/answer.json", "[1]");
    assert_eq!(project.test(&[]).code, 0);
}

#[test]
fn secrets_need_not_be_there() {
    let manifest = format!(
        "{TOOL}http = {{ url = \"https://shop.example/\", headers = {{ x-key = \"{{{{ secrets.key }}}}\" }} }}\n\
         [[tool.test]]\nname = \"t\"\nhttp = {{ text = \"x\", expect.headers.x-key = \"secret-key\" }}\nexpect.text = \"x\"\n"
    );
    for source in ["env = \"SNODO_NOT_SET\"", "file = \"not-there\""] {
        let project = Project::with(&manifest).set(&format!("secrets.key={{ {source} }}"));
        assert_eq!(project.check(&[]).code, 1);
        let ran = project.test(&[]);
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{}", ran.stdout);
    }
}
