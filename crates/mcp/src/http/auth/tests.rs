use hyper::header::AUTHORIZATION;

use super::*;

#[test]
fn only_this_machine_comes_in_without_a_token() {
    let settings = |address: &str, is_public: bool, token: Option<&str>| HttpSettings {
        is_public,
        token: token.and_then(AccessToken::new),
        ..HttpSettings::new(address.parse().expect("an address"))
    };
    let token = Some("0123456789abcdef0123456789abcdef");
    assert!(check_address(&settings("127.0.0.1:0", false, None)).is_ok());
    assert!(check_address(&settings("[::1]:0", false, None)).is_ok());
    assert!(check_address(&settings("0.0.0.0:80", true, token)).is_ok());
    for address in ["127.0.0.1:80", "[::1]:80"] {
        for token in [None, token] {
            let rejected = check_address(&settings(address, true, token));
            assert!(matches!(rejected, Err(HttpError::NotPublic(_))), "{address}");
        }
    }
    for address in ["0.0.0.0:80", "[::]:80", "192.168.1.2:80", "[::ffff:127.0.0.1]:80"] {
        let rejected = check_address(&settings(address, false, token));
        assert!(matches!(rejected, Err(HttpError::Public(_))), "{address}");
        let rejected = check_address(&settings(address, true, None));
        assert!(matches!(rejected, Err(HttpError::NoToken(_))), "{address}");
        let rejected = check_address(&settings(address, true, Some("too short")));
        assert!(matches!(rejected, Err(HttpError::NoToken(_))), "{address}");
    }
}

#[test]
fn requests_show_the_token_at_the_right_path() {
    let token = AccessToken::new("0123456789abcdef0123456789abcdef").expect("long enough");
    let check = |path: &str, shown: Option<&str>, expected: Result<(), RequestRejection>| {
        let mut headers = HeaderMap::new();
        if let Some(shown) = shown {
            headers.insert(AUTHORIZATION, shown.parse().expect("a header's value"));
        }
        assert_eq!(authorise(Some(&token), path, &headers), expected, "{path} {shown:?}");
    };
    check("/mcp", Some("Bearer 0123456789abcdef0123456789abcdef"), Ok(()));
    check("/mcp/", Some("bearer 0123456789abcdef0123456789abcdef"), Ok(()));
    check("/mcp", None, Err(RequestRejection::NoToken));
    check("/mcp", Some(""), Err(RequestRejection::NoToken));
    check("/mcp", Some("Bearer 0123456789abcdef0123456789abcdeX"), Err(RequestRejection::NoToken));
    check("/mcp", Some("Bearer 0123456789abcdef0123456789abcde"), Err(RequestRejection::NoToken));
    check("/mcp", Some("Basic 0123456789abcdef0123456789abcdef"), Err(RequestRejection::NoToken));
    check("/", Some("Bearer 0123456789abcdef0123456789abcdef"), Err(RequestRejection::NoSuchPath));
    assert_eq!(authorise(None, "/mcp", &HeaderMap::new()), Ok(()));
    assert_eq!(format!("{token:?}"), "Token(..)");
}
