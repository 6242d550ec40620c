//! Checks of the listening address and of a request's path and token.

use foveal_http_guard::{AccessToken, bearer_credentials};
use hyper::header::{ACCEPT_ENCODING, HeaderMap, WWW_AUTHENTICATE};
use hyper::{Response, StatusCode};

use super::ambiguity::AmbiguousRequest;
use super::body_encoding::UnsupportedEncoding;
use super::settings::{HttpError, HttpSettings, MCP_PATH};

/// Refuses addresses that other machines reach unless that is wanted and a token is set, and
/// addresses that they cannot reach if that is wanted.
pub(super) fn check_address(settings: &HttpSettings) -> Result<(), HttpError> {
    let address = settings.address;
    match (address.ip().is_loopback(), settings.is_public, &settings.token) {
        (true, false, _) | (false, true, Some(_)) => Ok(()),
        (true, true, _) => Err(HttpError::NotPublic(address)),
        (false, true, None) => Err(HttpError::NoToken(address)),
        (false, false, _) => Err(HttpError::Public(address)),
    }
}

/// Why a request is rejected before its body is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum RequestRejection {
    NoToken,
    NoSuchPath,
    /// It is addressed to another server.
    UnknownHost,
    /// It could be read in more than one way.
    Ambiguous(AmbiguousRequest),
    /// Its body has an encoding that is not supported.
    UnsupportedBody(UnsupportedEncoding),
}

/// Checks the path and the token of a request before its body is read.
pub(super) fn authorise(
    token: Option<&AccessToken>,
    path: &str,
    headers: &HeaderMap,
) -> Result<(), RequestRejection> {
    if path != MCP_PATH && path.strip_suffix('/') != Some(MCP_PATH) {
        return Err(RequestRejection::NoSuchPath);
    }
    let Some(token) = token else { return Ok(()) };
    match bearer_credentials(headers).is_some_and(|shown| token.matches(shown)) {
        true => Ok(()),
        false => Err(RequestRejection::NoToken),
    }
}

impl RequestRejection {
    /// Converts this to a response.
    pub(super) fn into_response(self) -> Response<String> {
        let (status, text) = match &self {
            Self::NoToken => (StatusCode::UNAUTHORIZED, "a bearer token is required".to_owned()),
            Self::NoSuchPath => (StatusCode::NOT_FOUND, "the endpoint is /mcp".to_owned()),
            Self::UnknownHost => {
                let what = "this host name and port are not allowed; if they lead to this server, \
                            allow them with --host";
                (StatusCode::FORBIDDEN, what.to_owned())
            }
            Self::Ambiguous(what) => (StatusCode::BAD_REQUEST, what.to_string()),
            Self::UnsupportedBody(what) => (StatusCode::UNSUPPORTED_MEDIA_TYPE, what.to_string()),
        };
        let response = Response::builder().status(status);
        let response = match self {
            Self::NoToken => response.header(WWW_AUTHENTICATE, "Bearer"),
            Self::UnsupportedBody(_) => response.header(ACCEPT_ENCODING, "identity"),
            Self::NoSuchPath | Self::UnknownHost | Self::Ambiguous(_) => response,
        };
        response.body(format!("{text}\n")).expect("all headers are fixed and valid")
    }
}

#[cfg(test)]
mod tests;
