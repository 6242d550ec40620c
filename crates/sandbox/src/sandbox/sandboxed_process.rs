//! A sandbox, and the processes that start in it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::bubblewrap::check_bubblewrap;
use super::confinement_level::{Confinement, WriteProtection};
use super::landlock_rules::SandboxRules;
use super::path_handle::{PathHandle, has_no_link_within, has_only_system_links};
use super::restricted_thread::{SandboxResources, run_restricted};
use super::write_rules::WriteRule;
use crate::CommandError;

/// The folders that a command may write. They are held open, so that a folder that later takes the
/// place of one is not writable.
#[derive(Debug, Clone)]
pub struct Sandbox {
    bounds: SandboxRules,
    skipped_folders: Arc<Vec<PathBuf>>,
    /// Whether roots may be written.
    has_writable_roots: bool,
    resources: SandboxResources,
}

impl Sandbox {
    /// Allows writes to `folders`, absolute paths of folders or single files, with everything below
    /// them: the temporary folder, caches of package managers. Missing folders are skipped, and so
    /// are paths through a link, which a command may have created. Links of the system are
    /// followed.
    #[must_use]
    pub fn from_writable(folders: impl IntoIterator<Item = PathBuf>) -> Self {
        let (places, passed_over) = open_folders(folders);
        Self {
            bounds: SandboxRules::from_writable(places),
            skipped_folders: Arc::new(passed_over),
            has_writable_roots: true,
            resources: SandboxResources::default(),
        }
    }

    /// Makes roots read-only, except for allowed folders in them.
    #[must_use]
    pub fn with_read_only_roots(mut self) -> Self {
        self.has_writable_roots = false;
        self
    }

    /// Forbids writes to `parts` of the writable folders, or allows them again within a forbidden
    /// part. Paths are absolute and without links. Paths outside of the writable folders are
    /// ignored, as are paths that are missing or links when a process starts.
    ///
    /// If bubblewrap can make mounts for a process with a [guard](crate::GuardProgram), the parts are
    /// mounted read-only there; otherwise only their siblings are granted ([`WriteProtection`]).
    #[must_use]
    pub fn with_write_rules(
        mut self,
        parts: impl IntoIterator<Item = (PathBuf, WriteRule)>,
    ) -> Self {
        let is_near = |path: &Path| {
            let is_in = |place: &Arc<PathHandle>| {
                path.starts_with(&place.original_path) || place.original_path.starts_with(path)
            };
            self.bounds.writable.iter().any(is_in)
        };
        self.bounds.write_rules =
            Arc::new(parts.into_iter().filter(|(path, _)| is_near(path)).collect());
        self
    }

    /// Returns the writable folders that lie in forbidden parts.
    pub fn forbidden_folders(&self) -> impl Iterator<Item = &Path> {
        let places = self.bounds.writable.iter().map(|place| place.original_path.as_path());
        places.filter(|place| self.bounds.write_rules.forbids(place))
    }

    /// Adds `roots`, absolute paths of workspace folders. A link to a root is followed unless it
    /// lies in a folder that commands can write or could write before: `before` are the roots of
    /// earlier sessions.
    ///
    /// # Errors
    /// Returns the first root that is reached through such a link.
    pub fn with_roots(mut self, roots: &[PathBuf], before: &[PathBuf]) -> Result<Self, PathBuf> {
        let real = |path: &PathBuf| path.canonicalize().ok();
        let of_roots = roots.iter().chain(before).filter_map(real);
        let held = self.bounds.writable.iter().map(|place| place.original_path.clone());
        let writable: Vec<PathBuf> = held.chain(of_roots).collect();
        for root in roots {
            if !has_no_link_within(root, &writable) {
                return Err(root.clone());
            }
            let place = PathHandle::open(root).ok().map(Arc::new);
            match (self.has_writable_roots, &mut self.bounds.readable) {
                (true, _) => self.bounds.writable.extend(place),
                (false, Some(readable)) => readable.extend(place),
                // Without a read restriction all roots are readable.
                (false, None) => {}
            }
        }
        Ok(self)
    }

    /// Restricts reading and executing to the writable folders and `folders`, absolute paths, which
    /// are opened like the writable ones.
    #[must_use]
    pub fn with_readable_folders(mut self, folders: impl IntoIterator<Item = PathBuf>) -> Self {
        let (readable, mut passed_over) = open_folders(folders);
        passed_over.splice(0..0, self.skipped_folders.iter().cloned());
        self.skipped_folders = Arc::new(passed_over);
        self.bounds.readable = Some(readable);
        self
    }

    /// Restricts sockets to local processes (Unix sockets).
    #[must_use]
    pub fn without_network(mut self) -> Self {
        self.bounds.has_network = false;
        self
    }

