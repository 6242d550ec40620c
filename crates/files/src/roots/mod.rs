//! The folders a session works in, and nothing beside them.
//!
//! A root is held as a handle of its folder. A path is resolved by hand, link by link, to a place
//! below a root that goes through no link any more; whatever is done there afterwards opens the
//! folders one below the other from the handle, following no link. So a link put in the way
//! between the look and the use is refused, and `..` cannot climb out.

mod asked;
mod error;
mod located;
mod names;
mod resolve;
mod similar;
mod spelled;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use cap_std::fs::MetadataExt as _;

pub use self::error::PathError;
pub(crate) use self::located::reopened;
pub use self::located::{Located, PathKey};
pub use self::names::NameRule;
pub(crate) use self::spelled::{spelled, unspelled};

/// One folder that may be touched, with all that is below it.
#[derive(Debug)]
pub struct Root {
    dir: Dir,
    path: PathBuf,
    given: PathBuf,
    identity: (u64, u64),
    names: OnceLock<NameRule>,
}

impl Root {
    fn open(given: &Path) -> Result<Self, PathError> {
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
    fn join(&self, relative: &Path) -> PathBuf {
        // Joining nothing would add a slash.
        if relative.as_os_str().is_empty() { self.path.clone() } else { self.path.join(relative) }
    }

    /// Which names are one file here. Found out by asking for a file there is by its name in
    /// another spelling; taken to be different where there is none to ask for.
    pub fn names(&self) -> NameRule {
        *self.names.get_or_init(|| NameRule::of(&self.dir))
    }

    /// That the folder still stands where it stood.
    fn check(&self) -> Result<(), PathError> {
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

/// The roots of a workspace and the folder in them that relative paths start at. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Roots {
    all: Arc<[Arc<Root>]>,
    working: Arc<Path>,
}

impl Roots {
    /// Opens `folders`. The first is where relative paths start; there must be one.
    ///
    /// # Errors
    ///
    /// When there is no folder, or one is missing, no folder, or not permitted.
    pub fn open<P: AsRef<Path>>(folders: &[P]) -> Result<Self, PathError> {
        let opened: Result<Vec<_>, _> =
            folders.iter().map(|folder| Root::open(folder.as_ref()).map(Arc::new)).collect();
        let all = opened?;
        let working = all.first().ok_or(PathError::Empty)?.path.as_path().into();
        Ok(Self { all: all.into(), working })
    }

    /// As [`Self::open`], with the rule of names given for all of them rather than found out.
    ///
    /// # Errors
    ///
    /// As [`Self::open`].
    pub fn open_with_names<P: AsRef<Path>>(
        folders: &[P],
        names: NameRule,
    ) -> Result<Self, PathError> {
        let roots = Self::open(folders)?;
        for root in roots.all() {
            root.names.get_or_init(|| names);
        }
        Ok(roots)
    }

    /// The roots, the first one first.
    pub fn all(&self) -> impl Iterator<Item = &Arc<Root>> {
        self.all.iter()
    }

    /// The absolute path of the folder that relative paths start at.
    pub fn working_directory(&self) -> &Path {
        &self.working
    }

    /// These roots with another folder for relative paths to start at.
    ///
    /// # Errors
    ///
    /// When `folder` is refused, missing, or no folder.
    pub fn with_working_directory(&self, folder: &str) -> Result<Self, PathError> {
        let located = self.resolve(folder)?;
        located.folder()?;
        Ok(Self { all: Arc::clone(&self.all), working: located.absolute().into() })
    }

    /// Where `path` leads: relative to the working directory or absolute, with `.`, `..` and
    /// symbolic links followed as long as they end inside a root. The file itself may be missing;
    /// reading it then fails with names like its own.
    ///
    /// # Errors
    ///
    /// When the path is malformed, leads outside, goes through a file, or a root is gone.
    pub fn resolve(&self, path: &str) -> Result<Located, PathError> {
        resolve::resolve(self, &self.working, path)
    }

    /// As [`Self::resolve`], with relative paths starting at the absolute folder `from`.
    ///
    /// # Errors
    ///
    /// As [`Self::resolve`].
    pub fn resolve_from(&self, from: &Path, path: &str) -> Result<Located, PathError> {
        resolve::resolve(self, from, path)
    }

    /// How the file at `relative` below `root` is called in answers: relative to the working
    /// directory, or absolute outside it, so that asking for it by that name leads to it.
    pub fn shown(&self, root: &Root, relative: &Path) -> String {
        self.display_path(&root.join(relative))
    }

    /// How the absolute path, which goes through no link, is called in answers.
    pub fn display_path(&self, absolute: &Path) -> String {
        let Ok(relative) = absolute.strip_prefix(&self.working) else {
            return spelled(absolute).into_owned();
        };
        let told = spelled(relative);
        match &*told {
            "" => ".".to_owned(),
            told if asked::needs_dot(told) => format!("./{told}"),
            told => told.to_owned(),
        }
    }

    /// How the file at `relative` below `root` is called by rules and records, wherever the
    /// working directory is: relative to the first root, absolute in others.
    pub fn rule_path(&self, root: &Root, relative: &Path) -> String {
        let absolute = root.join(relative);
        let told = spelled(absolute.strip_prefix(&self.all[0].path).unwrap_or(&absolute));
        if told.is_empty() { ".".to_owned() } else { told.into_owned() }
    }

    /// What is at `relative` below `root`, reached through no link.
    pub fn below(&self, root: &Arc<Root>, relative: &Path) -> Located {
        Located::new(self, root, relative, None)
    }

    /// The root that `absolute`, a path without links, is in.
    fn holding(&self, absolute: &Path) -> Option<&Arc<Root>> {
        self.all.iter().find(|root| absolute.starts_with(&root.path))
    }

    /// The roots as a message names them.
    fn named(&self) -> String {
        let names: Vec<_> =
            self.all.iter().map(|root| format!("`{}`", root.path.display())).collect();
        names.join(", ")
    }
}
