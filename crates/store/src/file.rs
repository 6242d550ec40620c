//! What happens to a file that cannot be used.

use std::fmt;
use std::path::{Path, PathBuf};

use foveal_database::with;

/// Damaged files that are kept beside a store; the last one is replaced after that.
const ASIDE_MAX: u32 = 9;

/// Something a person should know about the file of a store. None is a failure: the store
/// works.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notice {
    /// The file was damaged or another program's, and was put away; the store began anew.
    SetAside {
        /// Where it is now.
        aside: PathBuf,
    },
    /// The file is of a later version of this program, and was left alone; another is used.
    Newer {
        /// The later version's file.
        file: PathBuf,
        /// The file used instead.
        instead: PathBuf,
    },
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SetAside { aside } => write!(
                f,
                "the store was damaged and begins anew; what there was is in `{}`",
                aside.display()
            ),
            Self::Newer { file, instead } => write!(
                f,
                "the store `{}` is of a later version of foveal: `{}` is used until you update",
                file.display(),
                instead.display()
            ),
        }
    }
}

/// Where a damaged file of the store at `path` is put.
pub(crate) fn aside(path: &Path) -> PathBuf {
    let places = (1..=ASIDE_MAX).map(|number| with(path, &format!(".damaged-{number}")));
    let last = with(path, &format!(".damaged-{ASIDE_MAX}"));
    places.into_iter().find(|place| !place.exists()).unwrap_or(last)
}
