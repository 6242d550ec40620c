//! The kind of a response's content, by its header and, if that says little, by its first bytes.

/// Bytes that are inspected.
const INSPECTED_BYTES: usize = 4 << 10;

/// The kind of a response's content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ContentKind {
    /// Converted to Markdown.
    Html,
    /// Shown unchanged.
    Text,
    /// Described in a sentence.
    Binary,
}

/// Media types outside of `text/` that are text.
const TEXT_MEDIA_TYPES: [&str; 19] = [
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

/// Returns `type/subtype` of a `Content-Type` in lower case; empty if there is none.
pub(crate) fn media_type(content_type: &str) -> String {
    content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// Returns the kind by the header alone; `None` if it says nothing.
pub(crate) fn kind_from_media_type(essence: &str) -> Option<ContentKind> {
    match essence {
        "text/html" | "application/xhtml+xml" => Some(ContentKind::Html),
        ""
        | "application/octet-stream"
        | "binary/octet-stream"
        | "application/x-unknown"
        | "unknown/unknown"
        | "*/*" => None,
        other if other.starts_with("text/") || TEXT_MEDIA_TYPES.contains(&other) => {
            Some(ContentKind::Text)
        }
        other if other.ends_with("+json") || other.ends_with("+xml") => Some(ContentKind::Text),
        other if other.ends_with("+yaml") => Some(ContentKind::Text),
        _ => Some(ContentKind::Binary),
    }
}

/// Detects the kind by header and bytes. Content that its header declares to be text may be binary.
pub(crate) fn detect_kind(essence: &str, bytes: &[u8]) -> ContentKind {
    let head = &bytes[..bytes.len().min(INSPECTED_BYTES)];
    let wide = head.starts_with(&[0xff, 0xfe]) || head.starts_with(&[0xfe, 0xff]);
    let holds_nul = !wide && head.contains(&0);
    match kind_from_media_type(essence) {
        Some(ContentKind::Text | ContentKind::Html) if holds_nul => ContentKind::Binary,
        Some(kind) => kind,
        None if holds_nul || file_format(head).is_some() => ContentKind::Binary,
        None if looks_like_html(head) => ContentKind::Html,
        None => ContentKind::Text,
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

fn file_format(head: &[u8]) -> Option<&'static str> {
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

/// Describes binary content: its type and, if known, its size.
pub(crate) fn describe_binary(essence: &str, bytes: &[u8], length: Option<u64>) -> String {
    let what = match (file_format(bytes), essence) {
        (Some(name), "") => name.to_owned(),
        (Some(name), essence) => format!("{name} ({essence})"),
        (None, "") => "data of unknown type".to_owned(),
        (None, essence) => format!("data of the type {essence}"),
    };
    let size =
        length.map_or_else(|| "of unknown size".to_owned(), |bytes| format!("of {bytes} bytes"));
    format!("{what} {size}; it is not text and is not shown")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds() {
        for (header, bytes, expected) in [
            ("text/html; charset=x", &b"x"[..], ContentKind::Html),
            ("application/vnd.github+json", b"{}", ContentKind::Text),
            ("image/svg+xml", b"<svg/>", ContentKind::Text),
            ("Text/Markdown", b"# x", ContentKind::Text),
            ("text/plain", b"a\0b", ContentKind::Binary),
            ("text/plain", b"\xff\xfea\0", ContentKind::Text),
            ("application/pdf", b"%PDF-1.7", ContentKind::Binary),
            ("image/png", b"x", ContentKind::Binary),
            ("", b" \n<!DOCTYPE HTML>", ContentKind::Html),
            ("", b"\xef\xbb\xbf<html>", ContentKind::Html),
            ("", b"plain", ContentKind::Text),
            ("application/octet-stream", b"%PDF-1.7", ContentKind::Binary),
            ("application/octet-stream", b"fn main() {}", ContentKind::Text),
        ] {
            assert_eq!(detect_kind(&media_type(header), bytes), expected, "{header} {bytes:?}");
        }
    }
}
