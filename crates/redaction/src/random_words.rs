//! Long random words without a known form or name.
//!
//! Many harmless texts look random too: hashes, ids, images, public keys, minified code. Such words
//! have only one case, stand in lines of data, or follow a word that identifies them.

use std::ops::Range;
use std::sync::LazyLock;

use regex::bytes::Regex;

use crate::bytes_regex::{compile, compile_short};
use crate::secret::{RANDOM_WORD_KIND, Secret};
use crate::secret_rules::PRIVATE_KEY_KIND;
use crate::value_shape::{count_bytes, digit_count, entropy_bits, is_identifier, is_placeholder};

/// The shortest word; words longer than the maximum are data.
const WORD_BYTES_MIN: usize = 32;
const WORD_BYTES_MAX: usize = 128;

/// The entropy per character. 32 random characters out of 64 have about 4.6 bits.
const WORD_BITS_MIN: f32 = 4.1;

/// Bytes before a word that may hold its label.
const LABEL_BYTES_MAX: usize = 48;

/// The longest front of a line.
const FRONT_BYTES_MAX: usize = 200;

/// The line lengths of keys, as OpenSSL and as OpenSSH write them, and the number of lines.
const KEY_LINE_BYTES: [usize; 2] = [64, 70];
const KEY_LINES_MIN: usize = 3;

/// Bytes around a key that may hold its name.
const KEY_NAME_BYTES_MAX: usize = 400;

/// Labels of words that are not secret.
static HARMLESS_LABELS: LazyLock<Regex> = LazyLock::new(|| {
    compile_short(
        r"(?i)sha-?(?:1|256|384|512|3)|h1:|md5|base64,|integrity|checksum|digest|hash|etag|fingerprint|nonce|commit|revision|uuid|guid|public|pubkey|certificate|site[-_]?key|resolved|/d/|folders/|cid|address|txid|mappings|urn:|magnet:",
    )
});

/// Beginnings of base64 texts that hold images, fonts, public keys and the like, and of other
/// words, after a mark or a line number.
static DATA_PREFIXES: LazyLock<Regex> = LazyLock::new(|| {
    compile(
        r"^(?:[+-]|(?:[a-z]+-)?[0-9]{1,9}-)?(?:AAAA|MII|iVBOR|R0lGOD|/9j/|UklGR|PHN2Zy|d09GM|AAEAAA|T2dnUw|JVBER|H4sI|UEsDB|_Z|__Z|pk_|sha|0x|[[:xdigit:]]+$|/)|/$|-sha[0-9]",
    )
});

/// The last line of a key, after the line before it.
static LAST_LINE: LazyLock<Regex> = LazyLock::new(|| {
    compile(r#"^[ "',;)+\\]*\r?\n[^\nA-Za-z]{0,24}([A-Za-z0-9+/=]{4,})[ "',;)+\\]*(?:\r?\n|$)"#)
});

/// Returns whether a byte may stand in such a word.
fn is_word_byte(sign: u8) -> bool {
    sign.is_ascii_alphanumeric() || matches!(sign, b'+' | b'/' | b'_' | b'-' | b'=')
}

/// Returns all words that are long enough. Examines only every few bytes: if one cannot be part of
/// a word, no long word spans it.
pub(crate) fn long_words(text: &[u8]) -> impl Iterator<Item = Range<usize>> + '_ {
    let (mut from, mut at) = (0, WORD_BYTES_MIN - 1);
    std::iter::from_fn(move || {
        while at < text.len() {
            let signs = text[from..=at].iter().rev().take(WORD_BYTES_MIN);
            let run = signs.take_while(|byte| is_word_byte(**byte)).count();
            if run == WORD_BYTES_MIN {
                let start = at + 1 - run;
                let end = at + text[at..].iter().take_while(|byte| is_word_byte(**byte)).count();
                (from, at) = (end, end + WORD_BYTES_MIN - 1);
                return Some(start..end);
            }
            at += WORD_BYTES_MIN - run;
        }
        None
    })
}

