//! The rules that stand in one folder.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::bounded::{Links, read_regular};

/// Bytes of a file of rules. The longest in use have some ten thousand.
pub(super) const BYTES_MAX: u64 = 256 * 1024;
/// Bytes of `.git` and `commondir`, which hold a path each.
const PATH_BYTES_MAX: u64 = 8 * 1024;

/// The files of rules in a folder, the strongest first, as ripgrep ranks them; the last is what
/// git keeps for the clone alone, which may lie elsewhere.
pub(in crate::tree) const FILES: [&str; KINDS] =
    [".rgignore", ".ignore", ".gitignore", ".git/info/exclude"];
const KINDS: usize = 4;
/// The first of those that git reads, which hold in one repository and not in one inside of it.
const GIT_KIND_FIRST: usize = 2;
/// The last of them.
const EXCLUDE: usize = KINDS - 1;

/// The rules of a folder, and those of the folders above it.
pub(super) struct Folder {
    /// By kind, the strongest first.
    kinds: [Option<Gitignore>; KINDS],
    /// The folder is the top of a repository or of a submodule.
    is_repository: bool,
    above: Option<Arc<Self>>,
}

/// What the files of rules in a folder hold.
#[derive(Default)]
pub(super) struct Texts {
    kinds: [Option<String>; KINDS],
    is_repository: bool,
    /// Which of them were passed over, and why.
    pub(super) unread: Vec<(PathBuf, io::Error)>,
}

impl Texts {
    /// Reads the files of rules in `folder`.
    pub(super) fn read(folder: &Path) -> Self {
        let mut texts = Self::default();
        for (kind, name) in FILES[..EXCLUDE].iter().enumerate() {
            texts.take(kind, folder.join(name));
        }
        texts.is_repository = folder.join(".git").symlink_metadata().is_ok();
        if let Some(kept) = git_folder(folder) {
            texts.take(EXCLUDE, kept.join("info/exclude"));
        }
        texts
    }

    /// Removes the rules; where a repository begins still counts.
    pub(super) fn clear(&mut self) {
        self.kinds = Default::default();
    }

    fn take(&mut self, kind: usize, path: PathBuf) {
        match read_regular(&path, BYTES_MAX, Links::Refused) {
            Ok(bytes) => {
                self.kinds[kind] = Some(String::from_utf8_lossy(&bytes).into_owned());
            }
            Err(error)
                if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {}
            Err(error) => self.unread.push((path, error)),
        }
    }

    /// Lines of all files together.
    pub(super) fn lines(&self) -> usize {
        self.kinds.iter().flatten().map(|text| text.lines().count()).sum()
    }

    /// Whether the rules of the folder above hold here as they are.
    pub(super) fn is_empty(&self) -> bool {
        !self.is_repository && self.kinds.iter().all(Option::is_none)
    }
}

impl Folder {
    /// The rules that `texts` in `folder` are.
    pub(super) fn new(folder: &Path, texts: &Texts, above: Option<Arc<Self>>) -> Self {
        let kinds =
            texts.kinds.each_ref().map(|text| text.as_deref().map(|text| rules(folder, text)));
        Self { kinds, is_repository: texts.is_repository, above }
    }

    /// What the rules say of `path`, which lies in this folder or below: the strongest kind
    /// that says anything, in the folder that is nearest. As in git, what a repository ignores
    /// does not reach into a repository inside of it.
    pub(super) fn verdict(&self, path: &Path, is_folder: bool) -> Match<()> {
        for kind in 0..KINDS {
            let mut nearest = Some(self);
            while let Some(folder) = nearest {
                if let Some(rules) = &folder.kinds[kind] {
                    let verdict = rules.matched(path, is_folder).map(|_| ());
                    if !verdict.is_none() {
                        return verdict;
                    }
                }
                let is_boundary = folder.is_repository && kind >= GIT_KIND_FIRST;
                nearest = folder.above.as_deref().filter(|_| !is_boundary);
            }
        }
        Match::None
    }
}

/// Lines that are no valid rules are passed over, as git does.
fn rules(folder: &Path, text: &str) -> Gitignore {
    let mut builder = GitignoreBuilder::new(folder);
    for line in text.trim_start_matches('\u{feff}').lines() {
        let _invalid = builder.add_line(None, line);
    }
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}

/// Where git keeps what belongs to the clone whose top is `folder`. In a work tree of its own
/// `.git` is a file that names the place.
fn git_folder(folder: &Path) -> Option<PathBuf> {
    let git = folder.join(".git");
    let kind = git.symlink_metadata().ok()?.file_type();
    if !kind.is_file() {
        return Some(git);
    }
    let text = |path: &Path| {
        let bytes = read_regular(path, PATH_BYTES_MAX, Links::Refused).ok()?;
        Some(String::from_utf8_lossy(&bytes).lines().next()?.to_owned())
    };
    let named = folder.join(text(&git)?.strip_prefix("gitdir: ")?);
    Some(match text(&named.join("commondir")) {
        Some(common) => named.join(common),
        None => named,
    })
}
