//! Paths relative to the searched folder: display form and order.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use crate::roots::{escape_path, unescape_path};

/// Returns the path that an answer shows as `name`.
pub fn path_from_display(name: &str) -> Cow<'_, Path> {
    unescape_path(name).unwrap_or(Cow::Borrowed(Path::new(name)))
}

/// Returns `path` as answers show it: unchanged, unless a name in it needs escaping.
pub fn path_for_display(path: &Path) -> Cow<'_, str> {
    escape_path(path)
}

/// Compares paths folder by folder, names by their bytes: `a/b` comes before `a.txt`.
pub(super) fn compare_paths(one: &str, other: &str) -> Ordering {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    match one.iter().zip(other).position(|(a, b)| a != b) {
        Some(at) => byte_rank(one[at]).cmp(&byte_rank(other[at])),
        None => one.len().cmp(&other.len()),
    }
}

/// Ranks the separator before all bytes of names.
fn byte_rank(byte: u8) -> u8 {
    if byte == b'/' { 0 } else { byte }
}

/// A path ordered by [`compare_paths`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct OrderedPath(pub(super) Box<str>);

impl Ord for OrderedPath {
    fn cmp(&self, other: &Self) -> Ordering {
        compare_paths(&self.0, &other.0)
    }
}

impl PartialOrd for OrderedPath {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The path of a file with hits: sources come before changelogs and lock files, which repeat names
/// without saying more, and each group is ordered by path.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct HitPath {
    is_record: bool,
    path: OrderedPath,
}

impl HitPath {
    pub(super) fn new(path: &str) -> Self {
        Self { is_record: is_change_record(path), path: OrderedPath(path.into()) }
    }
}

/// Returns whether a path is that of a changelog or of a lock file of dependencies.
fn is_change_record(path: &str) -> bool {
    const CHANGELOGS: [&str; 6] =
        ["changelog", "changes", "history", "news", "releases", "release-notes"];
    const LOCK_FILES: [&str; 5] =
        ["package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "go.sum", "bun.lockb"];
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    let (stem, ending) = name.split_once('.').unwrap_or((&name, ""));
    let is_changelog = matches!(ending, "" | "md" | "rst" | "txt" | "adoc")
        && CHANGELOGS.contains(&stem.replace('_', "-").as_str());
    is_changelog || ending == "lock" || LOCK_FILES.contains(&name.as_str())
}

/// Converts paths of a walk to display names.
pub(super) struct WalkPathNames {
    /// The prefix that the walk gives each path.
    root: PathBuf,
    /// Its replacement: the folder relative to the base with a final `/`, or nothing.
    prefix: String,
}

impl WalkPathNames {
    pub(super) fn new(root: &Path, path: &str) -> Self {
        let prefix = if path.is_empty() { String::new() } else { format!("{path}/") };
        Self { root: root.to_owned(), prefix }
    }

    /// Returns the display name, relative to the base, of a path from the walk.
    pub(super) fn display_name(&self, path: &Path) -> String {
        let bytes = path.as_os_str().as_bytes();
        let rest = bytes.strip_prefix(self.root.as_os_str().as_bytes()).unwrap_or(bytes);
        let rest = rest.strip_prefix(b"/").unwrap_or(rest);
        let rest = escape_path(Path::new(OsStr::from_bytes(rest)));
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
    fn sources_come_before_changelogs_and_lock_files() {
        let mut paths = ["CHANGELOG.md", "Cargo.lock", "docs/changes.md", "src/history.rs", "z.py"];
        paths.sort_by_key(|path| HitPath::new(path));
        assert_eq!(
            paths,
            ["src/history.rs", "z.py", "CHANGELOG.md", "Cargo.lock", "docs/changes.md"]
        );
    }

    #[test]
    fn folders_come_before_what_their_name_begins() {
        let mut paths = ["a.txt", "a/b", "ab", "a", "a-b/c", "B"];
        paths.sort_by(|one, other| compare_paths(one, other));
        assert_eq!(paths, ["B", "a", "a/b", "a-b/c", "a.txt", "ab"]);
    }
}
