//! Decoding of bytes to text.

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::Encoding as Charset;
use encoding_rs::{SHIFT_JIS, WINDOWS_1252};

use super::encode;
use super::encoding::{NotText, TextEncoding};

/// Bytes that the encoding detector examines.
const DETECTION_BYTES_MAX: usize = 256 * 1024;

/// Control characters per thousand bytes that a text in a code page may contain.
const CONTROLS_PER_THOUSAND_MAX: usize = 20;

/// A decoded text with its original line endings.
#[derive(Debug)]
pub(crate) struct DecodedText<'b> {
    pub(crate) text: Cow<'b, str>,
    pub(super) encoding: TextEncoding,
    pub(super) bom: bool,
    pub(super) exact: bool,
}

/// Decodes `bytes`, by byte order mark, validity or detection.
///
/// # Errors
///
/// Fails if they are not text.
pub(crate) fn decode_bytes(bytes: &[u8]) -> Result<DecodedText<'_>, NotText> {
    if let Some(rest) = bytes.strip_prefix(b"\xEF\xBB\xBF") {
        return decode_utf8(rest, true);
    }
    // UTF-32 begins like UTF-16 with a NUL after its mark.
    if bytes.starts_with(b"\xFF\xFE\0\0") {
        return Err(NotText);
    }
    if let Some(rest) = bytes.strip_prefix(b"\xFF\xFE") {
        return Ok(decode_utf16(rest, TextEncoding::Utf16Le, true));
    }
    if let Some(rest) = bytes.strip_prefix(b"\xFE\xFF") {
        return Ok(decode_utf16(rest, TextEncoding::Utf16Be, true));
    }
    if bytes.contains(&0) {
        return decode_utf16_without_bom(bytes);
    }
    if std::str::from_utf8(bytes).is_ok() || is_mostly_utf8(bytes) {
        return decode_utf8(bytes, false);
    }
    if has_many_controls(bytes) {
        return Err(NotText);
    }
    Ok(decode_legacy(bytes))
}

fn decode_utf8(bytes: &[u8], bom: bool) -> Result<DecodedText<'_>, NotText> {
    if bytes.contains(&0) {
        return Err(NotText);
    }
    let text = String::from_utf8_lossy(bytes);
    let exact = matches!(text, Cow::Borrowed(_));
    Ok(DecodedText { text, encoding: TextEncoding::Utf8, bom, exact })
}

/// Returns whether more of `bytes` is valid UTF-8 than not, as in a file that was truncated or
/// patched in one place.
fn is_mostly_utf8(bytes: &[u8]) -> bool {
    let (mut right, mut wrong) = (0_usize, 0_usize);
    for chunk in bytes.utf8_chunks() {
        right += chunk.valid().chars().map(utf8_evidence).sum::<usize>();
        wrong += usize::from(!chunk.invalid().is_empty());
    }
    right > wrong && !has_many_controls(bytes)
}

/// Returns the weight of `letter` as evidence for UTF-8: the less likely its bytes are by chance,
/// the higher. In a single-byte or multi-byte code page the lead bytes of Latin and Cyrillic letters are capital
/// letters, which no symbol follows in real text.
fn utf8_evidence(letter: char) -> usize {
    match letter {
        '\0'..='\u{7f}' => 0,
        '\u{80}'..='\u{17f}' | '\u{400}'..='\u{47f}' => 2,
        '\u{180}'..='\u{7ff}' => 1,
        '\u{800}'..='\u{ffff}' => 3,
        _ => 4,
    }
}

fn utf16_units(bytes: &[u8], encoding: TextEncoding) -> impl Iterator<Item = u16> {
    bytes.as_chunks::<2>().0.iter().map(move |pair| match encoding {
        TextEncoding::Utf16Be => u16::from_be_bytes(*pair),
        TextEncoding::Utf8 | TextEncoding::Utf16Le | TextEncoding::Legacy(_) => {
            u16::from_le_bytes(*pair)
        }
    })
}

fn decode_utf16(bytes: &[u8], encoding: TextEncoding, bom: bool) -> DecodedText<'static> {
    let mut exact = bytes.len().is_multiple_of(2);
    let mut text: String = char::decode_utf16(utf16_units(bytes, encoding))
        .map(|letter| {
            exact &= letter.is_ok();
            letter.unwrap_or(char::REPLACEMENT_CHARACTER)
        })
        .collect();
    if !bytes.len().is_multiple_of(2) {
        text.push(char::REPLACEMENT_CHARACTER);
    }
    DecodedText { text: text.into(), encoding, bom, exact }
}

