//! The file: who may read it, and what happens to one that cannot be used.

use std::ffi::OsString;
use std::fmt;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// What SQLite keeps beside a file, and the file. Logs first: a file that is made anew must
/// not find the log of the one before.
const ENDINGS: [&str; 3] = ["-wal", "-shm", ""];

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

/// Which file it is, whatever its name. All are the same where the system does not tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FileId(u64, u64);

impl FileId {
    /// The file at `path`, if there is one.
    pub(crate) fn of(path: &Path) -> Option<Self> {
        fs::metadata(path).ok().map(|metadata| Self::from(&metadata))
    }

    #[cfg(unix)]
    fn from(metadata: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt as _;
        Self(metadata.dev(), metadata.ino())
    }

    #[cfg(not(unix))]
    fn from(_: &Metadata) -> Self {
        Self(0, 0)
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

/// Puts the file at `path` away with its log, if it still is `file`; says where. Of several
/// processes that want it gone one does it, and none touches what that one makes in its place.
///
/// # Errors
/// What the system says.
pub(crate) fn set_aside(path: &Path, file: Option<FileId>) -> io::Result<Option<PathBuf>> {
    let opened = match File::open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        opened => opened?,
    };
    // Where files cannot be locked, two processes at the very same time may both do it.
    drop(opened.lock());
    if FileId::of(path) != file {
        return Ok(None);
    }
    // Some systems do not move a file that is open.
    let _kept = cfg!(unix).then_some(opened);
    let mut aside = PathBuf::new();
    for number in 1..=ASIDE_MAX {
        aside = with(path, &format!(".damaged-{number}"));
        if !aside.exists() {
            break;
        }
    }
    for ending in ENDINGS {
        unless_missing(fs::remove_file(with(&aside, ending)))?;
    }
    for ending in ENDINGS {
        unless_missing(fs::rename(with(path, ending), with(&aside, ending)))?;
    }
    Ok(Some(aside))
}

fn unless_missing(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

/// The path with `more` at its end.
pub(crate) fn with(path: &Path, more: &str) -> PathBuf {
    let mut name = OsString::from(path.as_os_str());
    name.push(more);
    PathBuf::from(name)
}
