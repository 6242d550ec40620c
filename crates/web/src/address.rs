//! Checks of the addresses that pages may be fetched from.
//!
//! A model chooses what is fetched, and pages choose their redirects, so that an address may aim at
//! what only this machine can reach: its own services, its network, the metadata of a cloud
//! (server-side request forgery). Names are checked here, IP addresses again when a connection is
//! made.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use url::{Host, Url};

use crate::error::{FetchError, shorten_url};

/// Longest accepted URL, in bytes.
const URL_BYTES_MAX: usize = 8 << 10;

/// Ports that are allowed on hosts without an exception.
const WEB_PORTS: [u16; 4] = [80, 443, 8080, 8443];

/// Suffixes of local names, without the dot before them.
const LOCAL_NAME_SUFFIXES: [&str; 8] =
    ["localhost", "local", "localdomain", "internal", "intranet", "lan", "home.arpa", "onion"];

/// The policy on which addresses may be fetched: the public web, and private hosts that are
/// allowed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AddressPolicy {
    allowed: Vec<AllowedHost>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct AllowedHost {
    name: String,
    port: Option<u16>,
}

impl AddressPolicy {
    /// Allows the public web and the private hosts in `allow_private`: names (`docs.corp.example`,
    /// `*.corp.example`) or addresses (`10.0.0.7`, `[::1]`), each with `:PORT` or for all ports.
    pub fn new<Text: AsRef<str>>(allow_private: impl IntoIterator<Item = Text>) -> Self {
        let allowed = allow_private.into_iter().map(|text| AllowedHost::parse(text.as_ref()));
        Self { allowed: allowed.collect() }
    }

    /// Parses the URL `text`, relative to `base` if there is one, and checks its form and its
    /// host's name. The addresses that the name resolves to are checked by
    /// [`Self::check_addresses`].
    ///
    /// # Errors
    /// [`FetchError::InvalidUrl`] for an invalid URL, [`FetchError::Forbidden`] for a refused one.
    pub fn check_url(&self, text: &str, base: Option<&Url>) -> Result<Url, FetchError> {
        let wrong = |reason: &str| FetchError::InvalidUrl {
            url: shorten_url(text),
            reason: reason.to_owned(),
        };
        if text.len() > URL_BYTES_MAX {
            return Err(wrong("it is too long"));
        }
        let parsed = match base {
            Some(base) => base.join(text),
            None => Url::parse(text.trim()),
        };
        let mut url = parsed.map_err(|error| match error {
            url::ParseError::RelativeUrlWithoutBase => {
                wrong("it has to begin with https:// or http://")
            }
            error => wrong(&error.to_string()),
        })?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(wrong("only https and http are supported"));
        }
        if !url.username().is_empty() || url.password().is_some() {
            // The text is left out, since it holds the password.
            return Err(FetchError::InvalidUrl {
                url: shorten_url(url.host_str().unwrap_or_default()),
                reason: "the address contains a user name or a password".to_owned(),
            });
        }
        url.set_fragment(None);
        self.check_host(text, &url, base)?;
        Ok(url)
    }

    fn check_host(&self, text: &str, url: &Url, base: Option<&Url>) -> Result<(), FetchError> {
        let port = url.port_or_known_default().unwrap_or(0);
        let host = url.host_str().unwrap_or_default();
        let refused = |reason: &str| FetchError::Forbidden {
            host: shorten_url(host),
            reason: reason.to_owned(),
        };
        match url.host() {
            None => return Err(refused("the address has no host")),
            Some(Host::Ipv4(address)) => {
                let same = base.is_some_and(|base| base.host() == url.host());
                if !same && !text.contains(&address.to_string()) {
                    return Err(refused("write an IPv4 address as four decimal numbers"));
                }
                self.check_addresses(host, port, &[IpAddr::V4(address)])?;
            }
            Some(Host::Ipv6(address)) => {
                self.check_addresses(host, port, &[IpAddr::V6(address)])?;
            }
            Some(Host::Domain(name)) => {
                if let Some(reason) = local_name_reason(name)
                    && !self.is_host_allowed(name, port)
                {
                    return Err(refused(reason));
                }
            }
        }
        if !WEB_PORTS.contains(&port) && !self.is_host_allowed(host, port) {
            return Err(refused(&format!("port {port} is not a web port")));
        }
        Ok(())
    }

    /// Checks that connections to `host` at `port` are allowed for all its `addresses`. One refused
    /// address refuses all: a name with public and private addresses is deceptive.
    ///
    /// # Errors
    /// [`FetchError::Forbidden`], or [`FetchError::UnknownHost`] if there is no address.
    pub fn check_addresses(
        &self,
        host: &str,
        port: u16,
        addresses: &[IpAddr],
    ) -> Result<(), FetchError> {
        if addresses.is_empty() {
            return Err(FetchError::UnknownHost { host: shorten_url(host) });
        }
        if self.is_host_allowed(host, port) {
            return Ok(());
        }
        for address in addresses {
            if let Some(reason) = non_public_reason(*address) {
                let literal = trim_host(host) == address.to_string();
                let host = match literal {
                    true => shorten_url(host),
                    false => format!("{} ({address})", shorten_url(host)),
                };
                return Err(FetchError::Forbidden { host, reason: reason.to_owned() });
            }
        }
        Ok(())
    }

    fn is_host_allowed(&self, host: &str, port: u16) -> bool {
        let host = trim_host(host).to_ascii_lowercase();
        self.allowed.iter().any(|one| {
            let named = match one.name.strip_prefix("*.") {
                Some(end) => host.strip_suffix(end).is_some_and(|start| start.ends_with('.')),
                None => one.name == host,
            };
            named && one.port.is_none_or(|only| only == port)
        })
    }
}

