//! Folders that are searched and listed.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use cap_std::fs::Dir;
use foveal_context::note::{Note, NoteKind};
use foveal_files::tree::{Passed, Scope, name_of, path_of};
use foveal_files::{Located, Opened, Roots};

use crate::answer::Dependency;
use crate::error::ToolError;
use crate::session::Work;

/// A folder, or a file, that is searched or listed.
pub(crate) struct SearchPlace {
    roots: Roots,
    located: Located,
    /// Roots in it, which are places of their own.
    without: Vec<PathBuf>,
}

/// What one call is about.
pub(crate) struct SearchPlaces {
    /// One place or more, each told as it is asked for.
    pub(crate) all: Vec<SearchPlace>,
    /// Why there are not more of them, for the end of the answer.
    pub(crate) missing: Vec<Note>,
}

/// Whether a call without a path is about all roots: where the folder of commands is one of
/// several. Below a root it is about that folder.
pub(crate) fn means_all(roots: &Roots, path: Option<&str>) -> bool {
    path.is_none_or(str::is_empty)
        && roots.all().count() > 1
        && roots.all().any(|root| root.path() == roots.working_directory())
}

/// The folder or file that is searched; without a path, where the session is.
pub(crate) fn searched(path: Option<&str>) -> &str {
    path.filter(|path| !path.is_empty()).unwrap_or(".")
}

/// The folder or file at `path`; without one, where the session is, or all roots.
pub(crate) fn places(work: &Work<'_>, path: Option<&str>) -> Result<SearchPlaces, ToolError> {
    let roots = work.roots();
    if !means_all(&roots, path) {
        let place = place(work, &roots, searched(path), Vec::new())?;
        return Ok(SearchPlaces { all: vec![place], missing: Vec::new() });
    }
    let mut places = SearchPlaces { all: Vec::new(), missing: Vec::new() };
    let mut refused = None;
    for root in roots.all() {
        let inner = roots.all().filter_map(|other| other.path().strip_prefix(root.path()).ok());
        let without = inner.filter(|inner| !inner.as_os_str().is_empty());
        let path = roots.display_path(root.path());
        match place(work, &roots, &path, without.map(Path::to_owned).collect()) {
            Ok(place) => places.all.push(place),
            Err(error) => {
                let why = NoteKind::Passed { why: error.to_string().into() };
                places.missing.push(Note::new(why).of_file(&path));
                refused = Some(error);
            }
        }
    }
    match refused {
        Some(error) if places.all.is_empty() => Err(error),
        _ => Ok(places),
    }
}

fn place(
    work: &Work<'_>,
    roots: &Roots,
    path: &str,
    without: Vec<PathBuf>,
) -> Result<SearchPlace, ToolError> {
    let located = work.file(path)?;
    located.metadata().map_err(ToolError::failed)?;
    Ok(SearchPlace { roots: roots.clone(), located, without })
}

impl SearchPlaces {
    /// All that an answer about them rests on; to be asked before it is begun.
    pub(crate) fn depends(&self, work: &Work<'_>) -> Vec<Dependency> {
        let now = SystemTime::now();
        let trees = self.all.iter().map(|place| Dependency::Tree(place.located.absolute(), now));
        trees.chain([work.seen_from()]).collect()
    }
}

impl SearchPlace {
    /// The root it is in; paths are relative to that.
    pub(crate) fn base(&self) -> &Path {
        self.located.root().path()
    }

    /// What of the root is meant.
    pub(crate) fn scope(&self, glob: Option<String>, kind: Option<String>) -> Scope {
        Scope {
            path: name_of(self.located.relative()).into_owned(),
            without: self.without.clone(),
            globs: glob.into_iter().collect(),
            types: kind.into_iter().collect(),
            ..Scope::default()
        }
    }

    /// Opens a file for a search; those that may hold secrets are left alone.
    pub(crate) fn open(&self, work: &Work<'_>, relative: &Path) -> io::Result<File> {
        let path = self.base().join(relative);
        let located = self.roots.resolve(&name_of(&path)).map_err(io::Error::other)?;
        if located.sensitivity().is_some() && located.key() != self.located.key() {
            return Err(io::Error::other("it may hold secrets: name it as path to search it"));
        }
        if !work.is_allowed(&located.rule_path()) {
            return Err(io::Error::other("a permission rule keeps it from searches"));
        }
        Ok(Opened::open(&located).map_err(io::Error::other)?.into_std())
    }

    /// Which of these paths, relative to the root and spelled, are in it without a link on the
    /// way. A walk goes by names: a folder that is exchanged for a link meanwhile leads it
    /// elsewhere.
    pub(crate) fn inside<'a>(&self, paths: impl Iterator<Item = &'a str>) -> HashSet<String> {
        let mut folders: HashMap<PathBuf, Option<Dir>> = HashMap::new();
        let mut inside = HashSet::new();
        for told in paths {
            let path = path_of(told);
            let (folder, name) = match path.file_name() {
                Some(name) => (path.parent().unwrap_or(Path::new("")), name),
                None => continue,
            };
            let found = folders.entry(folder.to_owned()).or_insert_with(|| self.folder(folder));
            if found.as_ref().is_some_and(|dir| dir.symlink_metadata(name).is_ok()) {
                inside.insert(told.to_owned());
            }
        }
        inside
    }

    /// A folder by its path relative to the root, reached through no link.
    fn folder(&self, relative: &Path) -> Option<Dir> {
        self.roots.below(self.located.root(), relative).folder().ok()
    }

    /// A path below what is meant, relative to the root.
    pub(crate) fn below(&self, name: &str) -> String {
        let path = self.located.relative().join(path_of(name));
        name_of(&path).into_owned()
    }

    /// How a path relative to the root is told.
    pub(crate) fn shown(&self, name: &str) -> String {
        self.roots.shown(self.located.root(), &path_of(name))
    }

    /// Tells what was passed over as all else is told, and nothing of what is outside.
    pub(crate) fn tell(&self, passed: &mut Passed) {
        let inside = self.inside(passed.reasons.iter().map(|(path, _)| path.as_str()));
        passed.reasons.retain(|(path, _)| inside.contains(path));
        passed.reasons.iter_mut().for_each(|(path, _)| *path = self.shown(path));
        passed.as_bytes_first.iter_mut().for_each(|path| *path = self.shown(path));
    }
}
