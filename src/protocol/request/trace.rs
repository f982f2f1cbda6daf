//! W3C Trace Context, checked before it is handed to commands and upstreams.

use crate::ops::Trace;

/// The trace context of these two fields. Without a sound `traceparent` there is none, and a
/// `tracestate` that is not sound is left out (W3C Trace Context §3.2, §3.3, §4.3).
pub(super) fn context(parent: Option<&str>, state: Option<&str>) -> Trace {
    let Some(parent) = parent.filter(|parent| is_parent(parent)) else {
        return Trace::default();
    };
    Trace {
        parent: Some(parent.into()),
        state: state.filter(|state| is_state(state)).map(Into::into),
    }
}

/// `version-traceid-parentid-flags`, in lower case hexadecimal; a later version may say more behind
/// another `-`.
fn is_parent(text: &str) -> bool {
    const LONGEST: usize = 512;
    let mut fields = text.splitn(5, '-');
    let mut next = |digits: usize| {
        let field = fields.next()?;
        let sound = field.len() == digits
            && field
                .bytes()
                .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        sound.then_some(field)
    };
    let (Some(version), Some(trace), Some(parent), Some(_flags)) =
        (next(2), next(32), next(16), next(2))
    else {
        return false;
    };
    let zeros = |field: &str| field.bytes().all(|byte| byte == b'0');
    let more = fields.next();
    version != "ff"
        && !zeros(trace)
        && !zeros(parent)
        && (version != "00" || more.is_none())
        && text.len() <= LONGEST
        && more.is_none_or(is_plain)
}

/// A list of vendors' members: only its characters and its length are judged here.
fn is_state(text: &str) -> bool {
    const LONGEST: usize = 2048;
    !text.is_empty() && text.len() <= LONGEST && is_plain(text)
}

/// Only characters that may stand in a header and in an environment variable.
fn is_plain(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, 0x20..=0x7e))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOUND: &str = "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01";

    #[test]
    fn a_sound_context_is_kept() {
        let trace = context(Some(SOUND), Some("vendor=1,other=x"));
        assert_eq!(trace.parent.as_deref(), Some(SOUND));
        assert_eq!(trace.state.as_deref(), Some("vendor=1,other=x"));
        let later = format!("cc{}-what-comes", &SOUND[2..]);
        assert_eq!(context(Some(&later), None).parent, Some(later));
    }

    #[test]
    fn an_unsound_parent_takes_the_state_with_it() {
        for parent in [
            "",
            "00",
            "00-0AF7651916CD43DD8448EB211C80319C-00f067aa0ba902b7-01",
            "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
            "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
            "ff-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01",
            "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01-more",
            "cc-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01-a\r\nb",
            "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01\n",
        ] {
            assert_eq!(
                context(Some(parent), Some("a=1")),
                Trace::default(),
                "{parent}"
            );
        }
        assert_eq!(context(None, Some("a=1")), Trace::default());
    }

    #[test]
    fn a_state_that_could_break_a_header_is_left_out() {
        for state in ["", "a=1\r\nx: y", "a=\u{0}", "a=é", &"x".repeat(3000)] {
            let trace = context(Some(SOUND), Some(state));
            assert!(trace.parent.is_some() && trace.state.is_none(), "{state:?}");
        }
    }

    #[test]
    fn lengths_and_characters_are_judged_at_their_bounds() {
        let later = |length: usize| {
            let more = "x".repeat(length - SOUND.len() - 1);
            context(Some(&format!("cc{}-{more}", &SOUND[2..])), None)
        };
        assert!(later(512).parent.is_some() && later(513).parent.is_none());
        let state = |state: &str| context(Some(SOUND), Some(state)).state.is_some();
        assert!(state(&"x".repeat(2048)) && !state(&"x".repeat(2049)));
        assert!(state(" ~") && !state("\u{1f}") && !state("\u{7f}"));
    }
}
