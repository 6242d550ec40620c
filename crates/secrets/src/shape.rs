//! Whether a value is random, chosen by a person, or stands for a value.

use std::sync::LazyLock;

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use regex::bytes::Regex;

use crate::pattern::{compile, compile_short};

/// Shortest value whose letters say whether they are words.
const SHUFFLED_BYTES_MIN: usize = 12;

/// Entropy of each byte of a random value, at least.
const BITS_MIN: f32 = 2.9;

/// Parts of examples, and of code that names the place of a secret.
static PLACEHOLDER: LazyLock<Regex> = LazyLock::new(|| {
    compile_short(
        r"(?i)example|change[-_]?me|changethis|replace|placeholder|your|xxxx|\*{4}|\.{4}|dummy|redacted|insert|process\.env|os\.environ|getenv|secrets\.|1234567890|<secret|todo",
    )
});

/// Words that stand for a password in examples and in code.
static STAND_IN: LazyLock<Regex> = LazyLock::new(|| {
    compile(
        r"^(?i)[_.*!:-]*(?:admin|api[-_]?key|api_token|access_token|default|empty|enabled|disabled|false|foobar|guest|hidden|key|mysql|none|null|optional|pass|passphrase|passwd|password|postgres|prompt|pw|pwd|redis|required|root|secret|sekret|string|test|testing|token|true|undefined|user|x-oauth-basic)?[_.*!:-]*$",
    )
});

/// References, formats and gaps: something is to be put in their place.
static TEMPLATE: LazyLock<Regex> = LazyLock::new(|| {
    compile_short(
        r"(?s)^[$<{\[]|\{.*\}|\}.*\{|^%\w+%$|\$[{(]|\{\{|#\{|%[s({]|<%|\(\)|\.\.\.|\*\*\*",
    )
});

/// Whether a text stands for a value.
pub(crate) fn is_placeholder(value: &[u8]) -> bool {
    PLACEHOLDER.is_match(value)
}

/// Whether something is to be put in the place of parts of the value.
pub(crate) fn is_template(value: &[u8]) -> bool {
    TEMPLATE.is_match(value)
}

/// Whether a value is mostly one sign that stands for any other, or says that it is an example.
pub(crate) fn is_filler(value: &[u8]) -> bool {
    static EXAMPLE: LazyLock<Regex> = LazyLock::new(|| compile_short("(?i)example|xxxx|your"));
    let count = |sign: &u8| value.iter().filter(|byte| *byte == sign).count();
    let most = b"xX0*.-_".iter().map(count).max().unwrap_or_default();
    most * 2 > value.len() || EXAMPLE.is_match(value)
}

/// Whether a person chose this as a password, as far as can be told.
pub(crate) fn is_user_choice(value: &[u8]) -> bool {
    let is_repeated = value.iter().all(|byte| Some(byte) == value.first());
    !is_template(value) && !STAND_IN.is_match(value) && !is_placeholder(value) && !is_repeated
}

/// Whether a value has letters and, beside them, digits or signs that names have not: the rest
/// without words of interfaces and of code.
pub(crate) fn is_mixed(value: &[u8]) -> bool {
    let is_odd = |byte: &u8| {
        byte.is_ascii_digit() || byte.is_ascii_punctuation() && !b"_-./:".contains(byte)
    };
    value.iter().any(u8::is_ascii_alphabetic) && (value.iter().any(is_odd) || is_shuffled(value))
}

/// Whether a value is a name as programs have them, with digits or without: `sha256Hash`,
/// `self.base64_key`. Its words have three letters or more, on average.
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
    let letters = count(value, u8::is_ascii_alphabetic);
    let is_long = value.len() >= 16 && is_shuffled(value);
    letters >= 3 * words && letters >= 2 * digits(value) && !is_long
}

/// Whether the small letters of a long value stand in runs that are too short for words.
fn is_shuffled(value: &[u8]) -> bool {
    let runs = value.split(|byte| !byte.is_ascii_lowercase()).filter(|run| !run.is_empty());
    let letters = count(value, u8::is_ascii_lowercase);
    let has_capital = value.iter().any(u8::is_ascii_uppercase);
    value.len() >= SHUFFLED_BYTES_MIN && has_capital && letters * 10 < runs.count() * 23
}

/// Whether a value looks random: letters and digits mixed, many different ones, and no name, path,
/// call, variable or placeholder.
pub(crate) fn looks_random(value: &[u8]) -> bool {
    let is_mixed = digits(value) > 0 || is_shuffled(value);
    // Templates, variables, calls, tags, and the notes in place of secrets.
    let is_code = value.iter().any(|byte| b"${(<[".contains(byte));
    value.iter().any(u8::is_ascii_alphabetic)
        && is_mixed
        && !is_code
        && std::str::from_utf8(value).is_ok()
        && !value.windows(3).any(|part| part == b"://")
        && !is_name(value)
        && bits(value) >= BITS_MIN
        && !is_placeholder(value)
}

/// Whether all parts between separators are words, short numbers, or words that end in a number,
/// as in `config.key_2` or `us-east-1`.
pub(crate) fn is_name(value: &[u8]) -> bool {
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

/// Whether `text` is the base64 of a name and a password, as in headers.
pub(crate) fn is_login(text: &[u8]) -> bool {
    const CONFIG: GeneralPurposeConfig = GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true);
    const ENGINE: GeneralPurpose = GeneralPurpose::new(&STANDARD, CONFIG);
    let Ok(plain) = ENGINE.decode(text) else { return false };
    let is_text = plain.iter().all(|byte| (0x20..0x7f).contains(byte));
    let colon = plain.iter().position(|byte| *byte == b':');
    is_text && colon.is_some_and(|at| at > 0 && at + 1 < plain.len())
}

/// Shannon's entropy of the bytes, in bits each.
pub(crate) fn bits(value: &[u8]) -> f32 {
    let mut counts = [0_u32; 256];
    value.iter().for_each(|byte| counts[usize::from(*byte)] += 1);
    let shares = counts.iter().filter(|count| **count > 0);
    let shares = shares.map(|count| *count as f32 / value.len() as f32);
    -shares.map(|share| share * share.log2()).sum::<f32>()
}

pub(crate) fn digits(value: &[u8]) -> usize {
    count(value, u8::is_ascii_digit)
}

pub(crate) fn count(value: &[u8], is_such: fn(&u8) -> bool) -> usize {
    value.iter().filter(|byte| is_such(byte)).count()
}

#[cfg(test)]
mod tests {
    use super::is_login;

    #[test]
    fn a_login_is_a_name_and_a_password() {
        assert!(is_login(b"YTpi") && is_login(b"YTpiYw==") && is_login(b"YTpiYw"));
        assert!(!is_login(b"YWI=") && !is_login(b"a") && !is_login(b"a b="));
    }
}
