//! Kinds of files that are written by programs.

use std::fmt::{self, Display, Formatter};

use serde::{Deserialize, Serialize};

/// The kind of a file that was not written by hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum MachineFileKind {
    /// A lock file: exact versions of dependencies, written by a package manager.
    Lock,
    /// A generated file: its head says that a program wrote it.
    Generated,
    /// A minified file: squeezed into few long lines.
    Minified,
}

impl Display for MachineFileKind {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Lock => "lock file",
            Self::Generated => "generated file",
            Self::Minified => "minified file",
        })
    }
}
