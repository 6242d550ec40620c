//! Long words that were made by chance, whatever they are called: what no form and no name tells.
//!
//! Much that is harmless looks like chance too: hashes, ids, images, public keys, minified code.
//! Such words have one case, or stand beside a word that says what they are.

use std::ops::Range;
use std::sync::LazyLock;

use crate::chance::{bits, is_identifier, is_placeholder};
use crate::dictionary::Dictionary;

/// Signs of a word that is long enough, and of one that is data.
const BYTES_MIN: usize = 32;
const BYTES_MAX: usize = 128;

/// Bits of chance that each sign of a word has: 32 signs of 64 have about 4.6.
const BITS_MIN: f32 = 4.1;

/// Bytes before a word that may say what it is.
const BEFORE_BYTES: usize = 48;

/// What stands before words that are no secret.
const HARMLESS: [&str; 35] = [
    "sha1",
    "sha256",
    "sha384",
    "sha512",
    "sha-256",
    "sha3",
    "h1:",
    "md5",
    "base64,",
    "integrity",
    "checksum",
    "digest",
    "hash",
    "etag",
    "fingerprint",
    "nonce",
    "commit",
    "revision",
    "uuid",
    "guid",
    "public",
    "pubkey",
    "certificate",
    "sitekey",
    "site_key",
    "site-key",
    "resolved",
    "/d/",
    "folders/",
    "cid",
    "address",
    "txid",
    "mappings",
    // Names of contents.
    "urn:",
    "magnet:",
];

/// The same, made ready.
static HARMLESS_WORDS: LazyLock<Dictionary<()>> = LazyLock::new(|| Dictionary::of(&HARMLESS));

/// Beginnings of base64 that stand for images, fonts, public keys and the like.
const DATA: [&str; 16] = [
    "AAAA", "MII", "iVBOR", "R0lGOD", "/9j/", "UklGR", "PHN2Zy", "d09GM", "AAEAAA", "T2dnUw",
    "JVBER", "H4sI", "UEsDB", "_Z", "__Z", "pk_",
];

/// Whether a sign may stand in such a word.
pub(crate) fn is_sign(byte: u8) -> bool {
    SIGNS[usize::from(byte)]
}

static SIGNS: [bool; 256] = {
    let mut signs = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        let sign = byte as u8;
        signs[byte] =
            sign.is_ascii_alphanumeric() || matches!(sign, b'+' | b'/' | b'_' | b'-' | b'=');
        byte += 1;
    }
    signs
};

/// Whether a text has a word that is long enough.
pub(crate) fn has_long(text: &[u8]) -> bool {
    let mut at = BYTES_MIN - 1;
    while at < text.len() {
        match run_before(text, at, 0) {
            BYTES_MIN.. => return true,
            run => at += BYTES_MIN - run,
        }
    }
    false
}

/// How many signs of a word stand up to `at` and with it, down to `from`.
fn run_before(text: &[u8], at: usize, from: usize) -> usize {
    text[from..=at].iter().rev().take(BYTES_MIN).take_while(|byte| is_sign(**byte)).count()
}

/// All long words of chance that nothing says to be harmless. Only every few bytes are looked
/// at: what has no sign of a word there is in none that is long enough.
pub(crate) fn find(text: &[u8]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let (mut from, mut at) = (0, BYTES_MIN - 1);
    while at < text.len() {
        let run = run_before(text, at, from);
        if run < BYTES_MIN {
            at += BYTES_MIN - run;
            continue;
        }
        let start = at + 1 - run;
        let end = at + text[at..].iter().take_while(|byte| is_sign(**byte)).count();
        if let Some(word) = secret(text, start..end) {
            found.push(word);
        }
        (from, at) = (end, end + BYTES_MIN - 1);
    }
    found
}

/// The word without what is around it, if it is one of chance.
fn secret(text: &[u8], mut word: Range<usize>) -> Option<Range<usize>> {
    // A name may stand before it, with nothing in between but what assigns.
    let signs = &text[word.clone()];
    let trimmed = signs.iter().rposition(|sign| *sign != b'=').map_or(0, |at| at + 1);
    if let Some(at) = signs[..trimmed].iter().rposition(|sign| *sign == b'=') {
        word.start += at + 1;
    }
    let signs = &text[word.clone()];
    if !(BYTES_MIN..=BYTES_MAX).contains(&signs.len()) {
        return None;
    }
    let is_word = stands_alone(text, &word)
        && is_chance(signs)
        && !signs.starts_with(b"sha")
        && !is_said_harmless(text, word.start);
    (is_word && !is_in_block(text, &word)).then_some(word)
}

