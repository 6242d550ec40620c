//! Ignore rules of one folder.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::regular_file::{LinkPolicy, read_regular};

/// Bytes of the largest ignore file that is read. The longest in use have about ten thousand.
pub(super) const BYTES_MAX: u64 = 256 * 1024;
/// Bytes read of `.git` and `commondir`, which contain one path each.
const PATH_BYTES_MAX: u64 = 8 * 1024;

/// Ignore files by precedence, highest first, as in ripgrep. The last one belongs to the clone
/// alone and may be stored elsewhere.
pub(in crate::file_search) const IGNORE_FILES: [&str; IGNORE_FILE_KINDS] =
    [".rgignore", ".ignore", ".gitignore", ".git/info/exclude"];
const IGNORE_FILE_KINDS: usize = 4;
/// The first kind that git reads; kinds from here on do not apply to nested repositories.
const GIT_KIND_FIRST: usize = 2;
/// The kind of `.git/info/exclude`.
const EXCLUDE_KIND: usize = IGNORE_FILE_KINDS - 1;

/// The rules of a folder, linked to those of the folders above.
pub(super) struct FolderRules {
    /// By kind, highest precedence first.
    kinds: [Option<Gitignore>; IGNORE_FILE_KINDS],
    /// Whether the folder is the top of a repository or submodule.
    is_repository: bool,
    parent: Option<Arc<Self>>,
}

/// The texts of a folder's ignore files.
#[derive(Default)]
pub(super) struct IgnoreFileTexts {
    kinds: [Option<String>; IGNORE_FILE_KINDS],
    is_repository: bool,
    /// Files that could not be read, and the errors.
    pub(super) unreadable: Vec<(PathBuf, io::Error)>,
}

impl IgnoreFileTexts {
    /// Reads the ignore files in `folder`.
    pub(super) fn read(folder: &Path) -> Self {
        let mut texts = Self::default();
        for (kind, name) in IGNORE_FILES[..EXCLUDE_KIND].iter().enumerate() {
            texts.read_kind(kind, folder.join(name));
        }
        texts.is_repository = folder.join(".git").symlink_metadata().is_ok();
        if let Some(kept) = git_common_folder(folder) {
            texts.read_kind(EXCLUDE_KIND, kept.join("info/exclude"));
        }
        texts
    }

    /// Removes the rules, but not the repository boundary.
    pub(super) fn clear_rules(&mut self) {
        self.kinds = Default::default();
    }

    fn read_kind(&mut self, kind: usize, path: PathBuf) {
        match read_regular(&path, BYTES_MAX, LinkPolicy::Refused) {
            Ok(bytes) => {
                self.kinds[kind] = Some(String::from_utf8_lossy(&bytes).into_owned());
            }
            Err(error)
                if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {}
            Err(error) => self.unreadable.push((path, error)),
        }
    }

    /// Returns the number of lines in all files.
    pub(super) fn line_count(&self) -> usize {
        self.kinds.iter().flatten().map(|text| text.lines().count()).sum()
    }

    /// Returns whether the rules of the parent folder apply here unchanged.
    pub(super) fn is_empty(&self) -> bool {
        !self.is_repository && self.kinds.iter().all(Option::is_none)
    }
}

impl FolderRules {
    /// Parses the rules of `folder`.
    pub(super) fn new(folder: &Path, texts: &IgnoreFileTexts, parent: Option<Arc<Self>>) -> Self {
        let kinds = texts
            .kinds
            .each_ref()
            .map(|text| text.as_deref().map(|text| parse_rules(folder, text)));
        Self { kinds, is_repository: texts.is_repository, parent }
    }

    /// Matches `path`, which is in this folder or below, against the rules. The highest kind with a
    /// matching rule decides, in the nearest folder. As in git, the rules of a repository do not
    /// apply inside a nested one.
    pub(super) fn match_path(&self, path: &Path, is_folder: bool) -> Match<()> {
        for kind in 0..IGNORE_FILE_KINDS {
            let mut nearest = Some(self);
            while let Some(folder) = nearest {
                if let Some(rules) = &folder.kinds[kind] {
                    let verdict = rules.matched(path, is_folder).map(|_| ());
                    if !verdict.is_none() {
                        return verdict;
                    }
                }
                let is_boundary = folder.is_repository && kind >= GIT_KIND_FIRST;
                nearest = folder.parent.as_deref().filter(|_| !is_boundary);
            }
        }
        Match::None
    }
}

/// Parses ignore rules. Invalid lines are skipped, as in git.
fn parse_rules(folder: &Path, text: &str) -> Gitignore {
    let mut builder = GitignoreBuilder::new(folder);
    for line in text.trim_start_matches('\u{feff}').lines() {
        let _invalid = builder.add_line(None, line);
    }
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}

/// Returns git's folder for the clone with the top `folder`. In an additional worktree `.git` is a
/// file with its path.
fn git_common_folder(folder: &Path) -> Option<PathBuf> {
    let git = folder.join(".git");
    let kind = git.symlink_metadata().ok()?.file_type();
    if !kind.is_file() {
        return Some(git);
    }
    let text = |path: &Path| {
        let bytes = read_regular(path, PATH_BYTES_MAX, LinkPolicy::Refused).ok()?;
        Some(String::from_utf8_lossy(&bytes).lines().next()?.to_owned())
    };
    let named = folder.join(text(&git)?.strip_prefix("gitdir: ")?);
    Some(match text(&named.join("commondir")) {
        Some(common) => named.join(common),
        None => named,
    })
}
