//! The patterns of the table, made ready and tried where their words stand.

use std::ops::Range;
use std::sync::OnceLock;

use regex::bytes::{CaptureLocations, Regex};

use crate::base64::is_login;
use crate::chance::{is_chosen, is_identifier, is_mixed, looks_random};
use crate::patterns::{Beginning, Form, PATTERNS, Proof, TABLE};

/// Values of cookies that are shorter are settings.
const COOKIE_BYTES_MIN: usize = 12;

/// Bytes of a command that are looked at, over all lines that it goes on in.
const COMMAND_BYTES_MAX: usize = 600;

/// What has as many bytes and is no secret has none in it either.
const WORD_BYTES_MAX: usize = 2_048;

/// Digits before a word that is to follow digits.
const DIGITS_MIN: usize = 8;

/// Each made ready when its word is first found: all of them take a while.
static FORMS: [OnceLock<Regex>; PATTERNS] = [const { OnceLock::new() }; PATTERNS];

/// What came of trying a pattern.
pub(crate) struct Tried {
    /// Where the pattern may be tried next.
    pub(crate) next: usize,
    /// The secret, if there is one.
    pub(crate) secret: Option<Range<usize>>,
}

/// Tries pattern `at` where its word stands, from `start` on; `None` if it cannot be one.
/// `groups` is the room for the groups of its expression, which is used again and again.
pub(crate) fn tried(
    at: usize,
    text: &[u8],
    start: usize,
    groups: &mut Option<CaptureLocations>,
) -> Option<Tried> {
    let pattern = &TABLE[at];
    let fits = match pattern.beginning {
        Beginning::Anywhere => true,
        Beginning::Whole | Beginning::Command => begins_word(text, start),
        Beginning::Digits => {
            let digits = text[..start].iter().rev().take_while(|byte| byte.is_ascii_digit());
            digits.take(DIGITS_MIN).count() == DIGITS_MIN
        }
    };
    if !fits {
        return None;
    }
    let is_command = pattern.beginning == Beginning::Command;
    let end = if is_command { command_end(text, start) } else { text.len() };
    let next = if is_command { end } else { start };
    let Some((length, secret)) = secret(at, &text[start..end], groups) else {
        return Some(Tried { next, secret: None });
    };
    let secret = secret.map(|secret| start + secret.start..start + secret.end);
    // A long word that is no secret is not to be read again at each word in it.
    let is_short = secret.is_none() && length < WORD_BYTES_MAX;
    Some(Tried { next: if is_short { next } else { start + length }, secret })
}

/// Whether no letter, digit or underscore stands before `start`, but for the escapes of lines
/// and tabs in strings.
pub(crate) fn begins_word(text: &[u8], start: usize) -> bool {
    let (rest, before) = match &text[..start] {
        [rest @ .., before] => (rest, *before),
        [] => return true,
    };
    let is_escape = matches!(before, b'n' | b'r' | b't') && rest.ends_with(b"\\");
    !(before.is_ascii_alphanumeric() || before == b'_') || is_escape
}

/// Where the line of a command ends, with those that it goes on in.
fn command_end(text: &[u8], start: usize) -> usize {
    let most = text.len().min(start + COMMAND_BYTES_MAX);
    for end in memchr::memchr_iter(b'\n', &text[start..most]) {
        let line = &text[start..start + end];
        if !line.strip_suffix(b"\r").unwrap_or(line).ends_with(b"\\") {
            return start + end;
        }
    }
    most
}

/// Where a match of a pattern at the beginning of `text` ends, and the secret in it.
fn secret(
    at: usize,
    text: &[u8],
    groups: &mut Option<CaptureLocations>,
) -> Option<(usize, Option<Range<usize>>)> {
    let (end, range) = match TABLE[at].form {
        Form::Read(read) => read(text)?,
        Form::By(form) => {
            let form = FORMS[at].get_or_init(|| Regex::new(form).expect("each form has a test"));
            let groups = groups.get_or_insert_with(|| form.capture_locations());
            let whole = form.captures_read(groups, text)?.range();
            let group = (1..groups.len()).find_map(|group| groups.get(group));
            (whole.end, group.map_or(whole, |(start, end)| start..end))
        }
    };
    let value = &text[range.clone()];
    let is_secret = match TABLE[at].proof {
        Proof::Form => true,
        Proof::Random => looks_random(value),
        Proof::RandomWord => {
            let before = &text[..range.start];
            let is_quoted = before.last().is_some_and(|byte| matches!(byte, b'"' | b'\'' | b'`'));
            looks_random(value) && (is_quoted || !is_identifier(value))
        }
        Proof::RandomPart => value.split(|byte| *byte == b';').any(|part| {
            let value = part.splitn(2, |byte| *byte == b'=').nth(1).unwrap_or_default();
            value.len() >= COOKIE_BYTES_MIN && looks_random(value)
        }),
        Proof::Chosen => is_chosen(value),
        Proof::Mixed => is_chosen(value) && is_mixed(value),
        Proof::Login => is_login(value) || (value.len() >= 16 && looks_random(value)),
    };
    Some((end, is_secret.then_some(range)))
}
