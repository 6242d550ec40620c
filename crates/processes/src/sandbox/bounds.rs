//! What a sandbox allows, and how the kernel is told.

use std::os::fd::AsFd as _;
use std::path::Path;
use std::sync::Arc;

use landlock::{
    ABI, Access as _, AccessFs, BitFlags, LandlockStatus, PathBeneath, RestrictionStatus, Ruleset,
    RulesetAttr as _, RulesetCreatedAttr as _, RulesetError, RulesetStatus, Scope,
};

use super::beside::Beside;
use super::confinement::Confinement;
use super::parts::Parts;
use super::places::Place;
use super::{capabilities, network};
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

/// What a sandbox allows.
#[derive(Debug, Clone)]
pub(super) struct Bounds {
    /// What may be written.
    pub(super) places: Vec<Arc<Place>>,
    /// What may be read beside what may be written; `None`: everything.
    pub(super) readable: Option<Vec<Arc<Place>>>,
    /// What may not be written though it lies in one of the places.
    pub(super) parts: Arc<Parts>,
    pub(super) has_network: bool,
    /// Whether nothing is started where the kernel does not hold it.
    pub(super) is_required: bool,
}

impl Bounds {
    /// Of what may be written, and is not held otherwise.
    pub(super) fn of(places: Vec<Arc<Place>>) -> Self {
        let parts = Arc::default();
        Self { places, readable: None, parts, has_network: true, is_required: false }
    }

    /// Whether there is something forbidden in what may be written.
    pub(super) fn has_forbidden_parts(&self) -> bool {
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
    pub(super) fn granted(
        &self,
        own_folder: Option<&Place>,
        beside: bool,
    ) -> Result<Granted, CommandError> {
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

    pub(super) fn restrict_this_thread(
        &self,
        granted: &Granted,
    ) -> Result<Confinement, CommandError> {
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
pub(super) type Granted = Vec<(Arc<Place>, BitFlags<AccessFs>)>;

fn give_up_capabilities() -> Result<(), CommandError> {
    capabilities::give_up().map_err(|error| {
        CommandError::Unconfined(format!("the rights of root cannot be given up: {error}"))
    })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_must_be_confined_and_is_not_does_not_start() {
        let absent = Confinement::Absent { why: "no Landlock here".to_owned() };
        let required = Bounds { is_required: true, ..Bounds::of(Vec::new()) };
        let refused = required.check(&absent).expect_err("nothing is confined");
        assert!(refused.to_string().contains("no Landlock here"), "{refused}");
        assert!(required.check(&Confinement::Full).is_ok());
        assert!(Bounds::of(Vec::new()).check(&absent).is_ok());
    }
}
