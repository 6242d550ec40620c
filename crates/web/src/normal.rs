//! One spelling for all addresses that lead to the same page, for rules about addresses.

use std::sync::Arc;

use url::Url;

/// Whether a redirect to an address, spelled as [`normal_address`] does, may be followed.
pub type MayFollow = Arc<dyn Fn(&str) -> bool + Send + Sync>;

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

/// A glob over addresses, spelled as [`normal_address`] spells what it matches: as far as its parts
/// are written out.
pub fn normal_glob(glob: &str) -> String {
    let Some((scheme, rest)) = glob.split_once("://") else { return glob.to_owned() };
    let (authority, path) = rest.find('/').map_or((rest, ""), |at| rest.split_at(at));
    let is_written = |text: &str| !text.contains(['*', '?', '[', '{', '\\']);
    let scheme = scheme.to_ascii_lowercase();
    let authority = match Url::parse(&format!("{scheme}://{authority}/")) {
        Ok(url) if is_written(authority) => normal(&url)
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
    format!("{scheme}://{authority}{}{end}", plain(&spelled))
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
            assert_eq!(Some(normal_glob(glob)), normal_address(address), "{glob}");
        }
        for (glob, expected) in [
            ("https://*.Example.com/A*", "https://*.example.com/A*"),
            ("https://x.example*", "https://x.example*"),
            ("*secret*", "*secret*"),
        ] {
            assert_eq!(normal_glob(glob), expected);
        }
    }
}
