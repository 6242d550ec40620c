//! From bytes to text.

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::Encoding as Charset;
use encoding_rs::WINDOWS_1252;

use super::encode;
use super::encoding::{Encoding, NotText};

/// Bytes that are looked at to guess an encoding.
const GUESSED_BYTES_MAX: usize = 256 * 1024;

/// Of a thousand bytes, so many control characters are still text in an old encoding.
const CONTROLS_PER_THOUSAND_MAX: usize = 20;

/// What bytes say, with the line endings they have.
#[derive(Debug)]
pub(crate) struct Decoded<'b> {
    pub(crate) text: Cow<'b, str>,
    pub(super) encoding: Encoding,
    pub(super) bom: bool,
    pub(super) exact: bool,
}

/// What `bytes` say.
///
/// # Errors
///
/// When they are not text.
pub(crate) fn decoded(bytes: &[u8]) -> Result<Decoded<'_>, NotText> {
    if let Some(rest) = bytes.strip_prefix(b"\xEF\xBB\xBF") {
        return utf8(rest, true);
    }
    // UTF-32 begins like UTF-16 with a NUL after its mark.
    if bytes.starts_with(b"\xFF\xFE\0\0") {
        return Err(NotText);
    }
    if let Some(rest) = bytes.strip_prefix(b"\xFF\xFE") {
        return Ok(utf16(rest, Encoding::Utf16Le, true));
    }
    if let Some(rest) = bytes.strip_prefix(b"\xFE\xFF") {
        return Ok(utf16(rest, Encoding::Utf16Be, true));
    }
    if bytes.contains(&0) {
        return utf16_without_mark(bytes);
    }
    if std::str::from_utf8(bytes).is_ok() || is_mostly_utf8(bytes) {
        return utf8(bytes, false);
    }
    if has_many_controls(bytes) {
        return Err(NotText);
    }
    Ok(legacy(bytes))
}

fn utf8(bytes: &[u8], bom: bool) -> Result<Decoded<'_>, NotText> {
    if bytes.contains(&0) {
        return Err(NotText);
    }
    let text = String::from_utf8_lossy(bytes);
    let exact = matches!(text, Cow::Borrowed(_));
    Ok(Decoded { text, encoding: Encoding::Utf8, bom, exact })
}

/// Whether there is more that is right than wrong for UTF-8, as in a file that was cut or
/// patched in one place.
fn is_mostly_utf8(bytes: &[u8]) -> bool {
    let (mut right, mut wrong) = (0_usize, 0_usize);
    for chunk in bytes.utf8_chunks() {
        right += chunk.valid().chars().map(weight).sum::<usize>();
        wrong += usize::from(!chunk.invalid().is_empty());
    }
    right > wrong && !has_many_controls(bytes)
}

/// How much a letter speaks for UTF-8: the less likely its bytes are by chance, the more. In old
/// encodings the first byte of Latin and Cyrillic letters is a capital that no mark follows.
fn weight(letter: char) -> usize {
    match letter {
        '\0'..='\u{7f}' => 0,
        '\u{80}'..='\u{17f}' | '\u{400}'..='\u{47f}' => 2,
        '\u{180}'..='\u{7ff}' => 1,
        '\u{800}'..='\u{ffff}' => 3,
        _ => 4,
    }
}

fn units(bytes: &[u8], encoding: Encoding) -> impl Iterator<Item = u16> {
    bytes.as_chunks::<2>().0.iter().map(move |pair| match encoding {
        Encoding::Utf16Be => u16::from_be_bytes(*pair),
        Encoding::Utf8 | Encoding::Utf16Le | Encoding::Legacy(_) => u16::from_le_bytes(*pair),
    })
}

fn utf16(bytes: &[u8], encoding: Encoding, bom: bool) -> Decoded<'static> {
    let mut exact = bytes.len().is_multiple_of(2);
    let mut text: String = char::decode_utf16(units(bytes, encoding))
        .map(|letter| {
            exact &= letter.is_ok();
            letter.unwrap_or(char::REPLACEMENT_CHARACTER)
        })
        .collect();
    if !bytes.len().is_multiple_of(2) {
        text.push(char::REPLACEMENT_CHARACTER);
    }
    Decoded { text: text.into(), encoding, bom, exact }
}

/// UTF-16 shows by the NULs beside its ASCII letters: all at odd places, or all at even ones.
fn utf16_without_mark(bytes: &[u8]) -> Result<Decoded<'static>, NotText> {
    let (pairs, rest) = bytes.as_chunks::<2>();
    let low_first = pairs.iter().filter(|pair| pair[1] == 0 && pair[0] != 0).count();
    let high_first = pairs.iter().filter(|pair| pair[0] == 0 && pair[1] != 0).count();
    let encoding = if low_first >= high_first { Encoding::Utf16Le } else { Encoding::Utf16Be };
    let (many, few) = (low_first.max(high_first), low_first.min(high_first));
    if !rest.is_empty() || many * 2 <= pairs.len() || few * 20 > many {
        return Err(NotText);
    }
    let file = utf16(bytes, encoding, false);
    let controls = file.text.chars().filter(|letter| is_control(*letter)).count();
    if file.exact && controls == 0 { Ok(file) } else { Err(NotText) }
}

/// Control characters that no text has.
fn is_control(letter: char) -> bool {
    letter < ' ' && !matches!(letter, '\t' | '\n' | '\r' | '\u{c}' | '\u{1b}' | '\u{8}')
}

fn has_many_controls(bytes: &[u8]) -> bool {
    let controls = bytes.iter().filter(|byte| is_control(char::from(**byte))).count();
    controls * 1000 > bytes.len() * CONTROLS_PER_THOUSAND_MAX
}

/// The guess if it reads every byte and gives them back, or else Windows-1252, which has a
/// meaning for each.
fn legacy(bytes: &[u8]) -> Decoded<'_> {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    let looked_at = &bytes[..bytes.len().min(GUESSED_BYTES_MAX)];
    detector.feed(looked_at, looked_at.len() == bytes.len());
    let guessed = detector.guess(None, Utf8Detection::Deny);
    let exact_in = |charset: &'static Charset| {
        let text = charset.decode_without_bom_handling_and_without_replacement(bytes)?;
        let back = encode::encode(&text, Encoding::Legacy(charset), false).ok()?;
        let encoding = Encoding::Legacy(charset);
        (back == bytes).then_some(Decoded { text, encoding, bom: false, exact: true })
    };
    exact_in(guessed).or_else(|| exact_in(WINDOWS_1252)).unwrap_or_else(|| {
        let (text, _) = WINDOWS_1252.decode_without_bom_handling(bytes);
        Decoded { text, encoding: Encoding::Legacy(WINDOWS_1252), bom: false, exact: false }
    })
}
