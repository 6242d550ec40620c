//! A place below a root.

use std::ffi::OsStr;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use cap_fs_ext::DirExt as _;
use cap_std::fs::{Dir, Metadata};
use rustix::fs::{Mode, OFlags, ResolveFlags};

use super::error::PathError;
use super::names::NameRule;
use super::root::Root;
use super::similar::similar;
use super::workspace::Roots;
use crate::approval_paths::{ApprovalReason, approval_reason};
use crate::sensitive::{Sensitivity, sensitivity};

/// Entries of a folder looked at for names like a missing one.
const LISTED_MAX: usize = 2000;

/// What equal files share, whatever they were called: the absolute path without links, in lower
/// case and in one Unicode form where the file system does not tell these apart.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PathKey(String);

impl PathKey {
    fn of(path: &Path, names: NameRule) -> Self {
        // Bytes that are no UTF-8 are kept apart by their escapes.
        let key = path.to_str().map_or_else(|| format!("{path:?}"), str::to_owned);
        Self(names.folded(key))
    }

    /// The key as text, to be stored.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A place below a root, by a path without links. There may be nothing there yet.
#[derive(Debug, Clone)]
pub struct Located {
    roots: Roots,
    root: Arc<Root>,
    relative: PathBuf,
    shown: String,
    link: Option<String>,
}

impl Roots {
    /// What is at `relative` below `root`, reached through no link.
    pub fn below(&self, root: &Arc<Root>, relative: &Path) -> Located {
        Located::new(self, root, relative, None)
    }
}

impl Located {
    pub(super) fn new(
        roots: &Roots,
        root: &Arc<Root>,
        relative: &Path,
        link: Option<String>,
    ) -> Self {
        let shown = roots.shown(root, relative);
        let (roots, root) = (roots.clone(), Arc::clone(root));
        Self { roots, root, relative: relative.to_owned(), shown, link }
    }

    /// The path for answers: relative to the working directory, or absolute outside it.
    pub fn shown(&self) -> &str {
        &self.shown
    }

    /// The path for rules and records: it stays the same when the working directory changes:
    /// relative to the first root, or absolute in another.
    pub fn rule_path(&self) -> String {
        self.roots.rule_path(&self.root, &self.relative)
    }

    /// What this and every other path to the same file share.
    pub fn key(&self) -> PathKey {
        PathKey::of(&self.absolute(), self.root.names())
    }

    /// The root it is below.
    pub fn root(&self) -> &Arc<Root> {
        &self.root
    }

    /// The path below the root, without links; empty for the root itself.
    pub fn relative(&self) -> &Path {
        &self.relative
    }

    /// The absolute path, for what cannot work with handles: other processes, watchers. Files
    /// are never opened by it.
    pub fn absolute(&self) -> PathBuf {
        self.root.join(&self.relative)
    }

    /// The last symbolic link on the way, as it is shown, if there was one.
    pub fn link(&self) -> Option<&str> {
        self.link.as_deref()
    }

    /// Why the file is taken to hold secrets, by its name and folders, that of the root among
    /// them.
    pub fn sensitivity(&self) -> Option<Sensitivity> {
        match self.root.path().file_name() {
            Some(root) => sensitivity(&Path::new(root).join(&self.relative)),
            None => sensitivity(&self.relative),
        }
    }

    /// Returns why a change of what stands here needs approval, by its name and folders, that of the
    /// root among them.
    pub fn approval_reason(&self) -> Option<ApprovalReason> {
        let of_root = || {
            let root = Path::new(self.root.path().file_name()?);
            // A checkout may be called `project.git`, as repositories without one are.
            let is_bare = root.extension().is_some_and(|ending| ending == "git");
            approval_reason(&root.join(&self.relative)).filter(|_| !is_bare)
        };
        approval_reason(&self.relative).or_else(of_root)
    }

    /// What stands here; a link that was put here meanwhile is not followed.
    ///
    /// # Errors
    ///
    /// When there is nothing (with similar names), or it cannot be reached.
    pub fn metadata(&self) -> Result<Metadata, PathError> {
        let (parent, name) = self.parent()?;
        let found = match name {
            Some(name) => parent.symlink_metadata(name),
            None => parent.dir_metadata(),
        };
        found.map_err(|error| self.failed(error))
    }

