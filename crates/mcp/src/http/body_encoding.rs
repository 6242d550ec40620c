//! Body encodings: only unencoded UTF-8 is accepted.

use hyper::header::{CONTENT_ENCODING, CONTENT_TYPE, HeaderMap};

/// Why a body is not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum UnsupportedEncoding {
    #[error("encoded bodies are not supported; send it without `content-encoding`")]
    ContentEncoding,
    #[error("only UTF-8 bodies are supported; remove `charset` from `content-type`")]
    Charset,
}

/// Checks the encoding and the charset of a body. The media type is checked where the body is read.
///
/// # Errors
/// [`UnsupportedEncoding`].
pub(super) fn check_encoding(headers: &HeaderMap) -> Result<(), UnsupportedEncoding> {
    let is_plain = |coding: &[u8]| coding.eq_ignore_ascii_case(b"identity");
    if !headers.get_all(CONTENT_ENCODING).iter().all(|coding| is_plain(coding.as_bytes())) {
        return Err(UnsupportedEncoding::ContentEncoding);
    }
    let content = headers.get(CONTENT_TYPE).map(|content| content.as_bytes()).unwrap_or_default();
    let mut letters = content.split(|byte| *byte == b';').skip(1).filter_map(charset_parameter);
    match letters.all(|letters| letters.eq_ignore_ascii_case(b"utf-8")) {
        true => Ok(()),
        false => Err(UnsupportedEncoding::Charset),
    }
}

/// Returns the value of a `charset` parameter; `None` for other parameters.
fn charset_parameter(parameter: &[u8]) -> Option<&[u8]> {
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

    fn checked(lines: &[(&'static str, &str)]) -> Result<(), UnsupportedEncoding> {
        let mut headers = HeaderMap::new();
        for (name, value) in lines {
            headers.append(*name, value.parse().unwrap());
        }
        check_encoding(&headers)
    }

    #[test]
    fn what_is_not_decoded_is_not_read() {
        for coding in ["gzip", "br", "identity, gzip", "gzip, identity", "", "x", "identity;q=0"] {
            let coded = checked(&[("content-encoding", coding)]);
            assert_eq!(coded, Err(UnsupportedEncoding::ContentEncoding), "{coding}");
        }
        let two = [("content-encoding", "identity"), ("content-encoding", "gzip")];
        assert_eq!(checked(&two), Err(UnsupportedEncoding::ContentEncoding));
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
            assert_eq!(read, Err(UnsupportedEncoding::Charset), "{other}");
        }
    }
}
