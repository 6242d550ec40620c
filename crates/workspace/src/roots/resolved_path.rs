//! Resolved paths below a root.

use std::ffi::OsStr;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use cap_fs_ext::DirExt as _;
use cap_std::fs::{Dir, Metadata};
use rustix::fs::{Mode, OFlags, ResolveFlags};

use super::error::PathError;
use super::name_equivalence::NameEquivalence;
use super::path_escaping::escape_path;
use super::root::Root;
use super::similar_names::similar_names;
use super::workspace_roots::WorkspaceRoots;
use crate::approval_paths::{ApprovalReason, approval_reason};
use crate::sensitive_files::{Sensitivity, sensitivity};

/// Entries of a folder that are searched for similar names.
const SEARCHED_ENTRIES_MAX: usize = 2000;

/// The key shared by all paths to one file: the absolute path without links, in lower case and in
/// one Unicode form where the file system ignores these differences.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PathKey(String);

impl PathKey {
    fn new(path: &Path, names: NameEquivalence) -> Self {
        // Invalid UTF-8 is distinguished by its escapes.
        let key = path.to_str().map_or_else(|| format!("{path:?}"), str::to_owned);
        Self(names.fold_name(key))
    }

    /// Returns the key as text, for storage.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A place below a root, as a path without links. The file may not exist yet.
#[derive(Debug, Clone)]
pub struct ResolvedPath {
    roots: WorkspaceRoots,
    root: Arc<Root>,
    relative: PathBuf,
    display_path: String,
    link: Option<String>,
}

impl WorkspaceRoots {
    /// Returns the place at `relative` below `root`, a path without links.
    pub fn path_below(&self, root: &Arc<Root>, relative: &Path) -> ResolvedPath {
        ResolvedPath::new(self, root, relative, None)
    }
}

impl ResolvedPath {
    pub(super) fn new(
        roots: &WorkspaceRoots,
        root: &Arc<Root>,
        relative: &Path,
        link: Option<String>,
    ) -> Self {
        let display_path = roots.display_path_below(root, relative);
        let (roots, root) = (roots.clone(), Arc::clone(root));
        Self { roots, root, relative: relative.to_owned(), display_path, link }
    }

    /// Returns the path for answers: relative to the working directory, or absolute outside of it.
    pub fn display_path(&self) -> &str {
        &self.display_path
    }

    /// Returns the path for rules and records, independent of the working directory: relative to
    /// the first root, absolute in the others.
    pub fn rule_path(&self) -> String {
        self.roots.rule_path(&self.root, &self.relative)
    }

    /// Returns the key shared by all paths to this file.
    pub fn path_key(&self) -> PathKey {
        PathKey::new(&self.absolute_path(), self.root.name_equivalence())
    }

    /// Returns the root that contains the file.
    pub fn root(&self) -> &Arc<Root> {
        &self.root
    }

    /// Returns the path below the root, without links; empty for the root itself.
    pub fn relative_path(&self) -> &Path {
        &self.relative
    }

    /// Returns the absolute path, for users that cannot work with handles, such as other processes
    /// and watchers. Files are never opened by it.
    pub fn absolute_path(&self) -> PathBuf {
        self.root.join(&self.relative)
    }

    /// Returns the last symbolic link that was followed, as answers show it.
    pub fn followed_link(&self) -> Option<&str> {
        self.link.as_deref()
    }

    /// Returns the kind of secret that the file probably contains, judged by its name and folders
    /// including the root.
    pub fn sensitivity(&self) -> Option<Sensitivity> {
        match self.root.path().file_name() {
            Some(root) => sensitivity(&Path::new(root).join(&self.relative)),
            None => sensitivity(&self.relative),
        }
    }

    /// Returns why a change of the file needs approval, judged by its name and folders including
    /// the root.
    pub fn approval_reason(&self) -> Option<ApprovalReason> {
        let of_root = || {
            let root = Path::new(self.root.path().file_name()?);
            // A checkout may be called `project.git` like a bare repository.
            let is_bare = root.extension().is_some_and(|ending| ending == "git");
            approval_reason(&root.join(&self.relative)).filter(|_| !is_bare)
        };
        approval_reason(&self.relative).or_else(of_root)
    }

    /// Returns the metadata of the file; a link that appeared meanwhile is not followed.
    ///
    /// # Errors
    ///
    /// Fails if the file does not exist, with similar names, or cannot be reached.
    pub fn metadata(&self) -> Result<Metadata, PathError> {
        let (parent, name) = self.open_parent()?;
        let found = match name {
            Some(name) => parent.symlink_metadata(name),
            None => parent.dir_metadata(),
        };
        found.map_err(|error| self.path_error(error))
    }

    /// Opens the folder at this path.
    ///
    /// # Errors
    ///
    /// Fails if it does not exist, is not a folder or cannot be reached.
    pub fn open_folder(&self) -> Result<Dir, PathError> {
        self.open_folder_at(&self.relative).map_err(|error| self.path_error(error))
    }

    /// Opens the parent folder, following no link, and returns it with the name of the file in it.
    /// The root itself has no name.
    ///
    /// # Errors
    ///
    /// Fails if the parent is missing, is no longer a folder or cannot be reached.
    pub fn open_parent(&self) -> Result<(Dir, Option<&OsStr>), PathError> {
        let folder = self.relative.parent().unwrap_or(Path::new(""));
        let dir = self.open_folder_at(folder).map_err(|error| self.path_error(error))?;
        Ok((dir, self.relative.file_name()))
    }

