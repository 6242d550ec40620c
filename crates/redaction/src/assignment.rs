//! Secrets that are recognised by the names they are assigned to.

use std::ops::Range;
use std::sync::LazyLock;

use regex::bytes::Regex;

use crate::bytes_regex::{compile, compile_short};
use crate::secret_rules::{self, NameClass};
use crate::value_shape::{
    digit_count, entropy_bits, has_password_characters, is_identifier, is_template, is_user_choice,
    is_word_name, looks_random,
};

/// The longest part of a name on either side of its keyword.
const NAME_BYTES_MAX: usize = 64;

/// The shortest token, password, and password between `;`.
const TOKEN_BYTES_MIN: usize = 8;
const PASSWORD_BYTES_MIN: usize = 6;
const CONNECTION_BYTES_MIN: usize = 4;

/// The shortest value, and its entropy, of a name that only says that it is a key.
const KEY_BYTES_MIN: usize = 16;
const KEY_BITS_MIN: f32 = 3.2;

/// The largest number of words in a password.
const PASSPHRASE_WORDS_MAX: usize = 24;

static ASSIGNMENT: LazyLock<Regex> = LazyLock::new(|| {
    let rows = secret_rules::ASSIGNMENTS.join("|");
    let rows = rows.replace("QUOTE", secret_rules::QUOTE).replace("STRING", secret_rules::STRING);
    compile(&format!("^(?:{rows})"))
});
static OPTION: LazyLock<Regex> =
    LazyLock::new(|| compile(&format!("^(?:{})", secret_rules::OPTION_VALUE)));
static ELEMENT: LazyLock<Regex> =
    LazyLock::new(|| compile(&format!("^(?:{})", secret_rules::ELEMENT_VALUE)));
/// A word before a value that states its use.
static SCHEME: LazyLock<Regex> =
    LazyLock::new(|| compile("^(?:Bearer |bearer |Basic |Token |token |base64:)+"));
static QUESTION: LazyLock<Regex> = LazyLock::new(|| compile(secret_rules::QUERY_FUNCTION_NAMES));
static SUFFIXES: LazyLock<Regex> = LazyLock::new(|| compile(secret_rules::NAME_SUFFIXES));
static CLASSES: LazyLock<Vec<(Option<NameClass>, Regex)>> = LazyLock::new(|| {
    secret_rules::NAME_CLASSES
        .iter()
        .map(|(class, pattern)| (*class, compile_short(pattern)))
        .collect()
});

/// A value and its context.
#[derive(Debug, Clone)]
pub(crate) struct AssignedValue {
    pub(crate) range: Range<usize>,
    /// Whether it stands between quotation marks or tags, or on lines of its own.
    pub(crate) is_quoted: bool,
    /// Whether it follows a name and `=` directly.
    pub(crate) is_tight: bool,
}

/// Returns the name around a keyword.
pub(crate) fn name_around(text: &[u8], keyword: &Range<usize>) -> Range<usize> {
    let is_sign = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    let is_end = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let before = text[..keyword.start].iter().rev().take(NAME_BYTES_MAX).take_while(is_sign);
    let behind = text[keyword.start..].iter().take(2 * NAME_BYTES_MAX).take_while(is_sign).count();
    let signs = &text[keyword.start..keyword.start + behind];
    let end = signs.iter().rposition(is_end).map_or(0, |at| at + 1);
    let start = keyword.start - before.count();
    // The letter of an escape is not part of the name.
    let is_escape = start < keyword.start
        && text[..start].ends_with(b"\\")
        && matches!(text[start], b'n' | b'r' | b't');
    start + usize::from(is_escape)..keyword.start + end
}

/// Returns the secret that is assigned to `name`, and its kind.
pub(crate) fn assigned_secret(
    text: &[u8],
    name: &Range<usize>,
) -> Option<(Range<usize>, &'static str)> {
    // Most names have no value.
    let behind = text.get(name.end)?;
    if !b"\"'`&]=:?(, \t\r\n>\\<".contains(behind) {
        return None;
    }
    let (is_option, is_tag) = (text[name.start] == b'-', ends_with_tag_start(&text[..name.start]));
    let patterns = [
        (is_option, &OPTION, secret_rules::OPTION_PASSWORD_KIND),
        (is_tag, &ELEMENT, secret_rules::PASSWORD_KIND),
        (!is_tag, &ASSIGNMENT, secret_rules::PASSWORD_KIND),
    ];
    patterns.into_iter().filter(|(applies, ..)| *applies).find_map(|(_, pattern, kind)| {
        let value = assigned_value(pattern, text, name)?;
        let class = classify_name(&text[name.clone()])?;
        is_secret_value(text, name, class, &value).then_some((value.range, kind))
    })
}

/// Returns the value that `pattern` finds after a name.
fn assigned_value(pattern: &Regex, text: &[u8], name: &Range<usize>) -> Option<AssignedValue> {
    let behind = &text[name.end..];
    let mut groups = pattern.capture_locations();
    pattern.captures_read(&mut groups, behind)?;
    let (from, to) = (1..groups.len()).find_map(|group| groups.get(group))?;
    let between = &behind[..from];
    let is_quoted = between.last().is_some_and(|byte| b"\"'`;>".contains(byte));
    let scheme = SCHEME.find(&behind[from..to]).map_or(0, |scheme| scheme.end());
    Some(AssignedValue {
        range: name.end + from + scheme..name.end + to,
        is_quoted: is_quoted || between.contains(&b'\n'),
        is_tight: between == b"=",
    })
}

