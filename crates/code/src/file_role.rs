//! What a file is for, told from its path: most questions are about what does the work.

/// What a file is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileRole {
    /// It does the work, as far as its path tells.
    Work,
    /// It tests, or is an example or a measurement of what does the work.
    Test,
    /// It is made from other files.
    Built,
    /// It is read by people.
    Documentation,
    /// It says what there is, and another file does it.
    Declaration,
}

/// Folders of tests, of what they need, and of examples.
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

/// Folders that hold what is made of other files, or what others made.
const BUILT_FOLDERS: &[&str] =
    &["build", "deps", "dist", "generated", "node_modules", "out", "third_party", "vendor"];

/// Endings of what is read by people.
const DOCUMENT_ENDINGS: &[&str] = &[".adoc", ".html", ".markdown", ".md", ".mdx", ".rst", ".txt"];

/// Endings of files that declare what stands elsewhere.
const DECLARATION_ENDINGS: &[&str] = &[".d.cts", ".d.mts", ".d.ts", ".h", ".pyi"];

impl FileRole {
    /// The role of the file at `path`, which has `/` between folders.
    pub fn of(path: &str) -> Self {
        let lower = path.to_ascii_lowercase();
        let (folders, name) = lower.rsplit_once('/').unwrap_or(("", &lower));
        let ends = |endings: &[&str]| endings.iter().any(|ending| name.ends_with(ending));
        let own = &path[path.len() - name.len()..];
        let holds = |all: &[&str]| folders.split('/').any(|folder| all.contains(&folder));
        let is_test_folder = |folder: &str| {
            folder.starts_with("test-") || folder.ends_with("-test") || folder.ends_with("-tests")
        };
        if holds(BUILT_FOLDERS) || name.contains(".min.") || name.contains(".pb.") {
            Self::Built
        } else if ends(DOCUMENT_ENDINGS) {
            Self::Documentation
        } else if holds(TEST_FOLDERS) || folders.split('/').any(is_test_folder) || is_test_name(own)
        {
            Self::Test
        } else if ends(DECLARATION_ENDINGS) {
            Self::Declaration
        } else {
            Self::Work
        }
    }
}

/// Whether a file's name says that it holds tests.
fn is_test_name(name: &str) -> bool {
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
            ("src/keyring.rs", FileRole::Work),
            ("src/latest.rs", FileRole::Work),
            ("auth_test.go", FileRole::Test),
            ("src/hono.test.ts", FileRole::Test),
            ("src/test/java/ReaderTest.java", FileRole::Test),
            ("crates/ignore/tests/walk.rs", FileRole::Test),
            ("dist/axios.js", FileRole::Built),
            ("docs/guide.md", FileRole::Documentation),
            ("index.d.ts", FileRole::Declaration),
            ("include/leveldb/db.h", FileRole::Declaration),
        ];
        for (path, role) in roles {
            assert_eq!(FileRole::of(path), role, "{path}");
        }
    }
}
