//! `WWW-Authenticate`: what a caller is told to show (RFC 6750 §3, RFC 9728 §5.1).

use http::{HeaderValue, StatusCode};

/// What is said of scopes that are missing.
pub(super) const INSUFFICIENT: &str = "insufficient scope";

/// What every challenge says, beside what is wrong.
pub(super) struct Asked<'a> {
    /// The server's name.
    pub(super) realm: &'a str,
    /// Where it is said whose tokens are good.
    pub(super) metadata: Option<String>,
    /// The scopes to ask for first, with blanks between them.
    pub(super) scopes: Option<String>,
}

/// Why a request is not served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Challenge<'a> {
    /// It presents nothing. No error is named then (RFC 6750 §3.1).
    Missing,
    /// It presents nothing, and what it asks for takes these scopes.
    MissingFor(&'a str),
    /// What it presents cannot be read.
    Malformed(&'static str),
    /// What it presents is not good, or not any more.
    Invalid(&'static str),
    /// What it asks for takes these scopes, and it has not all of them.
    Insufficient(&'a str),
    /// There is no telling whether what it presents is good.
    Unavailable,
}

impl Challenge<'_> {
    pub(super) fn status(self) -> StatusCode {
        match self {
            Self::Missing | Self::MissingFor(_) | Self::Invalid(_) => StatusCode::UNAUTHORIZED,
            Self::Malformed(_) => StatusCode::BAD_REQUEST,
            Self::Insufficient(_) => StatusCode::FORBIDDEN,
            Self::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
        }
    }

    pub(super) fn why(self) -> &'static str {
        match self {
            Self::Missing | Self::MissingFor(_) => "an access token is needed",
            Self::Malformed(why) | Self::Invalid(why) => why,
            Self::Insufficient(_) => INSUFFICIENT,
            Self::Unavailable => "access tokens cannot be checked just now",
        }
    }

    /// The field's value; `None` when nothing that is shown would help.
    pub(super) fn header(self, asked: &Asked<'_>) -> Option<HeaderValue> {
        let mut field = Field::new();
        field.parameter("realm", asked.realm);
        if let Some(metadata) = &asked.metadata {
            field.parameter("resource_metadata", metadata);
        }
        let first = asked.scopes.as_deref().filter(|all| !all.is_empty());
        match self {
            Self::Unavailable => return None,
            Self::Missing => {
                if let Some(scopes) = first {
                    field.parameter("scope", scopes);
                }
            }
            Self::MissingFor(scopes) => field.parameter("scope", scopes),
            Self::Malformed(why) => {
                field.parameter("error", "invalid_request");
                field.parameter("error_description", why);
            }
            Self::Invalid(why) => {
                field.parameter("error", "invalid_token");
                if let Some(scopes) = first {
                    field.parameter("scope", scopes);
                }
                field.parameter("error_description", why);
            }
            Self::Insufficient(scopes) => {
                field.parameter("error", "insufficient_scope");
                field.parameter("scope", scopes);
                field.parameter("error_description", INSUFFICIENT);
            }
        }
        HeaderValue::try_from(field.0).ok()
    }
}

/// The value of the field, while it is written.
struct Field(String);

impl Field {
    fn new() -> Self {
        Self("Bearer".to_owned())
    }

    /// Adds a quoted string (RFC 9110 §5.6.4); what cannot stand in one is left out.
    fn parameter(&mut self, name: &str, value: &str) {
        self.0.push_str(match self.0.contains('=') {
            true => ", ",
            false => " ",
        });
        self.0.push_str(name);
        self.0.push_str("=\"");
        for letter in value.chars() {
            if matches!(letter, '"' | '\\') {
                self.0.push('\\');
            }
            if letter == ' ' || letter.is_ascii_graphic() {
                self.0.push(letter);
            }
        }
        self.0.push('"');
    }
}