/// Returns whether two words end consecutive lines, with nothing before the second but the prefix
/// of a tool. The `n` of an escaped line feed counts as part of the second word.
fn are_consecutive_lines(text: &[u8], above: &Range<usize>, below: &Range<usize>) -> bool {
    let between = &text[above.end..below.start];
    let tail = between.iter().take_while(|byte| b" \"',;)+\\\r".contains(byte)).count();
    match memchr::memchr(b'\n', between) {
        Some(feed) => feed == tail && is_line_prefix(&between[feed + 1..]),
        None => between.ends_with(b"\\") && tail == between.len() && text[below.start] == b'n',
    }
}

/// Returns whether a text may be a line number or a file name, rather than the name of a value.
fn is_line_prefix(text: &[u8]) -> bool {
    let is_file = || {
        text.iter().any(|byte| b"./\\".contains(byte))
            && !text.iter().any(|byte| byte.is_ascii_whitespace() || b"\"'=".contains(byte))
    };
    text.len() <= FRONT_BYTES_MAX
        && !text.contains(&b'\n')
        && (!text.iter().any(u8::is_ascii_alphabetic) || is_file())
}

/// Returns keys without their first line: lines of equal length in the format of keys, unless a
/// label such as that of a certificate stands around them.
pub(crate) fn find_key_blocks(text: &[u8], words: &[Range<usize>]) -> Vec<Secret> {
    let is_whole = |word: &Range<usize>| KEY_LINE_BYTES.contains(&word.len());
    let blocks = words.chunk_by(|above, below| {
        above.len() == below.len() && are_consecutive_lines(text, above, below)
    });
    let block = |words: &[Range<usize>]| {
        let (first, last) = (words.first()?, words.last()?);
        if words.len() < KEY_LINES_MIN
            || !is_whole(first)
            || !has_mixed_characters(&text[first.clone()])
        {
            return None;
        }
        let rest = &text[last.end..text.len().min(last.end + KEY_NAME_BYTES_MAX)];
        let last_line = LAST_LINE.captures(rest).and_then(|groups| groups.get(1));
        let end = last.end + last_line.map_or(0, |line| line.end());
        (!has_public_label(text, first.start, end))
            .then(|| Secret::new(first.start..end, PRIVATE_KEY_KIND))
    };
    blocks.filter_map(block).collect()
}

fn has_mixed_characters(signs: &[u8]) -> bool {
    digit_count(signs) >= 3
        && count_bytes(signs, u8::is_ascii_lowercase) >= 3
        && count_bytes(signs, u8::is_ascii_uppercase) >= 3
}

/// Returns whether the lines around a block label it as public.
fn has_public_label(text: &[u8], start: usize, end: usize) -> bool {
    static ABOVE: LazyLock<Regex> = LazyLock::new(|| compile(r"(?s)^.*-- ?BEGIN (.*)$"));
    static PRIVATE: LazyLock<Regex> = LazyLock::new(|| compile_short("PRIVATE|END "));
    static BELOW: LazyLock<Regex> =
        LazyLock::new(|| compile(r"^(?:[^\n]*\n){0,2}[^\n]*-- ?END ([^\n]*)"));
    let above = &text[start.saturating_sub(KEY_NAME_BYTES_MAX)..start];
    let below = &text[end..text.len().min(end + KEY_NAME_BYTES_MAX)];
    let names = |pattern: &Regex, part: &[u8]| {
        let name = pattern.captures(part).and_then(|groups| groups.get(1).map(|it| it.range()));
        name.is_some_and(|name| !PRIVATE.is_match(&part[name]))
    };
    names(&ABOVE, above) || names(&BELOW, below)
}

/// Returns all long random words without a harmless label.
pub(crate) fn find_random_words(text: &[u8], words: &[Range<usize>]) -> Vec<Secret> {
    // Several such lines are data.
    let lines = words.chunk_by(|above, below| are_consecutive_lines(text, above, below));
    let alone = lines.filter_map(|lines| match lines {
        [word] => extract_random_word(text, word.clone()),
        _ => None,
    });
    alone.map(|word| Secret::new(word, RANDOM_WORD_KIND)).collect()
}

