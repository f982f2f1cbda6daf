//! Every mixture of what a body, its headers and a session say of the revision. What is expected is
//! written down from docs/protocol.md ("Which revision a request is of"), clause by clause.

use super::*;

const UNKNOWN: &str = "2027-01-01";
const METHODS: [&str; 6] = [
    "tools/list",
    "server/discover",
    "subscriptions/listen",
    "ping",
    "initialize",
    "no/such/method",
];

/// What the body says in `_meta`.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Meta {
    Nothing,
    Token,
    Client,
    Capabilities,
    Version(&'static str),
    Whole(&'static str),
    NoText,
}

/// What the version header says.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Header {
    Nothing,
    One(&'static str),
    Twice,
    NoText,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Mirror {
    Missing,
    Right,
    Wrong,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Id {
    None,
    Of(&'static str),
    Gone,
    Two,
}

#[derive(Clone, Copy, Debug)]
struct Mixture {
    method: &'static str,
    meta: Meta,
    header: Header,
    mirror: Mirror,
    session: Id,
}

/// As [`As`], and what is answered without being a call.
#[derive(Debug, PartialEq)]
enum Right {
    Modern,
    Legacy(&'static str),
    Began,
    Refused(u16, i64),
}

impl Meta {
    fn written(self) -> String {
        let prefix = "io.modelcontextprotocol/";
        let capabilities = format!(r#""{prefix}clientCapabilities":{{}}"#);
        let version = |name: &str| format!(r#""{prefix}protocolVersion":"{name}""#);
        match self {
            Self::Nothing => String::new(),
            Self::Token => r#""progressToken":1"#.into(),
            Self::Client => format!(r#""{prefix}clientInfo":{{"name":"c","version":"1"}}"#),
            Self::Capabilities => capabilities,
            Self::Version(name) => version(name),
            Self::Whole(name) => format!("{},{capabilities}", version(name)),
            Self::NoText => format!(r#""{prefix}protocolVersion":7,{capabilities}"#),
        }
    }
}

/// A request whose body names a revision, or can only be of the newest.
fn modern(mixture: Mixture) -> Right {
    let named = match mixture.meta {
        Meta::Version(name) | Meta::Whole(name) => name,
        _ => return Right::Refused(400, -32602),
    };
    if mixture.header != Header::One(named) {
        return Right::Refused(400, -32020);
    }
    if named != NEWEST {
        return Right::Refused(400, -32022);
    }
    if mixture.mirror != Mirror::Right {
        return Right::Refused(400, -32020);
    }
    match (mixture.meta, mixture.method) {
        (Meta::Version(_), _) => Right::Refused(400, -32602),
        (_, "tools/list" | "server/discover" | "subscriptions/listen") => Right::Modern,
        _ => Right::Refused(404, -32601),
    }
}

fn legacy(revision: &'static str, method: &str) -> Right {
    match method {
        "tools/list" | "ping" => Right::Legacy(revision),
        _ => Right::Refused(200, -32601),
    }
}

fn right(mixture: Mixture) -> Right {
    // 1. The body.
    if let Meta::Version(_) | Meta::Whole(_) | Meta::NoText = mixture.meta {
        return modern(mixture);
    }
    // 2. A handshake.
    if mixture.method == "initialize" {
        return Right::Began;
    }
    // Sessions, and headers that name no revision.
    if let Id::Gone | Id::Two = mixture.session {
        return Right::Refused(404, -32001);
    }
    let named = match mixture.header {
        Header::Twice | Header::NoText | Header::One(UNKNOWN) => {
            return Right::Refused(400, -32600);
        }
        Header::Nothing => None,
        Header::One(name) => Some(name),
    };
    // 3. The session.
    if let Id::Of(revision) = mixture.session {
        return legacy(revision, mixture.method);
    }
    // 4. The header.
    match named {
        Some(NEWEST) => return modern(mixture),
        Some(revision) => return legacy(revision, mixture.method),
        None => {}
    }
    // 5. What only the newest has.
    let only_modern = matches!(mixture.method, "server/discover" | "subscriptions/listen");
    if only_modern || matches!(mixture.meta, Meta::Capabilities | Meta::Client) {
        return modern(mixture);
    }
    // 6. The oldest.
    legacy(OLDER, mixture.method)
}

fn got(step: Step) -> Right {
    match step {
        Step::Listen(_) => Right::Modern,
        Step::Reply(response) if response.code.is_none() => {
            // A ping: it says nothing of its revision.
            assert_eq!(
                response.body.into_bytes(),
                r#"{"jsonrpc":"2.0","id":1,"result":{}}"#
            );
            Right::Legacy("")
        }
        other => match understood(other) {
            As::Modern => Right::Modern,
            As::Legacy(revision) => Right::Legacy(revision),
            As::Began => Right::Began,
            As::Refused(status, code) => Right::Refused(status, code),
        },
    }
}

fn mixtures() -> Vec<Mixture> {
    let metas = [
        Meta::Nothing,
        Meta::Token,
        Meta::Client,
        Meta::Capabilities,
        Meta::Version(NEWEST),
        Meta::Version(NEWER),
        Meta::Whole(NEWEST),
        Meta::Whole(NEWER),
        Meta::Whole(OLDER),
        Meta::Whole(UNKNOWN),
        Meta::NoText,
    ];
    let headers = [
        Header::Nothing,
        Header::One(NEWEST),
        Header::One(NEWER),
        Header::One(OLDER),
        Header::One(UNKNOWN),
        Header::Twice,
        Header::NoText,
    ];
    let mirrors = [Mirror::Missing, Mirror::Right, Mirror::Wrong];
    let sessions = [Id::None, Id::Of(NEWER), Id::Of(OLDER), Id::Gone, Id::Two];
    let mut all = Vec::new();
    for method in METHODS {
        for meta in metas {
            for header in headers {
                for mirror in mirrors {
                    all.extend(sessions.map(|session| Mixture {
                        method,
                        meta,
                        header,
                        mirror,
                        session,
                    }));
                }
            }
        }
    }
    all
}

#[test]
fn every_mixture_of_headers_and_meta_has_its_one_answer() {
    let face = speaking(&ALL);
    let (newer, older) = (begun(&face, NEWER), begun(&face, OLDER));
    let all = mixtures();
    assert_eq!(all.len(), 6 * 11 * 7 * 3 * 5);
    for mixture in all {
        let mut headers = HeaderMap::new();
        let mut add = |name: &'static str, value: &str| {
            let value = HeaderValue::from_bytes(value.as_bytes()).unwrap();
            headers.append(name, value);
        };
        let versions: &[&str] = match mixture.header {
            Header::Nothing => &[],
            Header::One(name) => &[name],
            Header::Twice => &[NEWER, NEWER],
            Header::NoText => &["é"],
        };
        versions
            .iter()
            .for_each(|version| add("mcp-protocol-version", version));
        match mixture.mirror {
            Mirror::Missing => {}
            Mirror::Right => add("mcp-method", mixture.method),
            Mirror::Wrong => add("mcp-method", "tools/call"),
        }
        let sessions: &[&str] = match mixture.session {
            Id::None => &[],
            Id::Of(NEWER) => &[&newer],
            Id::Of(_) => &[&older],
            Id::Gone => &["gone"],
            Id::Two => &[&newer, &older],
        };
        sessions.iter().for_each(|id| add("mcp-session-id", id));
        let version = match mixture.method {
            "initialize" => r#""protocolVersion":"2025-11-25","#,
            "subscriptions/listen" => r#""notifications":{},"#,
            _ => "",
        };
        let message = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"{}","params":{{{version}"_meta":{{{}}}}}}}"#,
            mixture.method,
            mixture.meta.written()
        );
        let mut expected = right(mixture);
        if let (Right::Legacy(_), "ping") = (&expected, mixture.method) {
            expected = Right::Legacy("");
        }
        assert_eq!(
            got(post_to(&face, &headers, &message)),
            expected,
            "{mixture:?}"
        );
    }
}
