//! Base files: project knowledge and pinned files in the system prompt.
//!
//! They are read once, when a session begins, so that the prompt keeps its bytes, and again at a
//! content reset, which moves the files in use into the system prompt.

use std::fs;
use std::io::{self, ErrorKind, Read as _};
use std::path::{Path, PathBuf};
use std::string::FromUtf8Error;
use std::time::{Duration, Instant};

use foveal_engine::placement::base_files::BaseFile;
use foveal_screen::describe_error;
use foveal_screen::numbers::{format_count, format_plural};
use foveal_tools::user_notifier::UserNotifier;
use foveal_transcript::CancelToken;
use foveal_workspace::file_search::{GlobOrder, GlobQuery, SearchScope, glob};
use foveal_workspace::regular_file::OpenFolder;
use foveal_workspace::sensitive_files::sensitivity;

/// Files for agents, included by default.
const AGENT_FILES: [&str; 2] = ["AGENTS.md", "CLAUDE.md"];

/// File names of project knowledge, in any folder that is not ignored.
const KNOWLEDGE_GLOBS: [&str; 2] = ["knowledge.md", "*.knowledge.md"];

/// Knowledge files that are looked at.
const KNOWLEDGE_FILES_MAX: usize = 1_000;

/// The longest search for knowledge files in sub-folders. In a larger tree, only those of the top
/// folder are included.
const KNOWLEDGE_SEARCH_TIME_MAX: Duration = Duration::from_secs(2);

/// Bytes of a file that is included by default. A longer file is left out whole.
const DEFAULT_FILE_BYTES_MAX: u64 = 40_000;

/// Bytes of a README that is included. Longer ones are written for human readers, and every request
/// would pay for them.
const README_BYTES_MAX: u64 = 8_000;

/// Bytes of a file that the user names.
const PINNED_BYTES_MAX: u64 = 200_000;

/// Bytes of all files that are included by default. Files beyond are left out.
const DEFAULT_FILES_BYTES_MAX: usize = 200_000;

/// Bytes of all base files.
const BASE_FILES_BYTES_MAX: usize = 400_000;

/// Names of a folder that are examined.
const NAMES_MAX: usize = 10_000;

/// The reason why a file cannot stand in the system prompt.
#[derive(Debug, thiserror::Error)]
pub enum BaseFileError {
    /// The agent's folder cannot be opened.
    #[error("`{}` cannot be read", folder.display())]
    FolderUnreadable {
        /// The folder.
        folder: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The file cannot be opened, or is no regular file of the folder.
    #[error("`{path}` cannot be pinned")]
    NotOpened {
        /// The file.
        path: String,
        /// The error of the system.
        source: io::Error,
    },
    /// The file cannot be read.
    #[error("`{path}` cannot be read")]
    Unreadable {
        /// The file.
        path: String,
        /// The error of the system.
        source: io::Error,
    },
    /// The file is too long.
    #[error(
        "`{path}` cannot be pinned: it has more than {} bytes; the model can read it in parts",
        format_count(*bytes_max)
    )]
    TooLong {
        /// The file.
        path: String,
        /// The longest file that is accepted.
        bytes_max: u64,
    },
    /// The file is no text.
    #[error("`{path}` cannot be pinned: it is not UTF-8 text")]
    NotText {
        /// The file.
        path: String,
        /// The position of the invalid bytes.
        source: FromUtf8Error,
    },
    /// All base files together are too long.
    #[error(
        "`{path}` cannot be pinned: with it, the files in the system prompt exceed {} bytes; pin \
         fewer",
        format_count(BASE_FILES_BYTES_MAX as u64)
    )]
    NoRoom {
        /// The file.
        path: String,
    },
}

/// Returns the base files in their order: files for agents, project knowledge, the README, the
/// files of the settings (`wanted`, which may be missing), and the `pinned` files. The `notifier`
/// reports omitted files.
///
/// # Errors
/// If a pinned file cannot be included.
pub(crate) fn collect_base_files(
    directory: &Path,
    wanted: &[String],
    pinned: &[String],
    notifier: &UserNotifier,
) -> Result<Vec<BaseFile>, BaseFileError> {
    let held = OpenFolder::open(directory.to_owned()).map_err(|source| {
        BaseFileError::FolderUnreadable { folder: directory.to_owned(), source }
    })?;
    let mut placed = BaseFileCollector { held, files: Vec::new(), left_out: 0 };
    let names = file_names(directory);
    let knowledge = knowledge_files(directory, &names);
    for name in AGENT_FILES.into_iter().chain(knowledge.iter().map(String::as_str)) {
        placed.add_if_readable(name, DEFAULT_FILE_BYTES_MAX);
    }
    if let Some(readme) = names.iter().find(|name| is_readme(name)) {
        placed.add_if_readable(readme, README_BYTES_MAX);
    }
    if placed.left_out > 0 {
        notifier.notify(&format!(
            "{} omitted from the system prompt, which has room for {} bytes of such files; choose \
             the important ones with --pin",
            format_plural(placed.left_out as u64, "file"),
            format_count(DEFAULT_FILES_BYTES_MAX as u64)
        ));
    }
    for path in wanted {
        match placed.add_named(path, PINNED_BYTES_MAX) {
            Err(error) if !is_missing(&error) => {
                let why = describe_error(&error);
                notifier.notify(&format!("{why}: it is omitted from the system prompt"));
            }
            Ok(()) | Err(_) => {}
        }
    }
    for path in pinned {
        placed.add_named(path, PINNED_BYTES_MAX)?;
    }
    Ok(placed.files)
}

