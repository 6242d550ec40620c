//! What of an answer can be used. Anything may be in it.

use serde_json::Value;

use crate::answered::last_object;
use crate::tokens::Tokens;

/// Bytes of an answer that are looked at.
const ANSWER_BYTES_MAX: usize = 64 * 1024;

/// Why an answer is of no use.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// It is not what was asked for.
    #[error("it holds no JSON object with a text `gist`")]
    NoText,
    /// It saves too little.
    #[error("the text has {} tokens, and may have {}", tokens.0, tokens_max.0)]
    TooLong {
        /// What it has.
        tokens: Tokens,
        /// What it may have.
        tokens_max: Tokens,
    },
    /// It names what does not stand in the turns.
    #[error("it names `{name}`, which does not stand in the turns")]
    StrangeName {
        /// That name.
        name: String,
    },
}

/// The text that an answer has, in lines without what no reader sees.
pub(super) fn text(answer: &str) -> Result<String, Refused> {
    let answer = &answer[..answer.floor_char_boundary(ANSWER_BYTES_MAX)];
    let has_text = |value: &Value| value["gist"].is_string();
    let value = last_object(answer, has_text).ok_or(Refused::NoText)?;
    let text = value["gist"].as_str().unwrap_or_default();
    let plain: String = text.chars().filter(|c| *c == '\n' || !c.is_control()).collect();
    let lines: Vec<&str> = plain.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    if lines.is_empty() { Err(Refused::NoText) } else { Ok(lines.join("\n")) }
}

/// The first name in a telling that does not stand in what was told: what is in backquotes, and
/// words with the form of a path, of a handle or of a name in code.
pub(super) fn strange_name(text: &str, material: &str) -> Option<String> {
    let quoted = text.split('`').skip(1).step_by(2);
    let plain = text.split('`').step_by(2);
    let words = plain.flat_map(|plain| plain.split(|c: char| c.is_whitespace() || is_edge(c)));
    let words = words.map(|word| word.trim_matches(['.', ':', '-', '/', '\'', '…']));
    let mut names = quoted.map(str::trim).chain(words.filter(|word| is_name(word)));
    names.find(|name| !name.is_empty() && !material.contains(*name)).map(str::to_owned)
}

/// What may stand around a name in a sentence.
fn is_edge(c: char) -> bool {
    matches!(c, '(' | ')' | '[' | ']' | '{' | '}' | ',' | ';' | '"' | '!' | '?' | '“' | '”' | '„')
}

/// Whether a word looks like a path, a handle or a name in code rather than like one of a sentence.
fn is_name(word: &str) -> bool {
    let has_inside = |inside: char| {
        word.char_indices().any(|(at, c)| c == inside && at > 0 && at + 1 < word.len())
    };
    let is_hex = word.len() >= 8 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    let has_digit = word.bytes().any(|byte| byte.is_ascii_digit());
    let has_letter = word.bytes().any(|byte| byte.is_ascii_alphabetic());
    // `and/or`, `e.g.` and the like are words of sentences.
    let is_path = has_inside('.') && word.len() > 4 && has_letter
        || word.matches('/').count() > 1
        || word.contains("::");
    is_path || has_inside('_') || is_hex && has_digit
}