/// Whether the word is one by itself: in quotes, behind a sign that assigns, or between blanks.
fn stands_alone(text: &[u8], word: &Range<usize>) -> bool {
    let before = word.start.checked_sub(1).map(|at| text[at]);
    let behind = text.get(word.end).copied();
    let opens = |byte: u8| byte.is_ascii_whitespace() || b"\"'`=:>(,|".contains(&byte);
    let closes = |byte: u8| byte.is_ascii_whitespace() || b"\"'`<),;&\\|".contains(&byte);
    // The end of a sentence.
    let is_last = behind == Some(b'.')
        && text.get(word.end + 1).is_none_or(|byte| byte.is_ascii_whitespace());
    before.is_none_or(opens) && (is_last || behind.is_none_or(closes))
}

fn is_chance(signs: &[u8]) -> bool {
    let count = |is: fn(&u8) -> bool| signs.iter().filter(|sign| is(sign)).count();
    let (small, capital) = (count(u8::is_ascii_lowercase), count(u8::is_ascii_uppercase));
    let digits = count(u8::is_ascii_digit);
    if small < 4 || capital < 4 || digits < 2 {
        return false;
    }
    let is_data = DATA.iter().any(|data| signs.starts_with(data.as_bytes()));
    let is_hex = signs.iter().all(u8::is_ascii_hexdigit) || signs.starts_with(b"0x");
    if is_data || is_hex || is_path(signs) || is_identifier(signs) || bits(signs) < BITS_MIN {
        return false;
    }
    // Words of languages keep to one case for a while.
    let class = |sign: u8| match sign {
        b'a'..=b'z' => 0,
        b'A'..=b'Z' => 1,
        b'0'..=b'9' => 2,
        _ => 3,
    };
    let changes = signs.windows(2).filter(|pair| class(pair[0]) != class(pair[1])).count();
    changes * 100 >= signs.len() * 45 && !has_words(signs) && !is_placeholder(signs)
}

/// Whether a word consists of parts as paths and long names do.
fn is_path(signs: &[u8]) -> bool {
    if signs.starts_with(b"/") || signs.ends_with(b"/") {
        return true;
    }
    let parts = signs.split(|sign| matches!(sign, b'/' | b'_' | b'-'));
    let (mut words, mut all) = (0, 0);
    for part in parts.filter(|part| !part.is_empty()) {
        let rest = &part[1..];
        let is_word = part[0].is_ascii_alphabetic()
            && (rest.iter().all(u8::is_ascii_lowercase) || part.iter().all(u8::is_ascii_uppercase));
        let is_number = part.iter().all(u8::is_ascii_digit);
        words += usize::from(is_word && part.len() > 2 || is_number && part.len() > 1);
        all += 1;
    }
    words >= 2 && words * 2 >= all
}

/// Whether there are two long runs of small letters, or short ones between many separators: by
/// chance there are none.
fn has_words(signs: &[u8]) -> bool {
    let runs = |least: usize| {
        let runs = signs.split(|sign| !sign.is_ascii_lowercase());
        runs.filter(|run| run.len() >= least).count()
    };
    let separators = signs.iter().filter(|sign| matches!(sign, b'-' | b'_' | b'/')).count();
    runs(6) >= 2 || separators >= 3 && runs(4) >= 2
}

/// Whether a word is no secret by what stands around it, however it is taken for one.
pub(crate) fn is_harmless(text: &[u8], word: &Range<usize>) -> bool {
    let before = text[..word.start].iter().rev().take(BYTES_MAX);
    let signs = before.take_while(|byte| is_sign(**byte)).count();
    is_said_harmless(text, word.start) || is_in_block(text, &(word.start - signs..word.end))
}

/// Whether the line says before the word that it is something else.
fn is_said_harmless(text: &[u8], start: usize) -> bool {
    let before = &text[start.saturating_sub(BEFORE_BYTES)..start];
    let line = memchr::memrchr(b'\n', before).map_or(before, |at| &before[at + 1..]);
    HARMLESS_WORDS.is_in(line)
}

/// Whether the word is all of its line and one of those around is alike: data in lines.
fn is_in_block(text: &[u8], word: &Range<usize>) -> bool {
    let above =
        text[..word.start].strip_suffix(b"\n").map(|rest| rest.strip_suffix(b"\r").unwrap_or(rest));
    let below = &text[word.end..];
    let below = below.strip_prefix(b"\r\n").or_else(|| below.strip_prefix(b"\n"));
    let is_alike = |signs: &[u8]| signs.len() >= 16 && signs.iter().all(|sign| is_sign(*sign));
    let ends = above.is_some_and(|above| is_alike(&above[above.len().saturating_sub(40)..]));
    let begins = below.is_some_and(|below| {
        let signs =
            below.iter().take(40).take_while(|byte| **byte != b'\n' && **byte != b'\r').count();
        is_alike(&below[..signs])
    });
    ends || begins
}
