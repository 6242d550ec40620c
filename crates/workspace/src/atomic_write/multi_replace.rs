//! Replacement of several files, all or none.
//!
//! First, all new files are written beside the old ones. Then the journal is synced to the device.
//! Then each new file is exchanged with its old one, which keeps the temporary name until all are
//! done, so that the write can be rolled back.

use cap_std::fs::MetadataExt as _;
use foveal_transcript::{CancelToken, ContentHash};

use super::content_digest::ContentDigest;
use super::error::WriteError;
use super::file_writer::FileWriter;
use super::folder_lock::FolderLocks;
use super::journal::{JournalEntry, PlannedWrite};
use super::locked_file::{LockedFile, OldContent, file_name_of, followed_link_notice};
use super::parent_folders::sync_folder;
use super::temporary_file::{TemporaryFile, open_for_reading};
use super::write_outcome::{WriteNotice, WriteOutcome};
use crate::roots::ResolvedPath;

/// A file to replace.
#[derive(Debug, Clone, Copy)]
pub struct FileReplacement<'a> {
    /// The path of the file.
    pub located: &'a ResolvedPath,
    /// The expected hash of the current content.
    pub expected: ContentHash,
    /// The new content.
    pub bytes: &'a [u8],
}

/// A file with its new content beside it.
struct StagedFile<'a> {
    held: &'a LockedFile<'a>,
    old: OldContent,
    temporary: TemporaryFile<'a>,
    before: ContentDigest,
    after: ContentDigest,
    notes: Vec<WriteNotice>,
}

impl FileWriter {
    /// Replaces the file at `located` with `bytes`, if its content has the hash `expected`.
    ///
    /// # Errors
    ///
    /// Returns [`WriteError::Changed`] if the content is different. Also fails if the file may not
    /// or cannot be written.
    pub fn compare_and_replace(
        &self,
        located: &ResolvedPath,
        expected: &ContentHash,
        bytes: &[u8],
        cancel: &CancelToken<'_>,
    ) -> Result<WriteOutcome, WriteError> {
        let replacement = FileReplacement { located, expected: *expected, bytes };
        let mut written = self.replace_all(&[replacement], cancel)?;
        written.pop().ok_or_else(|| WriteError::Changed { path: located.display_path().to_owned() })
    }

    /// Replaces all `files`, if each has its expected content, or none of them. After a kill in
    /// between, [`recover`](super::Journal::recover) rolls the write back.
    ///
    /// # Errors
    ///
    /// Returns the error of the first file that cannot be replaced, or [`WriteError::Torn`] if
    /// another one could not be put back afterwards.
    pub fn replace_all(
        &self,
        files: &[FileReplacement<'_>],
        cancel: &CancelToken<'_>,
    ) -> Result<Vec<WriteOutcome>, WriteError> {
        replace_all(self, files, cancel)
    }
}

fn replace_all(
    writer: &FileWriter,
    files: &[FileReplacement<'_>],
    cancel: &CancelToken<'_>,
) -> Result<Vec<WriteOutcome>, WriteError> {
    let located: Vec<&ResolvedPath> = files.iter().map(|file| file.located).collect();
    let names =
        located.iter().map(|located| file_name_of(located)).collect::<Result<Vec<_>, _>>()?;
    let locks = FolderLocks::acquire(&located, cancel)?;
    let held: Vec<LockedFile<'_>> = located
        .iter()
        .zip(names)
        .enumerate()
        .map(|(at, (located, name))| LockedFile { located, name, dir: locks.dir(at) })
        .collect();
    let olds =
        held.iter().zip(files).map(|(held, file)| held.read_expected(&file.expected, cancel));
    let olds: Vec<OldContent> = olds.collect::<Result<_, _>>()?;
    writer.run_step_hook();
    let temporaries: Vec<String> =
        files.iter().map(|_| writer.temporary_names.next_name()).collect();
    let entry = begin_journal_entry(writer, &held, &temporaries, files, &olds)?;
    let staged = stage_files(writer, &held, files, olds, temporaries, entry.as_ref(), cancel)?;
    if let Some(entry) = entry.as_ref().filter(|_| files.len() > 1) {
        entry.sync()?;
    }
    writer.run_step_hook();
    let placed = exchange_all(writer, staged)?;
    let changed = placed.iter().find(|one| !one.temporary.displaced_matches(&one.before));
    if let Some(error) = changed.map(|one| one.held.changed_error()) {
        return Err(roll_back(writer, placed, error));
    }
    for dir in locks.dirs() {
        sync_folder(dir).map_err(|error| WriteError::from_io(located[0].display_path(), error))?;
    }
    writer.run_step_hook();
    let written = placed.into_iter().map(|staged| finish_replacement(writer, staged));
    let written: Vec<WriteOutcome> = written.collect::<Result<_, _>>()?;
    // Dropping the entry records the end of the write.
    drop(entry);
    writer.run_step_hook();
    Ok(written)
}

/// Records the planned write in the journal. If that fails, a single file is replaced all the same,
/// because it is either old or new at any time.
fn begin_journal_entry<'a>(
    writer: &'a FileWriter,
    held: &[LockedFile<'_>],
    temporaries: &[String],
    files: &[FileReplacement<'_>],
    olds: &[OldContent],
) -> Result<Option<JournalEntry<'a>>, WriteError> {
    let Some(journal) = writer.journal.as_deref() else { return Ok(None) };
    let each = held.iter().zip(temporaries).zip(files.iter().zip(olds));
    let planned = each.map(|((held, temporary), (file, old))| {
        PlannedWrite::new(
            held,
            temporary,
            Some(ContentDigest::from_bytes(&old.bytes)),
            ContentDigest::from_bytes(file.bytes),
        )
    });
    let entry = planned.collect::<Result<Vec<_>, _>>();
    match entry.and_then(|planned| JournalEntry::begin_write(journal, &planned)) {
        Ok(entry) => {
            writer.run_step_hook();
            Ok(Some(entry))
        }
        Err(_) if held.len() == 1 => Ok(None),
        Err(error) => Err(error),
    }
}

/// Writes the new files beside the old ones.
fn stage_files<'a>(
    writer: &FileWriter,
    held: &'a [LockedFile<'a>],
    files: &[FileReplacement<'_>],
    olds: Vec<OldContent>,
    temporaries: Vec<String>,
    entry: Option<&JournalEntry<'_>>,
    cancel: &CancelToken<'_>,
) -> Result<Vec<StagedFile<'a>>, WriteError> {
    let mut all = Vec::with_capacity(held.len());
    for (index, ((held, file), (old, name))) in
        held.iter().zip(files).zip(olds.into_iter().zip(temporaries)).enumerate()
    {
        let failed = |error| WriteError::from_io(held.located.display_path(), error);
        let mut notes: Vec<WriteNotice> = followed_link_notice(held.located).into_iter().collect();
        let mut temporary = TemporaryFile::new(held.dir, name, true).map_err(failed)?;
        writer.run_step_hook();
        match entry.map(|entry| entry.record_created_file(index, temporary.inode())) {
            Some(Err(error)) if files.len() > 1 => return Err(error),
            _ => {}
        }
        // Attributes come before the content, so that the new bytes are never readable by others
        // and all is synced together. If another file has the name by now, it is not replaced.
        if let Ok(old) = open_for_reading(held.dir, held.name) {
            temporary.copy_attributes_from(&old);
        }
        if !temporary.copy_owner_and_mode(&old.metadata).map_err(failed)? {
            notes.push(WriteNotice::OwnerNotKept);
        }
        writer.run_step_hook();
        if !temporary.write_content(file.bytes, cancel).map_err(failed)? {
            return Err(WriteError::Cancelled { path: held.located.display_path().to_owned() });
        }
        let (before, after) =
            (ContentDigest::from_bytes(&old.bytes), ContentDigest::from_bytes(file.bytes));
        all.push(StagedFile { held, old, temporary, before, after, notes });
    }
    Ok(all)
}

