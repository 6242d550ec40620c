//! The folders and files that searches and listings cover.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use cap_std::fs::Dir;
use foveal_workspace::file_search::{
    ProtectedFile, SearchScope, SkippedFiles, path_for_display, path_from_display,
};
use foveal_workspace::{OpenFile, PathKey, ResolvedPath, WorkspaceRoots};

use crate::answer::AnswerDependency;
use crate::error::ToolError;
use crate::notes::SearchNote;
use crate::session::CallContext;

/// A folder or file to be searched or listed.
pub(crate) struct SearchPlace {
    roots: WorkspaceRoots,
    located: ResolvedPath,
    /// Other roots inside it, which are places of their own.
    excluded: Vec<PathBuf>,
}

/// The places that one call covers.
pub(crate) struct SearchPlaces {
    /// One place or more; their paths are shown as the call names them.
    pub(crate) places: Vec<SearchPlace>,
    /// Notes on places that are left out, for the end of the answer.
    pub(crate) gap_notes: Vec<SearchNote>,
    /// The note for an answer without results, if the working directory is below a root.
    pub(crate) below_root: Option<SearchNote>,
}

/// Returns whether a call without a path covers all roots: if the working directory is one of
/// several roots. Below a root the call covers that directory.
pub(crate) fn covers_all_roots(roots: &WorkspaceRoots, path: Option<&str>) -> bool {
    path.is_none_or(str::is_empty)
        && roots.all().count() > 1
        && roots.all().any(|root| root.path() == roots.working_directory())
}

/// Returns the path to search; without one, the working directory.
pub(crate) fn search_path(path: Option<&str>) -> &str {
    path.filter(|path| !path.is_empty()).unwrap_or(".")
}

/// Returns the folder or file at `path`; without one, the working directory or all roots.
pub(crate) fn search_places(
    work: &CallContext<'_>,
    path: Option<&str>,
) -> Result<SearchPlaces, ToolError> {
    let roots = work.roots();
    if !covers_all_roots(&roots, path) {
        let place = search_place(work, &roots, search_path(path), Vec::new())?;
        let below_root = place.below_root_note(search_path(path));
        return Ok(SearchPlaces { places: vec![place], gap_notes: Vec::new(), below_root });
    }
    let mut places = SearchPlaces { places: Vec::new(), gap_notes: Vec::new(), below_root: None };
    let mut refused = None;
    for root in roots.all() {
        let inner = roots.all().filter_map(|other| other.path().strip_prefix(root.path()).ok());
        let without = inner.filter(|inner| !inner.as_os_str().is_empty());
        let path = roots.display_path(root.path());
        match search_place(work, &roots, &path, without.map(Path::to_owned).collect()) {
            Ok(place) => places.places.push(place),
            Err(error) => {
                let (folder, why) = (path.into(), error.to_string().into());
                places.gap_notes.push(SearchNote::Passed { folder, why });
                refused = Some(error);
            }
        }
    }
    match refused {
        Some(error) if places.places.is_empty() => Err(error),
        _ => Ok(places),
    }
}

fn search_place(
    work: &CallContext<'_>,
    roots: &WorkspaceRoots,
    path: &str,
    without: Vec<PathBuf>,
) -> Result<SearchPlace, ToolError> {
    let located = work.resolve_permitted(path)?;
    located.metadata().map_err(ToolError::from_error)?;
    Ok(SearchPlace { roots: roots.clone(), located, excluded: without })
}

impl SearchPlaces {
    /// Returns the dependencies of an answer about the places. Call it before the search begins.
    pub(crate) fn dependencies(&self, work: &CallContext<'_>) -> Vec<AnswerDependency> {
        let now = SystemTime::now();
        let trees = self
            .places
            .iter()
            .map(|place| AnswerDependency::Tree(place.located.absolute_path(), now));
        trees.chain([work.directory_dependency()]).collect()
    }
}

impl SearchPlace {
    /// Returns the note that tells where `path` led, if it is relative to a folder below a root.
    fn below_root_note(&self, path: &str) -> Option<SearchNote> {
        let is_relative = !Path::new(path).is_absolute();
        let is_below = is_relative && self.roots.folder_below_root().is_some();
        is_below.then(|| SearchNote::Below(self.located.rule_path().into()))
    }

