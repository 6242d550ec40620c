//! The role of a file by its path. Most queries are about implementation files.

/// The role of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileRole {
    /// Implementation, as far as the path shows.
    Implementation,
    /// A test, example or benchmark.
    Test,
    /// A file generated from other files, or third-party code.
    GeneratedOrVendored,
    /// Documentation for people.
    Documentation,
    /// Declarations of code that another file implements.
    Declaration,
}

/// Folders of tests, fixtures and examples.
const TEST_FOLDERS: &[&str] = &[
    "__mocks__",
    "__tests__",
    "bench",
    "benches",
    "benchmark",
    "benchmarks",
    "e2e",
    "example",
    "examples",
    "fixture",
    "fixtures",
    "fuzz",
    "mocks",
    "spec",
    "specs",
    "test",
    "testdata",
    "testing",
    "tests",
];

/// Folders of generated files and of third-party code.
const GENERATED_OR_VENDORED_FOLDERS: &[&str] =
    &["build", "deps", "dist", "generated", "node_modules", "out", "third_party", "vendor"];

/// File name endings of documentation.
const DOCUMENT_ENDINGS: &[&str] = &[".adoc", ".html", ".markdown", ".md", ".mdx", ".rst", ".txt"];

/// File name endings of declarations.
const DECLARATION_ENDINGS: &[&str] = &[".d.cts", ".d.mts", ".d.ts", ".h", ".pyi"];

impl FileRole {
    /// Returns the role of the file at `path`, whose folders are separated by `/`.
    pub fn from_path(path: &str) -> Self {
        let lower = path.to_ascii_lowercase();
        let (folders, name) = lower.rsplit_once('/').unwrap_or(("", &lower));
        let ends = |endings: &[&str]| endings.iter().any(|ending| name.ends_with(ending));
        let own = &path[path.len() - name.len()..];
        let holds = |all: &[&str]| folders.split('/').any(|folder| all.contains(&folder));
        let is_test_folder = |folder: &str| {
            folder.starts_with("test-") || folder.ends_with("-test") || folder.ends_with("-tests")
        };
        if holds(GENERATED_OR_VENDORED_FOLDERS) || name.contains(".min.") || name.contains(".pb.") {
            Self::GeneratedOrVendored
        } else if ends(DOCUMENT_ENDINGS) {
            Self::Documentation
        } else if holds(TEST_FOLDERS)
            || folders.split('/').any(is_test_folder)
            || is_test_file_name(own)
        {
            Self::Test
        } else if ends(DECLARATION_ENDINGS) {
            Self::Declaration
        } else {
            Self::Implementation
        }
    }
}

/// Returns whether `name` is the name of a test file.
fn is_test_file_name(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or(name);
    let lower = stem.to_ascii_lowercase();
    let second = name.split('.').nth(1).filter(|_| name.split('.').count() > 2);
    matches!(second, Some("test" | "spec"))
        || matches!(&*lower, "conftest" | "test" | "tests")
        || lower.starts_with("test_")
        || ["_test", "_tests", "_spec", "-test", "-spec"].iter().any(|end| lower.ends_with(end))
        || ["Test", "Tests", "Spec"].iter().any(|end| stem.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_tell_what_files_are_for() {
        let roles = [
            ("src/keyring.rs", FileRole::Implementation),
            ("src/latest.rs", FileRole::Implementation),
            ("auth_test.go", FileRole::Test),
            ("src/hono.test.ts", FileRole::Test),
            ("src/test/java/ReaderTest.java", FileRole::Test),
            ("crates/ignore/tests/walk.rs", FileRole::Test),
            ("dist/axios.js", FileRole::GeneratedOrVendored),
            ("docs/guide.md", FileRole::Documentation),
            ("index.d.ts", FileRole::Declaration),
            ("include/leveldb/db.h", FileRole::Declaration),
        ];
        for (path, role) in roles {
            assert_eq!(FileRole::from_path(path), role, "{path}");
        }
    }
}
