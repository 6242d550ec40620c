//! A sandbox and what starts in it.

use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::Arc;

use super::bounds::Bounds;
use super::confinement::{Confinement, Holding, Protection};
use super::own_mounts::{self, Attempt, Order};
use super::parts::Writing;
use super::places::{Place, is_chosen_outside, is_of_the_system};
use super::starter::{Kept, run};
use crate::CommandError;

/// Where a command may write: folders that are held open, so that nothing that is put in the
/// place of one later is meant.
#[derive(Debug, Clone)]
pub struct Sandbox {
    bounds: Bounds,
    passed_over: Arc<Vec<PathBuf>>,
    /// Whether roots may be written.
    writes_roots: bool,
    kept: Kept,
}

impl Sandbox {
    /// Holds `folders`, absolute paths of folders or single files, with all that is below them:
    /// the folder for temporary files, caches of package managers. What does not exist is passed
    /// over, and so is a name that goes through a link: a command may have made it. Links of the
    /// system's own are followed.
    #[must_use]
    pub fn hold(folders: impl IntoIterator<Item = PathBuf>) -> Self {
        let (places, passed_over) = held(folders);
        Self {
            bounds: Bounds::of(places),
            passed_over: Arc::new(passed_over),
            writes_roots: true,
            kept: Kept::default(),
        }
    }

    /// The same sandbox, in which roots can be read, and be written only where folders in them are
    /// held.
    #[must_use]
    pub fn without_writing_roots(mut self) -> Self {
        self.writes_roots = false;
        self
    }

    /// The same sandbox, in which `parts` of what may be written, by their absolute paths without
    /// links, may not be written, or may again though they lie in such a part. What is no part of a
    /// folder that may be written is passed over, and so is what does not exist when something is
    /// started, or is a link.
    ///
    /// Where a process with a [guard](crate::Guard) can have mounts of its own, each part is
    /// mounted there read-only; else only what lies beside the parts is given ([`Protection`]).
    #[must_use]
    pub fn forbidding(mut self, parts: impl IntoIterator<Item = (PathBuf, Writing)>) -> Self {
        let is_near = |path: &Path| {
            let is_in =
                |place: &Arc<Place>| path.starts_with(&place.real) || place.real.starts_with(path);
            self.bounds.places.iter().any(is_in)
        };
        self.bounds.parts = Arc::new(parts.into_iter().filter(|(path, _)| is_near(path)).collect());
        self
    }

    /// The folders that may not be written as they lie in forbidden parts.
    pub fn forbidden(&self) -> impl Iterator<Item = &Path> {
        let places = self.bounds.places.iter().map(|place| place.real.as_path());
        places.filter(|place| self.bounds.parts.forbid(place))
    }

    /// The same sandbox with `roots`, absolute paths of workspace folders. A link to a root is
    /// followed, unless it lies in a folder that commands may write, or could: `before` are
    /// roots of earlier sessions.
    ///
    /// # Errors
    /// The first root that such a link leads to.
    pub fn with_roots(mut self, roots: &[PathBuf], before: &[PathBuf]) -> Result<Self, PathBuf> {
        let real = |path: &PathBuf| path.canonicalize().ok();
        let of_roots = roots.iter().chain(before).filter_map(real);
        let held = self.bounds.places.iter().map(|place| place.real.clone());
        let writable: Vec<PathBuf> = held.chain(of_roots).collect();
        for root in roots {
            if !is_chosen_outside(root, &writable) {
                return Err(root.clone());
            }
            let place = Place::open(root).ok().map(Arc::new);
            match (self.writes_roots, &mut self.bounds.readable) {
                (true, _) => self.bounds.places.extend(place),
                (false, Some(readable)) => readable.extend(place),
                // All can be read.
                (false, None) => {}
            }
        }
        Ok(self)
    }

    /// The same sandbox, in which only what may be written and `folders`, absolute paths, can be
    /// read and run. They are held like those that may be written.
    #[must_use]
    pub fn reading_only(mut self, folders: impl IntoIterator<Item = PathBuf>) -> Self {
        let (readable, mut passed_over) = held(folders);
        passed_over.splice(0..0, self.passed_over.iter().cloned());
        self.passed_over = Arc::new(passed_over);
        self.bounds.readable = Some(readable);
        self
    }

    /// The same sandbox, in which sockets lead to processes of this machine alone, by a file.
    #[must_use]
    pub fn without_network(mut self) -> Self {
        self.bounds.has_network = false;
        self
    }

    /// The same sandbox, without which nothing is started.
    #[must_use]
    pub fn required(mut self) -> Self {
        self.bounds.is_required = true;
        self
    }

