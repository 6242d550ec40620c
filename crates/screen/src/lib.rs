//! Escapes for untrusted text on a terminal, and numbers and errors in readable form.
//!
//! Names of files, contents, commands and messages are untrusted. A terminal obeys some of their
//! characters instead of showing them (control characters), some reorder the text that follows
//! (bidirectional controls), and some are invisible (zero-width and tag characters). This crate
//! escapes all of these as JSON does (`\u001b`, `\u202e`, `\n`), so that escaped JSON stays JSON.
//! All other characters stay unchanged.

pub mod numbers;

use std::borrow::Cow;
use std::error::Error;
use std::fmt::Write as _;

/// Escapes a text of several lines: line breaks and tabs stay, all other hidden characters are
/// escaped. Drops the `\r` at the end of a line.
pub fn escape_lines(text: &str) -> Cow<'_, str> {
    escape_hidden_chars(text, EscapeLayout::Lines)
}

/// Escapes a text to a single line: line breaks and tabs are escaped too.
pub fn escape_one_line(text: &str) -> Cow<'_, str> {
    escape_hidden_chars(text, EscapeLayout::OneLine)
}

/// Quotes a text: in backquotes if it has none and no hidden characters, else as a JSON string.
pub fn quote_escaped(text: &str) -> String {
    if !text.contains('`') && matches!(escape_one_line(text), Cow::Borrowed(_)) {
        return format!("`{text}`");
    }
    let mut told = String::with_capacity(text.len() + 2);
    told.push('"');
    for (at, sign) in text.char_indices() {
        match sign {
            '"' | '\\' => told.extend(['\\', sign]),
            _ if is_escaped_at(text, at, sign, EscapeLayout::OneLine) => {
                push_escape(&mut told, sign);
            }
            _ => told.push(sign),
        }
    }
    told.push('"');
    told
}

/// Returns whether a character is not visible by itself: a control character (including line breaks
/// and tabs), a character that reorders the text that follows, or an invisible one.
pub fn is_hidden_char(sign: char) -> bool {
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

/// Returns an error with its causes on one line, without causes that repeat the text before.
pub fn describe_error(error: &(dyn Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(error) = next {
        let cause = error.to_string();
        // SQLite's errors have their own text, with its number, as their cause.
        let is_said = text.rsplit(": ").next().is_some_and(|last| cause.ends_with(last));
        if !is_said {
            text = format!("{text}: {cause}");
        }
        next = error.source();
    }
    text
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EscapeLayout {
    Lines,
    OneLine,
}

fn escape_hidden_chars(text: &str, layout: EscapeLayout) -> Cow<'_, str> {
    let mut hidden =
        text.char_indices().filter(|(at, sign)| is_escaped_at(text, *at, *sign, layout)).peekable();
    if hidden.peek().is_none() {
        return Cow::Borrowed(text);
    }
    let mut told = String::with_capacity(text.len() + text.len() / 8);
    let mut done = 0;
    for (at, sign) in hidden {
        told += &text[done..at];
        done = at + sign.len_utf8();
        let ends_line = sign == '\r' && text[done..].starts_with('\n');
        if !(ends_line && layout == EscapeLayout::Lines) {
            push_escape(&mut told, sign);
        }
    }
    told += &text[done..];
    Cow::Owned(told)
}

/// Returns whether the character at byte `at` of `text` is escaped.
fn is_escaped_at(text: &str, at: usize, sign: char, layout: EscapeLayout) -> bool {
    if matches!(sign, ' '..='~') || !is_hidden_char(sign) {
        return false;
    }
    match sign {
        '\n' | '\t' => layout == EscapeLayout::OneLine,
        // Non-ASCII scripts and emoji need these between their characters.
        '\u{200c}' | '\u{200d}' | '\u{fe00}'..='\u{fe0f}' => match text[..at].chars().next_back() {
            // Before a joiner, a variation selector may mark the emoji.
            Some(EMOJI_SELECTOR) if sign == '\u{200d}' => {
                is_escaped_at(text, at - EMOJI_SELECTOR.len_utf8(), EMOJI_SELECTOR, layout)
            }
            before => before.is_none_or(|before| before.is_ascii() || is_hidden_char(before)),
        },
        _ => true,
    }
}

/// The variation selector that shows the character before it as an emoji.
const EMOJI_SELECTOR: char = '\u{fe0f}';

fn push_escape(told: &mut String, sign: char) {
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
