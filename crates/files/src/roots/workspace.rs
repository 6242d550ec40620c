//! The roots of a workspace, and how paths below them are called.

use std::path::Path;
use std::sync::Arc;

use super::asked;
use super::error::PathError;
use super::names::NameRule;
use super::root::Root;
use super::spelled::spelled;

/// The roots of a workspace and the folder in them that relative paths start at. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Roots {
    pub(super) all: Arc<[Arc<Root>]>,
    pub(super) working: Arc<Path>,
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
        let working = all.first().ok_or(PathError::Empty)?.path().into();
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

    /// The same roots, relative paths starting at `folder`, which is a canonical path in one of
    /// them; where it is in none, they start where they did.
    #[must_use]
    pub fn starting_at(&self, folder: &Path) -> Self {
        let working = match self.holding(folder) {
            Some(_) => folder.into(),
            None => Arc::clone(&self.working),
        };
        Self { all: Arc::clone(&self.all), working }
    }

    /// The roots, the first one first.
    pub fn all(&self) -> impl Iterator<Item = &Arc<Root>> {
        self.all.iter()
    }

    /// That each root still stands where it stood.
    ///
    /// # Errors
    ///
    /// [`PathError::RootGone`] or [`PathError::RootReplaced`] for the first that does not.
    pub fn check(&self) -> Result<(), PathError> {
        self.all.iter().try_for_each(|root| root.check())
    }

    /// The absolute path of the folder that relative paths start at.
    pub fn working_directory(&self) -> &Path {
        &self.working
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
        let told = spelled(absolute.strip_prefix(self.all[0].path()).unwrap_or(&absolute));
        if told.is_empty() { ".".to_owned() } else { told.into_owned() }
    }

    /// The root that `absolute`, a path without links, is in.
    pub(super) fn holding(&self, absolute: &Path) -> Option<&Arc<Root>> {
        self.all.iter().find(|root| absolute.starts_with(root.path()))
    }

    /// The roots as a message names them.
    pub(super) fn named(&self) -> String {
        let names: Vec<_> =
            self.all.iter().map(|root| format!("`{}`", root.path().display())).collect();
        names.join(", ")
    }
}
