//! The access token that clients send.

use hyper::header::{AUTHORIZATION, HeaderMap};

/// An access token that clients send. Never printed.
#[derive(Clone, PartialEq, Eq)]
pub struct AccessToken(String);

/// The minimum length: 16 random bytes in base64 have about as many characters, in hex digits more.
const TOKEN_BYTES_MIN: usize = 20;

impl AccessToken {
    /// Creates a token if the text can be sent in a header and is long enough not to be guessed.
    pub fn new(text: &str) -> Option<Self> {
        let text = text.trim();
        let is_sendable = text.bytes().all(|byte| byte.is_ascii_graphic());
        (is_sendable && text.len() >= TOKEN_BYTES_MIN).then(|| Self(text.to_owned()))
    }

    /// Returns whether `shown` equals the token, in time that does not depend on the first
    /// difference.
    pub fn matches(&self, shown: &[u8]) -> bool {
        let differing = self.0.bytes().zip(shown).fold(0, |all, (a, b)| all | (a ^ b));
        self.0.len() == shown.len() && differing == 0
    }
}

impl std::fmt::Debug for AccessToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Token(..)")
    }
}

/// Returns the credentials of the `Authorization: Bearer …` header; the first one if there are
/// several.
pub fn bearer_credentials(headers: &HeaderMap) -> Option<&[u8]> {
    const SCHEME: &[u8] = b"bearer ";
    let shown = headers.get(AUTHORIZATION)?.as_bytes();
    let (scheme, shown) = shown.split_at_checked(SCHEME.len())?;
    scheme.eq_ignore_ascii_case(SCHEME).then_some(shown)
}

#[cfg(test)]
mod tests {
    use hyper::header::HeaderMap;

    use super::{AccessToken, bearer_credentials};

    const TEXT: &str = "0123456789abcdef0123";

    #[test]
    fn a_token_can_be_sent_and_is_long() {
        assert!(
            AccessToken::new(&format!(" {TEXT}\n"))
                .is_some_and(|token| token.matches(TEXT.as_bytes()))
        );
        for none in ["", "0123456789abcdef012", "0123456789 abcdef0123", "0123456789äbcdef0123"] {
            assert_eq!(AccessToken::new(none), None, "{none}");
        }
    }

    #[test]
    fn a_token_is_nothing_but_itself() {
        let token = AccessToken::new(TEXT).unwrap();
        assert!(token.matches(TEXT.as_bytes()));
        for other in ["", "0123456789abcdef0124", "0123456789abcdef01234", "0123456789abcdef012"] {
            assert!(!token.matches(other.as_bytes()), "{other}");
        }
        assert_eq!(format!("{token:?}"), "Token(..)");
    }

    #[test]
    fn a_bearer_is_read_whatever_its_case() {
        let shown = |value: &str| {
            let mut headers = HeaderMap::new();
            headers.append("authorization", value.parse().unwrap());
            bearer_credentials(&headers).map(|shown| String::from_utf8_lossy(shown).into_owned())
        };
        assert_eq!(shown("Bearer x"), Some("x".to_owned()));
        assert_eq!(shown("bEARER "), Some(String::new()));
        for none in ["", "Bearer", "Basic x", "Bearerx"] {
            assert_eq!(shown(none), None, "{none}");
        }
        assert_eq!(bearer_credentials(&HeaderMap::new()), None);
    }
}