    /// Refuses to start a process if the kernel cannot enforce the sandbox.
    #[must_use]
    pub fn with_required_confinement(mut self) -> Self {
        self.bounds.requires_confinement = true;
        self
    }

    /// Returns the folders named to [`Self::from_writable`] that were skipped since their paths go
    /// through links.
    pub fn skipped_folders(&self) -> impl Iterator<Item = &Path> {
        self.skipped_folders.iter().map(PathBuf::as_path)
    }

    /// Runs `start` on a thread that is confined to this sandbox, and returns how far the kernel
    /// enforces it. Processes started by it inherit the confinement; the calling thread is not
    /// affected.
    ///
    /// If the kernel cannot confine, `start` runs all the same unless confinement is
    /// [required](Self::with_required_confinement).
    ///
    /// # Errors
    /// [`CommandError::Unconfined`] if the kernel failed to confine, or cannot although it is
    /// required; nothing was started then.
    pub fn run_confined<T: Send>(
        &self,
        start: impl FnOnce() -> T + Send,
    ) -> Result<(T, Confinement), CommandError> {
        let own_folder = self.resources.scratch_folder()?;
        let beside = self.bounds.has_forbidden_parts()?;
        let granted = self.bounds.build_ruleset(Some(own_folder.path_handle()), beside)?;
        run_restricted(move || self.bounds.restrict_this_thread(granted), start)
    }

    /// Returns the rules for a process, which may write the scratch folder too.
    ///
    /// # Errors
    /// If that cannot be created.
    pub(crate) fn rules_with_scratch_folder(&self) -> Result<SandboxRules, CommandError> {
        let mut rules = self.bounds.clone();
        rules.writable.push(Arc::clone(self.resources.scratch_folder()?.path_handle()));
        Ok(rules)
    }

    /// Returns the protection of forbidden parts for a process that was
    /// [started](Self::run_confined) without a mount namespace; `why` it has none, `None` if it has
    /// no guard.
    pub(crate) fn protection_without_mounts(
        &self,
        confinement: &Confinement,
        why: Option<String>,
    ) -> WriteProtection {
        // Parts that cannot be looked up may exist.
        let has_parts = self.bounds.has_forbidden_parts().unwrap_or(true);
        let why = why.unwrap_or_else(|| "no process can create the mounts".to_owned());
        match confinement {
            Confinement::Absent { .. }
                if has_parts || self.forbidden_folders().next().is_some() =>
            {
                WriteProtection::Unprotected { why }
            }
            Confinement::Full | Confinement::Writes | Confinement::Partial if has_parts => {
                WriteProtection::SiblingGrants { why }
            }
            Confinement::Absent { .. }
            | Confinement::Full
            | Confinement::Writes
            | Confinement::Partial => WriteProtection::None,
        }
    }
}

/// Returns a folder for files of ours that processes in `sandbox` write.
///
/// # Errors
/// If it cannot be created.
pub(crate) fn scratch_folder(sandbox: Option<&Sandbox>) -> Result<PathBuf, CommandError> {
    match sandbox {
        Some(sandbox) => Ok(sandbox.resources.scratch_folder()?.path().to_owned()),
        None => Ok(std::env::temp_dir()),
    }
}

/// Opens the folders. Returns the opened ones, and the existing ones that are skipped since their
/// paths go through links that a command may have created.
fn open_folders(
    folders: impl IntoIterator<Item = PathBuf>,
) -> (Vec<Arc<PathHandle>>, Vec<PathBuf>) {
    let (trusted, mut passed_over): (Vec<PathBuf>, Vec<PathBuf>) =
        folders.into_iter().partition(|folder| has_only_system_links(folder));
    let open = |folder: &PathBuf| PathHandle::open(folder).ok().map(Arc::new);
    passed_over.retain(|folder| folder.exists());
    (trusted.iter().filter_map(open).collect(), passed_over)
}

impl Default for Sandbox {
    /// Allows writes to devices only.
    fn default() -> Self {
        Self::from_writable([])
    }
}

impl Confinement {
    /// Detects how far commands with a [guard](crate::GuardProgram) can be confined: by bubblewrap,
    /// or else by Landlock, which is tried on a thread that ends at once.
    ///
    /// # Errors
    /// If the kernel has Landlock but does not confine; no command runs then.
    pub fn detect() -> Result<Self, CommandError> {
        let ((), by_landlock) = Sandbox::default().run_confined(|| ())?;
        match by_landlock {
            Self::Writes | Self::Partial | Self::Absent { .. } if check_bubblewrap().is_ok() => {
                Ok(Self::Full)
            }
            Self::Full | Self::Writes | Self::Partial | Self::Absent { .. } => Ok(by_landlock),
        }
    }
}
