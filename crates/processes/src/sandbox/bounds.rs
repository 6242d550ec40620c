//! What a sandbox allows, and how the kernel is told.

use std::collections::HashSet;
use std::io;
use std::os::fd::AsFd as _;
use std::path::Path;
use std::sync::Arc;

use landlock::{
    ABI, Access as _, AccessFs, BitFlags, LandlockStatus, PathBeneath, RestrictionStatus, Ruleset,
    RulesetAttr as _, RulesetCreated, RulesetCreatedAttr as _, RulesetError, RulesetStatus, Scope,
};

use super::beside::Beside;
use super::confinement::Confinement;
use super::parts::{Parts, Writing};
use super::places::Place;
use super::{capabilities, limits, network};
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
    ///
    /// # Errors
    /// If that cannot be looked at.
    pub(super) fn has_forbidden_parts(&self) -> Result<bool, CommandError> {
        if self.parts.is_empty() {
            return Ok(false);
        }
        let first = self.forbidden_parts().map_err(unseen)?.next().transpose().map_err(unseen)?;
        Ok(first.is_some())
    }

    /// What may be written: the places, and of those that are forbidden the parts that are allowed.
    ///
    /// # Errors
    /// If such a part cannot be looked at.
    pub(super) fn writable(&self) -> io::Result<Vec<Arc<Place>>> {
        let mut found = Vec::new();
        for place in &self.places {
            if !self.parts.forbid(&place.real) {
                found.push(Arc::clone(place));
                continue;
            }
            for (path, _) in self.parts.below(&place.real).filter(|(_, it)| !it.is_forbidden()) {
                found.extend(Place::if_there(place.at(path))?.map(Arc::new));
            }
        }
        Ok(found)
    }

    /// The forbidden parts of that which are there, and no links, looked up one by one.
    fn forbidden_parts(&self) -> io::Result<impl Iterator<Item = io::Result<Place>>> {
        let in_place = |place: Arc<Place>| {
            let forbidden = self.parts.below(&place.real).filter(|(_, it)| it.is_forbidden());
            let paths: Vec<&Path> = forbidden.map(|(path, _)| path).collect();
            let named = |path: &Path, error: io::Error| {
                io::Error::new(error.kind(), format!("{}: {error}", path.display()))
            };
            let there = move |path| {
                let part = Place::if_there(place.at(path));
                part.map_err(|error| named(path, error)).transpose()
            };
            paths.into_iter().filter_map(there)
        };
        Ok(self.writable()?.into_iter().flat_map(in_place))
    }

    /// What is given, as the kernel is told it. Of a folder with forbidden parts, what lies `beside`
    /// these; else all of it, as mounts hold them.
    pub(super) fn granted(
        &self,
        own_folder: Option<&Place>,
        beside: bool,
    ) -> Result<RulesetCreated, CommandError> {
        let reads = self.confined_reads();
        let all = AccessFs::from_write(WRITES_OF) | reads;
        let mut rules = self.rules().map_err(failed)?;
        let mut give = |place: &Place, access| {
            let rule = PathBeneath::new(place.as_fd(), allowed(place, access));
            (&mut rules).add_rule(rule).map(drop).map_err(failed)
        };
        let (mut known, mut there) = (HashSet::new(), HashSet::new());
        if beside {
            for part in self.forbidden_parts().map_err(unseen)? {
                let part = part.map_err(unseen)?;
                known.insert(part.identity().map_err(unseen)?);
                there.insert(part.real);
            }
        }
        let counts = |(path, it): &(&Path, Writing)| !it.is_forbidden() || there.contains(*path);
        let parts = self.parts.iter().filter(counts);
        let parts: Parts = parts.map(|(path, writing)| (path.to_owned(), writing)).collect();
        let given = &mut |place: &Place| give(place, all);
        let mut besides = Beside { parts: &parts, forbidden: known, given };
        for place in self.writable().map_err(unseen)? {
            besides.give(&place)?;
        }
        let devices = DEVICES.iter().filter_map(|device| Place::open(Path::new(device)).ok());
        for device in devices {
            give(&device, all)?;
        }
        if let Some(own) = own_folder {
            give(own, all)?;
        }
        // What could be written could be read.
        let readable = self.places.iter().chain(self.readable.iter().flatten());
        for place in readable.filter(|_| !reads.is_empty()) {
            give(place, reads)?;
        }
        Ok(rules)
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
        let confinement = self.restrict_this_thread(self.granted(None, false)?)?;
        if matches!(confinement, Confinement::Absent { .. }) {
            // Who is root could undo the mounts.
            give_up_capabilities()?;
        }
        Ok(confinement)
    }

    pub(super) fn restrict_this_thread(
        &self,
        granted: RulesetCreated,
    ) -> Result<Confinement, CommandError> {
        let status = granted.restrict_self().map_err(failed)?;
        let confinement = confinement(&status);
        self.check(&confinement)?;
        match &confinement {
            Confinement::Absent { .. } => {}
            Confinement::Full | Confinement::Writes | Confinement::Partial => {
                if status.ruleset == RulesetStatus::NotEnforced {
                    return Err(CommandError::Unconfined("Landlock took no rules".to_owned()));
                }
                give_up_capabilities()?;
                limits::give_up().map_err(|error| {
                    let what = "the limits of other processes cannot be taken from it";
                    CommandError::Unconfined(format!("{what}: {error}"))
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

    /// What is handled; nothing is given by it.
    fn rules(&self) -> Result<RulesetCreated, RulesetError> {
        let handled = AccessFs::from_write(WRITES_OF) | self.confined_reads();
        let scopes = Scope::from_all(SCOPES_OF);
        Ruleset::default().handle_access(handled)?.scope(scopes)?.create()
    }
}

#[expect(clippy::needless_pass_by_value, reason = "`map_err` gives it so")]
fn failed(error: RulesetError) -> CommandError {
    CommandError::Unconfined(format!("Landlock failed: {error}"))
}

#[expect(clippy::needless_pass_by_value, reason = "`map_err` gives it so")]
fn unseen(error: io::Error) -> CommandError {
    CommandError::Unconfined(format!("what it may not write cannot be looked at: {error}"))
}

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
