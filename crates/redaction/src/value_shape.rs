//! Heuristics for values: random, chosen by a person, or a placeholder.

use std::sync::LazyLock;

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use regex::bytes::Regex;

use crate::bytes_regex::{compile, compile_short};

/// The shortest value whose letters show whether they form words.
const SHUFFLED_BYTES_MIN: usize = 12;

/// The minimum entropy per byte of a random value.
const RANDOM_BITS_MIN: f32 = 2.9;

/// Parts of examples, and of code that refers to a secret.
static PLACEHOLDER: LazyLock<Regex> = LazyLock::new(|| {
    compile_short(
        r"(?i)example|change[-_]?me|changethis|replace|placeholder|your|xxxx|\*{4}|\.{4}|dummy|redacted|insert|process\.env|os\.environ|getenv|secrets\.|1234567890|<secret|todo",
    )
});

/// Words in place of a password, in examples and in code.
static STAND_IN: LazyLock<Regex> = LazyLock::new(|| {
    compile(
        r"^(?i)[_.*!:-]*(?:admin|api[-_]?key|api_token|access_token|default|empty|enabled|disabled|false|foobar|guest|hidden|key|mysql|none|null|optional|pass|passphrase|passwd|password|postgres|prompt|pw|pwd|redis|required|root|secret|sekret|string|test|testing|token|true|undefined|user|x-oauth-basic)?[_.*!:-]*$",
    )
});

/// References, format strings and gaps to be filled in.
static TEMPLATE: LazyLock<Regex> = LazyLock::new(|| {
    compile_short(
        r"(?s)^[$<{\[]|\{.*\}|\}.*\{|^%\w+%$|\$[{(]|\{\{|#\{|%[s({]|<%|\(\)|\.\.\.|\*\*\*",
    )
});

/// Returns whether a text is a placeholder for a value.
pub(crate) fn is_placeholder(value: &[u8]) -> bool {
    PLACEHOLDER.is_match(value)
}

/// Returns whether parts of the value are to be filled in.
pub(crate) fn is_template(value: &[u8]) -> bool {
    TEMPLATE.is_match(value)
}

/// Returns whether a value consists mostly of one filler character, or says that it is an example.
pub(crate) fn is_filler(value: &[u8]) -> bool {
    static EXAMPLE: LazyLock<Regex> = LazyLock::new(|| compile_short("(?i)example|xxxx|your"));
    let count = |sign: &u8| value.iter().filter(|byte| *byte == sign).count();
    let most = b"xX0*.-_".iter().map(count).max().unwrap_or_default();
    most * 2 > value.len() || EXAMPLE.is_match(value)
}

/// Returns whether the value may be a password that a person chose.
pub(crate) fn is_user_choice(value: &[u8]) -> bool {
    let is_repeated = value.iter().all(|byte| Some(byte) == value.first());
    !is_template(value) && !STAND_IN.is_match(value) && !is_placeholder(value) && !is_repeated
}

/// Returns whether a value has letters and also digits or symbols that names lack. Other values are
/// words of interfaces and code.
pub(crate) fn has_password_characters(value: &[u8]) -> bool {
    let is_odd = |byte: &u8| {
        byte.is_ascii_digit() || byte.is_ascii_punctuation() && !b"_-./:".contains(byte)
    };
    value.iter().any(u8::is_ascii_alphabetic) && (value.iter().any(is_odd) || is_shuffled(value))
}

/// Returns whether a value is an identifier of a program, with or without digits: `sha256Hash`,
/// `self.base64_key`. Its words have three or more letters on average.
pub(crate) fn is_identifier(value: &[u8]) -> bool {
    let is_sign = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.');
    if !value.first().is_some_and(u8::is_ascii_alphabetic) || !value.iter().all(is_sign) {
        return false;
    }
    let before = std::iter::once(&b'_').chain(value);
    let begins = |(before, byte): (&u8, &u8)| {
        byte.is_ascii_alphabetic()
            && (!before.is_ascii_alphabetic()
                || byte.is_ascii_uppercase() && before.is_ascii_lowercase())
    };
    let words = before.zip(value).filter(|pair| begins(*pair)).count();
    let letters = count_bytes(value, u8::is_ascii_alphabetic);
    let is_long = value.len() >= 16 && is_shuffled(value);
    letters >= 3 * words && letters >= 2 * digit_count(value) && !is_long
}