    /// Returns the root of the place, to which its paths are relative.
    pub(crate) fn root_path(&self) -> &Path {
        self.located.root().path()
    }

    /// Returns the part of the root that a search covers.
    pub(crate) fn scope(&self, glob: Option<String>, kind: Option<String>) -> SearchScope {
        SearchScope {
            path: path_for_display(self.located.relative_path()).into_owned(),
            excluded_folders: self.excluded.clone(),
            globs: glob.into_iter().collect(),
            types: kind.into_iter().collect(),
            ..SearchScope::default()
        }
    }

    /// Opens a file for a search. Files that may hold secrets are refused, unless the call names
    /// them.
    pub(crate) fn open_for_search(
        &self,
        work: &CallContext<'_>,
        relative: &Path,
    ) -> io::Result<File> {
        let path = self.root_path().join(relative);
        let located = self.roots.resolve(&path_for_display(&path)).map_err(io::Error::other)?;
        if located.sensitivity().is_some() && located.path_key() != self.located.path_key() {
            return Err(io::Error::other(ProtectedFile));
        }
        if !work.rules_allow(&located.rule_path()) {
            return Err(io::Error::other("a permission rule keeps it from searches"));
        }
        Ok(OpenFile::open(&located).map_err(io::Error::other)?.into_std())
    }

    /// Returns those of these paths, relative to the root and escaped, that are reached without a
    /// link. A walk goes by names, so a folder that is replaced by a link meanwhile leads it
    /// elsewhere.
    pub(crate) fn paths_without_links<'a>(
        &self,
        paths: impl Iterator<Item = &'a str>,
    ) -> HashSet<String> {
        let mut folders: HashMap<PathBuf, Option<Dir>> = HashMap::new();
        let mut inside = HashSet::new();
        for told in paths {
            let path = path_from_display(told);
            let (folder, name) = match path.file_name() {
                Some(name) => (path.parent().unwrap_or(Path::new("")), name),
                None => continue,
            };
            let found =
                folders.entry(folder.to_owned()).or_insert_with(|| self.open_folder(folder));
            if found.as_ref().is_some_and(|dir| dir.symlink_metadata(name).is_ok()) {
                inside.insert(told.to_owned());
            }
        }
        inside
    }

    /// Opens a folder by its path relative to the root, without following links.
    fn open_folder(&self, relative: &Path) -> Option<Dir> {
        self.roots.path_below(self.located.root(), relative).open_folder().ok()
    }

    /// Returns the path of `name` below the place, relative to the root.
    pub(crate) fn join_relative(&self, name: &str) -> String {
        let path = self.located.relative_path().join(path_from_display(name));
        path_for_display(&path).into_owned()
    }

    /// Returns the key of the file at a path relative to the root.
    pub(crate) fn path_key(&self, name: &str) -> PathKey {
        self.roots.path_below(self.located.root(), &path_from_display(name)).path_key()
    }

    /// Returns a path relative to the root as answers show it.
    pub(crate) fn display_path(&self, name: &str) -> String {
        self.roots.display_path_below(self.located.root(), &path_from_display(name))
    }

    /// Rewrites the paths of skipped files as answers show them, and drops those outside of the
    /// place.
    pub(crate) fn display_skipped(&self, passed: &mut SkippedFiles) {
        let inside = self.paths_without_links(passed.reasons.iter().map(|(path, _)| path.as_str()));
        passed.reasons.retain(|(path, _)| inside.contains(path));
        passed.reasons.iter_mut().for_each(|(path, _)| *path = self.display_path(path));
        let protected = passed.protected_first.iter().map(String::as_str);
        let inside = self.paths_without_links(protected);
        passed.protected_first.retain(|path| inside.contains(path));
        passed.protected_first.iter_mut().for_each(|path| *path = self.display_path(path));
        passed.as_bytes_first.iter_mut().for_each(|path| *path = self.display_path(path));
    }
}
