//! What a command may write, held by the kernel (Landlock, Linux 5.13 and later): files below
//! the given folders and a table of devices. It reads everywhere. Modes, owners and times of
//! files are not held, nor is what a service does that it asks over a socket.
//!
//! A fresh thread restricts itself and starts the process, which inherits the restriction with
//! everything it starts; the rest of the program stays as it was. The kernel asks for
//! `no_new_privs` with it: programs like `sudo` gain no rights in there.

use std::fmt;
use std::path::PathBuf;

use landlock::{
    ABI, AccessFs, LandlockStatus, RestrictionStatus, Ruleset, RulesetAttr as _,
    RulesetCreatedAttr as _, RulesetError, RulesetStatus, path_beneath_rules,
};
use serde::{Deserialize, Serialize};

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

/// Where a command may write.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sandbox {
    /// Folders, or single files, with all that is below them: the workspace roots, the folder
    /// for temporary files, caches of package managers. What does not exist is passed over.
    pub writable: Vec<PathBuf>,
}

/// How far the kernel holds a [`Sandbox`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Confinement {
    /// All writes outside are refused.
    Full,
    /// An older kernel refuses some: before Linux 6.2, truncating is not confined.
    Partial,
    /// Nothing is refused.
    Absent {
        /// Why, for a person.
        why: String,
    },
}

impl fmt::Display for Confinement {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Full => write!(out, "writes are confined by the kernel"),
            Self::Partial => write!(
                out,
                "writes are confined by the kernel in part: it cannot refuse that a file is \
                 truncated; Linux 6.2 can"
            ),
            Self::Absent { why } => write!(out, "writes are not confined: {why}"),
        }
    }
}

impl Confinement {
    /// What the kernel can do here, tried on a thread that ends at once.
    #[must_use]
    pub fn available() -> Self {
        Sandbox::default().start(|| ()).1
    }
}

impl Sandbox {
    /// Runs `start` where only this sandbox may be written, and says how far that holds. A
    /// process started in it inherits the confinement; the calling thread does not.
    ///
    /// Where the kernel cannot confine, `start` runs all the same.
    pub fn start<T: Send>(&self, start: impl FnOnce() -> T + Send) -> (T, Confinement) {
        let confined = || {
            let confinement = self.restrict_this_thread();
            (start(), confinement)
        };
        std::thread::scope(|scope| match scope.spawn(confined).join() {
            Ok(started) => started,
            Err(panic) => std::panic::resume_unwind(panic),
        })
    }

    fn restrict_this_thread(&self) -> Confinement {
        let status = match self.restrict() {
            Ok(status) => status,
            Err(error) => return Confinement::Absent { why: format!("Landlock failed: {error}") },
        };
        match status.ruleset {
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
        }
    }

    fn restrict(&self) -> Result<RestrictionStatus, RulesetError> {
        let writes = AccessFs::from_write(WRITES_OF);
        let devices = DEVICES.iter().map(PathBuf::from);
        let writable = self.writable.iter().cloned().chain(devices);
        Ruleset::default()
            .handle_access(writes)?
            .create()?
            .add_rules(path_beneath_rules(writable, writes))?
            .restrict_self()
    }
}