impl AllowedHost {
    fn parse(text: &str) -> Self {
        let text = text.trim();
        if let Ok(address) = text.parse::<SocketAddr>() {
            return Self { name: address.ip().to_string(), port: Some(address.port()) };
        }
        if let Ok(address) = trim_host(text).parse::<IpAddr>() {
            return Self { name: address.to_string(), port: None };
        }
        let (name, port) = match text.rsplit_once(':') {
            Some((name, port)) if port.parse::<u16>().is_ok() => (name, port.parse().ok()),
            _ => (text, None),
        };
        Self { name: trim_host(name).to_ascii_lowercase(), port }
    }
}

/// Strips the brackets of an address and the trailing dot of a full name.
fn trim_host(host: &str) -> &str {
    let host = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(host);
    host.strip_suffix('.').unwrap_or(host)
}

/// Returns why a name does not belong to the public web; `None` if it may.
fn local_name_reason(name: &str) -> Option<&'static str> {
    let name = trim_host(name).to_ascii_lowercase();
    let local = LOCAL_NAME_SUFFIXES.iter().any(|end| {
        name.strip_suffix(end).is_some_and(|start| start.is_empty() || start.ends_with('.'))
    });
    if local {
        return Some("it is a name of this machine or its network");
    }
    (!name.contains('.')).then_some("a name without a dot belongs to the local network")
}

/// Returns why an address is not on the public internet, by IANA's registries of special-purpose
/// addresses (RFC 6890 and its updates); `None` if it is.
pub fn non_public_reason(address: IpAddr) -> Option<&'static str> {
    match address {
        IpAddr::V4(address) => non_public_ipv4_reason(address),
        IpAddr::V6(address) => non_public_ipv6_reason(address),
    }
}

fn non_public_ipv4_reason(address: Ipv4Addr) -> Option<&'static str> {
    let [a, b, c, _] = address.octets();
    Some(match (a, b, c) {
        (0, ..) => "it is an unspecified address",
        (127, ..) => "it is an address of this machine",
        (10, ..) | (172, 16..=31, _) | (192, 168, _) => "it is an address of a private network",
        (169, 254, _) => "it is a link-local address, where clouds keep their credentials",
        (100, 64..=127, _) => "it is a shared address of a provider's network",
        (192, 0, 0) | (192, 88, 99) => "it is an address for protocols",
        (192, 0, 2) | (198, 51, 100) | (203, 0, 113) => "it is an address for documentation",
        (198, 18 | 19, _) => "it is an address for benchmarks",
        (224..=239, ..) => "it is a multicast address",
        (240.., ..) => "it is a reserved address",
        _ => return None,
    })
}

fn non_public_ipv6_reason(address: Ipv6Addr) -> Option<&'static str> {
    let segments = address.segments();
    if let Some(inside) = embedded_ipv4(address) {
        return non_public_ipv4_reason(inside);
    }
    Some(match segments {
        [0, 0, 0, 0, 0, 0, 0, 0] => "it is an unspecified address",
        [0, 0, 0, 0, 0, 0, 0, 1] => "it is an address of this machine",
        [0, 0, 0, 0, 0, 0, ..] => "it is an IPv4 address in a form that is no longer used",
        [0xfe80..=0xfebf, ..] => "it is a link-local address",
        [0xfc00..=0xfdff, ..] | [0xfec0..=0xfeff, ..] => "it is an address of a private network",
        [0xff00..=0xffff, ..] => "it is a multicast address",
        [0x2001, 0, ..] => "it is a Teredo address, which hides another one",
        [0x2002, ..] => "it is a 6to4 address, which hides another one",
        [0x2001, 0x0db8, ..] | [0x3fff, 0..=0x0fff, ..] => "it is an address for documentation",
        [0x2001, 1..=0x01ff, ..] => "it is an address for protocols",
        [0x2000..=0x3fff, ..] => return None,
        _ => "it is a reserved address",
    })
}

/// Returns the IPv4 address that is embedded in an IPv6 address: IPv4-mapped (RFC 4291), or
/// translated with the well-known NAT64 prefix (RFC 6052), by which networks without IPv4 reach the
/// public web.
fn embedded_ipv4(address: Ipv6Addr) -> Option<Ipv4Addr> {
    match address.segments() {
        [0, 0, 0, 0, 0, 0xffff, high, low] | [0x0064, 0xff9b, 0, 0, 0, 0, high, low] => {
            Some(Ipv4Addr::from_bits(u32::from(high) << 16 | u32::from(low)))
        }
        _ => None,
    }
}
