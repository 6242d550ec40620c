//! Long random words, whatever they are called: what no form and no name tells.
//!
//! Much that is harmless looks random too: hashes, ids, images, public keys, minified code. Such
//! words have one case, stand in lines of data, or beside a word that says what they are.

use std::ops::Range;
use std::sync::LazyLock;

use regex::bytes::Regex;

use crate::pattern::{compile, compile_short};
use crate::rules::PRIVATE_KEY;
use crate::secret::{GUESS, Secret};
use crate::shape::{bits, count, digits, is_identifier, is_placeholder};

/// Signs of a word that is long enough, and of one that is data.
const BYTES_MIN: usize = 32;
const BYTES_MAX: usize = 128;

/// Entropy of each sign of a word: 32 signs of 64 have about 4.6 bits.
const BITS_MIN: f32 = 4.1;

/// Bytes before a word that may say what it is.
const BEFORE_BYTES: usize = 48;

/// Bytes in front of a line.
const FRONT_BYTES_MAX: usize = 200;

/// Signs of a whole line of a key, as OpenSSL and as OpenSSH write them, and lines of one.
const KEY_LINE_BYTES: [usize; 2] = [64, 70];
const KEY_LINES_MIN: usize = 3;

/// Bytes around a key in which its name may stand.
const KEY_NAME_BYTES_MAX: usize = 400;

/// Names of words that are no secret.
static HARMLESS: LazyLock<Regex> = LazyLock::new(|| {
    compile_short(
        r"(?i)sha-?(?:1|256|384|512|3)|h1:|md5|base64,|integrity|checksum|digest|hash|etag|fingerprint|nonce|commit|revision|uuid|guid|public|pubkey|certificate|site[-_]?key|resolved|/d/|folders/|cid|address|txid|mappings|urn:|magnet:",
    )
});

/// Beginnings of base64 that stand for images, fonts, public keys and the like, and of other words,
/// behind the mark or the number of a line.
static DATA: LazyLock<Regex> = LazyLock::new(|| {
    compile(
        r"^(?:[+-]|(?:[a-z]+-)?[0-9]{1,9}-)?(?:AAAA|MII|iVBOR|R0lGOD|/9j/|UklGR|PHN2Zy|d09GM|AAEAAA|T2dnUw|JVBER|H4sI|UEsDB|_Z|__Z|pk_|sha|0x|[[:xdigit:]]+$|/)|/$|-sha[0-9]",
    )
});

/// The last line of a key, behind the one before it.
static LAST_LINE: LazyLock<Regex> = LazyLock::new(|| {
    compile(r#"^[ "',;)+\\]*\r?\n[^\nA-Za-z]{0,24}([A-Za-z0-9+/=]{4,})[ "',;)+\\]*(?:\r?\n|$)"#)
});

/// Whether a sign may stand in such a word.
fn is_sign(sign: u8) -> bool {
    sign.is_ascii_alphanumeric() || matches!(sign, b'+' | b'/' | b'_' | b'-' | b'=')
}

/// All words that are long enough. Only every few bytes are looked at: what has no sign of a word
/// there is in none.
pub(crate) fn words(text: &[u8]) -> impl Iterator<Item = Range<usize>> + '_ {
    let (mut from, mut at) = (0, BYTES_MIN - 1);
    std::iter::from_fn(move || {
        while at < text.len() {
            let signs = text[from..=at].iter().rev().take(BYTES_MIN);
            let run = signs.take_while(|byte| is_sign(**byte)).count();
            if run == BYTES_MIN {
                let start = at + 1 - run;
                let end = at + text[at..].iter().take_while(|byte| is_sign(**byte)).count();
                (from, at) = (end, end + BYTES_MIN - 1);
                return Some(start..end);
            }
            at += BYTES_MIN - run;
        }
        None
    })
}

/// Whether two words end lines that follow each other, with nothing in front of the second but what
/// a tool puts there. The `n` of an escaped feed is the first sign of the second word.
fn are_lines(text: &[u8], above: &Range<usize>, below: &Range<usize>) -> bool {
    let between = &text[above.end..below.start];
    let tail = between.iter().take_while(|byte| b" \"',;)+\\\r".contains(byte)).count();
    match memchr::memchr(b'\n', between) {
        Some(feed) => feed == tail && is_front(&between[feed + 1..]),
        None => between.ends_with(b"\\") && tail == between.len() && text[below.start] == b'n',
    }
}

