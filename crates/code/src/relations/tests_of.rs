//! Which files hold tests, and for which file.

use super::paths::stem;

/// Parts of paths that say that a file holds tests.
const FOLDERS: &[&str] = &["__tests__", "spec", "specs", "test", "testing", "tests"];

/// Whether the path of a file says that it holds tests.
pub(super) fn is_test_file(path: &str) -> bool {
    let in_folder = path
        .rsplit_once('/')
        .is_some_and(|(folders, _)| folders.split('/').any(|part| FOLDERS.contains(&part)));
    in_folder || subject(path).is_some() || matches!(stem(path), "test" | "tests")
}

/// The name, without ending, of the file that a file of tests is named after: `line` for
/// `test_line.py`, `line_test.go`, `line.test.ts`, `Line` for `LineTest.java`.
pub(super) fn subject(path: &str) -> Option<&str> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = stem(path);
    let second = name.split('.').nth(1);
    if matches!(second, Some("test" | "spec")) && name.split('.').count() > 2 {
        return Some(stem);
    }
    let words = ["_test", "_tests", "_spec", "-test", "-spec"];
    let before = stem.strip_prefix("test_").or_else(|| stem.strip_prefix("tests_"));
    let after = || words.iter().find_map(|word| stem.strip_suffix(word));
    let cased = || ["Tests", "Test", "Spec"].iter().find_map(|word| stem.strip_suffix(word));
    before.or_else(after).or_else(cased).filter(|subject| !subject.is_empty())
}
