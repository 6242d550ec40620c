//! Whether a value was made by chance, chosen by a person, or stands for a value.

use std::array;
use std::sync::LazyLock;

use crate::dictionary::Dictionary;

/// Shortest value whose letters say whether they are words.
const SHUFFLED_BYTES_MIN: usize = 12;

/// Bits of chance that a character of a secret holds at least, by how often each occurs in it.
const BITS_MIN: f32 = 2.9;

/// Counts of a byte, from 0, whose share of the chance is worked out once.
const COUNTS_KNOWN: usize = 4;

/// Parts of values that are in examples, and of code that names where a secret is instead of
/// holding it.
const PLACEHOLDERS: [&str; 21] = [
    "example",
    "changeme",
    "change-me",
    "change_me",
    "changethis",
    "replace",
    "placeholder",
    "your",
    "xxxx",
    "****",
    "....",
    "dummy",
    "redacted",
    "insert",
    "process.env",
    "os.environ",
    "getenv",
    "secrets.",
    "1234567890",
    "<secret",
    "todo",
];

/// What stands for a password in examples and in code.
const STAND_INS: [&str; 40] = [
    "admin",
    "api-key",
    "api_key",
    "api_token",
    "apikey",
    "access_token",
    "default",
    "empty",
    "enabled",
    "disabled",
    "false",
    "foobar",
    "guest",
    "hidden",
    "key",
    "mysql",
    "none",
    "null",
    "optional",
    "pass",
    "passphrase",
    "passwd",
    "password",
    "postgres",
    "prompt",
    "pw",
    "pwd",
    "redis",
    "required",
    "root",
    "secret",
    "sekret",
    "string",
    "test",
    "testing",
    "token",
    "true",
    "undefined",
    "user",
    "x-oauth-basic",
];

/// The placeholders, made ready.
static PLACEHOLDER_WORDS: LazyLock<Dictionary<()>> =
    LazyLock::new(|| Dictionary::of(&PLACEHOLDERS));

/// Whether a text is one that stands for a value, in whatever case.
pub(crate) fn is_placeholder(value: &[u8]) -> bool {
    PLACEHOLDER_WORDS.is_in(value)
}

/// Whether a value is mostly one sign that stands for any other, or says that it is an example.
pub(crate) fn is_filler(value: &[u8]) -> bool {
    let counts = counts(value);
    let most = b"xX0*.-_".iter().map(|sign| counts[usize::from(*sign)]).max().unwrap_or_default();
    let lower = value.to_ascii_lowercase();
    let says = |word: &[u8]| lower.windows(word.len()).any(|part| part == word);
    most as usize * 2 > value.len() || [&b"example"[..], b"xxxx", b"your"].into_iter().any(says)
}

/// Whether somebody chose this as a password, as far as can be told.
pub(crate) fn is_chosen(value: &[u8]) -> bool {
    let is_around = |byte: &u8| b"_.-*!:".contains(byte);
    let start = value.iter().position(|byte| !is_around(byte)).unwrap_or(value.len());
    let end = value.iter().rposition(|byte| !is_around(byte)).map_or(start, |at| at + 1);
    let word = &value[start..end];
    !is_template(value)
        && !STAND_INS.iter().any(|known| known.as_bytes().eq_ignore_ascii_case(word))
        && !is_placeholder(value)
        && !is_repeated(value)
}

/// Whether a value has letters and, beside them, digits or signs that names have not: what is
/// left when words of interfaces and of code are taken away.
pub(crate) fn is_mixed(value: &[u8]) -> bool {
    let has_letter = value.iter().any(u8::is_ascii_alphabetic);
    let digits = value.iter().filter(|byte| byte.is_ascii_digit()).count();
    let is_odd = |byte: &&u8| {
        byte.is_ascii_punctuation() && !matches!(byte, b'_' | b'-' | b'.' | b'/' | b':')
    };
    let odd = value.iter().filter(is_odd).count();
    has_letter && (digits > 0 || odd > 0 || is_shuffled(value))
}

/// Whether a value is one sign again and again.
fn is_repeated(value: &[u8]) -> bool {
    value.iter().all(|byte| Some(byte) == value.first())
}

