//! The roots of a workspace, and the display of paths below them.

use std::path::Path;
use std::sync::Arc;

use super::error::PathError;
use super::name_equivalence::NameEquivalence;
use super::path_escaping::escape_path;
use super::path_syntax;
use super::root::Root;

/// The roots of a workspace, and the folder in them that relative paths start at. Cheap to clone.
#[derive(Debug, Clone)]
pub struct WorkspaceRoots {
    pub(super) all: Arc<[Arc<Root>]>,
    pub(super) working: Arc<Path>,
}

impl WorkspaceRoots {
    /// Opens `folders`, of which there must be at least one. Relative paths start at the first.
    ///
    /// # Errors
    ///
    /// Fails if `folders` is empty, or if one is missing, is not a folder or may not be read.
    pub fn open<P: AsRef<Path>>(folders: &[P]) -> Result<Self, PathError> {
        let opened: Result<Vec<_>, _> =
            folders.iter().map(|folder| Root::open(folder.as_ref()).map(Arc::new)).collect();
        let all = opened?;
        let working = all.first().ok_or(PathError::Empty)?.path().into();
        Ok(Self { all: all.into(), working })
    }

    /// Opens `folders` like [`Self::open`], with a given name equivalence for all of them instead
    /// of the detected one.
    ///
    /// # Errors
    ///
    /// See [`Self::open`].
    pub fn open_with_name_equivalence<P: AsRef<Path>>(
        folders: &[P],
        names: NameEquivalence,
    ) -> Result<Self, PathError> {
        let roots = Self::open(folders)?;
        for root in roots.all() {
            root.name_equivalence.get_or_init(|| names);
        }
        Ok(roots)
    }

    /// Returns the same roots with relative paths starting at `folder`, a canonical path. If it is
    /// in none of the roots, the working directory stays the same.
    #[must_use]
    pub fn with_canonical_working_directory(&self, folder: &Path) -> Self {
        let working = match self.containing_root(folder) {
            Some(_) => folder.into(),
            None => Arc::clone(&self.working),
        };
        Self { all: Arc::clone(&self.all), working }
    }

    /// Iterates over the roots in the given order.
    pub fn all(&self) -> impl Iterator<Item = &Arc<Root>> {
        self.all.iter()
    }

    /// Checks that the path of each root still leads to the folder that was opened.
    ///
    /// # Errors
    ///
    /// Returns [`PathError::RootGone`] or [`PathError::RootReplaced`] for the first root that
    /// fails.
    pub fn check_in_place(&self) -> Result<(), PathError> {
        self.all.iter().try_for_each(|root| root.check_in_place())
    }

    /// Returns the absolute path of the folder that relative paths start at.
    pub fn working_directory(&self) -> &Path {
        &self.working
    }

    /// Returns the working directory as records name it; `None` if it is a root.
    pub fn folder_below_root(&self) -> Option<String> {
        let root = self.containing_root(&self.working)?;
        let relative = self.working.strip_prefix(root.path()).ok()?;
        (!relative.as_os_str().is_empty()).then(|| self.rule_path(root, relative))
    }

    /// Returns the path of the file at `relative` below `root` as answers show it: relative to the
    /// working directory, or absolute outside of it. Resolving it leads back to the file.
    pub fn display_path_below(&self, root: &Root, relative: &Path) -> String {
        self.display_path(&root.join(relative))
    }

    /// Returns the path that answers show for an absolute path without links.
    pub fn display_path(&self, absolute: &Path) -> String {
        let Ok(relative) = absolute.strip_prefix(&self.working) else {
            return escape_path(absolute).into_owned();
        };
        let told = escape_path(relative);
        match &*told {
            "" => ".".to_owned(),
            told if path_syntax::needs_dot_prefix(told) => format!("./{told}"),
            told => told.to_owned(),
        }
    }

    /// Returns the path of the file at `relative` below `root` as rules and records name it,
    /// independent of the working directory: relative to the first root, absolute in the others.
    pub fn rule_path(&self, root: &Root, relative: &Path) -> String {
        let absolute = root.join(relative);
        let told = escape_path(absolute.strip_prefix(self.all[0].path()).unwrap_or(&absolute));
        if told.is_empty() { ".".to_owned() } else { told.into_owned() }
    }

    /// Returns the root that contains `absolute`, a path without links.
    pub(super) fn containing_root(&self, absolute: &Path) -> Option<&Arc<Root>> {
        self.all.iter().find(|root| absolute.starts_with(root.path()))
    }

    /// Returns the list of roots for a message.
    pub(super) fn format_roots(&self) -> String {
        let names: Vec<_> =
            self.all.iter().map(|root| format!("`{}`", root.path().display())).collect();
        names.join(", ")
    }
}
