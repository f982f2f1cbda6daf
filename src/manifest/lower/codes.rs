//! The codes of what lowering finds, and what each means.

use crate::lang::diag::Code;

/// A name that the protocol or the language does not allow.
pub const BAD_NAME: Code = Code("bad-name");
/// A key that does not belong where it stands.
pub const MISPLACED: Code = Code("misplaced-key");
/// A key that does nothing where it stands.
pub const NO_EFFECT: Code = Code("no-effect");
/// A part of the language that this version does not serve.
pub const NOT_SERVED: Code = Code("not-served");
/// Two keys that exclude each other.
pub const CONFLICT: Code = Code("conflicting-keys");
/// A component with neither an action nor a result.
pub const EMPTY_COMPONENT: Code = Code("empty-component");
/// A tool with an output schema whose answer is never structured.
pub const NOT_STRUCTURED: Code = Code("unstructured-answer");
/// A JSON Schema that cannot be used.
pub const BAD_SCHEMA: Code = Code("bad-schema");
/// A default that its own schema refuses.
pub const BAD_DEFAULT: Code = Code("bad-default");
/// Text that should have been JSON.
pub const BAD_JSON: Code = Code("bad-json");
/// Text or a file that should have been base64 or a certificate.
pub const BAD_DATA: Code = Code("bad-data");
/// A file or folder that a manifest names and that cannot be read.
pub const UNREADABLE: Code = Code("unreadable-path");
/// A pattern that cannot be used.
pub const BAD_PATTERN: Code = Code("bad-pattern");
/// A URL that cannot be used.
pub const BAD_URL: Code = Code("bad-url");
/// A URI template of a shape that cannot be matched.
pub const BAD_URI_TEMPLATE: Code = Code("bad-uri-template");
/// Two resources that answer for the same URI.
pub const OVERLAP: Code = Code("overlapping-resources");
/// A command that is not on this machine.
pub const NO_COMMAND: Code = Code("command-not-found");
/// A secret that other users of the machine can read.
pub const SECRET_IN_ARGV: Code = Code("secret-in-argv");
/// A secret where it would be shown.
pub const SECRET_SHOWN: Code = Code("secret-shown");
/// A value placed in a URL without encoding.
pub const RAW_IN_URL: Code = Code("raw-in-url");
/// A component left out because something it needs is missing.
pub const UNAVAILABLE: Code = Code("unavailable");
/// A tool name that some clients cannot use.
pub const AWKWARD_NAME: Code = Code("awkward-name");
/// A header field that cannot be sent.
pub const BAD_HEADER: Code = Code("bad-header");
/// Metadata whose key the protocol does not allow.
pub const BAD_META_KEY: Code = Code("bad-metadata-key");
/// A scope that no caller can hold.
pub const UNHELD_SCOPE: Code = Code("unheld-scope");
/// A message to an actor that does not exist.
pub const UNKNOWN_ACTOR: Code = Code("unknown-actor");
/// A message that an actor does not have.
pub const UNKNOWN_MESSAGE: Code = Code("unknown-message");
/// A state that is to be kept, and nowhere to keep it.
pub const NO_STATE_DIR: Code = Code("no-state-dir");
/// An assertion in the schema of a tool that messages an actor, which is not always checked.
pub const UNSUPPORTED_ASSERTION: Code = Code("unsupported-assertion");
/// A secret or variable that is declared and not there.
pub const MISSING_VALUE: Code = Code("missing-value");
/// A component whose action cannot be made ready.
pub const NOT_READY: Code = Code("not-ready");

