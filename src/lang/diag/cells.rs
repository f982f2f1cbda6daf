//! Text as a terminal shows it: how wide a character is, and what stands for one that must not
//! reach the terminal. Widths approximate Unicode's East Asian Width and combining classes.

use std::borrow::Cow;

/// Columns a tab takes, wherever it stands.
const TAB: usize = 4;

/// The most characters of one message, label or path that are shown.
const MAX_TEXT: usize = 1000;

/// Appends what is shown for `ch`. Control characters and the invisible ones that reorder text are
/// shown as TOML would write them (`\u001b`).
pub(super) fn show(ch: char, out: &mut String) {
    let value = u32::from(ch);
    match ch {
        '\t' => out.extend(std::iter::repeat_n(' ', TAB)),
        _ if !is_hidden(ch) => out.push(ch),
        _ if value > 0xFFFF => out.push_str(&format!("\\U{value:08x}")),
        _ => out.push_str(&format!("\\u{value:04x}")),
    }
}

/// Columns `ch` takes, as [`show`] shows it.
pub(super) fn columns(ch: char) -> usize {
    match ch {
        '\t' => TAB,
        _ if is_hidden(ch) => {
            if u32::from(ch) > 0xFFFF {
                10
            } else {
                6
            }
        }
        _ => width(ch),
    }
}

/// A whole text, shown; cut with `…` when it is unreasonably long.
pub(super) fn shown(text: &str) -> String {
    let mut out = String::with_capacity(text.len().min(MAX_TEXT));
    for (count, ch) in text.chars().enumerate() {
        if count == MAX_TEXT {
            out.push('…');
            break;
        }
        show(ch, &mut out);
    }
    out
}

/// Characters that could drive a terminal or make a line read other than it is: controls (C0,
/// DEL, C1), bidirectional overrides, line separators, zero-width spaces, tags.
pub fn is_hidden(ch: char) -> bool {
    ch.is_control()
        || matches!(ch,
            '\u{61C}'
            | '\u{200B}' | '\u{200E}' | '\u{200F}'
            | '\u{2028}'..='\u{202E}'
            | '\u{2060}'..='\u{206F}'
            | '\u{FEFF}'
            | '\u{FFF9}'..='\u{FFFB}'
            | '\u{E0000}'..='\u{E007F}')
}

/// A text of several lines as a terminal may be shown it: what is [hidden](is_hidden) and neither ends a
/// line nor is a tab is written as an escape.
pub fn tame(text: &str) -> Cow<'_, str> {
    let is_command = |ch: char| is_hidden(ch) && ch != '\n' && ch != '\t';
    if !text.contains(is_command) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    for ch in text.chars() {
        match is_command(ch) {
            true => out.extend(ch.escape_unicode()),
            false => out.push(ch),
        }
    }
    Cow::Owned(out)
}

fn width(ch: char) -> usize {
    let value = u32::from(ch);
    if value < 0x300 {
        return 1;
    }
    if within(ZERO, value) {
        0
    } else if within(WIDE, value) {
        2
    } else {
        1
    }
}

fn within(ranges: &[(u32, u32)], value: u32) -> bool {
    let after = ranges.partition_point(|(first, _)| *first <= value);
    after
        .checked_sub(1)
        .and_then(|index| ranges.get(index))
        .is_some_and(|(_, last)| value <= *last)
}

