//! The fenced blocks of a page of Markdown.

/// One fenced block.
#[derive(Clone, Debug)]
pub struct Block {
    /// What stands behind the opening fence.
    pub info: String,
    /// Its lines.
    pub text: String,
    /// The page and the line of the opening fence, for messages.
    pub at: String,
}

/// The blocks of a page, in order.
pub fn of(page: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut open: Option<Block> = None;
    for (index, line) in super::text(page).lines().enumerate() {
        match (&mut open, line.strip_prefix("```")) {
            (None, Some(info)) => {
                open = Some(Block {
                    info: info.trim().to_owned(),
                    text: String::new(),
                    at: format!("{page}:{}", index + 1),
                });
            }
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (Some(block), None) => {
                block.text.push_str(line);
                block.text.push('\n');
            }
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "{page}: a block does not end");
    blocks
}

impl Block {
    /// True for `toml`, and for `toml wrong` when the kind is `toml wrong`.
    pub fn is(&self, kind: &str) -> bool {
        self.info == kind
    }

    /// The method that a `json request=METHOD` block asks for; it holds the parameters.
    pub fn request(&self) -> Option<&str> {
        self.info.strip_prefix("json request=")
    }

    /// The name of the file that the block is: `python file=NAME`.
    pub(super) fn file(&self) -> Option<&str> {
        Some(self.info.split_once(" file=")?.1)
    }

    /// The tool that a `json call=NAME` block calls.
    pub fn call(&self) -> Option<&str> {
        self.info.strip_prefix("json call=")
    }
}
