//! Encoding of text to bytes.

use super::encoding::{EncodeError, TextEncoding};

/// Encodes `text` in `encoding`, with a byte order mark if `bom`.
pub(super) fn encode_text(
    text: &str,
    encoding: TextEncoding,
    bom: bool,
) -> Result<Vec<u8>, EncodeError> {
    let mark = if bom { "\u{feff}" } else { "" };
    match encoding {
        TextEncoding::Utf8 => Ok([mark, text].concat().into_bytes()),
        TextEncoding::Utf16Le => Ok(utf16_units(mark, text).flat_map(u16::to_le_bytes).collect()),
        TextEncoding::Utf16Be => Ok(utf16_units(mark, text).flat_map(u16::to_be_bytes).collect()),
        TextEncoding::Legacy(charset) => {
            let mut encoder = charset.new_encoder();
            let mut bytes = Vec::with_capacity(text.len() + 16);
            let mut rest = text;
            loop {
                let needed = encoder
                    .max_buffer_length_from_utf8_without_replacement(rest.len())
                    .unwrap_or(rest.len() * 4);
                bytes.reserve(needed);
                let (result, read) =
                    encoder.encode_from_utf8_to_vec_without_replacement(rest, &mut bytes, true);
                rest = &rest[read..];
                match result {
                    encoding_rs::EncoderResult::InputEmpty => return Ok(bytes),
                    encoding_rs::EncoderResult::OutputFull => {}
                    encoding_rs::EncoderResult::Unmappable(character) => {
                        let before = &text[..text.len() - rest.len()];
                        let before = before.strip_suffix(character).unwrap_or(before);
                        let line = before.matches('\n').count() + 1;
                        let encoding = charset.name();
                        return Err(EncodeError::Missing { character, line, encoding });
                    }
                }
            }
        }
    }
}

fn utf16_units<'a>(mark: &'a str, text: &'a str) -> impl Iterator<Item = u16> + 'a {
    mark.encode_utf16().chain(text.encode_utf16())
}
