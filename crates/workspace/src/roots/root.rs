//! A root folder of a workspace.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use cap_std::ambient_authority;
use cap_std::fs::{Dir, MetadataExt as _};

use super::error::PathError;
use super::name_equivalence::NameEquivalence;

/// An open root folder of a workspace.
#[derive(Debug)]
pub struct Root {
    dir: Dir,
    path: PathBuf,
    /// The path as given by the user, which may contain links.
    pub(super) given_path: PathBuf,
    identity: (u64, u64),
    pub(super) name_equivalence: OnceLock<NameEquivalence>,
}

impl Root {
    pub(super) fn open(given: &Path) -> Result<Self, PathError> {
        let shown = given.display().to_string();
        let path = fs::canonicalize(given).map_err(|error| PathError::from_io(&shown, error))?;
        let dir = Dir::open_ambient_dir(&path, ambient_authority())
            .map_err(|error| PathError::from_io(&shown, error))?;
        let folder = dir.dir_metadata().map_err(|error| PathError::from_io(&shown, error))?;
        let identity = (folder.dev(), folder.ino());
        let given = std::path::absolute(given).unwrap_or_else(|_| given.to_owned());
        Ok(Self { dir, path, given_path: given, identity, name_equivalence: OnceLock::new() })
    }

    /// Returns the folder handle, which confines every path that is opened through it.
    pub fn dir(&self) -> &Dir {
        &self.dir
    }

    /// Returns the absolute path without links, as it was when the root was opened.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the absolute path of `relative` below the root.
    pub(super) fn join(&self, relative: &Path) -> PathBuf {
        // Joining an empty path would add a slash.
        if relative.as_os_str().is_empty() { self.path.clone() } else { self.path.join(relative) }
    }

    /// Returns which names are equal in this folder. The first call tests it with an existing file
    /// under another spelling of its name; without such a file all names count as different.
    pub fn name_equivalence(&self) -> NameEquivalence {
        *self.name_equivalence.get_or_init(|| NameEquivalence::detect(&self.dir))
    }

    /// Checks that the path still leads to the folder that was opened.
    pub(super) fn check_in_place(&self) -> Result<(), PathError> {
        use std::os::unix::fs::MetadataExt as _;
        let root = || self.path.display().to_string();
        let now = fs::metadata(&self.path).map_err(|_| PathError::RootGone { root: root() })?;
        if (now.dev(), now.ino()) == self.identity {
            Ok(())
        } else {
            Err(PathError::RootReplaced { root: root() })
        }
    }
}
