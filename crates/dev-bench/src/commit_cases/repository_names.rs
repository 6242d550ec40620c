//! Names of repositories by their folders.

use std::collections::HashSet;
use std::path::Path;

/// Last parts of paths that name no repository.
const EMPTY_NAMES: &[&str] = &[".git", "git", "repo", "repository"];

/// Returns a name for each folder: its last significant part, with as many parts before it as
/// needed to make all names distinct.
pub(super) fn distinct_names(folders: &[&Path]) -> Vec<String> {
    let parts: Vec<Vec<String>> = folders.iter().map(|folder| name_parts(folder)).collect();
    let most = parts.iter().map(Vec::len).max().unwrap_or(0);
    let names = |length: usize| -> Vec<String> {
        parts.iter().map(|parts| parts[parts.len().saturating_sub(length)..].join("/")).collect()
    };
    let is_distinct =
        |names: &Vec<String>| names.iter().collect::<HashSet<_>>().len() == names.len();
    (1..=most).map(names).find(is_distinct).unwrap_or_else(|| names(most))
}

fn name_parts(folder: &Path) -> Vec<String> {
    let parts = folder.components().map(|part| part.as_os_str().to_string_lossy().into_owned());
    let mut parts: Vec<String> = parts.collect();
    while parts.len() > 1 && parts.last().is_some_and(|last| EMPTY_NAMES.contains(&last.as_str())) {
        parts.pop();
    }
    if let Some(last) = parts.last_mut() {
        *last = last.strip_suffix(".git").unwrap_or(last).to_owned();
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repositories_have_distinct_names() {
        for (folders, expected) in [
            (vec!["/a/b"], "b"),
            (vec!["/a/b.git", "/a/c/.git"], "b c"),
            (vec!["/mirror/x+y/repo", "/mirror/z/repo"], "x+y z"),
            (vec!["/a/lib", "/b/lib", "/b/other"], "a/lib b/lib b/other"),
            (vec!["/"], "/"),
        ] {
            let folders: Vec<&Path> = folders.into_iter().map(Path::new).collect();
            assert_eq!(distinct_names(&folders).join(" "), expected, "{folders:?}");
        }
    }
}
