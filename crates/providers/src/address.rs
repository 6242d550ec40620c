//! The check whether an address of a server may receive keys, texts and code.

use std::net::IpAddr;

use hyper::Uri;

/// The suffix of a provider's name that allows unencrypted HTTP to another machine.
pub(crate) const PLAIN_HTTP: &str = "+http";

/// The reason why an address of a server is rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AddressProblem {
    /// It is not an address: no scheme, no host, or unreadable.
    Unreadable,
    /// It holds more than a server and a path, perhaps a secret. No message may repeat it.
    Secret,
    /// Its port is no number from 0 to 65535.
    Port,
    /// It is another machine, and the request would travel unencrypted.
    Unencrypted,
}

/// Returns the problem of an address, if it has one. Unencrypted HTTP is accepted only for this
/// machine, or if `plain_http` says that the user wants it for another machine.
pub(crate) fn find_address_problem(address: &str, plain_http: bool) -> Option<AddressProblem> {
    // Checked first, so that no message repeats it.
    if address.contains(['@', '?', '#']) {
        return Some(AddressProblem::Secret);
    }
    let Ok(uri) = address.parse::<Uri>() else { return Some(AddressProblem::Unreadable) };
    let Some(host) = uri.host().filter(|host| !host.is_empty()) else {
        return Some(AddressProblem::Unreadable);
    };
    let has_port = uri.authority().is_some_and(|all| all.as_str().len() > host.len());
    if uri.scheme().is_some() && has_port && uri.port_u16().is_none() {
        return Some(AddressProblem::Port);
    }
    match uri.scheme_str() {
        Some("https") => None,
        Some("http") if plain_http || is_this_machine(host) => None,
        Some("http") => Some(AddressProblem::Unencrypted),
        _ => Some(AddressProblem::Unreadable),
    }
}

/// Returns whether a host, with or without brackets, is the local machine.
pub(crate) fn is_this_machine(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    bare.eq_ignore_ascii_case("localhost")
        || bare.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::{AddressProblem, find_address_problem};

    #[test]
    fn texts_go_unencrypted_to_this_machine_alone() {
        for address in
            ["https://a.example/v1", "http://127.0.0.1:1", "http://[::1]", "http://LocalHost/v1"]
        {
            assert_eq!(find_address_problem(address, false), None, "{address}");
        }
        for address in ["http://a.example", "http://192.168.0.7:11434", "http://127.0.0.1.example"]
        {
            assert_eq!(
                find_address_problem(address, false),
                Some(AddressProblem::Unencrypted),
                "{address}"
            );
            assert_eq!(find_address_problem(address, true), None, "{address}");
        }
        for address in ["", "a.example", "ftp://a.example", "http://", "https:///v1"] {
            assert_eq!(
                find_address_problem(address, true),
                Some(AddressProblem::Unreadable),
                "{address}"
            );
        }
        for address in ["http://127.0.0.1:88100/v1", "http://[::1]:99999"] {
            assert_eq!(
                find_address_problem(address, true),
                Some(AddressProblem::Port),
                "{address}"
            );
        }
        for address in ["https://me:pw@a.example", "https://a.example?key=1", "https://a.example#x"]
        {
            assert_eq!(
                find_address_problem(address, true),
                Some(AddressProblem::Secret),
                "{address}"
            );
        }
    }
}