/// Returns the sorted names of a folder's direct entries.
fn file_names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).into_iter().flatten().take(NAMES_MAX).flatten();
    let mut names: Vec<String> =
        entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort_unstable();
    names
}

/// Returns the knowledge files in a folder, whose own entries are `names`, and below it: those of
/// upper folders first.
fn knowledge_files(directory: &Path, names: &[String]) -> Vec<String> {
    let scope = SearchScope {
        globs: KNOWLEDGE_GLOBS.map(str::to_owned).to_vec(),
        ..SearchScope::default()
    };
    let query = GlobQuery { scope, order: GlobOrder::Path, offset: 0, limit: KNOWLEDGE_FILES_MAX };
    let begun = Instant::now();
    let is_late = || begun.elapsed() > KNOWLEDGE_SEARCH_TIME_MAX;
    let below = glob(directory, &query, &CancelToken::from_fn(&is_late));
    // Files of the top folder count though they are ignored or hidden.
    let mut files: Vec<String> =
        names.iter().filter(|name| is_knowledge_file(name)).cloned().collect();
    let below = below.map(|answer| answer.paths).unwrap_or_default();
    files.extend(below.into_iter().filter(|path| path.contains('/')));
    files.sort_by_key(|path| path.matches('/').count());
    files
}

fn is_knowledge_file(name: &str) -> bool {
    name == "knowledge.md" || name.ends_with(".knowledge.md")
}

fn is_readme(name: &str) -> bool {
    let (stem, ending) = name.split_once('.').unwrap_or((name, ""));
    stem == "README" && matches!(ending, "" | "md" | "txt" | "rst" | "adoc" | "org")
}

fn is_missing(error: &BaseFileError) -> bool {
    matches!(
        error,
        BaseFileError::NotOpened { source, .. } | BaseFileError::Unreadable { source, .. }
            if source.kind() == ErrorKind::NotFound
    )
}

/// The base files found so far.
struct BaseFileCollector {
    held: OpenFolder,
    files: Vec<BaseFile>,
    /// The number of default files that did not fit.
    left_out: usize,
}

impl BaseFileCollector {
    /// Adds a default file, if it is readable and not empty. Counts it as left out if it does not
    /// fit.
    fn add_if_readable(&mut self, path: &str, bytes_max: u64) {
        if let Ok(content) = self.read_bounded(path, bytes_max)
            && !content.trim().is_empty()
        {
            match self.total_bytes() + content.len() <= DEFAULT_FILES_BYTES_MAX {
                true => self.push_once(path, content),
                false => self.left_out += 1,
            }
        }
    }

    fn total_bytes(&self) -> usize {
        self.files.iter().map(|file| file.content.len()).sum()
    }

    /// Adds a file that the user named.
    fn add_named(&mut self, path: &str, bytes_max: u64) -> Result<(), BaseFileError> {
        let path = path.strip_prefix("./").unwrap_or(path);
        let content = self.read_bounded(path, bytes_max)?;
        if self.total_bytes() + content.len() > BASE_FILES_BYTES_MAX {
            return Err(BaseFileError::NoRoom { path: path.to_owned() });
        }
        self.push_once(path, content);
        Ok(())
    }

    fn push_once(&mut self, path: &str, content: String) {
        if self.files.iter().all(|file| file.path != path) {
            self.files.push(BaseFile { path: path.to_owned(), content });
        }
    }

    fn read_bounded(&self, path: &str, bytes_max: u64) -> Result<String, BaseFileError> {
        let of = || path.to_owned();
        let file = self.held.open_regular(Path::new(path));
        let file = file.map_err(|source| BaseFileError::NotOpened { path: of(), source })?;
        let mut bytes = Vec::new();
        let read = file.take(bytes_max + 1).read_to_end(&mut bytes);
        read.map_err(|source| BaseFileError::Unreadable { path: of(), source })?;
        if bytes.len() as u64 > bytes_max {
            return Err(BaseFileError::TooLong { path: of(), bytes_max });
        }
        String::from_utf8(bytes).map_err(|source| BaseFileError::NotText { path: of(), source })
    }
}

/// Returns the content of a file in use, or `None` if it may not move into the system prompt: it is
/// outside of the folder, too long, sensitive, or has a secret.
pub(super) fn read_file_in_use(directory: &Path, path: &str) -> Option<String> {
    let path = Path::new(path);
    let path = path.strip_prefix(directory).unwrap_or(path);
    let held = OpenFolder::open(directory.to_owned()).ok()?;
    let placed = BaseFileCollector { held, files: Vec::new(), left_out: 0 };
    let content = placed.read_bounded(path.to_str()?, PINNED_BYTES_MAX).ok()?;
    // A secret must not move into the system prompt, where it would stay; stored contents have
    // none.
    (sensitivity(path).is_none() && has_no_secret(&content)).then_some(content)
}

