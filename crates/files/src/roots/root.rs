//! One folder that may be touched.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use cap_std::ambient_authority;
use cap_std::fs::{Dir, MetadataExt as _};

use super::error::PathError;
use super::names::NameRule;

/// One folder that may be touched, with all that is below it.
#[derive(Debug)]
pub struct Root {
    dir: Dir,
    path: PathBuf,
    /// The path as it was given, which may go through links.
    pub(super) given: PathBuf,
    identity: (u64, u64),
    pub(super) names: OnceLock<NameRule>,
}

impl Root {
    pub(super) fn open(given: &Path) -> Result<Self, PathError> {
        let shown = given.display().to_string();
        let path = fs::canonicalize(given).map_err(|error| PathError::of(&shown, error))?;
        let dir = Dir::open_ambient_dir(&path, ambient_authority())
            .map_err(|error| PathError::of(&shown, error))?;
        let folder = dir.dir_metadata().map_err(|error| PathError::of(&shown, error))?;
        let identity = (folder.dev(), folder.ino());
        let given = std::path::absolute(given).unwrap_or_else(|_| given.to_owned());
        Ok(Self { dir, path, given, identity, names: OnceLock::new() })
    }

    /// The handle of the folder; it confines every path it is given.
    pub fn dir(&self) -> &Dir {
        &self.dir
    }

    /// The folder's absolute path without links, as it was when the root was opened.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The absolute path of what is at `relative` below.
    pub(super) fn join(&self, relative: &Path) -> PathBuf {
        // Joining nothing would add a slash.
        if relative.as_os_str().is_empty() { self.path.clone() } else { self.path.join(relative) }
    }

    /// Which names are one file here. Found out by asking for a file there is by its name in
    /// another spelling; taken to be different where there is none to ask for.
    pub fn names(&self) -> NameRule {
        *self.names.get_or_init(|| NameRule::of(&self.dir))
    }

    /// That the folder still stands where it stood.
    pub(super) fn check(&self) -> Result<(), PathError> {
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
