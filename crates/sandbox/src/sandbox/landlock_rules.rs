//! The rules of a sandbox, and the Landlock ruleset made of them.

use std::collections::HashSet;
use std::io;
use std::os::fd::AsFd as _;
use std::path::Path;
use std::sync::Arc;

use landlock::{
    ABI, Access as _, AccessFs, BitFlags, LandlockStatus, PathBeneath, RestrictionStatus, Ruleset,
    RulesetAttr as _, RulesetCreated, RulesetCreatedAttr as _, RulesetError, RulesetStatus, Scope,
};

use super::confinement_level::Confinement;
use super::landlock_fallback::LandlockFallback;
use super::path_handle::PathHandle;
use super::write_rules::{WriteRule, WriteRules};
use super::{capabilities, network_filter};
use crate::CommandError;

/// Devices that programs commonly write, with shared memory and terminals.
const WRITABLE_DEVICES: &[&str] = &[
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/tty",
    "/dev/ptmx",
    "/dev/pts",
    "/dev/shm",
    "/dev/mqueue",
];

/// The Landlock version whose write accesses are confined: creating, changing, removing, renaming
/// and truncating files. Later versions add device controls and sockets, but no writes.
const WRITE_ABI: ABI = ABI::V3;

/// The Landlock version that confines signals, and connections to abstract sockets, to the
/// processes of the sandbox.
const SCOPE_ABI: ABI = ABI::V6;

/// The access rules of a sandbox.
#[derive(Debug, Clone)]
pub(crate) struct SandboxRules {
    /// Folders and files that may be written.
    pub(crate) writable: Vec<Arc<PathHandle>>,
    /// Folders and files that may be read beside those; `None`: everything.
    pub(crate) readable: Option<Vec<Arc<PathHandle>>>,
    /// Forbidden and allowed parts of the writable folders.
    pub(crate) write_rules: Arc<WriteRules>,
    pub(crate) has_network: bool,
    /// Whether nothing may start if the kernel cannot enforce the rules.
    pub(crate) requires_confinement: bool,
}

impl SandboxRules {
    /// Rules that confine only writes, to `places`.
    pub(crate) fn from_writable(writable: Vec<Arc<PathHandle>>) -> Self {
        let write_rules = Arc::default();
        Self {
            writable,
            readable: None,
            write_rules,
            has_network: true,
            requires_confinement: false,
        }
    }

    /// Returns whether the writable folders contain something forbidden.
    ///
    /// # Errors
    /// If that cannot be determined.
    pub(super) fn has_forbidden_parts(&self) -> Result<bool, CommandError> {
        if self.write_rules.is_empty() {
            return Ok(false);
        }
        let first = self
            .forbidden_parts()
            .map_err(lookup_error)?
            .next()
            .transpose()
            .map_err(lookup_error)?;
        Ok(first.is_some())
    }

    /// Returns the writable paths: the folders, and the allowed parts of those that are forbidden.
    ///
    /// # Errors
    /// If such a part cannot be looked up.
    pub(super) fn writable_paths(&self) -> io::Result<Vec<Arc<PathHandle>>> {
        let mut found = Vec::new();
        for place in &self.writable {
            if !self.write_rules.forbids(&place.original_path) {
                found.push(Arc::clone(place));
                continue;
            }
            for (path, _) in self
                .write_rules
                .rules_below(&place.original_path)
                .filter(|(_, it)| !it.is_forbidden())
            {
                found.extend(PathHandle::if_exists(place.open_below(path))?.map(Arc::new));
            }
        }
        Ok(found)
    }

    /// Looks up the existing forbidden parts of the writable paths one by one; links are skipped.
    fn forbidden_parts(&self) -> io::Result<impl Iterator<Item = io::Result<PathHandle>>> {
        let in_place = |place: Arc<PathHandle>| {
            let forbidden = self
                .write_rules
                .rules_below(&place.original_path)
                .filter(|(_, it)| it.is_forbidden());
            let paths: Vec<&Path> = forbidden.map(|(path, _)| path).collect();
            let named = |path: &Path, error: io::Error| {
                io::Error::new(error.kind(), format!("{}: {error}", path.display()))
            };
            let there = move |path| {
                let part = PathHandle::if_exists(place.open_below(path));
                part.map_err(|error| named(path, error)).transpose()
            };
            paths.into_iter().filter_map(there)
        };
        Ok(self.writable_paths()?.into_iter().flat_map(in_place))
    }

