//! Values that are told by the names they are assigned to.

use std::ops::Range;
use std::sync::LazyLock;

use regex::bytes::Regex;

use crate::pattern::{compile, compile_short};
use crate::rules::{self, NameClass};
use crate::shape::{
    bits, digits, is_identifier, is_mixed, is_name, is_template, is_user_choice, looks_random,
};

/// Longest part of a name on either side of its keyword.
const NAME_BYTES_MAX: usize = 64;

/// Shortest token, password, and password between `;`.
const TOKEN_BYTES_MIN: usize = 8;
const PASSWORD_BYTES_MIN: usize = 6;
const CONNECTION_BYTES_MIN: usize = 4;

/// Shortest value of a name that only says that it is a key, and its entropy.
const KEY_BYTES_MIN: usize = 16;
const KEY_BITS_MIN: f32 = 3.2;

/// Most words of a password.
const PHRASE_WORDS_MAX: usize = 24;

static ASSIGNMENT: LazyLock<Regex> = LazyLock::new(|| {
    let rows = rules::ASSIGNMENTS.join("|");
    let rows = rows.replace("QUOTE", rules::QUOTE).replace("STRING", rules::STRING);
    compile(&format!("^(?:{rows})"))
});
static OPTION: LazyLock<Regex> =
    LazyLock::new(|| compile(&format!("^(?:{})", rules::OPTION_VALUE)));
static ELEMENT: LazyLock<Regex> =
    LazyLock::new(|| compile(&format!("^(?:{})", rules::ELEMENT_VALUE)));
/// A word before a value that says how it is to be used.
static SCHEME: LazyLock<Regex> =
    LazyLock::new(|| compile("^(?:Bearer |bearer |Basic |Token |token |base64:)+"));
static QUESTION: LazyLock<Regex> = LazyLock::new(|| compile(rules::QUESTIONS));
static SUFFIXES: LazyLock<Regex> = LazyLock::new(|| compile(rules::NAME_SUFFIXES));
static CLASSES: LazyLock<Vec<(Option<NameClass>, Regex)>> = LazyLock::new(|| {
    rules::NAME_CLASSES.iter().map(|(class, pattern)| (*class, compile_short(pattern))).collect()
});

/// A value, and how it stands.
#[derive(Debug, Clone)]
pub(crate) struct Value {
    pub(crate) range: Range<usize>,
    /// Between quotation marks or tags, or in lines of its own.
    pub(crate) is_quoted: bool,
    /// Right behind a name and `=`.
    pub(crate) is_tight: bool,
}

/// The name around a keyword.
pub(crate) fn name_around(text: &[u8], keyword: &Range<usize>) -> Range<usize> {
    let is_sign = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    let is_end = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let before = text[..keyword.start].iter().rev().take(NAME_BYTES_MAX).take_while(is_sign);
    let behind = text[keyword.start..].iter().take(2 * NAME_BYTES_MAX).take_while(is_sign).count();
    let signs = &text[keyword.start..keyword.start + behind];
    let end = signs.iter().rposition(is_end).map_or(0, |at| at + 1);
    let start = keyword.start - before.count();
    // The sign of an escape is no part of it.
    let is_escape = start < keyword.start
        && text[..start].ends_with(b"\\")
        && matches!(text[start], b'n' | b'r' | b't');
    start + usize::from(is_escape)..keyword.start + end
}

/// Returns the secret that is assigned to `name`, and its kind.
pub(crate) fn secret(text: &[u8], name: &Range<usize>) -> Option<(Range<usize>, &'static str)> {
    // Most names are assigned nothing.
    let behind = text.get(name.end)?;
    if !b"\"'`&]=:?(, \t\r\n>\\<".contains(behind) {
        return None;
    }
    let (is_option, is_tag) = (text[name.start] == b'-', is_tag(&text[..name.start]));
    let patterns = [
        (is_option, &OPTION, rules::OPTION),
        (is_tag, &ELEMENT, rules::PASSWORD),
        (!is_tag, &ASSIGNMENT, rules::PASSWORD),
    ];
    patterns.into_iter().filter(|(applies, ..)| *applies).find_map(|(_, pattern, kind)| {
        let value = value(pattern, text, name)?;
        let class = class(&text[name.clone()])?;
        is_secret(text, name, class, &value).then_some((value.range, kind))
    })
}

