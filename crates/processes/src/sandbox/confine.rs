//! A sandbox and what starts in it.

use std::os::fd::AsFd as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::Arc;

use landlock::{
    ABI, Access as _, AccessFs, BitFlags, LandlockStatus, PathBeneath, RestrictionStatus, Ruleset,
    RulesetAttr as _, RulesetCreatedAttr as _, RulesetError, RulesetStatus, Scope,
};

use super::beside::Beside;
use super::capabilities;
use super::confinement::{Confinement, Holding, Protection};
use super::network;
use super::own_mounts::{self, Attempt, Order};
use super::parts::{Parts, Writing};
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
    pub(super) places: Vec<Arc<Place>>,
    passed_over: Arc<Vec<PathBuf>>,
    /// What may be read beside what may be written; `None`: everything.
    pub(super) readable: Option<Vec<Arc<Place>>>,
    /// What may not be written though it lies in one of the places.
    pub(super) parts: Arc<Parts>,
    /// Whether roots may be written.
    writes_roots: bool,
    pub(super) has_network: bool,
    pub(super) is_required: bool,
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
            parts: Arc::default(),
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
            self.places.iter().any(is_in)
        };
        self.parts = Arc::new(parts.into_iter().filter(|(path, _)| is_near(path)).collect());
        self
    }

    /// The folders that may not be written as they lie in forbidden parts.
    pub fn forbidden(&self) -> impl Iterator<Item = &Path> {
        let places = self.places.iter().map(|place| place.real.as_path());
        places.filter(|place| self.parts.forbid(place))
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
        let granted = self.granted(Some(own_folder.place()), self.has_forbidden_parts())?;
        run(|| self.restrict_this_thread(&granted), start)
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
        let needs_more = self.has_forbidden_parts();
        if needs_more && has_guard {
            why = Some(match self.kept.no_mounts() {
                Some(why) => why,
                None => match own_mounts::start(self, self.kept.folder()?.place(), make)? {
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
        let has_parts = self.has_forbidden_parts();
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

    /// Whether there is something forbidden in what may be written.
    fn has_forbidden_parts(&self) -> bool {
        !self.parts.is_empty() && !self.forbidden_parts().is_empty()
    }

    /// What may be written: the places, and of those that are forbidden the parts that are allowed.
    pub(super) fn writable(&self) -> Vec<Arc<Place>> {
        let mut found = Vec::new();
        for place in &self.places {
            if !self.parts.forbid(&place.real) {
                found.push(Arc::clone(place));
                continue;
            }
            let allowed = self.parts.below(&place.real).filter(|(_, it)| !it.is_forbidden());
            found.extend(allowed.filter_map(|(path, _)| place.at(path).ok().map(Arc::new)));
        }
        found
    }

    /// The forbidden parts of that which are there, and no links.
    fn forbidden_parts(&self) -> Vec<Place> {
        let mut found = Vec::new();
        for place in self.writable() {
            let forbidden = self.parts.below(&place.real).filter(|(_, it)| it.is_forbidden());
            found.extend(forbidden.filter_map(|(path, _)| place.at(path).ok()));
        }
        found
    }

    /// What is given. Of a folder with forbidden parts, what lies `beside` these; else all of it,
    /// as mounts hold them.
    fn granted(&self, own_folder: Option<&Place>, beside: bool) -> Result<Granted, CommandError> {
        let reads = self.confined_reads();
        let all = AccessFs::from_write(WRITES_OF) | reads;
        let forbidden = if beside { self.forbidden_parts() } else { Vec::new() };
        let is_there = |path: &Path| forbidden.iter().any(|part| part.real == path);
        let parts = self.parts.iter().filter(|(path, it)| !it.is_forbidden() || is_there(path));
        let parts: Parts = parts.map(|(path, writing)| (path.to_owned(), writing)).collect();
        let known = forbidden.iter().map(Place::identity).collect::<Result<_, _>>()?;
        let mut given = Beside::new(&parts, known);
        for place in self.writable() {
            given.give(&place)?;
        }
        let own = own_folder.map(|own| own.below(Path::new(""))).transpose()?.map(Arc::new);
        let devices = DEVICES.iter().filter_map(|device| Place::open(Path::new(device)).ok());
        let writable = given.given.into_iter().chain(devices.map(Arc::new)).chain(own);
        // What could be written could be read.
        let readable = self.places.iter().chain(self.readable.iter().flatten()).cloned();
        let readable = readable.filter(|_| !reads.is_empty());
        let writable = writable.map(|place| (place, all));
        Ok(writable.chain(readable.map(|place| (place, reads))).collect())
    }

    /// What is refused of reading, where it is not allowed.
    fn confined_reads(&self) -> BitFlags<AccessFs> {
        match self.readable {
            Some(_) => AccessFs::from_read(WRITES_OF),
            None => BitFlags::EMPTY,
        }
    }

    /// Restricts this process, whose mounts hold what is forbidden.
    pub(super) fn restrict_with_mounts(&self) -> Result<Confinement, CommandError> {
        let confinement = self.restrict_this_thread(&self.granted(None, false)?)?;
        if matches!(confinement, Confinement::Absent { .. }) {
            // Who is root could undo the mounts.
            give_up_capabilities()?;
        }
        Ok(confinement)
    }

    fn restrict_this_thread(&self, granted: &Granted) -> Result<Confinement, CommandError> {
        let failed = |error| CommandError::Unconfined(format!("Landlock failed: {error}"));
        let status = self.restrict(granted).map_err(failed)?;
        let confinement = confinement(&status);
        self.check(&confinement)?;
        match &confinement {
            Confinement::Absent { .. } => {}
            Confinement::Full | Confinement::Writes | Confinement::Partial => {
                if status.ruleset == RulesetStatus::NotEnforced {
                    return Err(CommandError::Unconfined("Landlock took no rules".to_owned()));
                }
                give_up_capabilities()?;
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

    fn restrict(&self, granted: &Granted) -> Result<RestrictionStatus, RulesetError> {
        let handled = AccessFs::from_write(WRITES_OF) | self.confined_reads();
        let scopes = Scope::from_all(SCOPES_OF);
        let mut rules = Ruleset::default().handle_access(handled)?.scope(scopes)?.create()?;
        for (place, access) in granted {
            rules = rules.add_rule(PathBeneath::new(place.as_fd(), allowed(place, *access)))?;
        }
        rules.restrict_self()
    }
}

/// What may be done where.
type Granted = Vec<(Arc<Place>, BitFlags<AccessFs>)>;

fn give_up_capabilities() -> Result<(), CommandError> {
    capabilities::give_up().map_err(|error| {
        CommandError::Unconfined(format!("the rights of root cannot be given up: {error}"))
    })
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
