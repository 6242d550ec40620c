//! Access control: admits requests that can be read in only one way, from this machine or with the
//! token, and from no page of another site.

use foveal_http_guard::{AccessToken, Host, HostName, bearer_credentials};
use hyper::Uri;
use hyper::header::{HOST, HeaderMap, HeaderName, HeaderValue, ORIGIN};

use crate::settings::{ServeError, Settings};

/// The header with the token.
const TOKEN_HEADER: HeaderName = HeaderName::from_static("x-foveal-token");

/// Returns an error if other machines could reach the gateway without a token.
pub(crate) fn check_address(settings: &Settings) -> Result<(), ServeError> {
    match (settings.address.ip().is_loopback(), &settings.token) {
        (true, _) | (false, Some(_)) => Ok(()),
        (false, None) => Err(ServeError::NoToken(settings.address)),
    }
}

/// The reasons why a request is not admitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum AccessDenied {
    #[error(
        "the header `host` is missing, repeated or invalid; send one host name with at most one \
         port"
    )]
    AmbiguousHost,
    #[error(
        "this host name is not allowed; use localhost, or allow the name with foveal serve --host"
    )]
    Host,
    #[error("requests from pages of other sites are not allowed")]
    Origin,
    #[error("the token is missing or wrong; send foveal's token in the header x-foveal-token")]
    Token,
}

/// The rules by which requests are admitted.
#[derive(Debug, Clone)]
pub(crate) struct AccessControl {
    token: Option<AccessToken>,
    /// Additional names of the gateway, at any port or at one.
    hosts: Vec<Host>,
    /// Whether every host name is accepted, because the token alone admits other machines.
    any_host: bool,
}

impl AccessControl {
    pub(crate) fn new(settings: &Settings) -> Self {
        let any_host = !settings.address.ip().is_loopback() && settings.hosts.is_empty();
        let hosts = settings.hosts.iter().filter_map(|host| Host::from_setting(host)).collect();
        Self { token: settings.token.clone(), hosts, any_host }
    }

    /// Admits a request that is forwarded; its `authorization` belongs to the upstream.
    pub(crate) fn check_forwarded(
        &self,
        uri: &Uri,
        headers: &HeaderMap,
    ) -> Result<(), AccessDenied> {
        self.check_sender(uri, headers)?;
        self.check_token(headers.get(TOKEN_HEADER).map(HeaderValue::as_bytes))
    }

    /// Admits a request that foveal answers itself. Callers that cannot choose their headers may
    /// send the token as a bearer token too.
    pub(crate) fn check_local(&self, uri: &Uri, headers: &HeaderMap) -> Result<(), AccessDenied> {
        self.check_sender(uri, headers)?;
        let shown = headers.get(TOKEN_HEADER).map(HeaderValue::as_bytes);
        self.check_token(shown.or_else(|| bearer_credentials(headers)))
    }

    /// Admits a request that needs no token: it names one of the gateway's hosts, and comes from no
    /// page of another site.
    pub(crate) fn check_sender(&self, uri: &Uri, headers: &HeaderMap) -> Result<(), AccessDenied> {
        let mut hosts = headers.get_all(HOST).iter();
        let named = hosts.next().and_then(|host| host.to_str().ok());
        // HTTP/2 has the host only in the address.
        let host = named.or(uri.authority().map(|authority| authority.as_str()));
        let host = host
            .filter(|_| hosts.next().is_none())
            .and_then(parse_host)
            .ok_or(AccessDenied::AmbiguousHost)?;
        if !self.any_host && !self.is_own_host(&host) {
            return Err(AccessDenied::Host);
        }
        for origin in headers.get_all(ORIGIN) {
            let host = origin.to_str().ok().and_then(|origin| origin.split_once("://"));
            let host = host.and_then(|(_, host)| parse_host(host));
            if !host.is_some_and(|host| self.is_own_host(&host)) {
                return Err(AccessDenied::Origin);
            }
        }
        Ok(())
    }