/// Returns whether the text ends with the start of an element, including its namespace.
fn ends_with_tag_start(text: &[u8]) -> bool {
    let Some(rest) = text.strip_suffix(b":") else { return text.ends_with(b"<") };
    let namespace = rest.iter().rev().take(NAME_BYTES_MAX);
    let namespace = namespace.take_while(|byte| byte.is_ascii_alphanumeric()).count();
    rest[..rest.len() - namespace].ends_with(b"<")
}

/// Returns the class of a name; `None` if it does not name a secret.
pub(crate) fn classify_name(name: &[u8]) -> Option<NameClass> {
    let words = snake_case_words(name);
    let end = SUFFIXES.find(&words).map_or(words.len(), |suffixes| suffixes.start());
    CLASSES.iter().find(|(_, pattern)| pattern.is_match(&words[..end]))?.0
}

/// Splits a name into lower-case words, joined by `_`. Words end at separators and before capitals.
fn snake_case_words(name: &[u8]) -> Vec<u8> {
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

/// Returns whether a value of a `name` of this class is a secret.
pub(crate) fn is_secret_value(
    text: &[u8],
    name: &Range<usize>,
    class: NameClass,
    of: &AssignedValue,
) -> bool {
    let (name_text, value) = (&text[name.clone()], &text[of.range.clone()]);
    // A validation rule, such as `required|string|min:8`.
    let is_rule = |part: &[u8]| {
        part.first().is_some_and(u8::is_ascii_lowercase)
            && part.iter().all(|byte| byte.is_ascii_alphanumeric() || b"_:,".contains(byte))
    };
    if value.contains(&b'|') && value.split(|byte| *byte == b'|').all(is_rule)
        || is_template(value)
        || QUESTION.is_match(name_text)
        // Escaped letters of other scripts in code.
        || value.windows(2).any(|pair| pair == b"\\u")
    {
        return false;
    }
    if value.iter().any(u8::is_ascii_whitespace) {
        return class == NameClass::Password && of.is_quoted && is_passphrase(value);
    }
    let is_code = !of.is_quoted && !is_upper_case(name_text) && is_identifier(value);
    let is_random = value.len() >= TOKEN_BYTES_MIN && looks_random(value) && !is_code;
    match class {
        NameClass::Token => is_random,
        NameClass::Key => {
            is_random && value.len() >= KEY_BYTES_MIN && entropy_bits(value) >= KEY_BITS_MIN
        }
        NameClass::Password => is_random || is_password(text, name, of),
    }
}

/// Returns whether several words are a password rather than a sentence: most of them are words with
/// digits.
fn is_passphrase(value: &[u8]) -> bool {
    let words = value.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let is_one = |word: &&[u8]| {
        word.len() >= PASSWORD_BYTES_MIN
            && (1..word.len()).contains(&digit_count(word))
            && is_user_choice(word)
            && has_password_characters(word)
            && !names_secret(word)
    };
    let (all, mixed) = (words.clone().count(), words.filter(is_one).count());
    all <= PASSPHRASE_WORDS_MAX && mixed > 0 && 2 * mixed >= all
}

/// Returns whether the value of a password name was chosen by a person.
fn is_password(text: &[u8], name: &Range<usize>, of: &AssignedValue) -> bool {
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
        let is_spelled = is_word_name(value) && value.iter().any(|byte| b"_-./:".contains(byte));
        let is_code = digit_count(value) < 2 && (is_spelled || is_code_name(value));
        is_number || has_password_characters(value) && !is_code
    } else if of.is_tight && is_upper_case(name_text) {
        let has_parts = name_text.contains(&b'_') && value.len() >= TOKEN_BYTES_MIN;
        has_password_characters(value) || is_number || has_parts
    } else {
        has_password_characters(value) && !is_code_name(value)
    }
}

/// Returns whether a value consists of words for secrets, and so only refers to one.
fn names_secret(value: &[u8]) -> bool {
    static NAME: LazyLock<Regex> = LazyLock::new(|| {
        compile_short(
            r"(?i)(?:^|[_.:/-])(?:password|passwd|pwd|secret|token|key|pass)(?:$|[_.:/-])",
        )
    });
    value.iter().any(|byte| b"_-.:/".contains(byte)) && NAME.is_match(value)
}

/// Returns whether a value has an inner capital or several parts, as names in code have.
fn is_code_name(value: &[u8]) -> bool {
    let is_inner = |pair: &[u8]| pair[0].is_ascii_alphanumeric() && pair[1].is_ascii_uppercase();
    let has_small = value.iter().any(u8::is_ascii_lowercase);
    let has_parts = value.contains(&b'.') || value.contains(&b'_') && digit_count(value) < 2;
    is_identifier(value) && (has_small && value.windows(2).any(is_inner) || has_parts)
}

/// Returns whether a name is spelled like an environment variable.
fn is_upper_case(name: &[u8]) -> bool {
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
                let told = match classify_name(name.as_bytes()) {
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
