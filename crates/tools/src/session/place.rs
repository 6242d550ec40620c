//! Folders that are searched and listed.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use cap_std::fs::Dir;
use foveal_files::tree::Scope;
use foveal_files::{Located, Opened, Roots};

use crate::answer::Dependency;
use crate::error::ToolError;

use super::Work;

/// A folder, or a file, that is searched or listed.
pub(crate) struct Place {
    roots: Roots,
    located: Located,
}

/// The folder or file that is searched; without a path, where the session is.
pub(crate) fn searched(path: Option<&str>) -> &str {
    path.filter(|path| !path.is_empty()).unwrap_or(".")
}

impl Work<'_> {
    /// The folder or file at `path`; without one, where the session is.
    pub(crate) fn place(&self, path: Option<&str>) -> Result<Place, ToolError> {
        let located = self.file(searched(path))?;
        located.metadata().map_err(ToolError::failed)?;
        Ok(Place { roots: self.session.roots(), located })
    }
}

impl Place {
    /// The root it is in; paths are relative to that.
    pub(crate) fn base(&self) -> &Path {
        self.located.root().path()
    }

    /// What of the root is meant.
    pub(crate) fn scope(&self, glob: Option<String>, kind: Option<String>) -> Scope {
        Scope {
            path: self.located.relative().to_string_lossy().into_owned(),
            globs: glob.into_iter().collect(),
            types: kind.into_iter().collect(),
            ..Scope::default()
        }
    }

    /// Opens a file for a search; those that may hold secrets are left alone.
    pub(crate) fn open(&self, work: &Work<'_>, relative: &Path) -> io::Result<File> {
        let path = self.base().join(relative);
        let located = self.roots.resolve(&path.to_string_lossy()).map_err(io::Error::other)?;
        if located.sensitivity().is_some() && located.key() != self.located.key() {
            return Err(io::Error::other("it may hold secrets: name it as path to search it"));
        }
        if !work.is_allowed(located.shown()) {
            return Err(io::Error::other("a permission rule keeps it from searches"));
        }
        Ok(Opened::open(&located).map_err(io::Error::other)?.into_std())
    }

    /// Which of these paths, relative to the root, are in it without a link on the way. A walk
    /// goes by names: a folder that is exchanged for a link meanwhile leads it elsewhere.
    pub(crate) fn inside<'a>(&self, paths: impl Iterator<Item = &'a str>) -> HashSet<String> {
        let mut folders: HashMap<PathBuf, Option<Dir>> = HashMap::new();
        let mut inside = HashSet::new();
        for path in paths {
            let (folder, name) = match Path::new(path).file_name() {
                Some(name) => (Path::new(path).parent().unwrap_or(Path::new("")), name),
                None => continue,
            };
            let found = folders.entry(folder.to_owned()).or_insert_with(|| self.folder(folder));
            if found.as_ref().is_some_and(|dir| dir.symlink_metadata(name).is_ok()) {
                inside.insert(path.to_owned());
            }
        }
        inside
    }

    /// A folder by its path relative to the root, reached through no link.
    fn folder(&self, relative: &Path) -> Option<Dir> {
        let path = self.base().join(relative);
        let located = self.roots.resolve(&path.to_string_lossy()).ok()?;
        let is_there = located.link().is_none() && located.relative() == relative;
        is_there.then(|| located.folder().ok()).flatten()
    }

    /// A path below what is meant, relative to the root.
    pub(crate) fn below(&self, path: &str) -> String {
        self.located.relative().join(path).to_string_lossy().into_owned()
    }

    /// How a path relative to the root is told.
    pub(crate) fn shown(&self, relative: &str) -> String {
        self.roots.shown(self.located.root(), Path::new(relative))
    }

    /// All that an answer about it rests on; to be asked before it is begun.
    pub(crate) fn depends(&self) -> Vec<Dependency> {
        vec![Dependency::Tree(self.located.absolute(), SystemTime::now())]
    }
}
