//! Bytes of a page as text, in the charset that the page is written in.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8};

/// Bytes at a page's beginning in which it may name its charset (the HTML standard's number).
const META_BYTES: usize = 1024;

/// Bytes that a guess looks at.
const GUESS_BYTES: usize = 64 << 10;

/// The text of `bytes`, and the charset's name: by a byte order mark, the header's `charset`, a
/// page's own word (`markup`), UTF-8 where it is valid, or a guess. Never fails: what is broken
/// becomes U+FFFD.
pub(crate) fn decode(bytes: &[u8], header: Option<&str>, markup: bool) -> (String, &'static str) {
    let named = header
        .and_then(|label| Encoding::for_label(label.as_bytes()))
        .or_else(|| markup.then(|| in_markup(bytes)).flatten());
    let encoding = named.unwrap_or_else(|| guess(bytes));
    let (text, used, _) = encoding.decode(bytes);
    (text.into_owned(), used.name())
}

/// `charset` of a header such as `text/html; charset="utf-8"`.
pub(crate) fn of_content_type(value: &str) -> Option<&str> {
    value.split(';').skip(1).find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        name.trim()
            .eq_ignore_ascii_case("charset")
            .then(|| value.trim().trim_matches(['"', '\'']))
            .filter(|value| !value.is_empty())
    })
}

/// What `<meta charset=x>`, `<meta … content="…; charset=x">` or `<?xml … encoding="x"?>` name.
fn in_markup(bytes: &[u8]) -> Option<&'static Encoding> {
    let head: String =
        bytes.iter().take(META_BYTES).map(|byte| char::from(byte.to_ascii_lowercase())).collect();
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
    // Bytes in which these words could be read are not UTF-16, whatever they say.
    let wide = found == encoding_rs::UTF_16LE || found == encoding_rs::UTF_16BE;
    Some(if wide { UTF_8 } else { found })
}

fn guess(bytes: &[u8]) -> &'static Encoding {
    let head = &bytes[..bytes.len().min(GUESS_BYTES)];
    let valid = match std::str::from_utf8(head) {
        Ok(_) => true,
        // Cut in the middle of a character.
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
