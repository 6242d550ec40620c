//! A sandbox and what starts in it.

use std::os::fd::AsFd as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use landlock::{
    ABI, Access as _, AccessFs, BitFlags, LandlockStatus, PathBeneath, RestrictionStatus, Ruleset,
    RulesetAttr as _, RulesetCreatedAttr as _, RulesetError, RulesetStatus, Scope,
};

use super::capabilities;
use super::confinement::Confinement;
use super::network;
use super::places::{Place, is_chosen_outside, is_of_the_system};
use super::starter::{Kept, run};
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

/// The kernel interface that confines signals, and connections to sockets without a file, to
/// the processes of the sandbox.
const SCOPES_OF: ABI = ABI::V6;

/// Where a command may write: folders that are held open, so that nothing that is put in the
/// place of one later is meant.
#[derive(Debug, Clone)]
pub struct Sandbox {
    places: Vec<Arc<Place>>,
    passed_over: Arc<Vec<PathBuf>>,
    /// What may be read beside what may be written; `None`: everything.
    readable: Option<Vec<Arc<Place>>>,
    /// Whether roots may be written.
    writes_roots: bool,
    has_network: bool,
    is_required: bool,
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
            places,
            passed_over: Arc::new(passed_over),
            readable: None,
            writes_roots: true,
            has_network: true,
            is_required: false,
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

    /// Whether roots can be written.
    pub fn writes_roots(&self) -> bool {
        self.writes_roots
    }

    /// The same sandbox without the folders, by their names without links, of which `is_left_out`
    /// says so, where roots cannot be written; and those. Where they can, it stays as it is.
    #[must_use]
    pub fn leaving_out(mut self, is_left_out: impl Fn(&Path) -> bool) -> (Self, Vec<PathBuf>) {
        if self.writes_roots {
            return (self, Vec::new());
        }
        let (out, places): (Vec<_>, Vec<_>) =
            self.places.into_iter().partition(|place| is_left_out(&place.real));
        self.places = places;
        if let Some(readable) = &mut self.readable {
            // What could be written could be read.
            readable.extend(out.iter().cloned());
        }
        (self, out.iter().map(|place| place.real.clone()).collect())
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
        let held = self.places.iter().map(|place| place.real.clone());
        let writable: Vec<PathBuf> = held.chain(of_roots).collect();
        for root in roots {
            if !is_chosen_outside(root, &writable) {
                return Err(root.clone());
            }
            let place = Place::open(root).ok().map(Arc::new);
            match (self.writes_roots, &mut self.readable) {
                (true, _) => self.places.extend(place),
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
        self.readable = Some(readable);
        self
    }

    /// The same sandbox, in which sockets lead to processes of this machine alone, by a file.
    #[must_use]
    pub fn without_network(mut self) -> Self {
        self.has_network = false;
        self
    }

    /// The same sandbox, without which nothing is started.
    #[must_use]
    pub fn required(mut self) -> Self {
        self.is_required = true;
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
        run(|| self.restrict_this_thread(own_folder.place()), start)
    }

    fn restrict_this_thread(&self, own_folder: &Place) -> Result<Confinement, CommandError> {
        let failed = |error| CommandError::Unconfined(format!("Landlock failed: {error}"));
        let status = self.restrict(own_folder).map_err(failed)?;
        let confinement = confinement(&status);
        self.check(&confinement)?;
        match &confinement {
            Confinement::Absent { .. } => {}
            Confinement::Full | Confinement::Writes | Confinement::Partial => {
                if status.ruleset == RulesetStatus::NotEnforced {
                    return Err(CommandError::Unconfined("Landlock took no rules".to_owned()));
                }
                capabilities::give_up().map_err(|error| {
                    let what = format!("the rights of root cannot be given up: {error}");
                    CommandError::Unconfined(what)
                })?;
            }
        }
        if !self.has_network {
            network::give_up().map_err(|error| {
                CommandError::Unconfined(format!("the network cannot be taken from it: {error}"))
            })?;
        }
        Ok(confinement)
    }

    /// Whether something may be started where this much is confined.
    fn check(&self, confinement: &Confinement) -> Result<(), CommandError> {
        match confinement {
            Confinement::Absent { why } if self.is_required => {
                Err(CommandError::Unconfined(why.clone()))
            }
            Confinement::Absent { .. }
            | Confinement::Full
            | Confinement::Writes
            | Confinement::Partial => Ok(()),
        }
    }

    fn restrict(&self, own_folder: &Place) -> Result<RestrictionStatus, RulesetError> {
        let writes = AccessFs::from_write(WRITES_OF);
        let reads = match self.readable {
            Some(_) => AccessFs::from_read(WRITES_OF),
            None => BitFlags::EMPTY,
        };
        let devices: Vec<Place> =
            DEVICES.iter().filter_map(|device| Place::open(Path::new(device)).ok()).collect();
        let scopes = Scope::from_all(SCOPES_OF);
        let mut rules =
            Ruleset::default().handle_access(writes | reads)?.scope(scopes)?.create()?;
        let places = self.places.iter().map(|place| &**place);
        let writable = places.chain(&devices).chain([own_folder]);
        let readable = self.readable.iter().flatten().map(|place| &**place);
        let all = writable
            .map(|place| (place, writes | reads))
            .chain(readable.map(|place| (place, reads)));
        for (place, access) in all {
            rules = rules.add_rule(PathBeneath::new(place.as_fd(), allowed(place, access)))?;
        }
        rules.restrict_self()
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

/// How far the kernel holds what it was asked to.
fn confinement(status: &RestrictionStatus) -> Confinement {
    let why = match status.landlock {
        LandlockStatus::Available { effective_abi, .. } => {
            return match effective_abi {
                abi if abi >= SCOPES_OF => Confinement::Full,
                abi if abi >= WRITES_OF => Confinement::Writes,
                _ => Confinement::Partial,
            };
        }
        LandlockStatus::NotEnabled => {
            "Landlock is not among the security modules this kernel was started with (`lsm=` on \
             its command line)"
        }
        LandlockStatus::NotImplemented => "this system has no Landlock; Linux has it since 5.13",
    };
    Confinement::Absent { why: why.to_owned() }
}

/// What may be done in a place. Nodes of devices are never made: through one of a disk, whoever
/// may make it writes every file.
fn allowed(place: &Place, access: BitFlags<AccessFs>) -> BitFlags<AccessFs> {
    if place.is_folder {
        access & !(AccessFs::MakeChar | AccessFs::MakeBlock)
    } else {
        access & AccessFs::from_file(WRITES_OF)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_must_be_confined_and_is_not_does_not_start() {
        let absent = Confinement::Absent { why: "no Landlock here".to_owned() };
        let required = Sandbox::default().required();
        let refused = required.check(&absent).expect_err("nothing is confined");
        assert!(refused.to_string().contains("no Landlock here"), "{refused}");
        assert!(required.check(&Confinement::Full).is_ok());
        assert!(Sandbox::default().check(&absent).is_ok());
    }
}
