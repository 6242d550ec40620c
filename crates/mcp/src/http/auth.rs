//! Which addresses may be listened at, and which requests are authorised.

use foveal_listening::{Token, bearer};
use hyper::header::{ACCEPT_ENCODING, HeaderMap, WWW_AUTHENTICATE};
use hyper::{Response, StatusCode};

use super::clear::Unclear;
use super::coding::Undecoded;
use super::settings::{HttpError, HttpSettings, PATH};

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
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Rejection {
    NoToken,
    NoSuchPath,
    /// It is for another server.
    OtherName,
    /// It can be read in more ways than one.
    Unclear(Unclear),
    /// Its body is not read as it is meant.
    Undecoded(Undecoded),
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
    match bearer(headers).is_some_and(|shown| token.is(shown)) {
        true => Ok(()),
        false => Err(Rejection::NoToken),
    }
}

impl Rejection {
    /// What is answered.
    pub(super) fn response(self) -> Response<String> {
        let (status, text) = match &self {
            Self::NoToken => (StatusCode::UNAUTHORIZED, "a bearer token is needed".to_owned()),
            Self::NoSuchPath => {
                (StatusCode::NOT_FOUND, "the protocol is spoken at /mcp".to_owned())
            }
            Self::OtherName => {
                let what = "the server is not known under this name and port; if they lead here, \
                            name them with --host";
                (StatusCode::FORBIDDEN, what.to_owned())
            }
            Self::Unclear(what) => (StatusCode::BAD_REQUEST, what.to_string()),
            Self::Undecoded(what) => (StatusCode::UNSUPPORTED_MEDIA_TYPE, what.to_string()),
        };
        let response = Response::builder().status(status);
        let response = match self {
            Self::NoToken => response.header(WWW_AUTHENTICATE, "Bearer"),
            Self::Undecoded(_) => response.header(ACCEPT_ENCODING, "identity"),
            Self::NoSuchPath | Self::OtherName | Self::Unclear(_) => response,
        };
        response.body(format!("{text}\n")).expect("all headers are fixed and valid")
    }
}

#[cfg(test)]
mod tests;
