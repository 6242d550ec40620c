//! One write in the journal, from its begin to its end.

use std::io;

use super::journal_line::{JournalLine, PlannedWrite};
use super::process_record::Journal;
use crate::atomic_write::error::WriteError;

/// A write in progress. Dropping it records the end.
#[derive(Debug)]
pub(in crate::atomic_write) struct JournalEntry<'a> {
    journal: &'a Journal,
    write: u64,
}

impl<'a> JournalEntry<'a> {
    /// Records that `files` are about to be written.
    pub(in crate::atomic_write) fn begin_write(
        journal: &'a Journal,
        files: &[PlannedWrite],
    ) -> Result<Self, WriteError> {
        let begun =
            journal.append_begin(|write| JournalLine::Begin { write, files: files.to_vec() });
        Ok(Self { journal, write: begun.map_err(journal_error)? })
    }

    /// Records that the new file at index `file` was created.
    pub(in crate::atomic_write) fn record_created_file(
        &self,
        file: usize,
        inode: u64,
    ) -> Result<(), WriteError> {
        let line = JournalLine::Made { write: self.write, file, inode };
        self.journal.append_line(&line).map_err(journal_error)
    }

    /// Syncs all recorded lines to the device.
    pub(in crate::atomic_write) fn sync(&self) -> Result<(), WriteError> {
        self.journal.sync().map_err(journal_error)
    }
}

impl Drop for JournalEntry<'_> {
    fn drop(&mut self) {
        self.journal.append_end(self.write);
    }
}

fn journal_error(source: io::Error) -> WriteError {
    WriteError::Journal { source }
}
