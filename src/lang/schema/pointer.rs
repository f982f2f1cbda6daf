//! JSON Pointer (RFC 6901): building one and reading a fragment that holds one.

/// `parent` with one more reference token.
pub(super) fn join(parent: &str, token: &str) -> String {
    let mut pointer = String::with_capacity(parent.len() + token.len() + 1);
    pointer.push_str(parent);
    push(&mut pointer, token);
    pointer
}

/// Adds one reference token to `pointer`.
pub(super) fn push(pointer: &mut String, token: &str) {
    pointer.push('/');
    for c in token.chars() {
        match c {
            '~' => pointer.push_str("~0"),
            '/' => pointer.push_str("~1"),
            c => pointer.push(c),
        }
    }
}

/// The first reference token after `prefix` in `pointer`, unescaped; `None` when `pointer` ends
/// there.
pub(super) fn token_after(pointer: &str, prefix: &str) -> Option<String> {
    let rest = pointer.strip_prefix(prefix)?.strip_prefix('/')?;
    let token = rest.split('/').next()?;
    Some(token.replace("~1", "/").replace("~0", "~"))
}

/// `pointer` without its last reference token; `None` for the whole document.
pub(super) fn parent(pointer: &str) -> Option<&str> {
    pointer.rfind('/').map(|end| &pointer[..end])
}
