//! Folders that are searched and listed.

use std::fs::File;
use std::io;
use std::path::Path;
use std::time::SystemTime;

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

impl Work<'_> {
    /// The folder or file at `path`; without one, where the session is.
    pub(crate) fn place(&self, path: Option<&str>) -> Result<Place, ToolError> {
        let located = self.file(path.filter(|path| !path.is_empty()).unwrap_or("."))?;
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

    /// How a path relative to the root is told.
    pub(crate) fn shown(&self, relative: &str) -> String {
        self.roots.shown(self.located.root(), Path::new(relative))
    }

    /// All that an answer about it rests on; to be asked before it is begun.
    pub(crate) fn depends(&self) -> Vec<Dependency> {
        vec![Dependency::Tree(self.located.absolute(), SystemTime::now())]
    }
}
