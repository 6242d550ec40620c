//! Sorts of files that nobody reads from top to end.

use std::fmt::{self, Display, Formatter};

use serde::{Deserialize, Serialize};

/// What sort of file it is, where it was not written by hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum FileSort {
    /// Exact versions of dependencies, written by a package manager.
    Lock,
    /// Its head says that a program wrote it.
    Generated,
    /// Squeezed into few long lines.
    Minified,
}

impl Display for FileSort {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Lock => "lock file",
            Self::Generated => "generated file",
            Self::Minified => "minified file",
        })
    }
}