/// Returns whether a content has no secret, so that redaction leaves it unchanged.
pub(super) fn has_no_secret(content: &str) -> bool {
    foveal_redaction::redact_text(content) == content
}

#[cfg(test)]
mod tests {
    use super::*;

    fn collect(
        folder: &Path,
        wanted: &[String],
        pinned: &[String],
    ) -> Result<Vec<BaseFile>, BaseFileError> {
        collect_base_files(folder, wanted, pinned, &UserNotifier::default())
    }

    fn placed(
        files: &[(&str, &str)],
        wanted: &[&str],
        pinned: &[&str],
    ) -> Result<String, BaseFileError> {
        let folder = tempfile::tempdir().expect("a folder");
        for (path, content) in files {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("it can be made");
            fs::write(path, content).expect("it can be written");
        }
        let own = |paths: &[&str]| paths.iter().map(|path| (*path).to_owned()).collect::<Vec<_>>();
        let files = collect(folder.path(), &own(wanted), &own(pinned))?;
        Ok(files.iter().map(|file| file.path.as_str()).collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn what_a_project_says_of_itself_stands_in_its_order() {
        let files = [
            ("README.md", "a"),
            ("README.rs.md", "no"),
            ("b.knowledge.md", "b"),
            ("knowledge.md", "c"),
            ("CLAUDE.md", "d"),
            ("AGENTS.md", "e"),
            ("src/README.md", "no"),
            ("src/web/knowledge.md", "h"),
            ("src/z.knowledge.md", "g"),
            ("src/AGENTS.md", "no"),
            ("vendor/knowledge.md", "no"),
            (".ignore", "vendor\n"),
            ("acknowledge.md", "no"),
        ];
        let placed = placed(&files, &[], &[]).expect("files");
        assert_eq!(
            placed,
            "AGENTS.md CLAUDE.md b.knowledge.md knowledge.md src/z.knowledge.md \
             src/web/knowledge.md README.md"
        );
    }

    #[test]
    fn what_is_long_or_empty_is_not_told_unasked() {
        let long = "x".repeat(8_001);
        let files = [("README.md", long.as_str()), ("AGENTS.md", " \n")];
        assert_eq!(placed(&files, &[], &[]).expect("files"), "");
        assert_eq!(placed(&files, &[], &["README.md"]).expect("files"), "README.md");
    }

    #[test]
    fn all_files_that_are_told_unasked_have_a_bound() {
        let folder = tempfile::tempdir().expect("a folder");
        for number in 0..2_000 {
            let path = folder.path().join(format!("{number:04}.knowledge.md"));
            fs::write(path, "x".repeat(39_000)).expect("it can be written");
        }
        fs::write(folder.path().join("README.md"), "x").expect("it can be written");
        fs::write(folder.path().join("notes.md"), "y".repeat(150_000)).expect("it can be written");
        let pinned = ["notes.md".to_owned()];
        let files = collect(folder.path(), &[], &pinned).expect("files");
        let bytes = |files: &[BaseFile]| files.iter().map(|it| it.content.len()).sum::<usize>();
        assert!(bytes(&files) <= BASE_FILES_BYTES_MAX, "{} bytes", bytes(&files));
        // Pinned and small files still fit.
        assert_eq!(files.last().map(|file| &*file.path), Some("notes.md"));
        assert!(files.iter().any(|file| file.path == "README.md"));
        assert_eq!(files.len(), 5 + 2);
    }

    #[test]
    fn what_is_named_follows_once_and_must_be_there_where_it_is_pinned() {
        let files = [("AGENTS.md", "a"), ("docs/a.md", "b"), ("c.rs", "c")];
        let found = placed(&files, &["none.md", "docs/a.md"], &["./c.rs", "AGENTS.md"]);
        assert_eq!(found.expect("files"), "AGENTS.md docs/a.md c.rs");
        for (path, why) in [("none.md", "`none.md` cannot be pinned"), ("docs", "a folder")] {
            let error = describe_error(&placed(&files, &[], &[path]).expect_err("none"));
            assert!(error.contains(why), "{error}");
        }
        let long = "x".repeat(200_001);
        let error = placed(&[("long", &long)], &[], &["long"]).expect_err("too long");
        assert!(error.to_string().contains("it has more than"), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn nothing_outside_of_the_folder_is_told() {
        let outside = tempfile::tempdir().expect("a folder");
        fs::write(outside.path().join("key"), "secret").expect("written");
        let folder = tempfile::tempdir().expect("a folder");
        std::os::unix::fs::symlink(outside.path(), folder.path().join("docs")).expect("a link");
        std::os::unix::fs::symlink(outside.path().join("key"), folder.path().join("AGENTS.md"))
            .expect("a link");
        let all = collect(folder.path(), &["docs/key".to_owned()], &[]).expect("files");
        assert_eq!(all, []);
        for path in ["docs/key", "../key", "/etc/passwd"] {
            assert!(collect(folder.path(), &[], &[path.to_owned()]).is_err(), "{path}");
        }
    }
}
