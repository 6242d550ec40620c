//! How far the kernel holds a sandbox.

use std::fmt;

use serde::{Deserialize, Serialize};

/// How far the kernel holds a [`Sandbox`](super::Sandbox).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Confinement {
    /// All writes outside are refused, and so are signals to processes outside.
    Full,
    /// All writes outside are refused. An older kernel refuses no signals, before Linux 6.12.
    Writes,
    /// An older kernel refuses some: before Linux 6.2, truncating is not confined.
    Partial,
    /// Nothing is refused.
    Absent {
        /// Why, for a person.
        why: String,
    },
}

/// How it is held that nothing is written to parts of what may be written, which are
/// [forbidden](super::Sandbox::forbidding).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Protection {
    /// No such part was there.
    #[default]
    None,
    /// They are mounted read-only for the process and all that it starts.
    Mounts,
    /// Only what lies beside them is given: in the folders on the way to them nothing is made,
    /// renamed or removed.
    Beside {
        /// Why there are no mounts, for a person.
        why: String,
    },
    /// It is not held.
    Absent {
        /// Why there are no mounts, for a person.
        why: String,
    },
}

/// What holds of a sandbox that something was started in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holding {
    /// How far the kernel holds the sandbox.
    pub confinement: Confinement,
    /// How forbidden parts in it are held.
    pub protection: Protection,
}

impl fmt::Display for Confinement {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Full => write!(out, "writes and signals are confined by the kernel"),
            Self::Writes => write!(
                out,
                "writes are confined by the kernel, signals to other processes are not; Linux \
                 6.12 can"
            ),
            Self::Partial => write!(
                out,
                "writes are confined by the kernel in part: it cannot refuse that a file is \
                 truncated; Linux 6.2 can"
            ),
            Self::Absent { why } => write!(out, "writes are not confined: {why}"),
        }
    }
}
