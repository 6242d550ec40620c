//! Secrets in texts: what looks like one is replaced by a note before it is stored.
//!
//! One pass finds the words that secrets begin with; only there the forms in `patterns` are
//! tried. Text in UTF-16 and secrets that were encoded or split are not found.

mod patterns;

use std::borrow::Cow;
use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

use aho_corasick::AhoCorasick;
use regex::bytes::Regex;
use serde_json::Value;

use patterns::{Beginning, PATTERNS, Proof};

/// A value under a key is looked at together with it up to this length.
const KEYED_BYTES_MAX: usize = 256;

/// A text without its secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redacted {
    /// The text, with `[secret removed: KIND]` and as many line feeds as it had in place of
    /// each secret, so that lines keep their numbers.
    pub bytes: Vec<u8>,
    /// How many were replaced.
    pub secrets: u32,
}

/// Something in a text that looks like a secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Secret {
    /// Where it stands, in bytes.
    pub range: Range<usize>,
    /// What it looks like, in words.
    pub kind: &'static str,
}

/// All secrets of a text in order, none overlapping another.
pub fn find(text: &[u8]) -> Vec<Secret> {
    SCANNER.find(text)
}

/// The text without the secrets in it; `None` if there are none.
pub fn redact(text: &[u8]) -> Option<Redacted> {
    let found = SCANNER.find(text);
    if found.is_empty() {
        return None;
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut end = 0;
    for Secret { range, kind } in &found {
        bytes.extend_from_slice(&text[end..range.start]);
        bytes.extend_from_slice(note(kind).as_bytes());
        let lines = text[range.clone()].iter().filter(|byte| **byte == b'\n').count();
        bytes.resize(bytes.len() + lines, b'\n');
        end = range.end;
    }
    bytes.extend_from_slice(&text[end..]);
    Some(Redacted { bytes, secrets: u32::try_from(found.len()).unwrap_or(u32::MAX) })
}

/// [`redact`] of a string, which stays as it is if there are none.
pub fn without(text: &str) -> Cow<'_, str> {
    match redact(text.as_bytes()) {
        Some(Redacted { bytes, .. }) => String::from_utf8_lossy(&bytes).into_owned().into(),
        None => Cow::Borrowed(text),
    }
}

/// The value without the secrets in its strings. Its depth is to be bounded.
pub(crate) fn without_in(value: &Value) -> Cow<'_, Value> {
    if !has_words(value) {
        return Cow::Borrowed(value);
    }
    let mut value = value.clone();
    redact_value(&mut value);
    Cow::Owned(value)
}