    fn check_token(&self, shown: Option<&[u8]>) -> Result<(), AccessDenied> {
        match &self.token {
            Some(token) if !shown.is_some_and(|shown| token.matches(shown)) => {
                Err(AccessDenied::Token)
            }
            Some(_) | None => Ok(()),
        }
    }

    /// Returns whether it is a name of the gateway.
    fn is_own_host(&self, host: &Host) -> bool {
        let is_here = match &host.name {
            HostName::Text(name) => name == "localhost",
            HostName::Address(address) => address.is_loopback(),
        };
        is_here || self.hosts.iter().any(|known| known.covers(host))
    }
}

fn parse_host(host: &str) -> Option<Host> {
    Host::parse(host.as_bytes())
}

#[cfg(test)]
mod tests {
    use foveal_http_guard::{AccessToken, Host};
    use hyper::Uri;
    use hyper::header::HeaderMap;

    use super::{AccessControl, AccessDenied};

    fn checked(gate: &AccessControl, lines: &[(&'static str, &str)]) -> Result<(), AccessDenied> {
        let mut headers = HeaderMap::new();
        for (name, value) in lines {
            headers.append(*name, value.parse().unwrap());
        }
        gate.check_forwarded(&Uri::from_static("/v1/messages"), &headers)
    }

    fn local() -> AccessControl {
        AccessControl {
            token: None,
            hosts: vec![
                Host::from_setting("box.example").unwrap(),
                Host::from_setting("::2").unwrap(),
            ],
            any_host: false,
        }
    }

    #[test]
    fn names_of_this_machine_are_known() {
        let hosts = [
            "localhost",
            "LOCALHOST:80",
            "127.0.0.1:4000",
            "127.1.2.3",
            "[::1]:1",
            "box.example:5",
            "[::2]:5",
        ];
        for host in hosts {
            assert_eq!(checked(&local(), &[("host", host)]), Ok(()), "{host}");
        }
        let strangers =
            ["evil.example", "localhost.evil.example", "10.0.0.1", "[::3]", "127.0.0.1.nip.io"];
        for host in strangers {
            assert_eq!(checked(&local(), &[("host", host)]), Err(AccessDenied::Host), "{host}");
        }
        assert_eq!(checked(&local(), &[]), Err(AccessDenied::AmbiguousHost));
        for host in [
            "",
            "localhost:80,evil.example",
            "evil.example@localhost:80",
            "localhost:evil.example",
            "localhost:99999",
            "[[::1]]",
        ] {
            assert_eq!(
                checked(&local(), &[("host", host)]),
                Err(AccessDenied::AmbiguousHost),
                "{host}"
            );
        }
        let two = [("host", "localhost"), ("host", "localhost")];
        assert_eq!(checked(&local(), &two), Err(AccessDenied::AmbiguousHost));
    }

    #[test]
    fn pages_of_other_sites_are_refused() {
        let origin = |origin| checked(&local(), &[("host", "localhost"), ("origin", origin)]);
        assert_eq!(origin("http://localhost:3000"), Ok(()));
        for stranger in ["https://evil.example", "null", "http://localhost.evil.example"] {
            assert_eq!(origin(stranger), Err(AccessDenied::Origin), "{stranger}");
        }
    }

    #[test]
    fn a_token_is_shown() {
        let token = "0123456789abcdef0123456789abcdef";
        let gate =
            AccessControl { token: AccessToken::new(token), hosts: Vec::new(), any_host: true };
        let shown = [("host", "any.example"), ("x-foveal-token", token)];
        assert_eq!(checked(&gate, &shown), Ok(()));
        for wrong in ["", "0123456789abcdef0123456789abcdeg", "0123456789abcdef0123456789abcdef0"] {
            let shown = [("host", "any.example"), ("x-foveal-token", wrong)];
            assert_eq!(checked(&gate, &shown), Err(AccessDenied::Token), "{wrong}");
        }
        assert_eq!(checked(&gate, &[("host", "any.example")]), Err(AccessDenied::Token));
    }
}
