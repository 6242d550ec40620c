//! A sandbox and what starts in it.

use std::os::fd::{AsFd as _, BorrowedFd};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use landlock::{
    ABI, AccessFs, BitFlags, LandlockStatus, PathBeneath, RestrictionStatus, Ruleset,
    RulesetAttr as _, RulesetCreatedAttr as _, RulesetError, RulesetStatus,
};

use super::confinement::Confinement;
use super::places::{Place, apart};
use crate::CommandError;

/// Devices that programs write to as a matter of course; shared memory and terminals too.
const DEVICES: &[&str] = &[
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/tty",
    "/dev/ptmx",
    "/dev/pts",
    "/dev/shm",
    "/dev/mqueue",
];

/// The kernel interface whose write accesses are confined: creating, changing, removing,
/// renaming and truncating files. Later ones add device controls and sockets, no writes.
const WRITES_OF: ABI = ABI::V3;

/// Where a command may write: folders that are held open, so that nothing that is put in the
/// place of one later is meant.
#[derive(Debug, Clone, Default)]
pub struct Sandbox {
    places: Arc<Vec<Place>>,
    passed_over: Arc<Vec<PathBuf>>,
    is_required: bool,
}

impl Sandbox {
    /// Holds `folders`, absolute paths of folders or single files, with all that is below them:
    /// the workspace roots, the folder for temporary files, caches of package managers. What does
    /// not exist is passed over, and so is a name that leads through another of the folders: a
    /// command could have chosen what it leads to.
    #[must_use]
    pub fn hold(folders: impl IntoIterator<Item = PathBuf>) -> Self {
        let (apart, mut passed_over) = apart(folders.into_iter().collect());
        let places = apart.iter().filter_map(|folder| Place::open(folder).ok()).collect();
        let held: Vec<PathBuf> = apart.iter().filter_map(|held| held.canonicalize().ok()).collect();
        passed_over.retain(|folder| {
            let leads_out = |real: PathBuf| !held.iter().any(|held| real.starts_with(held));
            folder.canonicalize().is_ok_and(leads_out)
        });
        Self { places: Arc::new(places), passed_over: Arc::new(passed_over), is_required: false }
    }

    /// The same sandbox, without which nothing is started.
    #[must_use]
    pub fn required(mut self) -> Self {
        self.is_required = true;
        self
    }

    /// Folders that were named to [`Self::hold`] and may not be written, as they lead through
    /// another of them and out of it.
    pub fn passed_over(&self) -> impl Iterator<Item = &Path> {
        self.passed_over.iter().map(PathBuf::as_path)
    }

    /// Runs `start` where only this sandbox and the open file `also` may be written, and says how
    /// far that holds. A process started in it inherits the confinement; the calling thread
    /// does not.
    ///
    /// Where the kernel has no way to confine, `start` runs all the same, unless the sandbox is
    /// [required](Self::required).
    ///
    /// # Errors
    /// [`CommandError::Unconfined`] if nothing was started, as the kernel should confine and did
    /// not, or cannot and must.
    pub fn start<T: Send>(
        &self,
        also: Option<BorrowedFd<'_>>,
        start: impl FnOnce() -> T + Send,
    ) -> Result<(T, Confinement), CommandError> {
        let confined = || {
            let confinement = self.restrict_this_thread(also)?;
            if let (true, Confinement::Absent { why }) = (self.is_required, &confinement) {
                return Err(CommandError::Unconfined(why.clone()));
            }
            Ok((start(), confinement))
        };
        std::thread::scope(|scope| match scope.spawn(confined).join() {
            Ok(started) => started,
            Err(panic) => std::panic::resume_unwind(panic),
        })
    }

    fn restrict_this_thread(
        &self,
        also: Option<BorrowedFd<'_>>,
    ) -> Result<Confinement, CommandError> {
        let failed = |error| CommandError::Unconfined(format!("Landlock failed: {error}"));
        let status = self.restrict(also).map_err(failed)?;
        Ok(match status.ruleset {
            RulesetStatus::FullyEnforced => Confinement::Full,
            RulesetStatus::PartiallyEnforced => Confinement::Partial,
            RulesetStatus::NotEnforced => {
                let why = match status.landlock {
                    LandlockStatus::NotEnabled => {
                        "Landlock is not among the security modules this kernel was started with \
                         (`lsm=` on its command line)"
                    }
                    LandlockStatus::NotImplemented | LandlockStatus::Available { .. } => {
                        "this system has no Landlock; Linux has it since 5.13"
                    }
                };
                Confinement::Absent { why: why.to_owned() }
            }
        })
    }

    fn restrict(&self, also: Option<BorrowedFd<'_>>) -> Result<RestrictionStatus, RulesetError> {
        let writes = AccessFs::from_write(WRITES_OF);
        let devices: Vec<Place> =
            DEVICES.iter().filter_map(|device| Place::open(Path::new(device)).ok()).collect();
        let mut rules = Ruleset::default().handle_access(writes)?.create()?;
        for place in self.places.iter().chain(&devices) {
            rules = rules.add_rule(PathBeneath::new(place.as_fd(), allowed(place, writes)))?;
        }
        if let Some(also) = also {
            rules =
                rules.add_rule(PathBeneath::new(also, writes & AccessFs::from_file(WRITES_OF)))?;
        }
        rules.restrict_self()
    }
}

/// What may be done in a place. Nodes of devices are never made: through one of a disk, whoever
/// may make it writes every file.
fn allowed(place: &Place, writes: BitFlags<AccessFs>) -> BitFlags<AccessFs> {
    if place.is_folder {
        writes & !(AccessFs::MakeChar | AccessFs::MakeBlock)
    } else {
        writes & AccessFs::from_file(WRITES_OF)
    }
}
