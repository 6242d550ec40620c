//! Which addresses may be listened at, and which requests are authorised.

use hyper::header::{AUTHORIZATION, HeaderMap, WWW_AUTHENTICATE};
use hyper::{Response, StatusCode};

use super::settings::{HttpError, HttpSettings, PATH, Token};

/// Refuses to listen where other machines reach it, unless that is wanted and guarded, and where
/// they do not although that is wanted.
pub(super) fn check_address(settings: &HttpSettings) -> Result<(), HttpError> {
    let address = settings.address;
    match (address.ip().is_loopback(), settings.is_public, &settings.token) {
        (true, false, _) | (false, true, Some(_)) => Ok(()),
        (true, true, _) => Err(HttpError::NotPublic(address)),
        (false, true, None) => Err(HttpError::NoToken(address)),
        (false, false, _) => Err(HttpError::Public(address)),
    }
}

/// Why a request is rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rejection {
    NoToken,
    NoSuchPath,
}

/// Checks path and token of a request before anything of it is read.
pub(super) fn authorise(
    token: Option<&Token>,
    path: &str,
    headers: &HeaderMap,
) -> Result<(), Rejection> {
    if path != PATH && path.strip_suffix('/') != Some(PATH) {
        return Err(Rejection::NoSuchPath);
    }
    let Some(token) = token else { return Ok(()) };
    let shown = headers.get(AUTHORIZATION).map(|value| value.as_bytes());
    let (scheme, shown) = shown.and_then(|shown| shown.split_at_checked(7)).unwrap_or_default();
    if scheme.eq_ignore_ascii_case(b"bearer ") && token.is(shown) {
        Ok(())
    } else {
        Err(Rejection::NoToken)
    }
}

impl Rejection {
    /// What is answered.
    pub(super) fn response<B: From<&'static str>>(self) -> Response<B> {
        let (status, text) = match self {
            Self::NoToken => (StatusCode::UNAUTHORIZED, "a bearer token is needed\n"),
            Self::NoSuchPath => (StatusCode::NOT_FOUND, "the protocol is spoken at /mcp\n"),
        };
        let response = Response::builder().status(status);
        let response = match self {
            Self::NoToken => response.header(WWW_AUTHENTICATE, "Bearer"),
            Self::NoSuchPath => response,
        };
        response.body(B::from(text)).expect("all headers are fixed and valid")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_machine_comes_in_without_a_token() {
        let settings = |address: &str, is_public: bool, token: Option<&str>| HttpSettings {
            is_public,
            token: token.and_then(Token::new),
            ..HttpSettings::new(address.parse().expect("an address"))
        };
        let token = Some("0123456789abcdef0123456789abcdef");
        assert!(check_address(&settings("127.0.0.1:0", false, None)).is_ok());
        assert!(check_address(&settings("[::1]:0", false, None)).is_ok());
        assert!(check_address(&settings("0.0.0.0:80", true, token)).is_ok());
        for address in ["127.0.0.1:80", "[::1]:80"] {
            for token in [None, token] {
                let rejected = check_address(&settings(address, true, token));
                assert!(matches!(rejected, Err(HttpError::NotPublic(_))), "{address}");
            }
        }
        for address in ["0.0.0.0:80", "[::]:80", "192.168.1.2:80", "[::ffff:127.0.0.1]:80"] {
            let rejected = check_address(&settings(address, false, token));
            assert!(matches!(rejected, Err(HttpError::Public(_))), "{address}");
            let rejected = check_address(&settings(address, true, None));
            assert!(matches!(rejected, Err(HttpError::NoToken(_))), "{address}");
            let rejected = check_address(&settings(address, true, Some("too short")));
            assert!(matches!(rejected, Err(HttpError::NoToken(_))), "{address}");
        }
    }

    #[test]
    fn requests_show_the_token_at_the_right_path() {
        let token = Token::new("0123456789abcdef0123456789abcdef").expect("long enough");
        let check = |path: &str, shown: Option<&str>, expected: Result<(), Rejection>| {
            let mut headers = HeaderMap::new();
            if let Some(shown) = shown {
                headers.insert(AUTHORIZATION, shown.parse().expect("a header's value"));
            }
            assert_eq!(authorise(Some(&token), path, &headers), expected, "{path} {shown:?}");
        };
        check("/mcp", Some("Bearer 0123456789abcdef0123456789abcdef"), Ok(()));
        check("/mcp/", Some("bearer 0123456789abcdef0123456789abcdef"), Ok(()));
        check("/mcp", None, Err(Rejection::NoToken));
        check("/mcp", Some(""), Err(Rejection::NoToken));
        check("/mcp", Some("Bearer 0123456789abcdef0123456789abcdeX"), Err(Rejection::NoToken));
        check("/mcp", Some("Bearer 0123456789abcdef0123456789abcde"), Err(Rejection::NoToken));
        check("/mcp", Some("Basic 0123456789abcdef0123456789abcdef"), Err(Rejection::NoToken));
        check("/", Some("Bearer 0123456789abcdef0123456789abcdef"), Err(Rejection::NoSuchPath));
        assert_eq!(authorise(None, "/mcp", &HeaderMap::new()), Ok(()));
        assert_eq!(format!("{token:?}"), "Token(..)");
    }
}
