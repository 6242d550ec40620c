//! Normalizes URLs, so that permission rules see one spelling per page.

use std::sync::Arc;

use url::Url;

/// Returns whether a redirect to a URL, as [`normalize_address`] spells it, may be followed.
pub type RedirectFilter = Arc<dyn Fn(&str) -> bool + Send + Sync>;

/// Normalizes a URL for permission rules; `None` if it is no web address.
///
/// Scheme and host become lower-case. A default port is removed, and so are the trailing dot of the
/// host, user names, fragments, an empty query, `.` and `..`, and repeated slashes.
/// Percent-encoding that is not needed is decoded (RFC 3986, section 6.2.2).
pub fn normalize_address(text: &str) -> Option<String> {
    let url = Url::parse(text.trim()).ok()?;
    matches!(url.scheme(), "http" | "https").then(|| normalize_url(&url))
}

/// Normalizes a parsed URL.
pub(crate) fn normalize_url(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default().trim_end_matches('.');
    let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
    let mut path = String::new();
    for letter in normalize_percent_encoding(url.path()).chars() {
        if letter != '/' || !path.ends_with('/') {
            path.push(letter);
        }
    }
    let query = url.query().filter(|query| !query.is_empty());
    let query =
        query.map(|query| format!("?{}", normalize_percent_encoding(query))).unwrap_or_default();
    format!("{}://{host}{port}{path}{query}", url.scheme())
}

/// Normalizes the literal parts of a glob as [`normalize_address`] does, so that they match.
pub fn normalize_glob(glob: &str) -> String {
    let Some((scheme, rest)) = glob.split_once("://") else { return glob.to_owned() };
    let (authority, path) = rest.find('/').map_or((rest, ""), |at| rest.split_at(at));
    let is_written = |text: &str| !text.contains(['*', '?', '[', '{', '\\']);
    let scheme = scheme.to_ascii_lowercase();
    let authority = match Url::parse(&format!("{scheme}://{authority}/")) {
        Ok(url) if is_written(authority) => normalize_url(&url)
            .trim_start_matches(&format!("{scheme}://"))
            .trim_end_matches('/')
            .to_owned(),
        _ => authority.to_ascii_lowercase(),
    };
    let mut spelled = String::new();
    for letter in path.chars() {
        match letter {
            '/' if spelled.ends_with('/') => {}
            ' ' => spelled.push_str("%20"),
            letter if letter.is_ascii() => spelled.push(letter),
            letter => {
                let mut bytes = [0; 4];
                for byte in letter.encode_utf8(&mut bytes).bytes() {
                    spelled.push_str(&format!("%{byte:02X}"));
                }
            }
        }
    }
    let end = if path.is_empty() && is_written(authority.as_str()) { "/" } else { "" };
    format!("{scheme}://{authority}{}{end}", normalize_percent_encoding(&spelled))
}

/// Decodes percent-encoding that is not needed, and writes the rest in upper case.
fn normalize_percent_encoding(text: &str) -> String {
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
        if byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=:@".contains(&byte) {
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
            let normal = normalize_address(spelled);
            assert_eq!(normal.as_deref(), Some("https://example.com/a/secret?q=1"), "{spelled}");
        }
        for (other, expected) in [
            ("http://Example.com:443/%c3%a4?", "http://example.com:443/%C3%A4"),
            ("https://example.com/100%/%zz/%2f", "https://example.com/100%/%zz/%2F"),
            ("https://[::1]:8080", "https://[::1]:8080/"),
        ] {
            let normal = normalize_address(other);
            assert_eq!(normal.as_deref(), Some(expected));
            assert_eq!(normalize_address(expected), normal);
        }
        assert_eq!(normalize_address("file:///etc/passwd"), None);
    }

    #[test]
    fn globs_are_spelled_as_what_they_match() {
        for (glob, address) in [
            ("https://x.example", "https://x.example/"),
            ("HTTPS://X.example:443/a", "https://x.example/a"),
            ("https://x.example/%73ecret", "https://x.example/secret"),
            ("https://x.example/@user/a", "https://x.example/%40user/a"),
            ("https://x.example/Talk:a(b)", "https://x.example/Talk%3Aa%28b%29"),
            ("https://x.example/café/a b", "https://x.example/caf%C3%A9/a%20b"),
            ("https://bücher.example/a", "https://xn--bcher-kva.example/a"),
            ("https://x.example/web//a", "https://x.example/web/a"),
        ] {
            assert_eq!(Some(normalize_glob(glob)), normalize_address(address), "{glob}");
        }
        for (glob, expected) in [
            ("https://*.Example.com/A*", "https://*.example.com/A*"),
            ("https://x.example*", "https://x.example*"),
            ("*secret*", "*secret*"),
        ] {
            assert_eq!(normalize_glob(glob), expected);
        }
    }
}
