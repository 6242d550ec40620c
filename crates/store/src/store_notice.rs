//! Notices about the file of a store, and the quarantine paths of damaged files.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::database_file::with_suffix;

/// The number of damaged files kept beside a store. Further files replace the last one.
const QUARANTINED_FILES_MAX: u32 = 9;

/// A notice to the user about the file of a store. The store works in every case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoreNotice {
    /// The file was damaged or belonged to another program. It was quarantined, and the store is
    /// empty.
    Quarantined {
        /// The path in quarantine.
        quarantine: PathBuf,
    },
    /// A later version of this program wrote the file. It is left unchanged, and another file is
    /// used.
    NewerVersion {
        /// The file of the later version.
        file: PathBuf,
        /// The file that is used instead.
        instead: PathBuf,
    },
}

impl fmt::Display for StoreNotice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Quarantined { quarantine: aside } => write!(
                f,
                "the store was damaged and has been recreated; the damaged file was moved to `{}`",
                aside.display()
            ),
            Self::NewerVersion { file, instead } => write!(
                f,
                "the store `{}` was written by a newer version of foveal: using `{}` until you \
                 update",
                file.display(),
                instead.display()
            ),
        }
    }
}

/// Returns the path to which a damaged file of the store at `path` is moved.
pub(crate) fn quarantine_path(path: &Path) -> PathBuf {
    let places =
        (1..=QUARANTINED_FILES_MAX).map(|number| with_suffix(path, &format!(".damaged-{number}")));
    let last = with_suffix(path, &format!(".damaged-{QUARANTINED_FILES_MAX}"));
    places.into_iter().find(|place| !place.exists()).unwrap_or(last)
}
