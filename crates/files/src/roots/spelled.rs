//! Names that are no plain text, spelled so that they can be told and asked for.

use std::borrow::Cow;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Component, Path, PathBuf};

/// `path` as it is told: as it is, except that names with control characters or bytes that are
/// no UTF-8 are spelled as shells take them, `$'a\nb'`.
pub(crate) fn spelled(path: &Path) -> Cow<'_, str> {
    if let Some(text) = path.to_str()
        && is_plain(text)
    {
        return Cow::Borrowed(text);
    }
    let mut text = String::new();
    for part in path.components() {
        if !text.is_empty() && !text.ends_with('/') {
            text.push('/');
        }
        match part.as_os_str().to_str().filter(|name| is_plain(name)) {
            Some(name) => text.push_str(name),
            None => spell(part.as_os_str().as_bytes(), &mut text),
        }
    }
    Cow::Owned(text)
}

/// Whether nothing in it has to be spelled, nor would be taken for spelled.
fn is_plain(text: &str) -> bool {
    let is_printable =
        text.bytes().all(|byte| matches!(byte, b' '..=b'~')) || !text.chars().any(char::is_control);
    is_printable && (!text.contains('$') || !text.split('/').any(|name| name.starts_with("$'")))
}

fn spell(name: &[u8], text: &mut String) {
    text.push_str("$'");
    for chunk in name.utf8_chunks() {
        for letter in chunk.valid().chars() {
            match letter {
                '\\' | '\'' => text.extend(['\\', letter]),
                '\n' => text.push_str("\\n"),
                '\r' => text.push_str("\\r"),
                '\t' => text.push_str("\\t"),
                letter if letter.is_control() => {
                    bytes(letter.encode_utf8(&mut [0; 4]).as_bytes(), text);
                }
                letter => text.push(letter),
            }
        }
        bytes(chunk.invalid(), text);
    }
    text.push('\'');
}

fn bytes(bytes: &[u8], text: &mut String) {
    for byte in bytes {
        write!(text, "\\x{byte:02x}").expect("writing to a string does not fail");
    }
}

/// The path that is told as `text`. Parts that are not spelled are as they are; `None` for a
/// spelling of what no name can hold.
pub(crate) fn unspelled(text: &str) -> Option<Cow<'_, Path>> {
    if !text.contains("$'") {
        return Some(Cow::Borrowed(Path::new(text)));
    }
    let mut path = PathBuf::new();
    for part in Path::new(text).components() {
        match (part, part.as_os_str().to_str().and_then(inner)) {
            (Component::Normal(_), Some(inner)) => path.push(name(inner)?),
            _ => path.push(part),
        }
    }
    Some(Cow::Owned(path))
}

fn inner(name: &str) -> Option<&str> {
    name.strip_prefix("$'")?.strip_suffix('\'')
}

fn name(spelled: &str) -> Option<OsString> {
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
