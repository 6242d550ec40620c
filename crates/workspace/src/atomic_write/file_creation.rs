//! Creation of a file.

use std::io;
use std::time::SystemTime;

use cap_std::fs::Metadata;
use foveal_transcript::CancelToken;

use super::content_digest::ContentDigest;
use super::error::WriteError;
use super::file_writer::FileWriter;
use super::folder_lock::FolderLock;
use super::journal::{JournalEntry, PlannedWrite};
use super::locked_file::{LockedFile, file_name_of, followed_link_notice};
use super::parent_folders::{ParentFolders, sync_folder};
use super::temporary_file::TemporaryFile;
use super::write_outcome::WriteOutcome;
use crate::file_version::{FileStamp, FileVersion};
use crate::roots::ResolvedPath;

impl FileWriter {
    /// Creates a file at `located` with the content `bytes`, and its missing parent folders.
    ///
    /// # Errors
    ///
    /// Returns [`WriteError::Exists`] if the path is taken. Also fails if the file cannot be
    /// written; new folders are removed then.
    pub fn create_file(
        &self,
        located: &ResolvedPath,
        bytes: &[u8],
        cancel: &CancelToken<'_>,
    ) -> Result<WriteOutcome, WriteError> {
        create_file(self, located, bytes, cancel)
    }
}

fn create_file(
    writer: &FileWriter,
    located: &ResolvedPath,
    bytes: &[u8],
    cancel: &CancelToken<'_>,
) -> Result<WriteOutcome, WriteError> {
    let failed = |error| WriteError::from_io(located.display_path(), error);
    let mut folders = ParentFolders::create_missing(located)?;
    let name = file_name_of(located)?;
    let lock = FolderLock::acquire(folders.open_innermost()?, located.display_path(), cancel)?;
    let dir = lock.dir();
    match dir.symlink_metadata(name) {
        Ok(_) => return Err(WriteError::Exists { path: located.display_path().to_owned() }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(failed(error)),
    }
    let held = LockedFile { located, name, dir };
    let after = ContentDigest::from_bytes(bytes);
    let temporary = writer.temporary_names.next_name();
    let planned = PlannedWrite::new(&held, &temporary, None, after);
    let begin = |planned| JournalEntry::begin_write(writer.journal.as_deref()?, &[planned]).ok();
    // A new file appears as a whole or not at all, even without a journal entry.
    let entry = planned.ok().and_then(begin);
    writer.run_step_hook();
    let mut temporary = TemporaryFile::new(dir, temporary, false).map_err(failed)?;
    writer.run_step_hook();
    let _ = entry.as_ref().map(|entry| entry.record_created_file(0, temporary.inode()));
    writer.run_step_hook();
    if !temporary.write_content(bytes, cancel).map_err(failed)? {
        return Err(WriteError::Cancelled { path: located.display_path().to_owned() });
    }
    let file = temporary.clone_handle().map_err(failed)?;
    writer.run_step_hook();
    temporary.move_to_free_name(name).map_err(failed)?;
    writer.run_step_hook();
    folders.persist().map_err(failed)?;
    sync_folder(dir).map_err(failed)?;
    let stamp = FileStamp::from_metadata(&Metadata::from_file(&file).map_err(failed)?);
    let version = FileVersion::new(stamp, after.hash, SystemTime::now());
    Ok(WriteOutcome {
        version,
        before: None,
        notes: followed_link_notice(located).into_iter().collect(),
    })
}