    /// A handle of the folder that stands here.
    ///
    /// # Errors
    ///
    /// When there is nothing, or no folder, or it cannot be reached.
    pub fn folder(&self) -> Result<Dir, PathError> {
        self.open_folder(&self.relative).map_err(|error| self.failed(error))
    }

    /// A handle of the folder that this is in, reached through no link, and the name in it;
    /// the root itself has no name.
    ///
    /// # Errors
    ///
    /// When the folder is missing, no folder any more, or cannot be reached.
    pub fn parent(&self) -> Result<(Dir, Option<&OsStr>), PathError> {
        let folder = self.relative.parent().unwrap_or(Path::new(""));
        let dir = self.open_folder(folder).map_err(|error| self.failed(error))?;
        Ok((dir, self.relative.file_name()))
    }

    /// Every name on the way is opened as a folder, never as a link to one.
    fn open_folder(&self, relative: &Path) -> io::Result<Dir> {
        #[cfg(target_os = "linux")]
        {
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
            let confined =
                ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
            let nothing = relative.as_os_str().is_empty();
            let path = if nothing { Path::new(".") } else { relative };
            match rustix::fs::openat2(self.root.dir(), path, flags, Mode::empty(), confined) {
                Ok(handle) => return Ok(Dir::from(handle)),
                // Kernels and sandboxes without this call.
                Err(rustix::io::Errno::NOSYS | rustix::io::Errno::PERM) => {}
                Err(error) => return Err(error.into()),
            }
        }
        let mut dir = reopened(self.root.dir())?;
        for part in relative.components() {
            let Component::Normal(name) = part else { continue };
            dir = dir.open_dir_nofollow(name)?;
        }
        reopened(&dir)
    }

    /// `error` in words, with similar names where nothing was found.
    pub(crate) fn failed(&self, error: io::Error) -> PathError {
        match PathError::of(&self.shown, error) {
            PathError::NotFound { path, .. } => {
                let similar = self.similar().unwrap_or_default();
                PathError::NotFound { path, similar }
            }
            PathError::NotAFolder { path, part } => match self.no_folder_on_the_way() {
                Some((_, true)) => PathError::Swapped { path },
                Some((part, false)) => PathError::NotAFolder { path, part },
                None => PathError::NotAFolder { path, part },
            },
            other => other,
        }
    }

    /// The first part of the path that is no folder, and whether it is a link.
    fn no_folder_on_the_way(&self) -> Option<(String, bool)> {
        let mut part = PathBuf::new();
        for name in self.relative.components() {
            part.push(name);
            let found = self.root.dir().symlink_metadata(&part).ok()?;
            if !found.is_dir() {
                return Some((self.roots.shown(&self.root, &part), found.is_symlink()));
            }
        }
        None
    }

    /// Paths like this one, in the deepest of its folders that there is.
    fn similar(&self) -> Option<Vec<String>> {
        let asked = self.relative.to_str()?;
        if let Some(path) = asked.contains('\\').then(|| asked.replace('\\', "/"))
            && self.root.dir().symlink_metadata(&path).is_ok()
        {
            return Some(vec![self.roots.shown(&self.root, Path::new(&path))]);
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
        let entries = self.open_folder(&folder).ok()?.entries().ok()?;
        let listed: Vec<String> = entries
            .take(LISTED_MAX)
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .collect();
        let similar = similar(missing, listed.iter().map(String::as_str));
        let rest = names.as_path();
        let path = |name: &String| {
            let mut path = folder.join(name);
            // Joining nothing would add a slash.
            if !rest.as_os_str().is_empty()
                && self.root.dir().symlink_metadata(path.join(rest)).is_ok()
            {
                path.push(rest);
            }
            self.roots.shown(&self.root, &path)
        };
        Some(similar.iter().map(path).collect())
    }
}

/// Another handle of the folder, with a lock of its own, that can be brought to the device;
/// those that are opened on the way to a file can not.
pub(crate) fn reopened(dir: &Dir) -> io::Result<Dir> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    Ok(Dir::from(rustix::fs::openat(dir, ".", flags, Mode::empty())?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_compare_as_the_file_system_does() {
        let same = |a: &str, b: &str, ignores_case, ignores_form| {
            let names = NameRule { ignores_case, ignores_form };
            PathKey::of(Path::new(a), names) == PathKey::of(Path::new(b), names)
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
