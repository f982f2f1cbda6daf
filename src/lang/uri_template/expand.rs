//! From values to the URI that gives them back.

use super::decode::push_encoded;
use super::{OpenKind, Part, UriTemplate};

impl UriTemplate {
    /// The URI whose match binds these values. `None` when there is none: a variable of the path is
    /// absent or empty, or one of several segments has an empty one.
    ///
    /// Reserved characters are encoded also in `{+var}`, where RFC 6570 would keep them, because a `?`
    /// in a file's name must not begin a query.
    pub fn expand<'v>(&self, value: impl Fn(&str) -> Option<&'v str>) -> Option<String> {
        let mut out = format!("{}://", self.scheme);
        self.authority.expand(&mut out, &value)?;
        for part in &self.before {
            out.push('/');
            part.expand(&mut out, &value)?;
        }
        if let Some(open) = &self.open {
            match (open.kind, value(&open.name)) {
                (OpenKind::Reserved, None) => return None,
                (_, None) => {}
                (OpenKind::Optional, Some(value)) => push_segment(&mut out, value)?,
                (_, Some(value)) => {
                    for segment in value.split('/') {
                        push_segment(&mut out, segment)?;
                    }
                }
            }
        }
        for part in &self.after {
            out.push('/');
            part.expand(&mut out, &value)?;
        }
        let mut separator = '?';
        for name in &self.query {
            if let Some(value) = value(name) {
                out.push(separator);
                out.push_str(name);
                out.push('=');
                push_encoded(&mut out, value);
                separator = '&';
            }
        }
        Some(out)
    }
}

fn push_segment(out: &mut String, segment: &str) -> Option<()> {
    if segment.is_empty() {
        return None;
    }
    out.push('/');
    push_encoded(out, segment);
    Some(())
}

impl Part {
    fn expand<'v>(&self, out: &mut String, value: &impl Fn(&str) -> Option<&'v str>) -> Option<()> {
        match self {
            Self::Literal(literal) => out.push_str(literal),
            Self::Variable(name) => {
                let value = value(name).filter(|value| !value.is_empty())?;
                push_encoded(out, value);
            }
        }
        Some(())
    }
}
