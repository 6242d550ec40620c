//! The journal, and the record of this process in it.

use std::collections::HashSet;
use std::ffi::OsString;
use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, Write as _};
use std::os::unix::fs::{
    DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _,
};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustix::fs::{FlockOperation, flock};

use super::journal_line::JournalLine;
use super::temporary_names::TemporaryNames;

/// Bytes of a record beyond which it is truncated when no write is in progress.
const RECORD_BYTES_MAX: u64 = 128 * 1024;

/// Attempts to create a record that another process takes for that of a dead process.
const CREATE_ATTEMPTS_MAX: usize = 8;

/// The file extension of records.
pub(super) const RECORD_EXTENSION: &str = "record";

/// Names of dead processes' records, each with the roots in which it has nothing to roll back.
pub(super) type IrrelevantRecords = HashSet<(OsString, Vec<PathBuf>)>;

/// A folder with the records of all processes that write files.
#[derive(Debug)]
pub struct Journal {
    pub(super) folder: PathBuf,
    temporary_names: Arc<TemporaryNames>,
    record: Mutex<Option<ProcessRecord>>,
    /// Records of dead processes with nothing to roll back.
    pub(super) irrelevant_records: Mutex<IrrelevantRecords>,
    /// Whether the last recovery timed out waiting for a writer.
    pub(super) has_timed_out: AtomicBool,
}

/// The record of this process.
#[derive(Debug)]
struct ProcessRecord {
    file: File,
    bytes: u64,
    /// The number of writes begun.
    begun: u64,
    /// The number of writes in progress.
    open: u64,
}

impl Journal {
    /// Opens the journal in `folder`, which is created if it is missing, readable by the user only.
    ///
    /// # Errors
    ///
    /// Fails if the folder cannot be created.
    pub fn open(folder: &Path) -> io::Result<Self> {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        let was = fs::symlink_metadata(folder)?;
        if was.is_dir() && was.mode() & 0o077 != 0 {
            // A folder of another user may be shared on purpose.
            drop(fs::set_permissions(folder, Permissions::from_mode(0o700)));
        }
        Ok(Self {
            folder: folder.to_owned(),
            temporary_names: Arc::default(),
            record: Mutex::default(),
            irrelevant_records: Mutex::default(),
            has_timed_out: AtomicBool::default(),
        })
    }

    pub(in crate::atomic_write) fn temporary_names(&self) -> &Arc<TemporaryNames> {
        &self.temporary_names
    }

    /// Returns the path of this process's record.
    fn record_path(&self) -> PathBuf {
        self.folder.join(self.temporary_names.process_token()).with_extension(RECORD_EXTENSION)
    }

    fn lock_record(&self) -> MutexGuard<'_, Option<ProcessRecord>> {
        self.record.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Appends the begin line of a write and returns the number of the write.
    pub(super) fn append_begin(&self, line: impl Fn(u64) -> JournalLine) -> io::Result<u64> {
        let mut record = self.lock_record();
        if record.is_none() {
            *record = Some(ProcessRecord::create(&self.record_path())?);
        }
        let Some(record) = &mut *record else { return Err(io::ErrorKind::NotFound.into()) };
        let write = record.begun;
        record.append_line(&line(write))?;
        record.begun += 1;
        record.open += 1;
        Ok(write)
    }

    /// Appends a line about a write in progress.
    pub(super) fn append_line(&self, line: &JournalLine) -> io::Result<()> {
        match &mut *self.lock_record() {
            Some(record) => record.append_line(line),
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }

    /// Syncs all lines to the device.
    pub(super) fn sync(&self) -> io::Result<()> {
        match &*self.lock_record() {
            Some(record) => record.file.sync_data(),
            None => Ok(()),
        }
    }

    /// Appends the end line of a write.
    pub(super) fn append_end(&self, write: u64) {
        let mut record = self.lock_record();
        let Some(record) = &mut *record else { return };
        // If this fails, a later recovery finds nothing left to do.
        let _ = record.append_line(&JournalLine::End { write });
        record.open = record.open.saturating_sub(1);
        if record.open == 0 && record.bytes > RECORD_BYTES_MAX && record.file.set_len(0).is_ok() {
            record.bytes = 0;
        }
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        if self.lock_record().as_ref().is_some_and(|record| record.open == 0) {
            // If this fails, the next process removes it.
            let _ = fs::remove_file(self.record_path());
        }
    }
}

impl ProcessRecord {
    fn create(path: &Path) -> io::Result<Self> {
        for _ in 0..CREATE_ATTEMPTS_MAX {
            let mut options = OpenOptions::new();
            let file = options.append(true).create_new(true).mode(0o600).open(path)?;
            // Another process may have locked or removed it in between.
            if try_lock(&file)? && is_file_at(&file, path) {
                if let Some(folder) = path.parent() {
                    File::open(folder)?.sync_all()?;
                }
                return Ok(Self { file, bytes: 0, begun: 0, open: 0 });
            }
            let _ = fs::remove_file(path);
        }
        Err(io::ErrorKind::ResourceBusy.into())
    }

    fn append_line(&mut self, line: &JournalLine) -> io::Result<()> {
        let mut text = serde_json::to_vec(line)?;
        text.push(b'\n');
        if let Err(error) = self.file.write_all(&text) {
            // A partial line would corrupt the next one.
            let _ = self.file.set_len(self.bytes);
            return Err(error);
        }
        self.bytes += text.len() as u64;
        Ok(())
    }
}

/// Locks `file` and returns whether the lock was free.
pub(super) fn try_lock(file: &File) -> io::Result<bool> {
    match flock(file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(true),
        Err(rustix::io::Errno::WOULDBLOCK | rustix::io::Errno::INTR) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Returns whether `path` still leads to `file`.
pub(super) fn is_file_at(file: &File, path: &Path) -> bool {
    let same =
        |at: fs::Metadata, file: fs::Metadata| (at.dev(), at.ino()) == (file.dev(), file.ino());
    fs::symlink_metadata(path).is_ok_and(|at| file.metadata().is_ok_and(|file| same(at, file)))
}
