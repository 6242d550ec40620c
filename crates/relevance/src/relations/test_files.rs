//! Recognition of test files, and of the files that they test.

use super::paths::file_stem;

/// Folder names that mark test files.
const TEST_FOLDERS: &[&str] = &["__tests__", "spec", "specs", "test", "testing", "tests"];

/// Returns whether a file is a test file by its path.
pub(super) fn is_test_file(path: &str) -> bool {
    let in_folder = path
        .rsplit_once('/')
        .is_some_and(|(folders, _)| folders.split('/').any(|part| TEST_FOLDERS.contains(&part)));
    in_folder || tested_stem(path).is_some() || matches!(file_stem(path), "test" | "tests")
}

/// Returns the stem of the file that a test file is named after: `line` for `test_line.py`,
/// `line_test.go` and `line.test.ts`, `Line` for `LineTest.java`.
pub(super) fn tested_stem(path: &str) -> Option<&str> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = file_stem(path);
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