/// Combining marks, joiners and variation selectors of the scripts in common use.
const ZERO: &[(u32, u32)] = &[
    (0x0300, 0x036F),
    (0x0483, 0x0489),
    (0x0591, 0x05BD),
    (0x05BF, 0x05BF),
    (0x05C1, 0x05C2),
    (0x05C4, 0x05C5),
    (0x05C7, 0x05C7),
    (0x0610, 0x061A),
    (0x064B, 0x065F),
    (0x0670, 0x0670),
    (0x06D6, 0x06DC),
    (0x06DF, 0x06E4),
    (0x06E7, 0x06E8),
    (0x06EA, 0x06ED),
    (0x0711, 0x0711),
    (0x0730, 0x074A),
    (0x0816, 0x082D),
    (0x08CA, 0x0902),
    (0x093A, 0x093A),
    (0x093C, 0x093C),
    (0x0941, 0x0948),
    (0x094D, 0x094D),
    (0x0951, 0x0957),
    (0x0962, 0x0963),
    (0x0981, 0x0981),
    (0x09BC, 0x09BC),
    (0x09CD, 0x09CD),
    (0x0A01, 0x0A02),
    (0x0A3C, 0x0A3C),
    (0x0A4D, 0x0A4D),
    (0x0ABC, 0x0ABC),
    (0x0ACD, 0x0ACD),
    (0x0BCD, 0x0BCD),
    (0x0C4D, 0x0C4D),
    (0x0CCD, 0x0CCD),
    (0x0D4D, 0x0D4D),
    (0x0E31, 0x0E31),
    (0x0E34, 0x0E3A),
    (0x0E47, 0x0E4E),
    (0x0EB1, 0x0EB1),
    (0x0EB4, 0x0EBC),
    (0x0EC8, 0x0ECE),
    (0x0F71, 0x0F7E),
    (0x1039, 0x103A),
    (0x1160, 0x11FF),
    (0x135D, 0x135F),
    (0x17B4, 0x17B5),
    (0x17B7, 0x17BD),
    (0x17C6, 0x17C6),
    (0x17C9, 0x17D3),
    (0x180B, 0x180F),
    (0x1AB0, 0x1ACE),
    (0x1DC0, 0x1DFF),
    (0x200C, 0x200D),
    (0x20D0, 0x20F0),
    (0x302A, 0x302D),
    (0x3099, 0x309A),
    (0xFE00, 0xFE0F),
    (0xFE20, 0xFE2F),
    (0x1F3FB, 0x1F3FF),
    (0xE0100, 0xE01EF),
];

