//! The host that a client addresses: one name or address, and optionally a port.

use std::net::IpAddr;

/// The longest domain name, in bytes.
const NAME_BYTES_MAX: usize = 253;

/// A name or an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HostName {
    /// A name in lower case.
    Text(String),
    /// An address.
    Address(IpAddr),
}

/// The host of a `host` header, or of an origin behind `://`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Host {
    /// The name or address.
    pub name: HostName,
    /// The port, at least 1; `None` if there is none.
    pub port: Option<u16>,
}

impl Host {
    /// Parses exactly one name or address, with at most one port. Returns `None` for a text that
    /// another parser could read differently: lists, users, empty or impossible ports, percent
    /// encoding, non-ASCII letters, and numbers that are not an address in its usual spelling
    /// (`127.1`).
    pub fn parse(text: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(text).ok()?;
        if let Some(rest) = text.strip_prefix('[') {
            let (address, rest) = rest.split_once(']')?;
            let name = HostName::Address(IpAddr::V6(address.parse().ok()?));
            let port = match rest {
                "" => None,
                rest => Some(parse_port(rest.strip_prefix(':')?)?),
            };
            return Some(Self { name, port });
        }
        let (text, port) = match text.split_once(':') {
            Some((name, given)) => (name, Some(parse_port(given)?)),
            None => (text, None),
        };
        Some(Self { name: parse_name(text)?, port })
    }

    /// Parses a host as settings spell it: an IPv6 address may lack its brackets.
    pub fn from_setting(text: &str) -> Option<Self> {
        let address = text.parse::<IpAddr>().ok();
        let host = address.map(|address| Self { name: HostName::Address(address), port: None });
        host.or_else(|| Self::parse(text.as_bytes()))
    }

    /// Returns whether this host admits requests for `asked`: the same name, and the same port if
    /// this host has one.
    pub fn covers(&self, asked: &Self) -> bool {
        self.name == asked.name && self.port.is_none_or(|port| asked.port == Some(port))
    }
}

fn parse_name(text: &str) -> Option<HostName> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    if text.is_empty() || text.len() > NAME_BYTES_MAX || !text.bytes().all(is_plain) {
        return None;
    }
    if let Ok(address) = text.parse() {
        return Some(HostName::Address(IpAddr::V4(address)));
    }
    let text = text.to_ascii_lowercase();
    let last = text.trim_end_matches('.').rsplit('.').next().unwrap_or_default();
    // Some programs read `127.1`, `0x7f.1` and `2130706433` as addresses.
    let digits = last.strip_prefix("0x").unwrap_or(last);
    let is_number = match digits.len() == last.len() {
        true => last.bytes().all(|byte| byte.is_ascii_digit()),
        false => digits.bytes().all(|byte| byte.is_ascii_hexdigit()),
    };
    (!is_number).then_some(HostName::Text(text))
}

/// Parses a port from 1 to 65535 in its usual spelling.
fn parse_port(text: &str) -> Option<u16> {
    let is_usual = text.bytes().all(|byte| byte.is_ascii_digit()) && !text.starts_with('0');
    text.parse().ok().filter(|_| is_usual)
}

#[cfg(test)]
mod tests {
    use super::{Host, HostName};

    fn name(text: &str) -> HostName {
        HostName::Text(text.to_owned())
    }

    fn address(text: &str) -> HostName {
        HostName::Address(text.parse().expect("an address"))
    }

    #[test]
    fn one_name_or_address_and_at_most_one_port_are_read() {
        for (text, name, port) in [
            ("localhost", name("localhost"), None),
            ("LocalHost:1", name("localhost"), Some(1)),
            ("127.0.0.1:8931", address("127.0.0.1"), Some(8931)),
            ("[::1]", address("::1"), None),
            ("[::1]:65535", address("::1"), Some(65535)),
            ("box-1.a_b.example:80", name("box-1.a_b.example"), Some(80)),
            ("box.example.", name("box.example."), None),
            ("0x7g", name("0x7g"), None),
            ("1e3", name("1e3"), None),
        ] {
            assert_eq!(Host::parse(text.as_bytes()), Some(Host { name, port }), "{text}");
        }
    }

    #[test]
    fn what_could_be_read_in_another_way_is_not() {
        let long = "a".repeat(254);
        for text in [
            "",
            ":80",
            "localhost:",
            "localhost:0",
            "localhost:00080",
            "localhost:+80",
            "localhost:x",
            "localhost:65536",
            "localhost:99999999",
            "localhost:80:80",
            "localhost: 80",
            "localhost :80",
            " localhost",
            "localhost,evil.example",
            "127.0.0.1:8931,evil.example",
            "127.0.0.1:evil.example",
            "evil.example@127.0.0.1:8931",
            "user:x@localhost",
            "localhost/a",
            "localhost?a",
            "localhost#a",
            "localhost\\evil.example",
            "local%68ost",
            "localhost;a",
            "http://localhost",
            "b\u{f6}x.example",
            "\u{ff4c}ocalhost",
            "::1",
            "[::1",
            "[::1]80",
            "[::1]:",
            "[[::1]]",
            "[127.0.0.1]",
            "[localhost]",
            "[fe80::1%eth0]",
            "127.1",
            "127.0.0.01",
            "127.0.0.1.",
            "2130706433",
            "0x7f.1",
            "0x7f000001",
            "a.0x",
            ".",
            &long,
        ] {
            assert_eq!(Host::parse(text.as_bytes()), None, "{text}");
        }
        assert_eq!(Host::parse(b"local\xffhost"), None);
    }
}
