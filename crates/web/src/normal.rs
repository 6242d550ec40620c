//! One spelling for all addresses that lead to the same page, for rules about addresses.

use url::Url;

/// The address `text` as rules are about it; `None` for what is no address of the web.
///
/// Scheme and host are in small letters, the port is left out where it is the scheme's own, and
/// so are the dot at the end of a host, user names, fragments, an empty query, `.` and `..`, and
/// all but one of several slashes. Characters that need no `%` have none (RFC 3986, section 6.2.2).
pub fn normal_address(text: &str) -> Option<String> {
    let url = Url::parse(text.trim()).ok()?;
    matches!(url.scheme(), "http" | "https").then(|| normal(&url))
}

/// The same of an address that was read.
pub(crate) fn normal(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default().trim_end_matches('.');
    let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
    let mut path = String::new();
    for letter in plain(url.path()).chars() {
        if letter != '/' || !path.ends_with('/') {
            path.push(letter);
        }
    }
    let query = url.query().filter(|query| !query.is_empty());
    let query = query.map(|query| format!("?{}", plain(query))).unwrap_or_default();
    format!("{}://{host}{port}{path}{query}", url.scheme())
}

/// The text without `%` where none is needed, and with capitals in what stays encoded.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('%') {
        plain.push_str(before);
        let code = after.get(..2).filter(|code| code.bytes().all(|byte| byte.is_ascii_hexdigit()));
        let Some(code) = code else {
            plain.push('%');
            rest = after;
            continue;
        };
        let byte = u8::from_str_radix(code, 16).unwrap_or_default();
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            plain.push(char::from(byte));
        } else {
            plain.push('%');
            plain.push_str(&code.to_ascii_uppercase());
        }
        rest = &after[2..];
    }
    plain + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_page_has_one_spelling() {
        for spelled in [
            "https://example.com/a/secret?q=1",
            "HTTPS://Example.COM/a/secret?q=1",
            "https://example.com:443/a/secret?q=1",
            "https://example.com./a/secret?q=1",
            "https://user:word@example.com/a/secret?q=1",
            "https://example.com/a/secret?q=1#part",
            "https://example.com/a/./b/../secret?q=1",
            "https://example.com/a/%2e/secret?q=1",
            "https://example.com/%61/s%65cret?%71=1",
            "https://example.com//a///secret?q=1",
            "https:\\\\example.com\\a\\secret?q=1",
            "https:example.com/a/secret?q=1",
            " https://exa\tmple.com/a/secret?q=1 ",
            "https://ｅxample.com/a/secret?q=1",
        ] {
            let normal = normal_address(spelled);
            assert_eq!(normal.as_deref(), Some("https://example.com/a/secret?q=1"), "{spelled}");
        }
        for (other, expected) in [
            ("http://Example.com:443/%c3%a4?", "http://example.com:443/%C3%A4"),
            ("https://example.com/100%/%zz/%2f", "https://example.com/100%/%zz/%2F"),
            ("https://[::1]:8080", "https://[::1]:8080/"),
        ] {
            let normal = normal_address(other);
            assert_eq!(normal.as_deref(), Some(expected));
            assert_eq!(normal_address(expected), normal);
        }
        assert_eq!(normal_address("file:///etc/passwd"), None);
    }
}