/// What `snodo check --explain` prints for the codes of this folder.
pub const EXPLAIN: &[(Code, &str)] = &[
    (
        BAD_NAME,
        "A tool's name is 1 to 128 of the letters A-Z and a-z, the digits, `_`, `-` and `.` \
         (MCP specification, tools, \"Tool Names\"). Other names break clients that build function \
         names from them. A test's name is one line of 1 to 200 bytes; a \
         question's is up to 64 letters, digits and `_`.",
    ),
    (
        MISPLACED,
        "The key is known, but not in this place: `items` describes arrays, `arguments` describes \
         objects and arrays of objects, and `schema` may not overwrite what a nested `arguments` \
         table makes.",
    ),
    (
        NO_EFFECT,
        "The key is right and does nothing where it stands: JSON Schema ignores a keyword that does \
         not fit the type (`minLength` on an integer), a URL that names its host needs no \
         `allow_hosts`, and `allow_private` only where redirects are followed, a default that no component uses changes nothing. It is often the sign of a \
         slip elsewhere. Remove the key, or correct what keeps it from working.",
    ),
    (
        NOT_SERVED,
        "The key is part of the manifest language, but this version of snodo does not serve it. It \
         is refused rather than ignored, so that a limit or a question you rely on is never \
         silently missing. docs/manifest.md says what is served.",
    ),
    (
        CONFLICT,
        "Two keys of this table exclude each other, such as `command` and `script`, two actions on \
         one component, or `arguments` and `input_schema`; or they cannot both hold, such as \
         `minimum = 5` and `maximum = 3`. Keep one, or correct one.",
    ),
    (
        EMPTY_COMPONENT,
        "A component does something (`http`, `shell`, `file`, `actor`) or answers something (`result`), or \
         both. This one does neither, so a call could not be answered.",
    ),
    (
        NOT_STRUCTURED,
        "A tool with an output schema must answer with structured content (MCP specification, tools, \
         \"Output Schema\"), and this one only ever answers with text or other blocks, so every call \
         would fail. Give `result.structured`, let a command's output be read (`parse = \"json\"`), \
         or remove the output schema.",
    ),
    (
        BAD_SCHEMA,
        "The JSON Schema cannot be used: it breaks its own dialect's rules, names a dialect other \
         than 2020-12 and draft-07, refers to something outside the document (nothing is ever \
         fetched), has a pattern that does not compile, or is too deep or too large. The message \
         gives the JSON pointer of the part.",
    ),
    (
        BAD_DEFAULT,
        "The default is filled in when the argument is absent, but the argument's own schema would \
         refuse it. Correct one or the other. In a raw schema a default of this kind is a warning.",
    ),
    (
        BAD_JSON,
        "The text or file should hold one JSON value and does not. The message says what the JSON \
         parser met and where.",
    ),
    (
        BAD_DATA,
        "The text should be base64 (RFC 4648, 4, with padding), or the file should hold a certificate \
         or key in PEM form (`-----BEGIN …`), and it does not. Files need no encoding by hand: name \
         one in `file`.",
    ),
    (
        UNREADABLE,
        "The manifest names a file or folder that does not exist or that this user may not read, \
         or a file that is no regular file or larger than 64 MiB. Relative paths count from the folder \
         of the manifest. What is opened only at a call (a `cwd`, a single `path`) is a warning.",
    ),
    (
        BAD_PATTERN,
        "The pattern finds a command's progress in its output. It is a regular expression with a group \
         named `progress`, such as `(?<progress>\\d+)/(?<total>\\d+)`. Output may be long and is not \
         the author's, so it is matched in linear time: look-around and backreferences are not \
         known, and a pattern that takes more than 1 MiB when compiled is refused.",
    ),
    (
        BAD_URL,
        "The URL of a request must be absolute, begin with `http://` or `https://`, and name its host \
         in literal text, unless `allow_hosts` lists which hosts a call may name. A relative URL needs \
         `[defaults.http] url` in the same file. The URI of an icon or a resource is absolute too.",
    ),
    (
        BAD_URI_TEMPLATE,
        "A resource's template must be one that a URI can be matched against in one way only: a \
         literal scheme and `://`, then segments that are each literal text or one `{name}`, at most \
         one of `{+path}`, `{/name}` and `{/path*}`, and `{?a,b}` at the end. The message names the \
         shape that is not. It has at most 1,024 bytes and 32 variables.",
    ),
    (
        OVERLAP,
        "One URI belongs to two resources; the message shows it. Between two templates nothing \
         decides, so reading such a URI fails: give them literal segments that differ. An exact URI \
         is read before any template is asked, so the template never answers for it.",
    ),
    (
        NO_COMMAND,
        "The program is not in PATH, or the path does not name an executable file. The tool is \
         served, and answers with an error until the program is there. `available = { commands = \
         [\"name\"] }` leaves the tool out instead.",
    ),
    (
        SECRET_IN_ARGV,
        "Every user of the machine can read the argument lists of running processes. Pass the \
         secret through `env` or `stdin`.",
    ),
    (
        SECRET_SHOWN,
        "A secret stands where it would be shown: in a `result`, which every caller reads (a warning), \
         in a question to the user (an error), or in what is asked of a `file`, its path, lines, offset or \
         length, which stand in logs and in the texts of errors (an error). Secrets are for what an action sends: URLs, headers and bodies \
         of `http`, `env` and `stdin` of `shell`.",
    ),
    (
        RAW_IN_URL,
        "`| raw` puts the value into the URL without percent-encoding: a value with `/`, `?` or `#` \
         changes which resource is asked for. It is listed so that you can see every such place.",
    ),
    (
        UNAVAILABLE,
        "The component says `available`, and something it names is missing here: it is left out of \
         what is served. This is not an error.",
    ),
    (
        AWKWARD_NAME,
        "The protocol allows the name, but several clients do not take a `.` in a tool's name, or \
         names over 64 characters.",
    ),
    (
        BAD_HEADER,
        "A header field's name is a token (RFC 9110, 5.1), and its value has no control character. \
         `Content-Length`, `Transfer-Encoding`, `Connection` and `Host` are set by snodo.",
    ),
    (
        BAD_META_KEY,
        "A key of `metadata` is a name of letters, digits, `-`, `_` and `.`, with an optional prefix \
         of dot-separated labels and a `/` before it: `com.example/category`. Prefixes whose second \
         label is `mcp` or `modelcontextprotocol` are reserved (MCP specification, `_meta`).",
    ),
    (
        UNKNOWN_ACTOR,
        "The `target` of an `actor` action is the name of an `[[actor]]` of the same server, in this or \
         another manifest. There is none of this name here; one that `available` leaves out does not \
         count, so give what messages it the same `available`.",
    ),
    (
        UNKNOWN_MESSAGE,
        "A declarative actor takes the messages that it has an `[actor.on.NAME]` for, and no others. \
         Correct the name, or add the table.",
    ),
    (
        NO_STATE_DIR,
        "`persist = true` keeps an actor's state in a file below `server.state_dir`, or gives its worker \
         a folder there. Name that folder in the server file, or with `--set server.state_dir='\"…\"'`.",
    ),
    (
        UNSUPPORTED_ASSERTION,
        "What reaches an actor is checked with the basic validator at least, whatever \
         `server.validation` says, so the schema of a tool that messages an actor may only assert what \
         that one checks: types, `enum`, `const`, sizes, bounds, `pattern`, `format`, members, items and \
         local references. Say the rest in the actor, with `when` and `otherwise`.",
    ),
    (
        NOT_READY,
        "The manifest is sound, but what the component needs could not be opened when the server was \
         built: a folder that went away, a certificate that cannot be used.",
    ),
    (
        UNHELD_SCOPE,
        "The component asks for a scope that no token of the server file has, nor any that implies \
         it, so nobody can use the component. Give the scope to a caller in `[auth]`, or correct its \
         spelling. Without `[auth]` nobody has scopes.",
    ),
    (
        MISSING_VALUE,
        "The server file takes this secret or variable from the environment, a file or a systemd \
         credential, and it is not there or empty. Set it before the server starts.",
    ),
];
