//! Settings files of agents, read and replaced as a whole.

use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use foveal_transcript::{CancelToken, ContentHash};
use foveal_workspace::regular_file::{LinkPolicy, read_regular};
use foveal_workspace::{FileWriter, PathError, ResolvedPath, WorkspaceRoots, WriteError};
use tempfile::NamedTempFile;

/// The largest settings file that is read, in bytes.
const BYTES_MAX: u64 = 64 << 20;

/// An error of reading or writing a settings file.
#[derive(Debug, thiserror::Error)]
pub enum SettingsFileError {
    /// The system reports an error.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The file is not UTF-8.
    #[error("it is not UTF-8 text")]
    NotText,
    /// The file is larger than any settings.
    #[error("it is larger than {} MiB", BYTES_MAX >> 20)]
    TooLarge,
    /// The file is read-only.
    #[error("it is read-only: make it writable, then run this again")]
    ReadOnly,
    /// The path is a folder, a pipe or a device.
    #[error("it is not a regular file: move it, then run this again")]
    NotRegular,
    /// The path is a link to a missing file.
    #[error(
        "it is a link to `{}`, which does not exist: create that file or remove the link, then run \
         this again", .0.display()
    )]
    Dangling(PathBuf),
    /// The path is invalid.
    #[error(transparent)]
    Path(#[from] PathError),
    /// The file cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// Reads a file; `None` if it does not exist.
///
/// # Errors
/// If it cannot be read, or is not UTF-8.
pub fn read_settings_file(path: &Path) -> Result<Option<String>, SettingsFileError> {
    let bytes = match read_regular(path, BYTES_MAX, LinkPolicy::Followed) {
        Ok(bytes) => bytes,
        Err(error) => {
            return match error.kind() {
                ErrorKind::NotFound => fs::read_link(path)
                    .map_or(Ok(None), |target| Err(SettingsFileError::Dangling(target))),
                ErrorKind::InvalidInput => Err(SettingsFileError::NotRegular),
                ErrorKind::FileTooLarge => Err(SettingsFileError::TooLarge),
                _ => Err(error.into()),
            };
        }
    };
    String::from_utf8(bytes).map(Some).map_err(|_| SettingsFileError::NotText)
}

/// Returns the path of the backup from before the first change. It is beside the file itself if
/// `path` is a link.
pub(crate) fn backup_path(path: &Path) -> PathBuf {
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".foveal-backup");
    path.with_file_name(name)
}

/// Replaces the content `before` with `after`, where `None` stands for no file. Links are followed
/// and preserved. If `keeps`, a backup of `before` is written.
///
/// # Errors
/// If the content is no longer `before`, or the file cannot be written. The file then stays
/// unchanged.
pub fn replace_settings_file(
    path: &Path,
    before: Option<&str>,
    after: Option<&str>,
    keeps: bool,
) -> Result<(), SettingsFileError> {
    let path = &fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let cancel = &CancelToken::NEVER;
    if fs::metadata(path).is_ok_and(|data| data.permissions().readonly()) {
        return Err(SettingsFileError::ReadOnly);
    }
    let located = resolve_path(path)?;
    if let Some(before) = before.filter(|_| keeps) {
        write_backup(path, before)?;
    }
    let writer = FileWriter::default();
    let expected = before.map(|before| ContentHash::from_content(before.as_bytes()));
    match (expected, after) {
        (None, None) => {}
        (None, Some(after)) => drop(writer.create_file(&located, after.as_bytes(), cancel)?),
        (Some(expected), Some(after)) => {
            writer.compare_and_replace(&located, &expected, after.as_bytes(), cancel)?;
        }
        (Some(expected), None) => drop(writer.compare_and_remove(&located, &expected, cancel)?),
    }
    Ok(())
}

/// Writes the backup of a file. An existing entry of that name is replaced and never written
/// through: a foreign project may contain a link of that name.
fn write_backup(path: &Path, before: &str) -> Result<(), SettingsFileError> {
    let backup = backup_path(path);
    let mut file = NamedTempFile::new_in(backup.parent().unwrap_or(Path::new("/")))?;
    file.write_all(before.as_bytes())?;
    // The permissions of the file, which may hold credentials.
    file.as_file().set_permissions(fs::metadata(path)?.permissions())?;
    file.persist(backup).map_err(|failed| failed.error)?;
    Ok(())
}

/// Returns whether a link leads a file of the project in `folder` out of that folder.
pub(crate) fn is_linked_outside(path: &Path, folder: &Path) -> bool {
    let is_inside = |place: &Path| {
        let place = place.canonicalize().ok()?;
        Some(place.starts_with(folder.canonicalize().ok()?))
    };
    !path.ancestors().find_map(is_inside).unwrap_or(false)
}

/// Resolves the file below its nearest existing folder.
fn resolve_path(path: &Path) -> Result<ResolvedPath, SettingsFileError> {
    let path = std::path::absolute(path)?;
    let folders = path.ancestors().skip(1);
    let folder = folders.into_iter().find(|folder| folder.is_dir()).unwrap_or(Path::new("/"));
    // The folder itself may be reached through a link, so its canonical path is the root.
    let inside = path.strip_prefix(folder).unwrap_or(&path);
    let folder = folder.canonicalize()?;
    Ok(WorkspaceRoots::open(&[&folder])?.resolve(&inside.to_string_lossy())?)
}