/// Returns whether the runs of lower-case letters in a long value are too short for words.
fn is_shuffled(value: &[u8]) -> bool {
    let runs = value.split(|byte| !byte.is_ascii_lowercase()).filter(|run| !run.is_empty());
    let letters = count_bytes(value, u8::is_ascii_lowercase);
    let has_capital = value.iter().any(u8::is_ascii_uppercase);
    value.len() >= SHUFFLED_BYTES_MIN && has_capital && letters * 10 < runs.count() * 23
}

/// Returns whether a value looks random: letters and digits mixed, many different ones, and not a
/// name, path, call, variable or placeholder.
pub(crate) fn looks_random(value: &[u8]) -> bool {
    let is_mixed = digit_count(value) > 0 || is_shuffled(value);
    // Templates, variables, calls, tags, and notes of the redactor.
    let is_code = value.iter().any(|byte| b"${(<[".contains(byte));
    value.iter().any(u8::is_ascii_alphabetic)
        && is_mixed
        && !is_code
        && std::str::from_utf8(value).is_ok()
        && !value.windows(3).any(|part| part == b"://")
        && !is_word_name(value)
        && entropy_bits(value) >= RANDOM_BITS_MIN
        && !is_placeholder(value)
}

/// Returns whether all parts between separators are words, short numbers, or words that end in a
/// number, as in `config.key_2` or `us-east-1`.
pub(crate) fn is_word_name(value: &[u8]) -> bool {
    value.split(|byte| b"_-./:".contains(byte)).all(|part| {
        let letters = part.iter().rposition(|byte| !byte.is_ascii_digit()).map_or(0, |at| at + 1);
        let (word, digits) = (&part[..letters], part.len() - letters);
        let rest = word.get(1..).unwrap_or_default();
        let is_one_case =
            rest.iter().all(u8::is_ascii_lowercase) || word.iter().all(u8::is_ascii_uppercase);
        word.iter().all(u8::is_ascii_alphabetic)
            && digits <= 4
            && (is_one_case || digits <= 1 && !is_shuffled(word))
    })
}

/// Returns whether `text` is the base64 of a user name and a password, as in headers.
pub(crate) fn is_basic_auth(text: &[u8]) -> bool {
    const CONFIG: GeneralPurposeConfig = GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true);
    const ENGINE: GeneralPurpose = GeneralPurpose::new(&STANDARD, CONFIG);
    let Ok(plain) = ENGINE.decode(text) else { return false };
    let is_text = plain.iter().all(|byte| (0x20..0x7f).contains(byte));
    let colon = plain.iter().position(|byte| *byte == b':');
    is_text && colon.is_some_and(|at| at > 0 && at + 1 < plain.len())
}

/// Returns the Shannon entropy of the bytes, in bits per byte.
pub(crate) fn entropy_bits(value: &[u8]) -> f32 {
    let mut counts = [0_u32; 256];
    value.iter().for_each(|byte| counts[usize::from(*byte)] += 1);
    let shares = counts.iter().filter(|count| **count > 0);
    let shares = shares.map(|count| *count as f32 / value.len() as f32);
    -shares.map(|share| share * share.log2()).sum::<f32>()
}

pub(crate) fn digit_count(value: &[u8]) -> usize {
    count_bytes(value, u8::is_ascii_digit)
}

pub(crate) fn count_bytes(value: &[u8], is_such: fn(&u8) -> bool) -> usize {
    value.iter().filter(|byte| is_such(byte)).count()
}

#[cfg(test)]
mod tests {
    use super::is_basic_auth;

    #[test]
    fn a_login_is_a_name_and_a_password() {
        assert!(is_basic_auth(b"YTpi") && is_basic_auth(b"YTpiYw==") && is_basic_auth(b"YTpiYw"));
        assert!(!is_basic_auth(b"YWI=") && !is_basic_auth(b"a") && !is_basic_auth(b"a b="));
    }
}