/// Exchanges each new file with its old one; if one exchange fails, those before are rolled back.
fn exchange_all<'a>(
    writer: &FileWriter,
    staged: Vec<StagedFile<'a>>,
) -> Result<Vec<StagedFile<'a>>, WriteError> {
    let mut placed: Vec<StagedFile<'a>> = Vec::with_capacity(staged.len());
    for mut one in staged {
        let done = match one.held.has_stamp_of(&one.old) {
            Ok(true) => {
                one.held.exchange_expected(&mut one.temporary, &one.before, writer.exchanges)
            }
            Ok(false) => Err(one.held.changed_error()),
            Err(error) => Err(error),
        };
        match done {
            Ok(()) => placed.push(one),
            Err(error) => return Err(roll_back(writer, placed, error)),
        }
        writer.run_step_hook();
    }
    Ok(placed)
}

/// Restores the files that were replaced so far and returns the error for the caller.
fn roll_back(writer: &FileWriter, placed: Vec<StagedFile<'_>>, why: WriteError) -> WriteError {
    let mut left: Vec<String> = Vec::new();
    for mut one in placed {
        let held = one.held;
        let is_ours = open_for_reading(held.dir, held.name).is_ok_and(|file| {
            let inode = cap_std::fs::Metadata::from_file(&file).map(|metadata| metadata.ino());
            inode.is_ok_and(|inode| inode == one.temporary.inode()) && one.after.matches_file(&file)
        });
        let back = is_ours.then(|| one.temporary.restore_displaced(held.name));
        if matches!(back, Some(Ok(()))) {
            continue;
        }
        let kept = writer.journal.as_deref().and_then(|journal| {
            let name = held.name.to_string_lossy();
            journal.preserve_content(&name, "before", &one.old.bytes).ok()
        });
        let kept = kept.map(|path| format!("; its previous content is in `{}`", path.display()));
        let path = held.located.display_path();
        left.push(format!(
            "`{path}` was changed by another program meanwhile and could not be restored{}",
            kept.unwrap_or_default()
        ));
    }
    if left.is_empty() {
        return why;
    }
    WriteError::Torn { why: Box::new(why), left: left.join("; ") }
}

/// Removes the old file and returns the outcome.
fn finish_replacement(
    writer: &FileWriter,
    staged: StagedFile<'_>,
) -> Result<WriteOutcome, WriteError> {
    let StagedFile { held, old, temporary, after, mut notes, .. } = staged;
    let version = held.new_version(&temporary, after)?;
    // The temporary name now belongs to the old file, which the drop removes.
    drop(temporary);
    writer.run_step_hook();
    let count = old.metadata.nlink().saturating_sub(1);
    if count > 0 {
        notes.push(WriteNotice::OtherNames { count });
    }
    Ok(WriteOutcome { version, before: Some(old.bytes), notes })
}
