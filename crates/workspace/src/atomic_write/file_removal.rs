//! Removal of a file.

use foveal_transcript::{CancelToken, ContentHash};

use super::error::WriteError;
use super::file_writer::FileWriter;
use super::folder_lock::FolderLocks;
use super::locked_file::{LockedFile, file_name_of};
use super::parent_folders::sync_folder;
use crate::roots::ResolvedPath;

impl FileWriter {
    /// Removes the file at `located`, if its content has the hash `expected`, and returns the
    /// content.
    ///
    /// # Errors
    ///
    /// See [`Self::compare_and_replace`].
    pub fn compare_and_remove(
        &self,
        located: &ResolvedPath,
        expected: &ContentHash,
        cancel: &CancelToken<'_>,
    ) -> Result<Vec<u8>, WriteError> {
        compare_and_remove(located, expected, cancel)
    }
}

fn compare_and_remove(
    located: &ResolvedPath,
    expected: &ContentHash,
    cancel: &CancelToken<'_>,
) -> Result<Vec<u8>, WriteError> {
    let failed = |error| WriteError::from_io(located.display_path(), error);
    let name = file_name_of(located)?;
    let locks = FolderLocks::acquire(&[located], cancel)?;
    let held = LockedFile { located, name, dir: locks.dir(0) };
    let old = held.read_expected(expected, cancel)?;
    if !held.has_stamp_of(&old)? {
        return Err(held.changed_error());
    }
    held.dir.remove_file(held.name).map_err(failed)?;
    sync_folder(held.dir).map_err(failed)?;
    Ok(old.bytes)
}
