//! The headers that are forwarded, those that belong to one connection, and those that choose a
//! profile.

use hyper::header::{
    CONNECTION, CONTENT_LENGTH, EXPECT, HOST, HeaderMap, HeaderName, HeaderValue,
    PROXY_AUTHENTICATE, PROXY_AUTHORIZATION, TE, TRAILER, TRANSFER_ENCODING, UPGRADE, USER_AGENT,
};

/// Headers of one connection (RFC 9110, 7.6.1), and of a proxy itself.
const HOP_BY_HOP: [HeaderName; 9] = [
    CONNECTION,
    HeaderName::from_static("keep-alive"),
    HeaderName::from_static("proxy-connection"),
    PROXY_AUTHENTICATE,
    PROXY_AUTHORIZATION,
    TE,
    TRAILER,
    TRANSFER_ENCODING,
    UPGRADE,
];

/// The prefix of all headers for foveal itself.
const OWN_HEADER_PREFIX: &str = "x-foveal";

/// The header by which a client chooses a profile, or `off`.
const PROFILE_HEADER: HeaderName = HeaderName::from_static("x-foveal");

/// The header by which Codex names the program that it is part of.
const ORIGINATOR_HEADER: HeaderName = HeaderName::from_static("originator");

/// Returns the profile, or `off`, that a client asks for.
pub(crate) fn profile_override(headers: &HeaderMap) -> Option<&str> {
    headers.get(PROFILE_HEADER).and_then(|profile| profile.to_str().ok())
}

/// Returns the names by which a client identifies itself.
pub(crate) fn agent_names(headers: &HeaderMap) -> Vec<&str> {
    let names = [USER_AGENT, ORIGINATOR_HEADER].into_iter().filter_map(|name| headers.get(name));
    names.filter_map(|name| name.to_str().ok()).collect()
}

/// Removes the headers that belong to one connection.
pub(crate) fn remove_hop_by_hop(headers: &mut HeaderMap) {
    let listed: Vec<HeaderName> = headers
        .get_all(CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .filter_map(|name| name.trim().parse().ok())
        .collect();
    for name in HOP_BY_HOP.iter().chain(&listed) {
        headers.remove(name);
    }
}

/// Returns the headers for the upstream: the client's, without those of its connection to the
/// gateway.
pub(crate) fn forwarded_headers(mut headers: HeaderMap, host: &str) -> HeaderMap {
    remove_hop_by_hop(&mut headers);
    headers.remove(CONTENT_LENGTH);
    // The body is complete, or is streamed without waiting.
    headers.remove(EXPECT);
    let own: Vec<HeaderName> = headers
        .keys()
        .filter(|name| name.as_str().starts_with(OWN_HEADER_PREFIX))
        .cloned()
        .collect();
    for name in own {
        headers.remove(name);
    }
    if let Ok(host) = HeaderValue::from_str(host) {
        headers.insert(HOST, host);
    }
    headers
}

#[cfg(test)]
mod tests {
    use hyper::header::HeaderMap;

    use super::{forwarded_headers, remove_hop_by_hop};

    fn headers(lines: &[(&'static str, &'static str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in lines {
            headers.append(*name, value.parse().unwrap());
        }
        headers
    }

    #[test]
    fn what_belongs_to_a_connection_stays_there() {
        let mut all = headers(&[
            ("connection", "keep-alive, X-Private"),
            ("keep-alive", "timeout=5"),
            ("x-private", "1"),
            ("transfer-encoding", "chunked"),
            ("te", "trailers"),
            ("anthropic-beta", "a,b"),
        ]);
        remove_hop_by_hop(&mut all);
        assert_eq!(all, headers(&[("anthropic-beta", "a,b")]));
    }

    #[test]
    fn everything_else_goes_on() {
        let all = headers(&[
            ("host", "127.0.0.1:1"),
            ("authorization", "Bearer k"),
            ("x-api-key", "k"),
            ("x-foveal-token", "t"),
            ("x-foveal-upstream", "work"),
            ("x-foveal", "lossless"),
            ("content-length", "3"),
            ("accept-encoding", "gzip"),
            ("x-twice", "1"),
            ("x-twice", "2"),
        ]);
        let expected = headers(&[
            ("host", "api.example"),
            ("authorization", "Bearer k"),
            ("x-api-key", "k"),
            ("accept-encoding", "gzip"),
            ("x-twice", "1"),
            ("x-twice", "2"),
        ]);
        assert_eq!(forwarded_headers(all, "api.example"), expected);
    }
}