/// Whether something is to be put in the place of parts of the value.
pub(crate) fn is_template(value: &[u8]) -> bool {
    let is_reference = value.first().is_some_and(|byte| matches!(byte, b'$' | b'<' | b'{' | b'['));
    let is_braced = value.contains(&b'{') && value.contains(&b'}');
    let is_format = |pair: &[u8]| {
        matches!(pair, b"${" | b"$(" | b"{{" | b"#{" | b"%s" | b"%(" | b"%{" | b"<%" | b"()")
    };
    let is_gap = |three: &[u8]| matches!(three, b"..." | b"***");
    // `%NAME%`, as `cmd` has it.
    let is_percent = value.len() > 2
        && value.first() == Some(&b'%')
        && value.last() == Some(&b'%')
        && value[1..value.len() - 1]
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    is_reference
        || is_braced
        || is_percent
        || value.windows(2).any(is_format)
        || value.windows(3).any(is_gap)
}

/// Whether a value is a name as programs have them, digits in it or not: `sha256Hash`,
/// `self.base64_key`. Its words have three letters or more, on the whole.
pub(crate) fn is_identifier(value: &[u8]) -> bool {
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
    letters >= 3 * words && letters >= 2 * digits && !(value.len() >= 16 && is_shuffled(value))
}

/// Whether the small letters of a long value stand in runs that are too short for words.
fn is_shuffled(value: &[u8]) -> bool {
    let runs = value.split(|byte| !byte.is_ascii_lowercase()).filter(|run| !run.is_empty());
    let (count, letters) = runs.fold((0, 0), |(count, all), run| (count + 1, all + run.len()));
    let has_capital = value.iter().any(u8::is_ascii_uppercase);
    value.len() >= SHUFFLED_BYTES_MIN && has_capital && letters * 10 < count * 23
}

/// Whether a value looks like chance: letters and digits mixed, many different ones, and no
/// name, path, call, variable or placeholder.
pub(crate) fn looks_random(value: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(value) else { return false };
    let has = |is: fn(&u8) -> bool| value.iter().any(is);
    if !has(u8::is_ascii_alphabetic) || !has(u8::is_ascii_digit) && !is_shuffled(value) {
        return false;
    }
    // Templates, variables, calls, tags and the notes that stand for secrets.
    if text.contains(['$', '{', '(', '<', '[']) || text.contains("://") || is_name(text) {
        return false;
    }
    bits(value) >= BITS_MIN && !is_placeholder(value)
}

/// Whether all parts between separators are words, short numbers, or words that end in a
/// number, as in `config.key_2` or `us-east-1`.
pub(crate) fn is_name(text: &str) -> bool {
    text.split(['_', '-', '.', '/', ':']).all(|part| {
        let word = part.trim_end_matches(|c: char| c.is_ascii_digit());
        let is_word = word.bytes().all(|byte| byte.is_ascii_alphabetic());
        let digits = part.len() - word.len();
        let is_spelled = is_one_case(word) || digits <= 1 && !is_shuffled(word.as_bytes());
        is_word && digits <= 4 && is_spelled
    })
}

/// Whether letters after the first are of one case, as in words.
fn is_one_case(word: &str) -> bool {
    let rest = word.get(1..).unwrap_or_default();
    rest.bytes().all(|byte| byte.is_ascii_lowercase())
        || word.bytes().all(|byte| byte.is_ascii_uppercase())
}

/// Shannon's entropy of the bytes, in bits each.
pub(crate) fn bits(value: &[u8]) -> f32 {
    let counts = counts(value);
    let total = value.len() as f32;
    let part = |count: u32| {
        let share = count as f32 / total;
        share * share.log2()
    };
    // Most bytes occur as rarely as others.
    let few: [f32; COUNTS_KNOWN] = array::from_fn(|count| part(count as u32));
    let known = |count: u32| few.get(count as usize).copied().unwrap_or_else(|| part(count));
    // In the order of the bytes: sums of fractions differ by their order.
    let mut present = [0_u128; 2];
    value.iter().for_each(|byte| present[usize::from(byte >> 7)] |= 1 << (byte & 127));
    let mut sum = 0.0;
    for (at, mut bytes) in present.into_iter().enumerate() {
        while bytes > 0 {
            sum += known(counts[at << 7 | bytes.trailing_zeros() as usize]);
            bytes &= bytes - 1;
        }
    }
    -sum
}

fn counts(value: &[u8]) -> [u32; 256] {
    let mut counts = [0_u32; 256];
    for byte in value {
        counts[usize::from(*byte)] += 1;
    }
    counts
}
