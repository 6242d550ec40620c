//! Paths relative to the searched folder, as text, and their order.

use std::cmp::Ordering;
use std::path::{MAIN_SEPARATOR, Path};

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
    root: String,
    /// What is put in its place: the folder relative to the base, with a last `/`, or nothing.
    prefix: String,
}

impl Names {
    pub(super) fn new(root: &Path, path: &str) -> Self {
        let prefix = if path.is_empty() { String::new() } else { format!("{path}/") };
        Self { root: root.to_string_lossy().into_owned(), prefix }
    }

    /// The name of a path that a walk gave, relative to the base, with `/` between its parts.
    /// Bytes that are not UTF-8 are replaced.
    pub(super) fn name(&self, path: &Path) -> String {
        let text = path.to_string_lossy();
        let rest = text.strip_prefix(self.root.as_str()).unwrap_or(&text);
        let rest = rest.strip_prefix(MAIN_SEPARATOR).unwrap_or(rest);
        let name = if rest.is_empty() {
            self.prefix.trim_end_matches('/').to_owned()
        } else {
            let mut name = String::with_capacity(self.prefix.len() + rest.len());
            name.push_str(&self.prefix);
            name.push_str(rest);
            name
        };
        if MAIN_SEPARATOR == '/' { name } else { name.replace(MAIN_SEPARATOR, "/") }
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