/// The value that `pattern` finds behind a name.
fn value(pattern: &Regex, text: &[u8], name: &Range<usize>) -> Option<Value> {
    let behind = &text[name.end..];
    let mut groups = pattern.capture_locations();
    pattern.captures_read(&mut groups, behind)?;
    let (from, to) = (1..groups.len()).find_map(|group| groups.get(group))?;
    let between = &behind[..from];
    let is_quoted = between.last().is_some_and(|byte| b"\"'`;>".contains(byte));
    let scheme = SCHEME.find(&behind[from..to]).map_or(0, |scheme| scheme.end());
    Some(Value {
        range: name.end + from + scheme..name.end + to,
        is_quoted: is_quoted || between.contains(&b'\n'),
        is_tight: between == b"=",
    })
}

/// Whether the text ends with the beginning of an element, with its namespace.
fn is_tag(text: &[u8]) -> bool {
    let Some(rest) = text.strip_suffix(b":") else { return text.ends_with(b"<") };
    let namespace = rest.iter().rev().take(NAME_BYTES_MAX);
    let namespace = namespace.take_while(|byte| byte.is_ascii_alphanumeric()).count();
    rest[..rest.len() - namespace].ends_with(b"<")
}

/// Returns the class of a name; `None` if it is no name of a secret.
pub(crate) fn class(name: &[u8]) -> Option<NameClass> {
    let words = words(name);
    let end = SUFFIXES.find(&words).map_or(words.len(), |suffixes| suffixes.start());
    CLASSES.iter().find(|(_, pattern)| pattern.is_match(&words[..end]))?.0
}

/// The words of a name in small letters, with `_` in between. Words end at separators and where
/// capitals begin.
fn words(name: &[u8]) -> Vec<u8> {
    let mut words = Vec::with_capacity(name.len() + 8);
    for (at, sign) in name.iter().enumerate() {
        let before = at.checked_sub(1).map(|at| name[at]);
        let next = name.get(at + 1);
        let begins = sign.is_ascii_uppercase()
            && (before.is_some_and(|sign| sign.is_ascii_lowercase())
                || before.is_some_and(|sign| sign.is_ascii_uppercase())
                    && next.is_some_and(u8::is_ascii_lowercase));
        let is_separator = !sign.is_ascii_alphanumeric();
        if (begins || is_separator) && words.last().is_some_and(|last| *last != b'_') {
            words.push(b'_');
        }
        if !is_separator {
            words.push(sign.to_ascii_lowercase());
        }
    }
    words
}

/// Whether a value of a `name` of this class is a secret.
pub(crate) fn is_secret(text: &[u8], name: &Range<usize>, class: NameClass, of: &Value) -> bool {
    let (name_text, value) = (&text[name.clone()], &text[of.range.clone()]);
    // `required|string|min:8`: what a value has to be.
    let is_rule = |part: &[u8]| {
        part.first().is_some_and(u8::is_ascii_lowercase)
            && part.iter().all(|byte| byte.is_ascii_alphanumeric() || b"_:,".contains(byte))
    };
    if value.contains(&b'|') && value.split(|byte| *byte == b'|').all(is_rule)
        || is_template(value)
        || QUESTION.is_match(name_text)
        // Letters of other scripts, as some write them in code.
        || value.windows(2).any(|pair| pair == b"\\u")
    {
        return false;
    }
    if value.iter().any(u8::is_ascii_whitespace) {
        return class == NameClass::Password && of.is_quoted && is_phrase(value);
    }
    let is_code = !of.is_quoted && !is_shouted(name_text) && is_identifier(value);
    let is_random = value.len() >= TOKEN_BYTES_MIN && looks_random(value) && !is_code;
    match class {
        NameClass::Token => is_random,
        NameClass::Key => is_random && value.len() >= KEY_BYTES_MIN && bits(value) >= KEY_BITS_MIN,
        NameClass::Password => is_random || is_password(text, name, of),
    }
}

