//! Who may ask: requests that can be read in one way only, from this machine or with a token, and
//! from no page of another site.

use foveal_listening::{Host, Name, Token, bearer};
use hyper::Uri;
use hyper::header::{HOST, HeaderMap, HeaderName, HeaderValue, ORIGIN};

use crate::settings::{ServeError, Settings};

/// The header with the token.
const TOKEN_HEADER: HeaderName = HeaderName::from_static("x-foveal-token");

/// Refuses to listen where other machines reach it without a token.
pub(crate) fn check_address(settings: &Settings) -> Result<(), ServeError> {
    match (settings.address.ip().is_loopback(), &settings.token) {
        (true, _) | (false, Some(_)) => Ok(()),
        (false, None) => Err(ServeError::NoToken(settings.address)),
    }
}

/// Why a request is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Stranger {
    #[error("the header `host` is missing, comes twice, or is not one name with at most one port")]
    Unclear,
    #[error(
        "foveal is not reached under this name; use localhost, or name it with foveal serve --host"
    )]
    Host,
    #[error("pages of other sites may not use foveal")]
    Origin,
    #[error("foveal needs its token in the header x-foveal-token")]
    Token,
}

/// Who may ask.
#[derive(Debug, Clone)]
pub(crate) struct Gate {
    token: Option<Token>,
    /// More names of ours, at any port or at one.
    hosts: Vec<Host>,
    /// Whether any name will do: other machines are let in by the token alone.
    any_host: bool,
}

impl Gate {
    pub(crate) fn new(settings: &Settings) -> Self {
        let any_host = !settings.address.ip().is_loopback() && settings.hosts.is_empty();
        let hosts = settings.hosts.iter().filter_map(|host| Host::of_setting(host)).collect();
        Self { token: settings.token.clone(), hosts, any_host }
    }

    /// Lets a request in that is passed on: its `authorization` is for somebody else.
    pub(crate) fn check(&self, uri: &Uri, headers: &HeaderMap) -> Result<(), Stranger> {
        self.check_sender(uri, headers)?;
        self.check_token(headers.get(TOKEN_HEADER).map(HeaderValue::as_bytes))
    }

    /// Lets a request in that foveal answers itself. Callers whose headers are not theirs to choose
    /// may show the token as a bearer too.
    pub(crate) fn check_own(&self, uri: &Uri, headers: &HeaderMap) -> Result<(), Stranger> {
        self.check_sender(uri, headers)?;
        let shown = headers.get(TOKEN_HEADER).map(HeaderValue::as_bytes);
        self.check_token(shown.or_else(|| bearer(headers)))
    }

    /// Lets a request in that anybody on this machine may make: it comes to a name of ours, and
    /// from no page of another site.
    pub(crate) fn check_sender(&self, uri: &Uri, headers: &HeaderMap) -> Result<(), Stranger> {
        let mut hosts = headers.get_all(HOST).iter();
        let named = hosts.next().and_then(|host| host.to_str().ok());
        // Over HTTP/2 the name stands in the address alone.
        let host = named.or(uri.authority().map(|authority| authority.as_str()));
        let host =
            host.filter(|_| hosts.next().is_none()).and_then(read).ok_or(Stranger::Unclear)?;
        if !self.any_host && !self.is_known(&host) {
            return Err(Stranger::Host);
        }
        for origin in headers.get_all(ORIGIN) {
            let host = origin.to_str().ok().and_then(|origin| origin.split_once("://"));
            let host = host.and_then(|(_, host)| read(host));
            if !host.is_some_and(|host| self.is_known(&host)) {
                return Err(Stranger::Origin);
            }
        }
        Ok(())
    }

    fn check_token(&self, shown: Option<&[u8]>) -> Result<(), Stranger> {
        match &self.token {
            Some(token) if !shown.is_some_and(|shown| token.is(shown)) => Err(Stranger::Token),
            Some(_) | None => Ok(()),
        }
    }

    /// Whether it is one of our names.
    fn is_known(&self, host: &Host) -> bool {
        let is_here = match &host.name {
            Name::Text(name) => name == "localhost",
            Name::Address(address) => address.is_loopback(),
        };
        is_here || self.hosts.iter().any(|known| known.covers(host))
    }
}

fn read(host: &str) -> Option<Host> {
    Host::read(host.as_bytes())
}

#[cfg(test)]
mod tests {
    use foveal_listening::{Host, Token};
    use hyper::Uri;
    use hyper::header::HeaderMap;

    use super::{Gate, Stranger};

    fn checked(gate: &Gate, lines: &[(&'static str, &str)]) -> Result<(), Stranger> {
        let mut headers = HeaderMap::new();
        for (name, value) in lines {
            headers.append(*name, value.parse().unwrap());
        }
        gate.check(&Uri::from_static("/v1/messages"), &headers)
    }

    fn local() -> Gate {
        Gate {
            token: None,
            hosts: vec![Host::of_setting("box.example").unwrap(), Host::of_setting("::2").unwrap()],
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
            assert_eq!(checked(&local(), &[("host", host)]), Err(Stranger::Host), "{host}");
        }
        assert_eq!(checked(&local(), &[]), Err(Stranger::Unclear));
        for host in [
            "",
            "localhost:80,evil.example",
            "evil.example@localhost:80",
            "localhost:evil.example",
            "localhost:99999",
            "[[::1]]",
        ] {
            assert_eq!(checked(&local(), &[("host", host)]), Err(Stranger::Unclear), "{host}");
        }
        let two = [("host", "localhost"), ("host", "localhost")];
        assert_eq!(checked(&local(), &two), Err(Stranger::Unclear));
    }

    #[test]
    fn pages_of_other_sites_are_refused() {
        let origin = |origin| checked(&local(), &[("host", "localhost"), ("origin", origin)]);
        assert_eq!(origin("http://localhost:3000"), Ok(()));
        for stranger in ["https://evil.example", "null", "http://localhost.evil.example"] {
            assert_eq!(origin(stranger), Err(Stranger::Origin), "{stranger}");
        }
    }

    #[test]
    fn a_token_is_shown() {
        let token = "0123456789abcdef0123456789abcdef";
        let gate = Gate { token: Token::new(token), hosts: Vec::new(), any_host: true };
        let shown = [("host", "any.example"), ("x-foveal-token", token)];
        assert_eq!(checked(&gate, &shown), Ok(()));
        for wrong in ["", "0123456789abcdef0123456789abcdeg", "0123456789abcdef0123456789abcdef0"] {
            let shown = [("host", "any.example"), ("x-foveal-token", wrong)];
            assert_eq!(checked(&gate, &shown), Err(Stranger::Token), "{wrong}");
        }
        assert_eq!(checked(&gate, &[("host", "any.example")]), Err(Stranger::Token));
    }
}
