//! Paths relative to the searched folder, as text, and their order.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use crate::roots::{spelled, unspelled};

/// The path that an answer tells as `name`.
pub fn path_of(name: &str) -> Cow<'_, Path> {
    unspelled(name).unwrap_or(Cow::Borrowed(Path::new(name)))
}

/// How answers tell `path`: as it is, unless a name in it is no plain text.
pub fn name_of(path: &Path) -> Cow<'_, str> {
    spelled(path)
}

/// Compares paths folder by folder, names by their bytes: what is in `a/` comes before
/// `a.txt`.
pub(super) fn compare(one: &str, other: &str) -> Ordering {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    match one.iter().zip(other).position(|(a, b)| a != b) {
        Some(at) => rank(one[at]).cmp(&rank(other[at])),
        None => one.len().cmp(&other.len()),
    }
}

/// The separator comes before all that a name can hold.
fn rank(byte: u8) -> u8 {
    if byte == b'/' { 0 } else { byte }
}

/// A path that sorts as [`compare`] says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Name(pub(super) Box<str>);

impl Ord for Name {
    fn cmp(&self, other: &Self) -> Ordering {
        compare(&self.0, &other.0)
    }
}

impl PartialOrd for Name {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Names what is found below a folder.
pub(super) struct Names {
    /// What a walk puts in front of each path.
    root: PathBuf,
    /// What is put in its place: the folder relative to the base, with a last `/`, or nothing.
    prefix: String,
}

impl Names {
    pub(super) fn new(root: &Path, path: &str) -> Self {
        let prefix = if path.is_empty() { String::new() } else { format!("{path}/") };
        Self { root: root.to_owned(), prefix }
    }

    /// The name of a path that a walk gave, relative to the base, spelled as it is told.
    pub(super) fn name(&self, path: &Path) -> String {
        let bytes = path.as_os_str().as_bytes();
        let rest = bytes.strip_prefix(self.root.as_os_str().as_bytes()).unwrap_or(bytes);
        let rest = rest.strip_prefix(b"/").unwrap_or(rest);
        let rest = spelled(Path::new(OsStr::from_bytes(rest)));
        if rest.is_empty() {
            return self.prefix.trim_end_matches('/').to_owned();
        }
        let mut name = String::with_capacity(self.prefix.len() + rest.len());
        name.push_str(&self.prefix);
        name.push_str(&rest);
        name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_come_before_what_their_name_begins() {
        let mut paths = ["a.txt", "a/b", "ab", "a", "a-b/c", "B"];
        paths.sort_by(|one, other| compare(one, other));
        assert_eq!(paths, ["B", "a", "a/b", "a-b/c", "a.txt", "ab"]);
    }
}
