//! How far the kernel holds a sandbox.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::confine::Sandbox;
use crate::CommandError;

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
    ///
    /// # Errors
    /// If the kernel has Landlock but does not confine; no command runs then.
    pub fn available() -> Result<Self, CommandError> {
        Sandbox::default().start(None, || ()).map(|((), confinement)| confinement)
    }
}
