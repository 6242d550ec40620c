//! Which addresses pages may be fetched from.
//!
//! A model chooses what is fetched, and pages choose where they redirect to, so that an address
//! may be meant to reach what only this machine can: its own services, its network, the
//! metadata of a cloud. Names are checked here, addresses again when a connection is made.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use url::{Host, Url};

use crate::error::{FetchError, shown};

/// Characters of an address that is taken.
const URL_BYTES_MAX: usize = 8 << 10;

/// Ports of hosts that are not named one by one.
const PORTS: [u16; 4] = [80, 443, 8080, 8443];

/// Ends of names that mean the network one is in. The dot before them is not written.
const LOCAL_NAMES: [&str; 8] =
    ["localhost", "local", "localdomain", "internal", "intranet", "lan", "home.arpa", "onion"];

/// What may be fetched beyond the public web.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Guard {
    allowed: Vec<AllowedHost>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct AllowedHost {
    name: String,
    port: Option<u16>,
}

impl Guard {
    /// The public web and the private hosts in `allow_private`: names (`docs.corp.example`,
    /// `*.corp.example`) or addresses (`10.0.0.7`, `[::1]`), each with `:PORT` or for all ports.
    pub fn new<Text: AsRef<str>>(allow_private: impl IntoIterator<Item = Text>) -> Self {
        let allowed = allow_private.into_iter().map(|text| AllowedHost::of(text.as_ref()));
        Self { allowed: allowed.collect() }
    }

    /// The address `text`, relative to `base` where there is one, if its form and its host's
    /// name allow to ask for it. Where a name leads is for [`Self::check_addresses`].
    ///
    /// # Errors
    /// [`FetchError::Url`] for what is no address, [`FetchError::Forbidden`] for what is refused.
    pub fn check_url(&self, text: &str, base: Option<&Url>) -> Result<Url, FetchError> {
        let wrong = |reason: &str| FetchError::Url { url: shown(text), reason: reason.to_owned() };
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
            return Err(wrong("only https and http are fetched"));
        }
        if !url.username().is_empty() || url.password().is_some() {
            // Without the text, which holds the password.
            return Err(FetchError::Url {
                url: shown(url.host_str().unwrap_or_default()),
                reason: "there is a user name or a password in the address".to_owned(),
            });
        }
        url.set_fragment(None);
        self.check_host(text, &url, base)?;
        Ok(url)
    }

    fn check_host(&self, text: &str, url: &Url, base: Option<&Url>) -> Result<(), FetchError> {
        let port = url.port_or_known_default().unwrap_or(0);
        let host = url.host_str().unwrap_or_default();
        let refused =
            |reason: &str| FetchError::Forbidden { host: shown(host), reason: reason.to_owned() };
        match url.host() {
            None => return Err(refused("there is no host in the address")),
            Some(Host::Ipv4(address)) => {
                let same = base.is_some_and(|base| base.host() == url.host());
                if !same && !text.contains(&address.to_string()) {
                    return Err(refused("an address is written as four decimal numbers"));
                }
                self.check_addresses(host, port, &[IpAddr::V4(address)])?;
            }
            Some(Host::Ipv6(address)) => {
                self.check_addresses(host, port, &[IpAddr::V6(address)])?;
            }
            Some(Host::Domain(name)) => {
                if let Some(reason) = local_name(name)
                    && !self.allows(name, port)
                {
                    return Err(refused(reason));
                }
            }
        }
        if !PORTS.contains(&port) && !self.allows(host, port) {
            return Err(refused(&format!("port {port} is not one of the web's")));
        }
        Ok(())
    }

    /// That all `addresses` of `host` may be connected to at `port`. One that is refused
    /// refuses all: a name with both kinds is made to lead astray.
    ///
    /// # Errors
    /// [`FetchError::Forbidden`], [`FetchError::NoHost`] if there is no address.
    pub fn check_addresses(
        &self,
        host: &str,
        port: u16,
        addresses: &[IpAddr],
    ) -> Result<(), FetchError> {
        if addresses.is_empty() {
            return Err(FetchError::NoHost { host: shown(host) });
        }
        if self.allows(host, port) {
            return Ok(());
        }
        for address in addresses {
            if let Some(reason) = not_public(*address) {
                let literal = bare(host) == address.to_string();
                let host = match literal {
                    true => shown(host),
                    false => format!("{} ({address})", shown(host)),
                };
                return Err(FetchError::Forbidden { host, reason: reason.to_owned() });
            }
        }
        Ok(())
    }

    fn allows(&self, host: &str, port: u16) -> bool {
        let host = bare(host).to_ascii_lowercase();
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
    fn of(text: &str) -> Self {
        let text = text.trim();
        if let Ok(address) = text.parse::<SocketAddr>() {
            return Self { name: address.ip().to_string(), port: Some(address.port()) };
        }
        if let Ok(address) = bare(text).parse::<IpAddr>() {
            return Self { name: address.to_string(), port: None };
        }
        let (name, port) = match text.rsplit_once(':') {
            Some((name, port)) if port.parse::<u16>().is_ok() => (name, port.parse().ok()),
            _ => (text, None),
        };
        Self { name: bare(name).to_ascii_lowercase(), port }
    }
}

/// A host without the brackets of an address and the dot that ends a full name.
fn bare(host: &str) -> &str {
    let host = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(host);
    host.strip_suffix('.').unwrap_or(host)
}

/// Why a name is not one of the public web.
fn local_name(name: &str) -> Option<&'static str> {
    let name = bare(name).to_ascii_lowercase();
    let local = LOCAL_NAMES.iter().any(|end| {
        name.strip_suffix(end).is_some_and(|start| start.is_empty() || start.ends_with('.'))
    });
    if local {
        return Some("it is a name of this machine or its network");
    }
    (!name.contains('.')).then_some("a name without a dot is one of this network")
}

/// Why an address is not one of the public internet, by IANA's registries of special-purpose
/// addresses (RFC 6890 and what updates it); `None` if it is one.
pub fn not_public(address: IpAddr) -> Option<&'static str> {
    match address {
        IpAddr::V4(address) => not_public_v4(address),
        IpAddr::V6(address) => not_public_v6(address),
    }
}

fn not_public_v4(address: Ipv4Addr) -> Option<&'static str> {
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

fn not_public_v6(address: Ipv6Addr) -> Option<&'static str> {
    let segments = address.segments();
    if let Some(inside) = carried(address) {
        return not_public_v4(inside);
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

/// The IPv4 address that one of IPv6 stands for: IPv4-mapped (RFC 4291), or translated by the
/// well-known prefix of NAT64 (RFC 6052), by which networks without IPv4 reach the public web.
fn carried(address: Ipv6Addr) -> Option<Ipv4Addr> {
    match address.segments() {
        [0, 0, 0, 0, 0, 0xffff, high, low] | [0x0064, 0xff9b, 0, 0, 0, 0, high, low] => {
            Some(Ipv4Addr::from_bits(u32::from(high) << 16 | u32::from(low)))
        }
        _ => None,
    }
}
