//! One write in the journal, from its begin to its end.

use std::io;

use super::line::{Line, Planned};
use super::record::Journal;
use crate::replace::error::WriteError;

/// A write that was begun. It has ended when this is dropped.
#[derive(Debug)]
pub(in crate::replace) struct Entry<'a> {
    journal: &'a Journal,
    write: u64,
}

impl<'a> Entry<'a> {
    /// Notes that `files` are about to be written.
    pub(in crate::replace) fn begin(
        journal: &'a Journal,
        files: &[Planned],
    ) -> Result<Self, WriteError> {
        let begun = journal.begin(|write| Line::Begin { write, files: files.to_vec() });
        Ok(Self { journal, write: begun.map_err(failed)? })
    }

    /// Notes that the new file of one of them was made.
    pub(in crate::replace) fn made(&self, file: usize, inode: u64) -> Result<(), WriteError> {
        let line = Line::Made { write: self.write, file, inode };
        self.journal.append(&line).map_err(failed)
    }

    /// Waits until all that was noted is on the device.
    pub(in crate::replace) fn sync(&self) -> Result<(), WriteError> {
        self.journal.sync().map_err(failed)
    }
}

impl Drop for Entry<'_> {
    fn drop(&mut self) {
        self.journal.end(self.write);
    }
}

fn failed(source: io::Error) -> WriteError {
    WriteError::Journal { source }
}
