//! How far the kernel enforces a sandbox.

use std::fmt;

use serde::{Deserialize, Serialize};

/// How far the kernel enforces a [`Sandbox`](super::Sandbox).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Confinement {
    /// All writes outside are refused, and signals to processes outside.
    Full,
    /// All writes outside are refused, but no signals: the kernel is older than Linux 6.12.
    Writes,
    /// Some writes are refused: before Linux 6.2, truncation is not confined.
    Partial,
    /// Nothing is refused.
    Absent {
        /// The reason, for the user.
        why: String,
    },
}

/// How writes to [forbidden](super::Sandbox::with_write_rules) parts of writable folders are
/// prevented.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum WriteProtection {
    /// No such part exists.
    #[default]
    None,
    /// They are mounted read-only for the process and its descendants.
    ReadOnlyMounts,
    /// Only their siblings are granted: in the folders above them, nothing can be created, renamed
    /// or removed.
    SiblingGrants {
        /// Why there are no mounts, for the user.
        why: String,
    },
    /// They can be written.
    Unprotected {
        /// Why there are no mounts, for the user.
        why: String,
    },
}

/// How far a sandbox is enforced for a process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SandboxStatus {
    /// How far the kernel enforces the sandbox.
    pub confinement: Confinement,
    /// How its forbidden parts are protected.
    pub protection: WriteProtection,
}

impl fmt::Display for Confinement {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Full => write!(out, "writes and signals are confined by the kernel"),
            Self::Writes => write!(
                out,
                "writes are confined by the kernel, signals to other processes are not (this \
                 needs Linux 6.12)"
            ),
            Self::Partial => write!(
                out,
                "writes are partly confined by the kernel: it cannot prevent that a file is \
                 truncated (this needs Linux 6.2)"
            ),
            Self::Absent { why } => write!(out, "writes are not confined: {why}"),
        }
    }
}
