//! What is asked for, before any file is looked at.

use std::borrow::Cow;
use std::path::{Component, Path};

use super::error::PathError;
use super::spelled::unspelled;

/// Bytes of the longest path that systems take.
const PATH_BYTES_MAX: usize = 4096;

/// Bytes of the longest name in a folder.
const NAME_BYTES_MAX: usize = 255;

/// Bytes of a path that a message repeats.
const QUOTED_BYTES_MAX: usize = 200;

/// `path`, if it can be the name of a file here at all; names in `$'…'` are as shells take them.
pub(super) fn parse(path: &str) -> Result<Cow<'_, Path>, PathError> {
    if path.is_empty() {
        return Err(PathError::Empty);
    }
    if path.chars().any(char::is_control) {
        return Err(PathError::Control { path: quoted(&path.escape_default().to_string()) });
    }
    if path.len() > PATH_BYTES_MAX {
        let limit = PATH_BYTES_MAX;
        return Err(PathError::TooLong { path: quoted(path), bytes: path.len(), limit });
    }
    if path == "~" || path.starts_with("~/") {
        return Err(PathError::Home { path: quoted(path) });
    }
    if is_windows(path) {
        return Err(PathError::Windows { path: quoted(path) });
    }
    if is_address(path) {
        return Err(PathError::Address { path: quoted(path) });
    }
    let found = unspelled(path).ok_or_else(|| PathError::Spelled { path: quoted(path) })?;
    let names = found.components().filter_map(|part| match part {
        Component::Normal(name) => Some(name.len()),
        Component::Prefix(_) | Component::RootDir | Component::CurDir | Component::ParentDir => {
            None
        }
    });
    match names.max() {
        Some(bytes) if bytes > NAME_BYTES_MAX => {
            Err(PathError::TooLong { path: quoted(path), bytes, limit: NAME_BYTES_MAX })
        }
        _ => Ok(found),
    }
}

/// Whether a path relative to a folder would be read as something else.
pub(super) fn needs_dot(relative: &str) -> bool {
    relative == "~" || relative.starts_with("~/") || is_windows(relative) || is_address(relative)
}

/// A drive (`C:\`, `c:/`) or a share (`\\server\share`, `\\?\C:\`).
fn is_windows(path: &str) -> bool {
    let bytes = path.as_bytes();
    path.starts_with(r"\\")
        || (bytes.len() >= 3
            && bytes[0].is_ascii_alphabetic()
            && bytes[1] == b':'
            && matches!(bytes[2], b'\\' | b'/')
            && !path[2..].starts_with("//"))
}

/// `scheme://…`
fn is_address(path: &str) -> bool {
    path.split_once("://").is_some_and(|(scheme, _)| {
        !scheme.is_empty()
            && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'+')
    })
}

/// As much of `path` as belongs in a message.
pub(super) fn quoted(path: &str) -> String {
    if path.len() <= QUOTED_BYTES_MAX {
        return path.to_owned();
    }
    format!("{}…", &path[..path.floor_char_boundary(QUOTED_BYTES_MAX)])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, expected: &str) {
        let said = parse(path).map_or_else(|error| error.to_string(), |_| "taken".to_owned());
        assert_eq!(said, expected, "{path:?}");
    }

    #[test]
    fn names_of_files_are_taken() {
        for path in ["a", "a/b.rs", "/a", "..", "a:b", "a\\b", "~a", "a~", "%2e%2e/a", "x:", "…"]
        {
            check(path, "taken");
        }
    }

    #[test]
    fn what_can_name_no_file_here_is_refused() {
        check("", "the path is empty; give a path relative to the workspace");
        check("a\0b", r"the path `a\u{0}b` holds a control character (written here as an escape)");
        check("a\n", r"the path `a\n` holds a control character (written here as an escape)");
        check(
            "~/.ssh/id_rsa",
            "`~/.ssh/id_rsa` names a home folder, which is not looked up here; use a path in the \
             workspace",
        );
        for path in [r"C:\a", "c:/a", r"\\server\share", r"\\?\C:\a"] {
            let expected = format!(
                "`{path}` is a Windows path; use a path relative to the workspace, with `/`"
            );
            check(path, &expected);
        }
        check(
            "file:///etc/passwd",
            "`file:///etc/passwd` is an address, not a path; use a path relative to the workspace",
        );
    }

    #[test]
    fn long_paths_are_refused_and_quoted_in_part() {
        let name = "é".repeat(200);
        let said = parse(&name).expect_err("400 bytes").to_string();
        assert_eq!(
            said,
            format!("the path `{}…` is too long: 400 bytes of at most 255", "é".repeat(100))
        );
        let path = "a/".repeat(3000);
        let said = parse(&path).expect_err("6000 bytes").to_string();
        assert!(said.ends_with("is too long: 6000 bytes of at most 4096"), "{said}");
    }
}
