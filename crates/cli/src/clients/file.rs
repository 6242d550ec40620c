//! Files of settings, read whole and replaced whole.

use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use foveal_cancel::Cancel;
use foveal_files::bounded::{Links, read_regular};
use foveal_files::{Located, PathError, Roots, WriteError, Writer};
use foveal_transcript::ContentHash;
use tempfile::NamedTempFile;

/// Bytes of settings that are read.
const BYTES_MAX: u64 = 64 << 20;

/// Why a file of settings cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FileError {
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error("it is no UTF-8 text")]
    NotText,
    /// More than settings have.
    #[error("it is larger than {} MiB", BYTES_MAX >> 20)]
    Large,
    #[error("it is read-only: make it writable, then run this again")]
    ReadOnly,
    /// A folder, a pipe, a device.
    #[error("it is no regular file: put it elsewhere, then run this again")]
    NotRegular,
    #[error("it is a link to `{}`, which is not there: make that file or remove the link, then run this again", .0.display())]
    Dangling(PathBuf),
    #[error(transparent)]
    Path(#[from] PathError),
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// What a file holds; `None` if there is none.
///
/// # Errors
/// If it cannot be read, or is no text.
pub(crate) fn read(path: &Path) -> Result<Option<String>, FileError> {
    let bytes = match read_regular(path, BYTES_MAX, Links::Followed) {
        Ok(bytes) => bytes,
        Err(error) => {
            return match error.kind() {
                ErrorKind::NotFound => {
                    fs::read_link(path).map_or(Ok(None), |target| Err(FileError::Dangling(target)))
                }
                ErrorKind::InvalidInput => Err(FileError::NotRegular),
                ErrorKind::FileTooLarge => Err(FileError::Large),
                _ => Err(error.into()),
            };
        }
    };
    String::from_utf8(bytes).map(Some).map_err(|_| FileError::NotText)
}

/// The copy of a file as it was before it was first changed: beside the file itself, where
/// `path` is a link.
pub(crate) fn backup_of(path: &Path) -> PathBuf {
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".foveal-backup");
    path.with_file_name(name)
}

/// Puts `after` in the place of `before`, both of which may be no file; links are followed and
/// stay. With `keeps`, `before` is kept beside it.
///
/// # Errors
/// If the file holds something else by now, or cannot be written; it is left as it is then.
pub(crate) fn write(
    path: &Path,
    before: Option<&str>,
    after: Option<&str>,
    keeps: bool,
) -> Result<(), FileError> {
    let path = &fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let cancel = &Cancel::NEVER;
    if fs::metadata(path).is_ok_and(|data| data.permissions().readonly()) {
        return Err(FileError::ReadOnly);
    }
    let located = located(path)?;
    if let Some(before) = before.filter(|_| keeps) {
        back_up(path, before)?;
    }
    let writer = Writer::default();
    let expected = before.map(|before| ContentHash::of(before.as_bytes()));
    match (expected, after) {
        (None, None) => {}
        (None, Some(after)) => drop(writer.create(&located, after.as_bytes(), cancel)?),
        (Some(expected), Some(after)) => {
            writer.replace_if(&located, &expected, after.as_bytes(), cancel)?;
        }
        (Some(expected), None) => drop(writer.remove_if(&located, &expected, cancel)?),
    }
    Ok(())
}

/// Keeps what a file held beside it. Whatever stands in that place is replaced and never written
/// through: a project from elsewhere may bring a link along.
fn back_up(path: &Path, before: &str) -> Result<(), FileError> {
    let backup = backup_of(path);
    let mut file = NamedTempFile::new_in(backup.parent().unwrap_or(Path::new("/")))?;
    file.write_all(before.as_bytes())?;
    // With the rights of the file: there may be keys in it.
    file.as_file().set_permissions(fs::metadata(path)?.permissions())?;
    file.persist(backup).map_err(|failed| failed.error)?;
    Ok(())
}

/// Whether a file that is to be of the project in `folder` is elsewhere by a link.
pub(crate) fn leaves(path: &Path, folder: &Path) -> bool {
    let is_inside = |place: &Path| {
        let place = place.canonicalize().ok()?;
        Some(place.starts_with(folder.canonicalize().ok()?))
    };
    !path.ancestors().find_map(is_inside).unwrap_or(false)
}

/// The file below the nearest folder that is there.
fn located(path: &Path) -> Result<Located, FileError> {
    let path = std::path::absolute(path)?;
    let folders = path.ancestors().skip(1);
    let folder = folders.into_iter().find(|folder| folder.is_dir()).unwrap_or(Path::new("/"));
    // The folder may be reached through a link: what is in it is told by its own name.
    let inside = path.strip_prefix(folder).unwrap_or(&path);
    let folder = folder.canonicalize()?;
    Ok(Roots::open(&[&folder])?.resolve(&inside.to_string_lossy())?)
}