/// Whether several words are a password, and not a sentence about one: most of them are words with
/// numbers in them.
fn is_phrase(value: &[u8]) -> bool {
    let words = value.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let is_one = |word: &&[u8]| {
        word.len() >= PASSWORD_BYTES_MIN
            && (1..word.len()).contains(&digits(word))
            && is_user_choice(word)
            && is_mixed(word)
            && !names_secret(word)
    };
    let (all, mixed) = (words.clone().count(), words.filter(is_one).count());
    all <= PHRASE_WORDS_MAX && mixed > 0 && 2 * mixed >= all
}

/// Whether a person chose the value of a name of passwords.
fn is_password(text: &[u8], name: &Range<usize>, of: &Value) -> bool {
    let (name_text, value) = (&text[name.clone()], &text[of.range.clone()]);
    let before = text[..name.start].trim_ascii_end().last();
    let is_connection = before == Some(&b';') && of.is_tight;
    let least = if is_connection { CONNECTION_BYTES_MIN } else { PASSWORD_BYTES_MIN };
    if value.len() < least || !is_user_choice(value) || names_secret(value) {
        return false;
    }
    let is_path = value.starts_with(b"/") || value.starts_with(b"./") || value.starts_with(b"~/");
    let is_constant = value.iter().all(|byte| byte.is_ascii_uppercase() || b"_.".contains(byte));
    if is_path || is_constant {
        return false;
    }
    let is_number = value.iter().all(u8::is_ascii_digit);
    if is_connection {
        true
    } else if of.is_quoted {
        let is_spelled = is_name(value) && value.iter().any(|byte| b"_-./:".contains(byte));
        let is_code = digits(value) < 2 && (is_spelled || is_camel(value));
        is_number || is_mixed(value) && !is_code
    } else if of.is_tight && is_shouted(name_text) {
        let has_parts = name_text.contains(&b'_') && value.len() >= TOKEN_BYTES_MIN;
        is_mixed(value) || is_number || has_parts
    } else {
        is_mixed(value) && !is_camel(value)
    }
}

/// Whether a value is spelled with the words of names for secrets: it stands for one.
fn names_secret(value: &[u8]) -> bool {
    static NAME: LazyLock<Regex> = LazyLock::new(|| {
        compile_short(
            r"(?i)(?:^|[_.:/-])(?:password|passwd|pwd|secret|token|key|pass)(?:$|[_.:/-])",
        )
    });
    value.iter().any(|byte| b"_-.:/".contains(byte)) && NAME.is_match(value)
}

/// Whether a value has a capital inside of a word, or parts, as names of code have.
fn is_camel(value: &[u8]) -> bool {
    let is_inner = |pair: &[u8]| pair[0].is_ascii_alphanumeric() && pair[1].is_ascii_uppercase();
    let has_small = value.iter().any(u8::is_ascii_lowercase);
    let has_parts = value.contains(&b'.') || value.contains(&b'_') && digits(value) < 2;
    is_identifier(value) && (has_small && value.windows(2).any(is_inner) || has_parts)
}

/// Whether a name is spelled as variables of commands are.
fn is_shouted(name: &[u8]) -> bool {
    name.iter().any(u8::is_ascii_uppercase) && !name.iter().any(u8::is_ascii_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_what_they_name() {
        for (names, expected) in [
            (
                "password DB_PASS dbPassword mysql.rootpass wifi.psk PASSWORD_2 password_prod pwd",
                "p",
            ),
            ("api_key clientSecret AUTH_TOKEN token X-Api-Key awsSecretAccessKey passwordKey", "t"),
            ("STRIPE_KEY mailgunKey", "k"),
            ("token_count passwordField compass max_tokens tokenizer primary_key bypass", "-"),
            ("secretName password_file tokenType public_key author passed keyboard", "-"),
        ] {
            for name in names.split(' ') {
                let told = match class(name.as_bytes()) {
                    Some(NameClass::Password) => "p",
                    Some(NameClass::Token) => "t",
                    Some(NameClass::Key) => "k",
                    None => "-",
                };
                assert_eq!(told, expected, "{name}");
            }
        }
    }
}