    /// Builds the Landlock ruleset. With `beside`, folders with forbidden parts are replaced by
    /// their other entries; without it they are granted, since mounts protect these parts.
    pub(super) fn build_ruleset(
        &self,
        own_folder: Option<&PathHandle>,
        beside: bool,
    ) -> Result<RulesetCreated, CommandError> {
        let reads = self.confined_read_access();
        let all = AccessFs::from_write(WRITE_ABI) | reads;
        let mut rules = self.empty_ruleset().map_err(landlock_error)?;
        let mut give = |place: &PathHandle, access| {
            let rule = PathBeneath::new(place.as_fd(), access_for(place, access));
            (&mut rules).add_rule(rule).map(drop).map_err(landlock_error)
        };
        let (mut known, mut there) = (HashSet::new(), HashSet::new());
        if beside {
            for part in self.forbidden_parts().map_err(lookup_error)? {
                let part = part.map_err(lookup_error)?;
                known.insert(part.identity().map_err(lookup_error)?);
                there.insert(part.original_path);
            }
        }
        let counts = |(path, it): &(&Path, WriteRule)| !it.is_forbidden() || there.contains(*path);
        let parts = self.write_rules.iter().filter(counts);
        let parts: WriteRules = parts.map(|(path, writing)| (path.to_owned(), writing)).collect();
        let given = &mut |place: &PathHandle| give(place, all);
        let mut besides = LandlockFallback {
            write_rules: &parts,
            forbidden_identities: known,
            grant_path: given,
        };
        for place in self.writable_paths().map_err(lookup_error)? {
            besides.grant(&place)?;
        }
        let devices =
            WRITABLE_DEVICES.iter().filter_map(|device| PathHandle::open(Path::new(device)).ok());
        for device in devices {
            give(&device, all)?;
        }
        if let Some(own) = own_folder {
            give(own, all)?;
        }
        // A writable path is readable too.
        let readable = self.writable.iter().chain(self.readable.iter().flatten());
        for place in readable.filter(|_| !reads.is_empty()) {
            give(place, reads)?;
        }
        Ok(rules)
    }

    /// Returns the read accesses that are refused outside of the readable paths.
    fn confined_read_access(&self) -> BitFlags<AccessFs> {
        match self.readable {
            Some(_) => AccessFs::from_read(WRITE_ABI),
            None => BitFlags::EMPTY,
        }
    }

    /// Restricts this process, the guard of a command. `is_namespaced`: it has mounts that protect
    /// what may not be written, and processes of its own.
    ///
    /// # Errors
    /// If it cannot be restricted as required.
    pub(crate) fn restrict_guard(&self, is_namespaced: bool) -> Result<Confinement, CommandError> {
        if !is_namespaced {
            let beside = self.has_forbidden_parts()?;
            return self.restrict_this_thread(self.build_ruleset(None, beside)?);
        }
        let rules =
            Self { readable: self.readable.as_deref().map(reopen_processes), ..self.clone() };
        let status = rules.build_ruleset(None, false)?.restrict_self().map_err(landlock_error)?;
        if self.readable.is_some() {
            // The mounts show everything.
            match confinement_from_status(&status) {
                Confinement::Absent { why } => return Err(CommandError::Unconfined(why)),
                Confinement::Full | Confinement::Writes | Confinement::Partial => {}
            }
        }
        // Root could undo the mounts.
        self.drop_capabilities_and_network()?;
        Ok(Confinement::Full)
    }

    pub(super) fn restrict_this_thread(
        &self,
        granted: RulesetCreated,
    ) -> Result<Confinement, CommandError> {
        let status = granted.restrict_self().map_err(landlock_error)?;
        let confinement = confinement_from_status(&status);
        self.check_required(&confinement)?;
        match &confinement {
            Confinement::Absent { .. } => self.drop_network()?,
            Confinement::Full | Confinement::Writes | Confinement::Partial => {
                if status.ruleset == RulesetStatus::NotEnforced {
                    return Err(CommandError::Unconfined("Landlock enforces no rules".to_owned()));
                }
                self.drop_capabilities_and_network()?;
            }
        }
        Ok(confinement)
    }

