//! Addresses of this machine, its network or nowhere are refused before a request is sent.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use foveal_web::{AddressPolicy, FetchError, FetchLimits, Fetcher, non_public_reason};
use proptest::prelude::*;

use crate::server::{self, Server, good};

/// Names resolve to a public address here, so that only their spelling can refuse them.
fn public() -> Fetcher {
    let nobody = |_: &str| panic!("a refused address is not looked up");
    Fetcher::new(AddressPolicy::default(), FetchLimits::default())
        .with_name_lookup(Arc::new(nobody))
}

#[test]
#[allow(clippy::too_many_lines)] // A flat table.
fn spellings_of_private_addresses_are_refused() {
    let spellings = [
        "http://127.0.0.1/",
        "http://127.1/",
        "http://127.0.1/",
        "http://2130706433/",
        "http://0x7f000001/",
        "http://0x7f.0.0.1/",
        "http://0177.0.0.1/",
        "http://017700000001/",
        "http://127.0.0.1./",
        "http://127.255.255.254/",
        "http://0/",
        "http://0.0.0.0/",
        "http://10.0.0.1/",
        "http://10.255.255.255/",
        "http://172.16.0.1/",
        "http://172.31.255.255/",
        "http://192.168.1.1/",
        "http://169.254.169.254/latest/meta-data/",
        "http://0xa9fea9fe/",
        "http://2852039166/",
        "http://0251.0376.0251.0376/",
        "http://100.64.0.1/",
        "http://100.127.255.255/",
        "http://192.0.0.1/",
        "http://192.0.2.1/",
        "http://198.18.0.1/",
        "http://198.51.100.1/",
        "http://203.0.113.1/",
        "http://224.0.0.1/",
        "http://240.0.0.1/",
        "http://255.255.255.255/",
        "http://[::1]/",
        "http://[::]/",
        "http://[0:0:0:0:0:0:0:1]/",
        "http://[::ffff:127.0.0.1]/",
        "http://[::ffff:7f00:1]/",
        "http://[::ffff:169.254.169.254]/",
        "http://[::127.0.0.1]/",
        "http://[fe80::1]/",
        "http://[fc00::1]/",
        "http://[fd00:ec2::254]/",
        "http://[fec0::1]/",
        "http://[ff02::1]/",
        "http://[64:ff9b::127.0.0.1]/",
        "http://[64:ff9b::a9fe:a9fe]/",
        "http://[64:ff9b:1::1]/",
        "http://[2002:7f00:1::]/",
        "http://[2001:0:7f00:1::]/",
        "http://[2001:db8::1]/",
        "http://[100::1]/",
        "http://localhost/",
        "http://LOCALHOST/",
        "http://localhost./",
        "http://a.localhost/",
        "http://printer.local/",
        "http://metadata.google.internal/",
        "http://router.lan/",
        "http://nas.home.arpa/",
        "http://intranet/",
        "http://metadata/",
        "http://①②⑦.0.0.1/",
        "http://127。0。0。1/",
        "http://ｌｏｃａｌｈｏｓｔ/",
        "http://%6c%6f%63alhost/",
        "http://%31%32%37.0.0.1/",
        "http:\\\\127.0.0.1\\",
        "http:127.0.0.1",
        "\thttp://127.0.0.1\n/",
        // A public address, but in a spelling that hides it.
        "http://134744072/",
        "http://0x08080808/",
        // Ports of other services.
        "http://example.com:22/",
        "http://example.com:6379/",
        "http://8.8.8.8:25/",
        "https://example.com:0/",
    ];
    for spelling in spellings {
        let error = server::failure(&public(), spelling);
        assert!(matches!(error, FetchError::Forbidden { .. }), "{spelling}: {error:?}");
    }
}

#[test]
fn what_is_no_address_of_a_page_is_refused() {
    for (text, expected) in [
        ("", "`` cannot be fetched: it has to begin with https:// or http://"),
        (
            "example.com/x",
            "`example.com/x` cannot be fetched: it has to begin with https:// or \
                           http://",
        ),
        (
            "file:///etc/passwd",
            "`file:///etc/passwd` cannot be fetched: only https and http are \
                                supported",
        ),
        (
            "gopher://example.com/",
            "`gopher://example.com/` cannot be fetched: only https and \
                                   http are supported",
        ),
        (
            "data:text/html,x",
            "`data:text/html,x` cannot be fetched: only https and http are \
                              supported",
        ),
        (
            "https://user:secret@example.com/",
            "`example.com` cannot be fetched: the address contains \
                                              a user name or a password",
        ),
        (
            "https://example.com@127.0.0.1/",
            "`127.0.0.1` cannot be fetched: the address contains \
                                            a user name or a password",
        ),
        ("https://", "`https://` cannot be fetched: empty host"),
        ("http://[::1/", "`http://[::1/` cannot be fetched: invalid IPv6 address"),
    ] {
        assert_eq!(server::failure(&public(), text).to_string(), expected);
    }
    let long = format!("https://example.com/{}", "x".repeat(9000));
    assert!(matches!(server::failure(&public(), &long), FetchError::InvalidUrl { .. }));
}

