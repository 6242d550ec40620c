//! Which addresses of servers may be sent keys, texts and code.

use std::net::IpAddr;

use hyper::Uri;

/// What is wrong with the address of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AddressProblem {
    /// It is none: no scheme, no host, or nothing that can be read.
    Unreadable,
    /// It holds more than a server and a path: maybe a secret. No message may repeat it.
    Secret,
    /// It is another machine, and everybody on the way could read what is sent.
    Unencrypted,
}

/// What is wrong with an address, if anything is. Unencrypted http is for this machine alone,
/// unless `plain_http` says that another one is meant all the same.
pub fn problem_of(address: &str, plain_http: bool) -> Option<AddressProblem> {
    // Before anything else, so that no message repeats it.
    if address.contains(['@', '?', '#']) {
        return Some(AddressProblem::Secret);
    }
    let Ok(uri) = address.parse::<Uri>() else { return Some(AddressProblem::Unreadable) };
    let Some(host) = uri.host().filter(|host| !host.is_empty()) else {
        return Some(AddressProblem::Unreadable);
    };
    match uri.scheme_str() {
        Some("https") => None,
        Some("http") if plain_http || is_this_machine(host) => None,
        Some("http") => Some(AddressProblem::Unencrypted),
        _ => Some(AddressProblem::Unreadable),
    }
}

/// Whether a host, in brackets or not, is the machine that this runs on.
pub fn is_this_machine(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    bare.eq_ignore_ascii_case("localhost")
        || bare.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::{AddressProblem, problem_of};

    #[test]
    fn texts_go_unencrypted_to_this_machine_alone() {
        for address in
            ["https://a.example/v1", "http://127.0.0.1:1", "http://[::1]", "http://LocalHost/v1"]
        {
            assert_eq!(problem_of(address, false), None, "{address}");
        }
        for address in ["http://a.example", "http://192.168.0.7:11434", "http://127.0.0.1.example"]
        {
            assert_eq!(problem_of(address, false), Some(AddressProblem::Unencrypted), "{address}");
            assert_eq!(problem_of(address, true), None, "{address}");
        }
        for address in ["", "a.example", "ftp://a.example", "http://", "https:///v1"] {
            assert_eq!(problem_of(address, true), Some(AddressProblem::Unreadable), "{address}");
        }
        for address in ["https://me:pw@a.example", "https://a.example?key=1", "https://a.example#x"]
        {
            assert_eq!(problem_of(address, true), Some(AddressProblem::Secret), "{address}");
        }
    }
}
