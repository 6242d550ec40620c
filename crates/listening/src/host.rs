//! What a client calls the server that it asks: one name or address, and perhaps a port.

use std::net::IpAddr;

/// Longest name, in bytes, as names of domains have.
const NAME_BYTES_MAX: usize = 253;

/// A name or an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Name {
    /// A name, in small letters.
    Text(String),
    /// An address.
    Address(IpAddr),
}

/// What stands in a header `host`, and behind the `://` of an origin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Host {
    /// Who is meant.
    pub name: Name,
    /// At which port, from 1 on; `None`: none was said.
    pub port: Option<u16>,
}

impl Host {
    /// Reads exactly one name or address, with at most one port. `None` is whatever somebody else
    /// could read in another way: lists, users, empty or impossible ports, codes of signs, letters
    /// beyond ASCII, and numbers that are no address in its usual spelling (`127.1`).
    pub fn read(text: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(text).ok()?;
        if let Some(rest) = text.strip_prefix('[') {
            let (address, rest) = rest.split_once(']')?;
            let name = Name::Address(IpAddr::V6(address.parse().ok()?));
            let port = match rest {
                "" => None,
                rest => Some(port(rest.strip_prefix(':')?)?),
            };
            return Some(Self { name, port });
        }
        let (text, port) = match text.split_once(':') {
            Some((name, given)) => (name, Some(port(given)?)),
            None => (text, None),
        };
        Some(Self { name: name(text)?, port })
    }

    /// A host as settings name it: an address of the newer kind may lack its brackets.
    pub fn of_setting(text: &str) -> Option<Self> {
        let address = text.parse::<IpAddr>().ok();
        let host = address.map(|address| Self { name: Name::Address(address), port: None });
        host.or_else(|| Self::read(text.as_bytes()))
    }

    /// Whether who asks for `asked` means this one: the same name, at this port if one was said.
    pub fn covers(&self, asked: &Self) -> bool {
        self.name == asked.name && self.port.is_none_or(|port| asked.port == Some(port))
    }
}

fn name(text: &str) -> Option<Name> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    if text.is_empty() || text.len() > NAME_BYTES_MAX || !text.bytes().all(is_plain) {
        return None;
    }
    if let Ok(address) = text.parse() {
        return Some(Name::Address(IpAddr::V4(address)));
    }
    let text = text.to_ascii_lowercase();
    let last = text.trim_end_matches('.').rsplit('.').next().unwrap_or_default();
    // Some programs take `127.1`, `0x7f.1` and `2130706433` for addresses.
    let digits = last.strip_prefix("0x").unwrap_or(last);
    let is_number = match digits.len() == last.len() {
        true => last.bytes().all(|byte| byte.is_ascii_digit()),
        false => digits.bytes().all(|byte| byte.is_ascii_hexdigit()),
    };
    (!is_number).then_some(Name::Text(text))
}

/// A port from 1 to 65535 as it is usually written.
fn port(text: &str) -> Option<u16> {
    let is_usual = text.bytes().all(|byte| byte.is_ascii_digit()) && !text.starts_with('0');
    text.parse().ok().filter(|_| is_usual)
}

#[cfg(test)]
mod tests {
    use super::{Host, Name};

    fn name(text: &str) -> Name {
        Name::Text(text.to_owned())
    }

    fn address(text: &str) -> Name {
        Name::Address(text.parse().expect("an address"))
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
            assert_eq!(Host::read(text.as_bytes()), Some(Host { name, port }), "{text}");
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
            assert_eq!(Host::read(text.as_bytes()), None, "{text}");
        }
        assert_eq!(Host::read(b"local\xffhost"), None);
    }
}
