//! Syntax checks of requested paths, before any file access.

use std::borrow::Cow;
use std::path::{Component, Path};

use super::error::PathError;
use super::path_escaping::unescape_path;

/// Bytes of the longest path that operating systems accept.
const PATH_BYTES_MAX: usize = 4096;

/// Bytes of the longest file name.
const NAME_BYTES_MAX: usize = 255;

/// Bytes of a path that a message quotes.
const QUOTED_BYTES_MAX: usize = 200;

/// Parses `path`, if it can be the path of a file at all; names in `$'…'` are unescaped.
pub(super) fn parse_path(path: &str) -> Result<Cow<'_, Path>, PathError> {
    if path.is_empty() {
        return Err(PathError::Empty);
    }
    if path.chars().any(char::is_control) {
        return Err(PathError::ControlCharacter {
            path: quote_for_message(&path.escape_default().to_string()),
        });
    }
    if path.len() > PATH_BYTES_MAX {
        let limit = PATH_BYTES_MAX;
        return Err(PathError::TooLong { path: quote_for_message(path), bytes: path.len(), limit });
    }
    if path == "~" || path.starts_with("~/") {
        return Err(PathError::HomeFolder { path: quote_for_message(path) });
    }
    if is_windows_path(path) {
        return Err(PathError::WindowsPath { path: quote_for_message(path) });
    }
    if is_url(path) {
        return Err(PathError::Url { path: quote_for_message(path) });
    }
    let found = unescape_path(path)
        .ok_or_else(|| PathError::InvalidEscape { path: quote_for_message(path) })?;
    let names = found.components().filter_map(|part| match part {
        Component::Normal(name) => Some(name.len()),
        Component::Prefix(_) | Component::RootDir | Component::CurDir | Component::ParentDir => {
            None
        }
    });
    match names.max() {
        Some(bytes) if bytes > NAME_BYTES_MAX => {
            Err(PathError::TooLong { path: quote_for_message(path), bytes, limit: NAME_BYTES_MAX })
        }
        _ => Ok(found),
    }
}

/// Returns whether a relative path would be parsed as something else without a leading `./`.
pub(super) fn needs_dot_prefix(relative: &str) -> bool {
    relative == "~" || relative.starts_with("~/") || is_windows_path(relative) || is_url(relative)
}

/// Returns whether `path` begins with a drive (`C:\`, `c:/`) or a share (`\\server\share`,
/// `\\?\C:\`).
fn is_windows_path(path: &str) -> bool {
    let bytes = path.as_bytes();
    path.starts_with(r"\\")
        || (bytes.len() >= 3
            && bytes[0].is_ascii_alphabetic()
            && bytes[1] == b':'
            && matches!(bytes[2], b'\\' | b'/')
            && !path[2..].starts_with("//"))
}

/// Returns whether `path` has the form `scheme://…`.
fn is_url(path: &str) -> bool {
    path.split_once("://").is_some_and(|(scheme, _)| {
        !scheme.is_empty()
            && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'+')
    })
}

/// Truncates `path` to the length that a message quotes.
pub(super) fn quote_for_message(path: &str) -> String {
    if path.len() <= QUOTED_BYTES_MAX {
        return path.to_owned();
    }
    format!("{}…", &path[..path.floor_char_boundary(QUOTED_BYTES_MAX)])
}

#[cfg(test)]
mod tests;
