//! Escaping of file names that are not plain text, for display and for input.

use std::borrow::Cow;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Component, Path, PathBuf};

/// Returns `path` for display. Names with control characters or invalid UTF-8 are escaped in shell
/// syntax: `$'a\nb'`.
pub(crate) fn escape_path(path: &Path) -> Cow<'_, str> {
    if let Some(text) = path.to_str()
        && is_plain_text(text)
    {
        return Cow::Borrowed(text);
    }
    let mut text = String::new();
    for part in path.components() {
        if !text.is_empty() && !text.ends_with('/') {
            text.push('/');
        }
        match part.as_os_str().to_str().filter(|name| is_plain_text(name)) {
            Some(name) => text.push_str(name),
            None => escape_name(part.as_os_str().as_bytes(), &mut text),
        }
    }
    Cow::Owned(text)
}

/// Returns whether the text contains nothing to escape and nothing that looks escaped.
fn is_plain_text(text: &str) -> bool {
    let is_printable =
        text.bytes().all(|byte| matches!(byte, b' '..=b'~')) || !text.chars().any(char::is_control);
    is_printable && (!text.contains('$') || !text.split('/').any(|name| name.starts_with("$'")))
}

fn escape_name(name: &[u8], text: &mut String) {
    text.push_str("$'");
    for chunk in name.utf8_chunks() {
        for letter in chunk.valid().chars() {
            match letter {
                '\\' | '\'' => text.extend(['\\', letter]),
                '\n' => text.push_str("\\n"),
                '\r' => text.push_str("\\r"),
                '\t' => text.push_str("\\t"),
                letter if letter.is_control() => {
                    escape_bytes(letter.encode_utf8(&mut [0; 4]).as_bytes(), text);
                }
                letter => text.push(letter),
            }
        }
        escape_bytes(chunk.invalid(), text);
    }
    text.push('\'');
}

fn escape_bytes(bytes: &[u8], text: &mut String) {
    for byte in bytes {
        write!(text, "\\x{byte:02x}").expect("writing to a string does not fail");
    }
}

/// Returns the path that is displayed as `text`. Components that are not escaped are taken
/// literally. Returns `None` if an escape is invalid or stands for an impossible name.
pub(crate) fn unescape_path(text: &str) -> Option<Cow<'_, Path>> {
    if !text.contains("$'") {
        return Some(Cow::Borrowed(Path::new(text)));
    }
    let mut path = PathBuf::new();
    for part in Path::new(text).components() {
        match (part, part.as_os_str().to_str().and_then(quoted_name)) {
            (Component::Normal(_), Some(inner)) => path.push(unescape_name(inner)?),
            _ => path.push(part),
        }
    }
    Some(Cow::Owned(path))
}

fn quoted_name(name: &str) -> Option<&str> {
    name.strip_prefix("$'")?.strip_suffix('\'')
}

fn unescape_name(spelled: &str) -> Option<OsString> {
    let mut bytes = Vec::with_capacity(spelled.len());
    let mut rest = spelled;
    while let Some(letter) = rest.chars().next() {
        rest = &rest[letter.len_utf8()..];
        if letter != '\\' {
            bytes.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes());
            continue;
        }
        let escaped = rest.chars().next()?;
        rest = &rest[escaped.len_utf8()..];
        bytes.push(match escaped {
            '\\' => b'\\',
            '\'' => b'\'',
            'n' => b'\n',
            'r' => b'\r',
            't' => b'\t',
            'x' => {
                let (digits, after) = rest.split_at_checked(2)?;
                rest = after;
                let is_number = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
                u8::from_str_radix(digits, 16).ok().filter(|_| is_number)?
            }
            _ => return None,
        });
    }
    let is_name = !bytes.is_empty() && !bytes.contains(&0) && !bytes.contains(&b'/');
    is_name.then(|| OsString::from_vec(bytes))
}

#[cfg(test)]
mod tests;