/// Whether this may be the number of a line or the name of a file, and no name of a value.
fn is_front(text: &[u8]) -> bool {
    let is_file = || {
        text.iter().any(|byte| b"./\\".contains(byte))
            && !text.iter().any(|byte| byte.is_ascii_whitespace() || b"\"'=".contains(byte))
    };
    text.len() <= FRONT_BYTES_MAX
        && !text.contains(&b'\n')
        && (!text.iter().any(u8::is_ascii_alphabetic) || is_file())
}

/// Keys without their first line: lines of one length as keys are written in, under no other name,
/// such as that of a certificate.
pub(crate) fn key_blocks(text: &[u8], words: &[Range<usize>]) -> Vec<Secret> {
    let is_whole = |word: &Range<usize>| KEY_LINE_BYTES.contains(&word.len());
    let blocks =
        words.chunk_by(|above, below| above.len() == below.len() && are_lines(text, above, below));
    let block = |words: &[Range<usize>]| {
        let (first, last) = (words.first()?, words.last()?);
        if words.len() < KEY_LINES_MIN || !is_whole(first) || !is_mixed(&text[first.clone()]) {
            return None;
        }
        let rest = &text[last.end..text.len().min(last.end + KEY_NAME_BYTES_MAX)];
        let last_line = LAST_LINE.captures(rest).and_then(|groups| groups.get(1));
        let end = last.end + last_line.map_or(0, |line| line.end());
        (!is_named(text, first.start, end)).then(|| Secret::new(first.start..end, PRIVATE_KEY))
    };
    blocks.filter_map(block).collect()
}

fn is_mixed(signs: &[u8]) -> bool {
    digits(signs) >= 3
        && count(signs, u8::is_ascii_lowercase) >= 3
        && count(signs, u8::is_ascii_uppercase) >= 3
}

/// Whether the lines around a block say that it may be known.
fn is_named(text: &[u8], start: usize, end: usize) -> bool {
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

/// All long random words that nothing says to be harmless.
pub(crate) fn guesses(text: &[u8], words: &[Range<usize>]) -> Vec<Secret> {
    // Lines of words are data.
    let lines = words.chunk_by(|above, below| are_lines(text, above, below));
    let alone = lines.filter_map(|lines| match lines {
        [word] => guess(text, word.clone()),
        _ => None,
    });
    alone.map(|word| Secret::new(word, GUESS)).collect()
}

/// The word without what is around it, if it is a random one.
fn guess(text: &[u8], mut word: Range<usize>) -> Option<Range<usize>> {
    // A name may stand before it, with nothing in between but what assigns.
    let signs = &text[word.clone()];
    let trimmed = signs.iter().rposition(|sign| *sign != b'=').map_or(0, |at| at + 1);
    if let Some(at) = signs[..trimmed].iter().rposition(|sign| *sign == b'=') {
        word.start += at + 1;
    }
    let is_escaped = text[..word.start].ends_with(b"\\");
    word.start += usize::from(is_escaped);
    let signs = text.get(word.clone())?;
    let is_word = (BYTES_MIN..=BYTES_MAX).contains(&signs.len())
        && (is_escaped || stands_alone(text, &word))
        && is_random(signs)
        && !is_said_harmless(text, word.start);
    is_word.then_some(word)
}

/// Whether the word is one by itself: in quotes, behind a sign that assigns, or between blanks.
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

fn is_random(signs: &[u8]) -> bool {
    if count(signs, u8::is_ascii_lowercase) < 4
        || count(signs, u8::is_ascii_uppercase) < 4
        || digits(signs) < 2
        || DATA.is_match(signs)
        || has_parts(signs)
        || is_identifier(signs)
        || bits(signs) < BITS_MIN
    {
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
fn has_parts(signs: &[u8]) -> bool {
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

/// Whether the line says before the word that it is something else.
fn is_said_harmless(text: &[u8], start: usize) -> bool {
    let before = &text[start.saturating_sub(BEFORE_BYTES)..start];
    let line = memchr::memrchr(b'\n', before).map_or(before, |at| &before[at + 1..]);
    HARMLESS.is_match(line)
}