/// Whether a key or a string has a word that secrets begin with.
fn has_words(value: &Value) -> bool {
    match value {
        Value::String(text) => SCANNER.words.is_match(text),
        Value::Array(values) => values.iter().any(has_words),
        Value::Object(fields) => {
            fields.iter().any(|(key, value)| SCANNER.words.is_match(key) || has_words(value))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

fn redact_value(value: &mut Value) {
    match value {
        Value::String(text) => {
            if let Cow::Owned(redacted) = without(text) {
                *text = redacted;
            }
        }
        Value::Array(values) => values.iter_mut().for_each(redact_value),
        Value::Object(fields) => {
            for (key, value) in fields {
                match value {
                    Value::String(text) if text.len() <= KEYED_BYTES_MAX => {
                        redact_keyed(key, text);
                    }
                    value => redact_value(value),
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// What a string is may be told by its key alone.
fn redact_keyed(key: &str, text: &mut String) {
    if let Cow::Owned(redacted) = without(text) {
        *text = redacted;
        return;
    }
    let assignment = format!("{key}=\"{text}\"");
    let value = key.len() + 2;
    let found = SCANNER.find(assignment.as_bytes());
    if let Some(found) = found.iter().find(|found| found.range.start >= value) {
        *text = note(found.kind);
    }
}

fn note(kind: &str) -> String {
    format!("[secret removed: {kind}]")
}

/// The patterns, made ready.
struct Scanner {
    words: AhoCorasick,
    /// For each word, the pattern it belongs to.
    owners: Vec<usize>,
    /// Each made ready when its word is first found: all of them take a while.
    forms: [OnceLock<Regex>; PATTERNS.len()],
}

static SCANNER: LazyLock<Scanner> = LazyLock::new(Scanner::new);

impl Scanner {
    fn new() -> Self {
        let words = PATTERNS.iter().flat_map(|pattern| pattern.words.iter().copied());
        let words = AhoCorasick::builder().ascii_case_insensitive(true).build(words);
        let owners = PATTERNS.iter().enumerate();
        Self {
            words: words.expect("the words of the table are few and short"),
            owners: owners
                .flat_map(|(at, pattern)| pattern.words.iter().map(move |_| at))
                .collect(),
            forms: [const { OnceLock::new() }; PATTERNS.len()],
        }
    }

    /// All secrets in order, none overlapping another.
    fn find(&self, text: &[u8]) -> Vec<Secret> {
        let mut found: Vec<Secret> = Vec::new();
        let mut searched = [0; PATTERNS.len()];
        for hit in self.words.find_overlapping_iter(text) {
            let (at, start) = (self.owners[hit.pattern().as_usize()], hit.start());
            let is_inside = PATTERNS[at].beginning == Beginning::Whole
                && text[..start].last().is_some_and(|byte| is_word(*byte));
            if start < searched[at] || is_inside {
                continue;
            }
            if let Some((end, range)) = self.secret(at, &text[start..]) {
                searched[at] = start + end;
                let range = start + range.start..start + range.end;
                found.push(Secret { range, kind: PATTERNS[at].kind });
            }
        }
        found.sort_by_key(|secret| secret.range.start);
        found.dedup_by(|second, first| {
            let overlaps = second.range.start < first.range.end;
            if overlaps {
                first.range.end = first.range.end.max(second.range.end);
            }
            overlaps
        });
        found
    }

    /// Where a match of a pattern at the beginning of `text` ends, and the secret in it.
    fn secret(&self, at: usize, text: &[u8]) -> Option<(usize, Range<usize>)> {
        let form = self.forms[at]
            .get_or_init(|| Regex::new(PATTERNS[at].form).expect("each form has a test"));
        // Most words are only words: groups are looked for where there is a match.
        let end = form.find(text)?.end();
        let captures = form.captures(text)?;
        let secret = captures.iter().skip(1).flatten().next().or(captures.get(0))?;
        let is_secret = match PATTERNS[at].proof {
            Proof::Form => true,
            Proof::Random => looks_random(secret.as_bytes()),
            Proof::RandomWord => {
                let is_quoted = text[..secret.start()].ends_with(b"\"")
                    || text[..secret.start()].ends_with(b"'")
                    || text[..secret.start()].ends_with(b"`");
                let is_code = !is_quoted && !is_shouted(&text[..secret.start()]);
                looks_random(secret.as_bytes()) && !(is_code && is_identifier(secret.as_bytes()))
            }
            Proof::RandomPart => {
                let mut parts = secret.as_bytes().split(|byte| *byte == b';');
                parts.any(|part| {
                    let value = part.splitn(2, |byte| *byte == b'=').nth(1).unwrap_or_default();
                    value.len() >= COOKIE_BYTES_MIN && looks_random(value)
                })
            }
            Proof::Chosen => is_chosen(secret.as_bytes()),
        };
        is_secret.then(|| (end, secret.range()))
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Values of cookies that are shorter are settings.
const COOKIE_BYTES_MIN: usize = 12;

/// Whether what a value is assigned to is spelled as variables of commands are.
fn is_shouted(key: &[u8]) -> bool {
    key.iter().any(u8::is_ascii_uppercase) && !key.iter().any(u8::is_ascii_lowercase)
}

/// Whether a value is a name as programs have them, digits in it or not: `sha256Hash`,
/// `self.base64_key`. Its words have three letters or more, on the whole.
fn is_identifier(value: &[u8]) -> bool {
    let is_sign = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.');
    if !value.first().is_some_and(u8::is_ascii_alphabetic) || !value.iter().all(is_sign) {
        return false;
    }
    let (mut letters, mut words, mut digits) = (0, 0, 0);
    let mut before = b'_';
    for byte in value {
        let begins = byte.is_ascii_alphabetic()
            && (!before.is_ascii_alphabetic()
                || byte.is_ascii_uppercase() && before.is_ascii_lowercase());
        letters += usize::from(byte.is_ascii_alphabetic());
        digits += usize::from(byte.is_ascii_digit());
        words += usize::from(begins);
        before = *byte;
    }
    letters >= 3 * words && letters >= 2 * digits
}

/// What stands for a password in examples.
const STAND_INS: [&str; 14] = [
    "pass",
    "passwd",
    "password",
    "pw",
    "pwd",
    "secret",
    "token",
    "key",
    "apikey",
    "api_key",
    "api-key",
    "access_token",
    "api_token",
    "x-oauth-basic",
];

/// Whether somebody chose this as a password, as far as can be told.
fn is_chosen(value: &[u8]) -> bool {
    let lower = String::from_utf8_lossy(value).to_ascii_lowercase();
    let is_template = lower.contains(['%', '*']) || lower.contains("..");
    !is_template
        && !STAND_INS.contains(&lower.trim_matches(['_', '.']))
        && !PLACEHOLDERS.iter().any(|word| lower.contains(word))
}

/// Bits of chance that a character of a secret holds at least, by how often each occurs in it.
const BITS_MIN: f32 = 2.9;

/// Words of examples and of code that names where a secret is instead of holding it.
const PLACEHOLDERS: [&str; 12] = [
    "example",
    "changeme",
    "placeholder",
    "your",
    "xxxx",
    "dummy",
    "redacted",
    "process.env",
    "os.environ",
    "getenv",
    "secrets.",
    "1234567890",
];

/// Whether a value looks like chance: letters and digits mixed, many different ones, and no
/// name, path, call, variable or placeholder.
fn looks_random(value: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(value) else { return false };
    let has = |is: fn(&u8) -> bool| value.iter().any(is);
    if !has(u8::is_ascii_digit) || !has(u8::is_ascii_alphabetic) {
        return false;
    }
    // Templates, variables, calls, tags and the notes that stand for secrets.
    if text.contains(['$', '{', '(', '<', '[']) || text.contains("://") || is_name(text) {
        return false;
    }
    let lower = text.to_ascii_lowercase();
    !PLACEHOLDERS.iter().any(|word| lower.contains(word)) && bits(value) >= BITS_MIN
}

/// Whether all parts between separators are words, short numbers, or words that end in a
/// number, as in `config.key_2` or `us-east-1`.
fn is_name(text: &str) -> bool {
    text.split(['_', '-', '.', '/', ':']).all(|part| {
        let word = part.trim_end_matches(|c: char| c.is_ascii_digit());
        let is_word = word.bytes().all(|byte| byte.is_ascii_alphabetic());
        let digits = part.len() - word.len();
        is_word && digits <= 4 && (is_one_case(word) || digits <= 1)
    })
}

/// Whether letters after the first are of one case, as in words.
fn is_one_case(word: &str) -> bool {
    let rest = word.get(1..).unwrap_or_default();
    rest.bytes().all(|byte| byte.is_ascii_lowercase())
        || word.bytes().all(|byte| byte.is_ascii_uppercase())
}

/// Shannon's entropy of the bytes, in bits each.
fn bits(value: &[u8]) -> f32 {
    let mut counts = [0_u32; 256];
    for byte in value {
        counts[usize::from(*byte)] += 1;
    }
    let total = value.len() as f32;
    let shares = counts.iter().filter(|count| **count > 0).map(|count| *count as f32 / total);
    -shares.map(|share| share * share.log2()).sum::<f32>()
}
