//! Base64, as far as what it stands for tells a secret.

/// Longest text that is read.
const BYTES_MAX: usize = 4 << 10;

/// What the base64 in `text` stands for, with or without its padding; `None` if it is none.
pub(crate) fn decoded(text: &[u8]) -> Option<Vec<u8>> {
    let body = text.strip_suffix(b"==").or_else(|| text.strip_suffix(b"=")).unwrap_or(text);
    if body.len() > BYTES_MAX || body.len() % 4 == 1 {
        return None;
    }
    let mut bytes = Vec::with_capacity(body.len() / 4 * 3 + 2);
    for signs in body.chunks(4) {
        let mut bits = 0_u32;
        for sign in signs {
            bits = bits << 6 | u32::from(digit(*sign)?);
        }
        bits <<= 6 * (4 - signs.len());
        let [_, whole @ ..] = bits.to_be_bytes();
        bytes.extend_from_slice(&whole[..signs.len() - 1]);
    }
    Some(bytes)
}

/// Whether `text` stands for a name and a password, as in headers.
pub(crate) fn is_login(text: &[u8]) -> bool {
    let Some(plain) = decoded(text) else { return false };
    let is_text = plain.iter().all(|byte| (0x20..0x7f).contains(byte));
    let colon = plain.iter().position(|byte| *byte == b':');
    is_text && colon.is_some_and(|at| at > 0 && at + 1 < plain.len())
}

fn digit(sign: u8) -> Option<u8> {
    match sign {
        b'A'..=b'Z' => Some(sign - b'A'),
        b'a'..=b'z' => Some(sign - b'a' + 26),
        b'0'..=b'9' => Some(sign - b'0' + 52),
        b'+' | b'-' => Some(62),
        b'/' | b'_' => Some(63),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_decoded_is_what_was_encoded() {
        for (encoded, plain) in
            [("", ""), ("YTpi", "a:b"), ("YTpiYw==", "a:bc"), ("YTpiYw", "a:bc")]
        {
            assert_eq!(decoded(encoded.as_bytes()).as_deref(), Some(plain.as_bytes()), "{encoded}");
        }
        assert_eq!(decoded(b"a"), None);
        assert_eq!(decoded(b"a b="), None);
        assert!(is_login(b"YTpi") && !is_login(b"YWI="));
    }
}