    /// Opens the folder at `relative`. Each component is opened as a folder, never as a link to
    /// one.
    fn open_folder_at(&self, relative: &Path) -> io::Result<Dir> {
        #[cfg(target_os = "linux")]
        {
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
            let confined =
                ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
            let nothing = relative.as_os_str().is_empty();
            let path = if nothing { Path::new(".") } else { relative };
            match rustix::fs::openat2(self.root.dir(), path, flags, Mode::empty(), confined) {
                Ok(handle) => return Ok(Dir::from(handle)),
                // Some kernels and sandboxes lack this call.
                Err(rustix::io::Errno::NOSYS | rustix::io::Errno::PERM) => {}
                Err(error) => return Err(error.into()),
            }
        }
        let mut dir = reopen_folder(self.root.dir())?;
        for part in relative.components() {
            let Component::Normal(name) = part else { continue };
            dir = dir.open_dir_nofollow(name)?;
        }
        reopen_folder(&dir)
    }

    /// Converts an I/O error, with similar names if the file was not found.
    pub(crate) fn path_error(&self, error: io::Error) -> PathError {
        match PathError::from_io(&self.display_path, error) {
            PathError::NotFound { path, .. } => {
                let similar = || self.similar_paths().unwrap_or_default();
                let similar = self.path_from_root().map_or_else(similar, |path| vec![path]);
                let folder = self.roots.folder_below_root().filter(|_| self.is_below_working());
                PathError::NotFound { path, folder, similar }
            }
            PathError::NotAFolder { path, part } => match self.first_non_folder() {
                Some((_, true)) => PathError::BecameLink { path },
                Some((part, false)) => PathError::NotAFolder { path, part },
                None => PathError::NotAFolder { path, part },
            },
            other => other,
        }
    }

    /// Returns the first component that is not a folder, and whether it is a link.
    fn first_non_folder(&self) -> Option<(String, bool)> {
        let mut part = PathBuf::new();
        for name in self.relative.components() {
            part.push(name);
            let found = self.root.dir().symlink_metadata(&part).ok()?;
            if !found.is_dir() {
                return Some((
                    self.roots.display_path_below(&self.root, &part),
                    found.is_symlink(),
                ));
            }
        }
        None
    }

    /// Returns whether the path is in the working directory.
    fn is_below_working(&self) -> bool {
        self.absolute_path().starts_with(self.roots.working_directory())
    }

    /// Returns the path of the file that this path would name if it were relative to the root, seen
    /// from the working directory: `../a.rs`. `None` if there is no such file.
    fn path_from_root(&self) -> Option<String> {
        let folder = self.roots.working_directory().strip_prefix(self.root.path()).ok()?;
        let relative = self.relative.strip_prefix(folder).ok()?;
        self.root.dir().symlink_metadata(relative).ok()?;
        let up = "../".repeat(folder.components().count());
        Some(format!("{up}{}", escape_path(relative)))
    }

    /// Returns similar paths in the deepest existing folder of this path.
    fn similar_paths(&self) -> Option<Vec<String>> {
        let asked = self.relative.to_str()?;
        if let Some(path) = asked.contains('\\').then(|| asked.replace('\\', "/"))
            && self.root.dir().symlink_metadata(&path).is_ok()
        {
            return Some(vec![self.roots.display_path_below(&self.root, Path::new(&path))]);
        }
        let mut folder = PathBuf::new();
        let mut names = self.relative.components();
        let missing = loop {
            let name = names.next()?;
            match self.root.dir().symlink_metadata(folder.join(name)) {
                Ok(_) => folder.push(name),
                Err(_) => break name.as_os_str().to_str()?,
            }
        };
        let entries = self.open_folder_at(&folder).ok()?.entries().ok()?;
        let listed: Vec<String> = entries
            .take(SEARCHED_ENTRIES_MAX)
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .collect();
        let similar = similar_names(missing, listed.iter().map(String::as_str));
        let rest = names.as_path();
        let path = |name: &String| {
            let mut path = folder.join(name);
            // Joining an empty path would add a slash.
            if !rest.as_os_str().is_empty()
                && self.root.dir().symlink_metadata(path.join(rest)).is_ok()
            {
                path.push(rest);
            }
            self.roots.display_path_below(&self.root, &path)
        };
        Some(similar.iter().map(path).collect())
    }
}

/// Opens another handle of the folder with a lock of its own. Unlike the path handles opened on the
/// way to a file, it can be synced to the device.
pub(crate) fn reopen_folder(dir: &Dir) -> io::Result<Dir> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    Ok(Dir::from(rustix::fs::openat(dir, ".", flags, Mode::empty())?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_compare_as_the_file_system_does() {
        let same = |a: &str, b: &str, ignores_case, ignores_form| {
            let names = NameEquivalence { ignores_case, ignores_form };
            PathKey::new(Path::new(a), names) == PathKey::new(Path::new(b), names)
        };
        assert!(same("/w/Main.rs", "/w/main.RS", true, false));
        assert!(same("/w/\u{c9}t\u{e9}", "/w/\u{e9}t\u{e9}", true, false));
        assert!(!same("/w/Main.rs", "/w/main.rs", false, true));
        assert!(!same("/w/a", "/w/b", true, true));
        assert!(same("/w/caf\u{e9}", "/w/cafe\u{301}", false, true));
        assert!(!same("/w/caf\u{e9}", "/w/cafe\u{301}", true, false));
        assert!(same("/w/CAFE\u{301}", "/w/caf\u{e9}", true, true));
    }
}
