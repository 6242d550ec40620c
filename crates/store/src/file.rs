//! The file: who may read it, and what happens to one that cannot be used.

use std::fmt;
use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind};
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

/// Makes the folder of `path` and an empty file there, where they are missing; the user alone
/// may read them. SQLite gives its logs the rights of the file.
///
/// # Errors
/// What the system says.
pub(crate) fn make_private(path: &Path) -> io::Result<()> {
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        make_folder(folder)?;
    }
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => keep_private(path),
        Err(error) => Err(error),
    }
}

fn make_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Takes from others what rights they have. By name, never by an open file: closing that one
/// would drop the locks that this process has on it.
#[cfg(unix)]
fn keep_private(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    let metadata = fs::metadata(path)?;
    let is_open = metadata.is_file() && metadata.permissions().mode() & 0o077 != 0;
    if is_open {
        // Another user's file may be shared on purpose; SQLite says whether it can be used.
        drop(fs::set_permissions(path, fs::Permissions::from_mode(0o600)));
    }
    Ok(())
}

#[cfg(not(unix))]
fn keep_private(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Where a damaged file of the store at `path` is put.
pub(crate) fn aside(path: &Path) -> PathBuf {
    let places = (1..=ASIDE_MAX).map(|number| with(path, &format!(".damaged-{number}")));
    let last = with(path, &format!(".damaged-{ASIDE_MAX}"));
    places.into_iter().find(|place| !place.exists()).unwrap_or(last)
}