#[test]
fn public_addresses_are_public() {
    for address in [
        "8.8.8.8",
        "1.1.1.1",
        "9.255.255.255",
        "11.0.0.1",
        "100.63.255.255",
        "100.128.0.1",
        "172.15.0.1",
        "172.32.0.1",
        "192.167.0.1",
        "223.255.255.255",
        "2606:4700::1111",
        "2a00:1450:4001::1",
        "::ffff:8.8.8.8",
        "64:ff9b::8.8.8.8",
    ] {
        assert_eq!(non_public_reason(address.parse().unwrap()), None, "{address}");
    }
}

#[test]
fn a_refusal_says_what_to_do() {
    assert_eq!(
        server::failure(&public(), "http://169.254.169.254/").to_string(),
        "169.254.169.254 is refused: it is a link-local address, where clouds keep their \
         credentials; to allow it, a person can add it to the allowed private hosts"
    );
}

#[test]
fn a_name_that_leads_inside_is_refused() {
    let server = Server::start(vec![("/", good("text/plain", "secret"))]);
    let answers = [
        vec!["127.0.0.1"],
        // One public address does not make up for a private one.
        vec!["8.8.8.8", "10.0.0.1"],
        vec!["::ffff:127.0.0.1"],
    ];
    for addresses in answers {
        let addresses: Vec<IpAddr> = addresses.iter().map(|one| one.parse().unwrap()).collect();
        let names = Arc::new(move |_: &str| Ok(addresses.clone()));
        let fetcher =
            Fetcher::new(AddressPolicy::default(), server::limits()).with_name_lookup(names);
        let error = server::failure(&fetcher, "http://attacker.example/");
        assert!(matches!(&error, FetchError::Forbidden { .. }), "{error:?}");
    }
    assert_eq!(server.count(), 0);
}

#[test]
fn the_address_that_is_checked_is_the_one_that_is_used() {
    let server = Server::start(vec![("/", good("text/plain", "page"))]);
    let asked = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&asked);
    let names = Arc::new(move |_: &str| {
        // Leads elsewhere from the second time on.
        Ok(match counter.fetch_add(1, Ordering::SeqCst) {
            0 => vec![IpAddr::from([127, 0, 0, 1])],
            _ => vec![IpAddr::from([127, 0, 0, 2])],
        })
    });
    let fetcher =
        Fetcher::new(AddressPolicy::new(["site.test"]), server::limits()).with_name_lookup(names);
    assert_eq!(server::fetch(&fetcher, &server.url("/")).unwrap().content.text(), "page");
    assert_eq!(asked.load(Ordering::SeqCst), 1);
}

#[test]
fn a_name_without_address_is_said() {
    for answer in [Ok(vec![]), Err(std::io::Error::other("no"))] {
        let answer = answer.map_err(|error: std::io::Error| error.to_string());
        let names = Arc::new(move |_: &str| answer.clone().map_err(std::io::Error::other));
        let fetcher =
            Fetcher::new(AddressPolicy::default(), server::limits()).with_name_lookup(names);
        assert_eq!(
            server::failure(&fetcher, "https://nowhere.example/").to_string(),
            "host nowhere.example not found; check the address"
        );
    }
}

#[test]
fn hosts_are_allowed_one_by_one() {
    let guard = AddressPolicy::new(["localhost:3000", "10.0.0.7", "*.corp.example", "[::1]:8080"]);
    for (url, allowed) in [
        ("http://localhost:3000/", true),
        ("http://localhost:3001/", false),
        ("http://LocalHost.:3000/", true),
        ("http://10.0.0.7:9999/", true),
        ("http://10.0.0.8/", false),
        ("http://wiki.corp.example:81/", true),
        ("http://evilcorp.example:81/", false),
        ("http://[::1]:8080/", true),
        ("http://[::1]/", false),
        ("https://example.com/", true),
        ("https://example.com:8443/", true),
    ] {
        assert_eq!(guard.check_url(url, None).is_ok(), allowed, "{url}");
    }
}

proptest! {
    #[test]
    fn no_text_reaches_a_private_address(text in "(?s).{0,60}") {
        let _ = AddressPolicy::default().check_url(&text, None);
    }

    #[test]
    fn no_number_spells_a_private_address(number: u32) {
        let guard = AddressPolicy::default();
        let address = std::net::Ipv4Addr::from_bits(number);
        let plain = guard.check_url(&format!("http://{address}/"), None);
        prop_assert_eq!(plain.is_ok(), non_public_reason(address.into()).is_none());
        let decimal = guard.check_url(&format!("http://{number}/"), None);
        prop_assert!(decimal.is_err());
        let mapped = guard.check_url(&format!("http://[::ffff:{address}]/"), None);
        prop_assert_eq!(mapped.is_ok(), plain.is_ok());
    }
}
