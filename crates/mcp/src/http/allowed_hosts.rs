//! The host names and ports that the server answers to. A web page that rebinds its own name to
//! this machine (DNS rebinding) sends that name, and is refused.

use std::net::{Ipv4Addr, Ipv6Addr};

use foveal_http_guard::{Host, HostName};

use super::settings::{HttpError, HttpSettings};

/// The hosts that the server answers to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum AllowedHosts {
    /// Any host: a page with a rebound name has no token.
    Any,
    /// This machine's own names, at this port or without one, and these hosts.
    Named(u16, Vec<Host>),
}

impl AllowedHosts {
    /// Returns the hosts of a server that listens at `port`.
    pub(super) fn from_settings(settings: &HttpSettings, port: u16) -> Self {
        if settings.is_public && settings.hosts.is_empty() {
            return Self::Any;
        }
        let named = settings.hosts.iter().filter_map(|host| Host::from_setting(host));
        Self::Named(port, named.collect())
    }

    /// Returns whether a request for this host is for this server.
    pub(super) fn contains(&self, host: &Host) -> bool {
        let Self::Named(port, named) = self else { return true };
        let is_here = match &host.name {
            HostName::Text(name) => name == "localhost",
            HostName::Address(address) => {
                *address == Ipv4Addr::LOCALHOST || *address == Ipv6Addr::LOCALHOST
            }
        };
        is_here && host.port.is_none_or(|asked| asked == *port)
            || named.iter().any(|known| known.covers(host))
    }
}

/// Refuses host settings that no request could match.
pub(super) fn check_host_settings(settings: &HttpSettings) -> Result<(), HttpError> {
    let wrong = settings.hosts.iter().find(|host| Host::from_setting(host).is_none());
    wrong.map_or(Ok(()), |host| Err(HttpError::Host(host.clone())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(hosts: &[&str], is_public: bool) -> HttpSettings {
        let mut settings = HttpSettings::new(([127, 0, 0, 1], 0).into());
        settings.hosts = hosts.iter().map(|host| (*host).to_owned()).collect();
        settings.is_public = is_public;
        settings
    }

    fn has(settings: &HttpSettings, host: &str) -> bool {
        AllowedHosts::from_settings(settings, 8931)
            .contains(&Host::parse(host.as_bytes()).expect("a host"))
    }

    #[test]
    fn a_server_is_asked_under_its_names_and_its_port() {
        let names = ["box.example", "to.example:9000", "10.0.0.1", "fe80::1", "[fe80::2]:7"];
        let settings = settings(&names, false);
        for host in [
            "localhost",
            "LOCALHOST:8931",
            "127.0.0.1:8931",
            "[::1]:8931",
            "[::1]",
            "Box.Example",
            "box.example:443",
            "to.example:9000",
            "10.0.0.1:80",
            "[fe80::1]:80",
            "[fe80::2]:7",
        ] {
            assert!(has(&settings, host), "{host}");
        }
        for host in [
            "localhost:8932",
            "127.0.0.1:80",
            "127.0.0.2",
            "localhost.",
            "evil.example",
            "evil.example:8931",
            "to.example",
            "to.example:8931",
            "[fe80::2]",
            "[::ffff:127.0.0.1]",
        ] {
            assert!(!has(&settings, host), "{host}");
        }
    }

    #[test]
    fn a_port_that_leads_here_can_be_named() {
        assert!(has(&settings(&["localhost:9000"], false), "localhost:9000"));
        assert!(has(&settings(&["127.0.0.1"], false), "127.0.0.1:9000"));
    }

    #[test]
    fn where_a_token_is_needed_any_name_may_lead_here() {
        assert!(has(&settings(&[], true), "whatever.example:1"));
        assert!(!has(&settings(&["box.example"], true), "whatever.example:1"));
    }

    #[test]
    fn names_that_no_request_has_are_refused() {
        assert!(check_host_settings(&settings(&["box.example", "::1", "[::1]:5"], false)).is_ok());
        for wrong in ["", "http://box.example", "box.example:x", "box.example:99999", "*"] {
            let refused = check_host_settings(&settings(&["box.example", wrong], false));
            assert!(
                matches!(&refused, Err(HttpError::Host(host)) if host == wrong),
                "{wrong}: {refused:?}"
            );
        }
    }
}
