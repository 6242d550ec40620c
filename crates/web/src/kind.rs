//! What an answer is, by its header and, where that says little, by its first bytes.

/// Bytes that are looked at.
const HEAD_BYTES: usize = 4 << 10;

/// How an answer is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Turned into Markdown.
    Html,
    /// As it is.
    Text,
    /// Described.
    Binary,
}

/// Types under `application/` and `image/` that are text.
const TEXTS: [&str; 19] = [
    "application/json",
    "application/xml",
    "application/javascript",
    "application/ecmascript",
    "application/x-javascript",
    "application/typescript",
    "application/yaml",
    "application/x-yaml",
    "application/toml",
    "application/sql",
    "application/graphql",
    "application/x-ndjson",
    "application/jsonlines",
    "application/x-sh",
    "application/x-shellscript",
    "application/x-httpd-php",
    "application/x-tex",
    "application/rtf",
    "application/pgp-signature",
];

/// `type/subtype` of a `Content-Type`, in lower case; empty if there is none.
pub(crate) fn essence(content_type: &str) -> String {
    content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// The kind by the header alone; `None` if it says nothing.
pub(crate) fn of_header(essence: &str) -> Option<Kind> {
    match essence {
        "text/html" | "application/xhtml+xml" => Some(Kind::Html),
        ""
        | "application/octet-stream"
        | "binary/octet-stream"
        | "application/x-unknown"
        | "unknown/unknown"
        | "*/*" => None,
        other if other.starts_with("text/") || TEXTS.contains(&other) => Some(Kind::Text),
        other if other.ends_with("+json") || other.ends_with("+xml") => Some(Kind::Text),
        other if other.ends_with("+yaml") => Some(Kind::Text),
        _ => Some(Kind::Binary),
    }
}

/// The kind by header and bytes. A text by its header may still be none.
pub(crate) fn of(essence: &str, bytes: &[u8]) -> Kind {
    let head = &bytes[..bytes.len().min(HEAD_BYTES)];
    let wide = head.starts_with(&[0xff, 0xfe]) || head.starts_with(&[0xfe, 0xff]);
    let holds_nul = !wide && head.contains(&0);
    match of_header(essence) {
        Some(Kind::Text | Kind::Html) if holds_nul => Kind::Binary,
        Some(kind) => kind,
        None if holds_nul || magic(head).is_some() => Kind::Binary,
        None if looks_like_html(head) => Kind::Html,
        None => Kind::Text,
    }
}

fn looks_like_html(head: &[u8]) -> bool {
    let start: String = head
        .iter()
        .skip_while(|byte| byte.is_ascii_whitespace() || **byte >= 0x80)
        .take(15)
        .map(|byte| char::from(byte.to_ascii_lowercase()))
        .collect();
    start.starts_with("<!doctype html") || start.starts_with("<html")
}

fn magic(head: &[u8]) -> Option<&'static str> {
    const MAGIC: [(&[u8], &str); 10] = [
        (b"%PDF-", "a PDF"),
        (b"\x89PNG", "a PNG image"),
        (b"GIF8", "a GIF image"),
        (b"\xff\xd8\xff", "a JPEG image"),
        (b"RIFF", "a RIFF file"),
        (b"PK\x03\x04", "a ZIP archive"),
        (b"\x1f\x8b", "a gzip archive"),
        (b"\x7fELF", "a program"),
        (b"\x28\xb5\x2f\xfd", "a Zstandard archive"),
        (b"7z\xbc\xaf", "a 7z archive"),
    ];
    MAGIC.iter().find(|(start, _)| head.starts_with(start)).map(|(_, name)| *name)
}

/// What is said instead of bytes that are no text: their kind and, where known, their number.
pub(crate) fn described(essence: &str, bytes: &[u8], length: Option<u64>) -> String {
    let what = match (magic(bytes), essence) {
        (Some(name), "") => name.to_owned(),
        (Some(name), essence) => format!("{name} ({essence})"),
        (None, "") => "data of no stated type".to_owned(),
        (None, essence) => format!("data of the type {essence}"),
    };
    let size = length.map_or_else(
        || "of a size the server does not state".to_owned(),
        |bytes| format!("of {bytes} bytes"),
    );
    format!("{what} {size}; it is no text and is not shown")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds() {
        for (header, bytes, expected) in [
            ("text/html; charset=x", &b"x"[..], Kind::Html),
            ("application/vnd.github+json", b"{}", Kind::Text),
            ("image/svg+xml", b"<svg/>", Kind::Text),
            ("Text/Markdown", b"# x", Kind::Text),
            ("text/plain", b"a\0b", Kind::Binary),
            ("text/plain", b"\xff\xfea\0", Kind::Text),
            ("application/pdf", b"%PDF-1.7", Kind::Binary),
            ("image/png", b"x", Kind::Binary),
            ("", b" \n<!DOCTYPE HTML>", Kind::Html),
            ("", b"\xef\xbb\xbf<html>", Kind::Html),
            ("", b"plain", Kind::Text),
            ("application/octet-stream", b"%PDF-1.7", Kind::Binary),
            ("application/octet-stream", b"fn main() {}", Kind::Text),
        ] {
            assert_eq!(of(&essence(header), bytes), expected, "{header} {bytes:?}");
        }
    }
}
