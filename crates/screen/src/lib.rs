//! Text of others as a person can see all of it, and numbers as people read them.
//!
//! Names of files, contents, commands and messages come from anybody. Some of their characters
//! are obeyed by a terminal instead of shown (control characters), some turn the order of what
//! follows (bidirectional controls), some show nothing at all (zero-width and tag characters).
//! All of these are spelled out here as JSON does it (`\u001b`, `\u202e`, `\n`), so that JSON
//! which is shown this way stays JSON. Everything else stays as it is.

pub mod numbers;

use std::borrow::Cow;
use std::fmt::Write as _;

/// A text in its lines: line breaks and tabs stay, everything else that cannot be seen is
/// spelled out. The end of a line is told without its `\r`.
pub fn in_lines(text: &str) -> Cow<'_, str> {
    spelled(text, Layout::Lines)
}

/// A text in a single line: line breaks and tabs are spelled out too.
pub fn in_one_line(text: &str) -> Cow<'_, str> {
    spelled(text, Layout::OneLine)
}

/// A text between marks that show where it begins and ends: backquotes where it has none and all
/// of it can be seen, else as a JSON string.
pub fn quoted(text: &str) -> String {
    if !text.contains('`') && matches!(in_one_line(text), Cow::Borrowed(_)) {
        return format!("`{text}`");
    }
    let mut told = String::with_capacity(text.len() + 2);
    told.push('"');
    for (at, sign) in text.char_indices() {
        match sign {
            '"' | '\\' => told.extend(['\\', sign]),
            _ if is_spelled(text, at, sign, Layout::OneLine) => spell(&mut told, sign),
            _ => told.push(sign),
        }
    }
    told.push('"');
    told
}

/// Whether a sign is no letter, space or picture by itself: a control character, one that turns
/// the order of what follows, or one that shows nothing. Line breaks and tabs are among them.
pub fn is_hidden(sign: char) -> bool {
    sign.is_control()
        || matches!(
            u32::from(sign),
            0xad
                | 0x34f
                | 0x61c
                | 0x115f..=0x1160
                | 0x17b4..=0x17b5
                | 0x180b..=0x180f
                | 0x200b..=0x200f
                | 0x2028..=0x202e
                | 0x2060..=0x206f
                | 0x3164
                | 0xfe00..=0xfe0f
                | 0xfeff
                | 0xffa0
                | 0xfff0..=0xfffb
                | 0x1bca0..=0x1bca3
                | 0x1d173..=0x1d17a
                | 0xe0000..=0xe0fff
        )
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Layout {
    Lines,
    OneLine,
}

fn spelled(text: &str, layout: Layout) -> Cow<'_, str> {
    let mut hidden =
        text.char_indices().filter(|(at, sign)| is_spelled(text, *at, *sign, layout)).peekable();
    if hidden.peek().is_none() {
        return Cow::Borrowed(text);
    }
    let mut told = String::with_capacity(text.len() + text.len() / 8);
    let mut done = 0;
    for (at, sign) in hidden {
        told += &text[done..at];
        done = at + sign.len_utf8();
        let ends_line = sign == '\r' && text[done..].starts_with('\n');
        if !(ends_line && layout == Layout::Lines) {
            spell(&mut told, sign);
        }
    }
    told += &text[done..];
    Cow::Owned(told)
}

/// Whether the sign at byte `at` of `text` is spelled out.
fn is_spelled(text: &str, at: usize, sign: char, layout: Layout) -> bool {
    if matches!(sign, ' '..='~') || !is_hidden(sign) {
        return false;
    }
    match sign {
        '\n' | '\t' => layout == Layout::OneLine,
        // Scripts and pictures beyond ASCII need these between their signs.
        '\u{200c}' | '\u{200d}' | '\u{fe00}'..='\u{fe0f}' => match text[..at].chars().next_back() {
            // A picture that is joined to another may say first that it is a picture.
            Some(PICTURE) if sign == '\u{200d}' => {
                is_spelled(text, at - PICTURE.len_utf8(), PICTURE, layout)
            }
            before => before.is_none_or(|before| before.is_ascii() || is_hidden(before)),
        },
        _ => true,
    }
}

/// Says that the sign before it is to be shown as a picture.
const PICTURE: char = '\u{fe0f}';

fn spell(told: &mut String, sign: char) {
    match sign {
        '\n' => told.push_str("\\n"),
        '\r' => told.push_str("\\r"),
        '\t' => told.push_str("\\t"),
        _ => {
            for unit in sign.encode_utf16(&mut [0; 2]) {
                write!(told, "\\u{unit:04x}").expect("strings take all text");
            }
        }
    }
}

#[cfg(test)]
mod tests;