/// Decodes UTF-16 without a byte order mark, recognized by the NULs beside ASCII letters: all at
/// odd offsets, or all at even ones.
fn decode_utf16_without_bom(bytes: &[u8]) -> Result<DecodedText<'static>, NotText> {
    let (pairs, rest) = bytes.as_chunks::<2>();
    let low_first = pairs.iter().filter(|pair| pair[1] == 0 && pair[0] != 0).count();
    let high_first = pairs.iter().filter(|pair| pair[0] == 0 && pair[1] != 0).count();
    let encoding =
        if low_first >= high_first { TextEncoding::Utf16Le } else { TextEncoding::Utf16Be };
    let (many, few) = (low_first.max(high_first), low_first.min(high_first));
    if !rest.is_empty() || many * 2 <= pairs.len() || few * 20 > many {
        return Err(NotText);
    }
    let file = decode_utf16(bytes, encoding, false);
    let controls = file.text.chars().filter(|letter| is_control(*letter)).count();
    if file.exact && controls == 0 { Ok(file) } else { Err(NotText) }
}

/// Returns whether `letter` is a control character that does not occur in text.
fn is_control(letter: char) -> bool {
    letter < ' ' && !matches!(letter, '\t' | '\n' | '\r' | '\u{c}' | '\u{1b}' | '\u{8}')
}

fn has_many_controls(bytes: &[u8]) -> bool {
    let controls = bytes.iter().filter(|byte| is_control(char::from(**byte))).count();
    controls * 1000 > bytes.len() * CONTROLS_PER_THOUSAND_MAX
}

/// Returns whether all bytes beyond ASCII are pairs of Shift_JIS for kana and common characters,
/// at least two, half of which have no ASCII byte. In a western code page most first bytes of these
/// pairs are signs, which seldom come before a letter beyond ASCII; the others are capital letters.
fn is_common_shift_jis(bytes: &[u8]) -> bool {
    let (mut pairs, mut without_ascii) = (0_usize, 0_usize);
    let mut has_sign = false;
    let mut bytes = bytes.iter();
    while let Some(byte) = bytes.next() {
        if byte.is_ascii() {
            continue;
        }
        let is_lead = matches!(byte, 0x81..=0x84 | 0x88..=0x98);
        match bytes.next() {
            Some(0x40..=0x7E) if is_lead => {}
            Some(0x80..=0xFC) if is_lead => {
                without_ascii += 1;
                has_sign |= !matches!(byte, 0x8A | 0x8C..=0x8F);
            }
            _ => return false,
        }
        pairs += 1;
    }
    pairs >= 2 && has_sign && without_ascii * 2 >= pairs
}

/// Decodes with the detected encoding if that is lossless, otherwise as Windows-1252, which maps
/// every byte.
fn decode_legacy(bytes: &[u8]) -> DecodedText<'_> {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    let looked_at = &bytes[..bytes.len().min(DETECTION_BYTES_MAX)];
    detector.feed(looked_at, looked_at.len() == bytes.len());
    let guessed = detector.guess(None, Utf8Detection::Deny);
    // The detector takes a few Chinese characters of Shift_JIS for letters and signs.
    let guessed = match guessed.is_single_byte() && is_common_shift_jis(looked_at) {
        true => SHIFT_JIS,
        false => guessed,
    };
    let exact_in = |charset: &'static Charset| {
        let text = charset.decode_without_bom_handling_and_without_replacement(bytes)?;
        let back = encode::encode_text(&text, TextEncoding::Legacy(charset), false).ok()?;
        let encoding = TextEncoding::Legacy(charset);
        (back == bytes).then_some(DecodedText { text, encoding, bom: false, exact: true })
    };
    exact_in(guessed).or_else(|| exact_in(WINDOWS_1252)).unwrap_or_else(|| {
        let (text, _) = WINDOWS_1252.decode_without_bom_handling(bytes);
        DecodedText { text, encoding: TextEncoding::Legacy(WINDOWS_1252), bom: false, exact: false }
    })
}