/// Returns the word without its surroundings, if it is random.
fn extract_random_word(text: &[u8], mut word: Range<usize>) -> Option<Range<usize>> {
    // A name may precede it, followed only by an assignment.
    let signs = &text[word.clone()];
    let trimmed = signs.iter().rposition(|sign| *sign != b'=').map_or(0, |at| at + 1);
    if let Some(at) = signs[..trimmed].iter().rposition(|sign| *sign == b'=') {
        word.start += at + 1;
    }
    let is_escaped = text[..word.start].ends_with(b"\\");
    word.start += usize::from(is_escaped);
    let signs = text.get(word.clone())?;
    let is_word = (WORD_BYTES_MIN..=WORD_BYTES_MAX).contains(&signs.len())
        && (is_escaped || stands_alone(text, &word))
        && is_random_word(signs)
        && !has_harmless_label(text, word.start);
    is_word.then_some(word)
}

/// Returns whether the word stands alone: in quotes, after an assignment, or between blanks.
fn stands_alone(text: &[u8], word: &Range<usize>) -> bool {
    let opens =
        |byte: &u8| byte.is_ascii_whitespace() || !byte.is_ascii() || b"\"'`=:>(,|".contains(byte);
    let closes = |byte: &u8| byte.is_ascii_whitespace() || b"\"'`<),;&\\|".contains(byte);
    let behind = &text[word.end..];
    // The end of a sentence.
    let is_last =
        behind.first() == Some(&b'.') && behind.get(1).is_none_or(u8::is_ascii_whitespace);
    text[..word.start].last().is_none_or(opens) && (is_last || behind.first().is_none_or(closes))
}

fn is_random_word(signs: &[u8]) -> bool {
    if count_bytes(signs, u8::is_ascii_lowercase) < 4
        || count_bytes(signs, u8::is_ascii_uppercase) < 4
        || digit_count(signs) < 2
        || DATA_PREFIXES.is_match(signs)
        || has_identifier_parts(signs)
        || is_identifier(signs)
        || entropy_bits(signs) < WORD_BITS_MIN
    {
        return false;
    }
    // Natural words keep to one case for several letters.
    let class = |sign: u8| match sign {
        b'a'..=b'z' => 0,
        b'A'..=b'Z' => 1,
        b'0'..=b'9' => 2,
        _ => 3,
    };
    let changes = signs.windows(2).filter(|pair| class(pair[0]) != class(pair[1])).count();
    changes * 100 >= signs.len() * 45 && !has_lower_case_runs(signs) && !is_placeholder(signs)
}

/// Returns whether a word consists of parts, as paths and long names do.
fn has_identifier_parts(signs: &[u8]) -> bool {
    let parts = signs.split(|sign| matches!(sign, b'/' | b'_' | b'-'));
    let parts = parts.filter(|part| !part.is_empty());
    let is_word = |part: &&[u8]| {
        let is_spelled = part[0].is_ascii_alphabetic()
            && (part[1..].iter().all(u8::is_ascii_lowercase)
                || part.iter().all(u8::is_ascii_uppercase));
        is_spelled && part.len() > 2 || part.len() > 1 && part.iter().all(u8::is_ascii_digit)
    };
    let (all, words) = (parts.clone().count(), parts.filter(is_word).count());
    words >= 2 && words * 2 >= all
}

/// Returns whether there are two long runs of lower-case letters, or short ones between many
/// separators. Random words have none.
fn has_lower_case_runs(signs: &[u8]) -> bool {
    let runs = |least: usize| {
        let runs = signs.split(|sign| !sign.is_ascii_lowercase());
        runs.filter(|run| run.len() >= least).count()
    };
    let separators = signs.iter().filter(|sign| matches!(sign, b'-' | b'_' | b'/')).count();
    runs(6) >= 2 || separators >= 3 && runs(4) >= 2
}

/// Returns whether the line labels the word as harmless before it.
fn has_harmless_label(text: &[u8], start: usize) -> bool {
    let before = &text[start.saturating_sub(LABEL_BYTES_MAX)..start];
    let line = memchr::memrchr(b'\n', before).map_or(before, |at| &before[at + 1..]);
    HARMLESS_LABELS.is_match(line)
}