    /// Folders that were named to [`Self::hold`] and are not held, as their names go through links.
    pub fn passed_over(&self) -> impl Iterator<Item = &Path> {
        self.passed_over.iter().map(PathBuf::as_path)
    }

    /// Runs `start` where only this sandbox may be written, and says how far that holds. A
    /// process started in it inherits the confinement; the calling thread does not.
    ///
    /// Where the kernel has no way to confine, `start` runs all the same, unless the sandbox is
    /// [required](Self::required).
    ///
    /// # Errors
    /// [`CommandError::Unconfined`] if nothing was started, as the kernel should confine and did
    /// not, or cannot and must.
    pub fn start<T: Send>(
        &self,
        start: impl FnOnce() -> T + Send,
    ) -> Result<(T, Confinement), CommandError> {
        let own_folder = self.kept.folder()?;
        let beside = self.bounds.has_forbidden_parts()?;
        let granted = self.bounds.granted(Some(own_folder.place()), beside)?;
        run(move || self.bounds.restrict_this_thread(granted), start)
    }

    /// Starts what `make` makes, behind a guard if there is one: only then can it be given an
    /// order, to have mounts of its own. It is made anew for each try.
    ///
    /// # Errors
    /// As [`Self::start`]; the inner one, if it could not be started.
    pub(crate) fn spawn(
        &self,
        has_guard: bool,
        make: &(dyn Fn(Option<&Order>) -> std::io::Result<Command> + Sync),
    ) -> Result<(std::io::Result<Child>, Holding), CommandError> {
        let mut why = None;
        let needs_more = self.bounds.has_forbidden_parts()?;
        if needs_more && has_guard {
            why = Some(match self.kept.no_mounts() {
                Some(why) => why,
                None => match own_mounts::start(&self.bounds, self.kept.folder()?.place(), make)? {
                    Attempt::Started(child, confinement) => {
                        return Ok((
                            Ok(child),
                            Holding { confinement, protection: Protection::Mounts },
                        ));
                    }
                    Attempt::NoMounts(why) => self.kept.note_no_mounts(why),
                },
            });
        }
        let (child, confinement) = self.start(|| make(None)?.spawn())?;
        let protection = self.protection_without_mounts(&confinement, why);
        Ok((child, Holding { confinement, protection }))
    }

    /// How forbidden parts are held of what was [started](Self::start) without mounts of its own,
    /// and why it has none; `None`: as it has no guard.
    pub(crate) fn protection_without_mounts(
        &self,
        confinement: &Confinement,
        why: Option<String>,
    ) -> Protection {
        // What could not be looked at may be there.
        let has_parts = self.bounds.has_forbidden_parts().unwrap_or(true);
        let why = why.unwrap_or_else(|| "nobody is there to make the mounts".to_owned());
        match confinement {
            Confinement::Absent { .. } if has_parts || self.forbidden().next().is_some() => {
                Protection::Absent { why }
            }
            Confinement::Full | Confinement::Writes | Confinement::Partial if has_parts => {
                Protection::Beside { why }
            }
            Confinement::Absent { .. }
            | Confinement::Full
            | Confinement::Writes
            | Confinement::Partial => Protection::None,
        }
    }
}

/// A folder for files of ours that what is started in `sandbox` writes.
///
/// # Errors
/// If it cannot be made.
pub(crate) fn own_folder(sandbox: Option<&Sandbox>) -> Result<PathBuf, CommandError> {
    match sandbox {
        Some(sandbox) => Ok(sandbox.kept.folder()?.path().to_owned()),
        None => Ok(std::env::temp_dir()),
    }
}

/// The folders that can be held, and those that are there and are not, as their names go through
/// links that a command may have made.
fn held(folders: impl IntoIterator<Item = PathBuf>) -> (Vec<Arc<Place>>, Vec<PathBuf>) {
    let (trusted, mut passed_over): (Vec<PathBuf>, Vec<PathBuf>) =
        folders.into_iter().partition(|folder| is_of_the_system(folder));
    let open = |folder: &PathBuf| Place::open(folder).ok().map(Arc::new);
    passed_over.retain(|folder| folder.exists());
    (trusted.iter().filter_map(open).collect(), passed_over)
}

impl Default for Sandbox {
    /// Nothing may be written but devices.
    fn default() -> Self {
        Self::hold([])
    }
}

impl Confinement {
    /// What the kernel can do here, tried on a thread that ends at once.
    ///
    /// # Errors
    /// If the kernel has Landlock but does not confine; no command runs then.
    pub fn available() -> Result<Self, CommandError> {
        Sandbox::default().start(|| ()).map(|((), confinement)| confinement)
    }
}
