//! How bodies may be written: as they are, in UTF-8. Others are refused, not read as if they were.

use hyper::header::{CONTENT_ENCODING, CONTENT_TYPE, HeaderMap};

/// Why a body is not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum Undecoded {
    #[error("bodies are not decoded; send it without `content-encoding`")]
    Encoded,
    #[error("bodies are read as UTF-8 alone; leave `charset` out of `content-type`")]
    OtherLetters,
}

/// That a body is read as it is meant. Its type is looked at where it is read.
///
/// # Errors
/// [`Undecoded`].
pub(super) fn check(headers: &HeaderMap) -> Result<(), Undecoded> {
    let is_plain = |coding: &[u8]| coding.eq_ignore_ascii_case(b"identity");
    if !headers.get_all(CONTENT_ENCODING).iter().all(|coding| is_plain(coding.as_bytes())) {
        return Err(Undecoded::Encoded);
    }
    let content = headers.get(CONTENT_TYPE).map(|content| content.as_bytes()).unwrap_or_default();
    let mut letters = content.split(|byte| *byte == b';').skip(1).filter_map(charset);
    match letters.all(|letters| letters.eq_ignore_ascii_case(b"utf-8")) {
        true => Ok(()),
        false => Err(Undecoded::OtherLetters),
    }
}

/// What a parameter says of letters; `None`: it is about something else.
fn charset(parameter: &[u8]) -> Option<&[u8]> {
    const NAME: &[u8] = b"charset";
    let (name, value) = parameter.trim_ascii().split_at_checked(NAME.len())?;
    if !name.eq_ignore_ascii_case(NAME) {
        return None;
    }
    let value = value.trim_ascii_start().strip_prefix(b"=")?.trim_ascii_start();
    let bare = value.strip_prefix(b"\"").and_then(|value| value.strip_suffix(b"\""));
    Some(bare.unwrap_or(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(lines: &[(&'static str, &str)]) -> Result<(), Undecoded> {
        let mut headers = HeaderMap::new();
        for (name, value) in lines {
            headers.append(*name, value.parse().unwrap());
        }
        check(&headers)
    }

    #[test]
    fn what_is_not_decoded_is_not_read() {
        for coding in ["gzip", "br", "identity, gzip", "gzip, identity", "", "x", "identity;q=0"] {
            let coded = checked(&[("content-encoding", coding)]);
            assert_eq!(coded, Err(Undecoded::Encoded), "{coding}");
        }
        let two = [("content-encoding", "identity"), ("content-encoding", "gzip")];
        assert_eq!(checked(&two), Err(Undecoded::Encoded));
        assert_eq!(checked(&[]), Ok(()));
        assert_eq!(checked(&[("content-encoding", "Identity")]), Ok(()));
    }

    #[test]
    fn letters_are_those_of_utf_8() {
        for plain in [
            "application/json",
            "application/json;charset=utf-8",
            "application/json; Charset = \"UTF-8\"; a=b",
            "application/json; a=charset",
            "application/json; charsets=utf-7",
        ] {
            assert_eq!(checked(&[("content-type", plain)]), Ok(()), "{plain}");
        }
        for other in ["charset=utf-7", "a=b;CHARSET=utf-16", "charset=", "charset=utf-8;charset=x"]
        {
            let content = format!("application/json; {other}");
            let read = checked(&[("content-type", &content)]);
            assert_eq!(read, Err(Undecoded::OtherLetters), "{other}");
        }
    }
}