/// East Asian Wide and Fullwidth characters, and emoji that are shown as pictures.
const WIDE: &[(u32, u32)] = &[
    (0x1100, 0x115F),
    (0x231A, 0x231B),
    (0x2329, 0x232A),
    (0x23E9, 0x23EC),
    (0x23F0, 0x23F0),
    (0x23F3, 0x23F3),
    (0x25FD, 0x25FE),
    (0x2614, 0x2615),
    (0x2648, 0x2653),
    (0x267F, 0x267F),
    (0x2693, 0x2693),
    (0x26A1, 0x26A1),
    (0x26AA, 0x26AB),
    (0x26BD, 0x26BE),
    (0x26C4, 0x26C5),
    (0x26CE, 0x26CE),
    (0x26D4, 0x26D4),
    (0x26EA, 0x26EA),
    (0x26F2, 0x26F3),
    (0x26F5, 0x26F5),
    (0x26FA, 0x26FA),
    (0x26FD, 0x26FD),
    (0x2705, 0x2705),
    (0x270A, 0x270B),
    (0x2728, 0x2728),
    (0x274C, 0x274C),
    (0x274E, 0x274E),
    (0x2753, 0x2755),
    (0x2757, 0x2757),
    (0x2795, 0x2797),
    (0x27B0, 0x27B0),
    (0x27BF, 0x27BF),
    (0x2B1B, 0x2B1C),
    (0x2B50, 0x2B50),
    (0x2B55, 0x2B55),
    (0x2E80, 0x303E),
    (0x3041, 0x33FF),
    (0x3400, 0x4DBF),
    (0x4E00, 0xA4CF),
    (0xA960, 0xA97C),
    (0xAC00, 0xD7A3),
    (0xF900, 0xFAFF),
    (0xFE10, 0xFE19),
    (0xFE30, 0xFE6F),
    (0xFF01, 0xFF60),
    (0xFFE0, 0xFFE6),
    (0x16FE0, 0x18CFF),
    (0x1AFF0, 0x1B2FB),
    (0x1F004, 0x1F004),
    (0x1F0CF, 0x1F0CF),
    (0x1F18E, 0x1F18E),
    (0x1F191, 0x1F19A),
    (0x1F200, 0x1F320),
    (0x1F32D, 0x1F335),
    (0x1F337, 0x1F37C),
    (0x1F37E, 0x1F393),
    (0x1F3A0, 0x1F3CA),
    (0x1F3CF, 0x1F3D3),
    (0x1F3E0, 0x1F3F0),
    (0x1F3F4, 0x1F3F4),
    (0x1F3F8, 0x1F43E),
    (0x1F440, 0x1F440),
    (0x1F442, 0x1F4FC),
    (0x1F4FF, 0x1F53D),
    (0x1F54B, 0x1F54E),
    (0x1F550, 0x1F567),
    (0x1F57A, 0x1F57A),
    (0x1F595, 0x1F596),
    (0x1F5A4, 0x1F5A4),
    (0x1F5FB, 0x1F64F),
    (0x1F680, 0x1F6C5),
    (0x1F6CC, 0x1F6CC),
    (0x1F6D0, 0x1F6D2),
    (0x1F6D5, 0x1F6DF),
    (0x1F6EB, 0x1F6EC),
    (0x1F6F4, 0x1F6FC),
    (0x1F7E0, 0x1F7EB),
    (0x1F90C, 0x1F93A),
    (0x1F93C, 0x1F945),
    (0x1F947, 0x1F9FF),
    (0x1FA70, 0x1FAFF),
    (0x20000, 0x3FFFD),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths() {
        let total = |text: &str| text.chars().map(columns).sum::<usize>();
        assert_eq!(total("abc"), 3);
        assert_eq!(total("日本"), 4);
        assert_eq!(total("한글"), 4);
        assert_eq!(total("e\u{301}"), 1);
        assert_eq!(total("👍🏽"), 2);
        assert_eq!(total("ａ"), 2);
        assert_eq!(total("→…"), 2);
        assert_eq!(total("\t"), 4);
        // The edges of ranges, and what is between them.
        assert_eq!(total("\u{2ff}"), 1);
        assert_eq!(total("\u{300}"), 0);
        assert_eq!(total("\u{36f}"), 0);
        assert_eq!(total("\u{370}"), 1);
        assert_eq!(total("\u{115f}"), 2);
        assert_eq!(total("\u{1160}"), 0);
        assert_eq!(total("\u{3fffd}\u{3fffe}"), 3);
    }

    #[test]
    fn a_text_of_lines_keeps_its_lines_and_tabs() {
        assert_eq!(tame("a\n\tb é"), "a\n\tb é");
        assert!(matches!(tame("a\n\tb"), Cow::Borrowed(_)));
        assert_eq!(tame("a\u{1b}[2J\n\r\tb"), "a\\u{1b}[2J\n\\u{d}\tb");
    }

    #[test]
    fn nothing_reaches_the_terminal_as_a_control() {
        assert_eq!(
            shown("a\u{1b}[2J\u{9b}\r\n\0\u{7f}"),
            r"a\u001b[2J\u009b\u000d\u000a\u0000\u007f"
        );
        assert_eq!(
            shown("\u{202e}x\u{2066}\u{feff}\u{e0041}"),
            r"\u202ex\u2066\ufeff\U000e0041"
        );
    }

    #[test]
    fn a_shown_character_is_as_wide_as_said() {
        for ch in (0..0x0011_0000).filter_map(char::from_u32) {
            let mut out = String::new();
            show(ch, &mut out);
            let shown: usize = out.chars().map(width).sum();
            assert_eq!(shown, columns(ch), "{:x}", u32::from(ch));
            assert!(!out.chars().any(is_hidden));
        }
    }

    #[test]
    fn tables_are_in_order() {
        for table in [ZERO, WIDE] {
            assert!(table.iter().all(|(first, last)| first <= last));
            assert!(table.windows(2).all(|pair| pair[0].1 < pair[1].0));
        }
    }

    #[test]
    fn long_text_is_cut() {
        let long = shown(&"x".repeat(5000));
        assert_eq!(long.chars().count(), MAX_TEXT + 1);
        assert!(long.ends_with('…'));
        let most = "x".repeat(MAX_TEXT);
        assert_eq!(shown(&most), most);
    }
}