    fn drop_capabilities_and_network(&self) -> Result<(), CommandError> {
        capabilities::drop_capabilities().map_err(|error| {
            CommandError::Unconfined(format!("root capabilities cannot be dropped: {error}"))
        })?;
        self.drop_network()
    }

    fn drop_network(&self) -> Result<(), CommandError> {
        if self.has_network {
            return Ok(());
        }
        network_filter::deny_network().map_err(|error| {
            CommandError::Unconfined(format!("its network access cannot be blocked: {error}"))
        })
    }

    /// Refuses to start a process if confinement is required but absent.
    fn check_required(&self, confinement: &Confinement) -> Result<(), CommandError> {
        match confinement {
            Confinement::Absent { why } if self.requires_confinement => {
                Err(CommandError::Unconfined(why.clone()))
            }
            Confinement::Absent { .. }
            | Confinement::Full
            | Confinement::Writes
            | Confinement::Partial => Ok(()),
        }
    }

    /// Creates a ruleset without grants.
    fn empty_ruleset(&self) -> Result<RulesetCreated, RulesetError> {
        let handled = AccessFs::from_write(WRITE_ABI) | self.confined_read_access();
        let scopes = Scope::from_all(SCOPE_ABI);
        Ruleset::default().handle_access(handled)?.scope(scopes)?.create()
    }
}

/// Opens what lies in `/proc` again: a process namespace has one of its own.
fn reopen_processes(places: &[Arc<PathHandle>]) -> Vec<Arc<PathHandle>> {
    let reopen = |place: &Arc<PathHandle>| {
        let is_of_processes = place.original_path.starts_with("/proc");
        let own = is_of_processes.then(|| PathHandle::open(&place.original_path).ok()).flatten();
        own.map_or_else(|| Arc::clone(place), Arc::new)
    };
    places.iter().map(reopen).collect()
}

#[expect(clippy::needless_pass_by_value, reason = "`map_err` gives it so")]
fn landlock_error(error: RulesetError) -> CommandError {
    CommandError::Unconfined(format!("Landlock failed: {error}"))
}

#[expect(clippy::needless_pass_by_value, reason = "`map_err` gives it so")]
fn lookup_error(error: io::Error) -> CommandError {
    CommandError::Unconfined(format!("the paths that it may not write cannot be checked: {error}"))
}

/// Converts the status that Landlock reports.
fn confinement_from_status(status: &RestrictionStatus) -> Confinement {
    let why = match status.landlock {
        LandlockStatus::Available { effective_abi, .. } => {
            return match effective_abi {
                abi if abi >= SCOPE_ABI => Confinement::Full,
                abi if abi >= WRITE_ABI => Confinement::Writes,
                _ => Confinement::Partial,
            };
        }
        LandlockStatus::NotEnabled => {
            "Landlock is not enabled in this kernel (see `lsm=` on its command line)"
        }
        LandlockStatus::NotImplemented => {
            "this system has no Landlock, which needs Linux 5.13 or newer"
        }
    };
    Confinement::Absent { why: why.to_owned() }
}

/// Restricts `access` to the kinds that apply to a path. Device nodes can never be created: through
/// one of a disk, a process could write every file.
fn access_for(place: &PathHandle, access: BitFlags<AccessFs>) -> BitFlags<AccessFs> {
    if place.is_folder {
        access & !(AccessFs::MakeChar | AccessFs::MakeBlock)
    } else {
        access & AccessFs::from_file(WRITE_ABI)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_must_be_confined_and_is_not_does_not_start() {
        let absent = Confinement::Absent { why: "no Landlock here".to_owned() };
        let required =
            SandboxRules { requires_confinement: true, ..SandboxRules::from_writable(Vec::new()) };
        let refused = required.check_required(&absent).expect_err("nothing is confined");
        assert!(refused.to_string().contains("no Landlock here"), "{refused}");
        assert!(required.check_required(&Confinement::Full).is_ok());
        assert!(SandboxRules::from_writable(Vec::new()).check_required(&absent).is_ok());
    }
}
