//! Replacing, making and removing files.

use std::io;

use foveal_cancel::Cancel;
use foveal_transcript::ContentHash;

use super::error::WriteError;
use super::folders::{Folders, sync};
use super::held::{Held, name, placed, through_link};
use super::lock::Lock;
use super::temporary::Temporary;
use super::written::Written;
use crate::roots::Located;

/// Puts `bytes` in the place of the file at `located`, if that holds what `expected` says.
///
/// # Errors
///
/// [`WriteError::Changed`] when it holds something else, and when it may not or cannot be
/// written.
pub fn replace_if(
    located: &Located,
    expected: &ContentHash,
    bytes: &[u8],
    cancel: &Cancel<'_>,
) -> Result<Written, WriteError> {
    let held = Held::take(located, cancel)?;
    let old = held.read(cancel)?;
    if old.version.hash != *expected {
        return Err(WriteError::Changed { path: located.shown().to_owned() });
    }
    held.replace(old, bytes, cancel)
}

/// Makes a new file at `located` that holds `bytes`, and the folders it is in.
///
/// # Errors
///
/// [`WriteError::Exists`] when there is something already, and when it cannot be written; new
/// folders are removed then.
pub fn create(located: &Located, bytes: &[u8], cancel: &Cancel<'_>) -> Result<Written, WriteError> {
    let failed = |error| WriteError::of(located.shown(), error);
    let mut folders = Folders::make(located)?;
    let name = name(located)?;
    let lock = Lock::take(folders.innermost()?, located.shown(), cancel)?;
    let dir = lock.dir();
    match dir.symlink_metadata(name) {
        Ok(_) => return Err(WriteError::Exists { path: located.shown().to_owned() }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(failed(error)),
    }
    let mut temporary = Temporary::new(dir, false).map_err(failed)?;
    if !temporary.fill(bytes, cancel).map_err(failed)? {
        return Err(WriteError::Cancelled { path: located.shown().to_owned() });
    }
    temporary.place(name).map_err(failed)?;
    folders.keep().map_err(failed)?;
    let version = placed(dir, name, bytes).map_err(failed)?;
    Ok(Written { version, before: None, notes: through_link(located).into_iter().collect() })
}

/// Removes the file at `located`, if it holds what `expected` says. Gives back what it held.
///
/// # Errors
///
/// As [`replace_if`].
pub fn remove_if(
    located: &Located,
    expected: &ContentHash,
    cancel: &Cancel<'_>,
) -> Result<Vec<u8>, WriteError> {
    let failed = |error| WriteError::of(located.shown(), error);
    let held = Held::take(located, cancel)?;
    let old = held.read(cancel)?;
    if old.version.hash != *expected || !held.still(&old)? {
        return Err(WriteError::Changed { path: located.shown().to_owned() });
    }
    held.lock.dir().remove_file(held.name).map_err(failed)?;
    sync(held.lock.dir()).map_err(failed)?;
    Ok(old.bytes)
}
