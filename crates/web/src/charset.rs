//! Decodes the bytes of a page by its charset.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8};

/// Bytes in which a page may declare its charset (as in the HTML standard).
const DECLARATION_BYTES: usize = 1024;

/// Bytes that charset detection inspects.
const DETECTION_BYTES: usize = 64 << 10;

/// Decodes `bytes`. Returns the text and the charset's name: by a byte order mark, the header's
/// `charset`, the declaration of a page with `markup`, UTF-8 if valid, or detection. Never fails:
/// invalid bytes become U+FFFD.
pub(crate) fn decode_page(
    bytes: &[u8],
    header: Option<&str>,
    markup: bool,
) -> (String, &'static str) {
    let named = header
        .and_then(|label| Encoding::for_label(label.as_bytes()))
        .or_else(|| markup.then(|| declared_encoding(bytes)).flatten());
    let encoding = named.unwrap_or_else(|| detect_encoding(bytes));
    let (text, used, _) = encoding.decode(bytes);
    (text.into_owned(), used.name())
}

/// Returns the `charset` of a header such as `text/html; charset="utf-8"`.
pub(crate) fn charset_parameter(value: &str) -> Option<&str> {
    value.split(';').skip(1).find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        name.trim()
            .eq_ignore_ascii_case("charset")
            .then(|| value.trim().trim_matches(['"', '\'']))
            .filter(|value| !value.is_empty())
    })
}

/// Returns the encoding that `<meta charset=x>`, `<meta … content="…; charset=x">` or `<?xml …
/// encoding="x"?>` declares.
fn declared_encoding(bytes: &[u8]) -> Option<&'static Encoding> {
    let head: String = bytes
        .iter()
        .take(DECLARATION_BYTES)
        .map(|byte| char::from(byte.to_ascii_lowercase()))
        .collect();
    let after_word = |word: &str| {
        head.match_indices(word).find_map(|(at, _)| {
            let rest = head[at + word.len()..].trim_start().strip_prefix('=')?;
            let rest = rest.trim_start().trim_start_matches(['"', '\'']);
            let end = rest
                .find(|c: char| !(c.is_ascii_alphanumeric() || "-_:.".contains(c)))
                .unwrap_or(rest.len());
            Encoding::for_label(&rest.as_bytes()[..end])
        })
    };
    let found = after_word("charset")
        .or_else(|| head.trim_start().starts_with("<?xml").then(|| after_word("encoding"))?)?;
    // Bytes in which the declaration is readable cannot be UTF-16.
    let wide = found == encoding_rs::UTF_16LE || found == encoding_rs::UTF_16BE;
    Some(if wide { UTF_8 } else { found })
}

fn detect_encoding(bytes: &[u8]) -> &'static Encoding {
    let head = &bytes[..bytes.len().min(DETECTION_BYTES)];
    let valid = match std::str::from_utf8(head) {
        Ok(_) => true,
        // The head may end within a character.
        Err(error) => error.error_len().is_none(),
    };
    if valid {
        return UTF_8;
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(head, true);
    detector.guess(None, Utf8Detection::Allow)
}

#[cfg(test)]
mod tests;
