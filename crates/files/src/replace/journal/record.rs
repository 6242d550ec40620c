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

use super::line::Line;
use super::names::Names;

/// Bytes of a record beyond which it is emptied when no write is under way.
const RECORD_BYTES_MAX: u64 = 128 * 1024;

/// Times that a record is made anew because another process took it for one of a dead process.
const TRIES_MAX: usize = 8;

/// Endings of the names of records.
pub(super) const ENDING: &str = "record";

/// Records of dead processes by name, and the roots in which there is nothing to do about them.
pub(super) type Passed = HashSet<(OsString, Vec<PathBuf>)>;

/// A folder with the records of all processes that write files.
#[derive(Debug)]
pub struct Journal {
    pub(super) folder: PathBuf,
    names: Arc<Names>,
    record: Mutex<Option<Record>>,
    /// Records of others that there is nothing to do about.
    pub(super) passed: Mutex<Passed>,
    /// Whether the last recovery waited for a writer in vain.
    pub(super) has_waited: AtomicBool,
}

/// The record of this process.
#[derive(Debug)]
struct Record {
    file: File,
    bytes: u64,
    /// Writes that were begun.
    begun: u64,
    /// Writes that are under way.
    open: u64,
}

impl Journal {
    /// The journal in `folder`, which is made if need be. Nobody else may read there.
    ///
    /// # Errors
    ///
    /// When the folder cannot be made.
    pub fn open(folder: &Path) -> io::Result<Self> {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        let was = fs::symlink_metadata(folder)?;
        if was.is_dir() && was.mode() & 0o077 != 0 {
            // Another user's folder may be shared on purpose.
            drop(fs::set_permissions(folder, Permissions::from_mode(0o700)));
        }
        Ok(Self {
            folder: folder.to_owned(),
            names: Arc::default(),
            record: Mutex::default(),
            passed: Mutex::default(),
            has_waited: AtomicBool::default(),
        })
    }

    pub(in crate::replace) fn names(&self) -> &Arc<Names> {
        &self.names
    }

    /// The path of this process's record.
    fn path(&self) -> PathBuf {
        self.folder.join(self.names.id()).with_extension(ENDING)
    }

    fn record(&self) -> MutexGuard<'_, Option<Record>> {
        self.record.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Appends the line that a write begins with; its number.
    pub(super) fn begin(&self, line: impl Fn(u64) -> Line) -> io::Result<u64> {
        let mut record = self.record();
        if record.is_none() {
            *record = Some(Record::make(&self.path())?);
        }
        let Some(record) = &mut *record else { return Err(io::ErrorKind::NotFound.into()) };
        let write = record.begun;
        record.append(&line(write))?;
        record.begun += 1;
        record.open += 1;
        Ok(write)
    }

    /// Appends a line about a write that was begun.
    pub(super) fn append(&self, line: &Line) -> io::Result<()> {
        match &mut *self.record() {
            Some(record) => record.append(line),
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }

    /// Brings all lines to the device.
    pub(super) fn sync(&self) -> io::Result<()> {
        match &*self.record() {
            Some(record) => record.file.sync_data(),
            None => Ok(()),
        }
    }

    /// Appends that a write has ended.
    pub(super) fn end(&self, write: u64) {
        let mut record = self.record();
        let Some(record) = &mut *record else { return };
        // If that cannot be noted, whoever looks after it finds nothing left to do.
        let _ = record.append(&Line::End { write });
        record.open = record.open.saturating_sub(1);
        if record.open == 0 && record.bytes > RECORD_BYTES_MAX && record.file.set_len(0).is_ok() {
            record.bytes = 0;
        }
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        if self.record().as_ref().is_some_and(|record| record.open == 0) {
            // Whoever starts next removes it otherwise.
            let _ = fs::remove_file(self.path());
        }
    }
}

impl Record {
    fn make(path: &Path) -> io::Result<Self> {
        for _ in 0..TRIES_MAX {
            let mut options = OpenOptions::new();
            let file = options.append(true).create_new(true).mode(0o600).open(path)?;
            // Somebody may have locked or removed it before we did.
            if is_locked(&file)? && is_at(&file, path) {
                if let Some(folder) = path.parent() {
                    File::open(folder)?.sync_all()?;
                }
                return Ok(Self { file, bytes: 0, begun: 0, open: 0 });
            }
            let _ = fs::remove_file(path);
        }
        Err(io::ErrorKind::ResourceBusy.into())
    }

    fn append(&mut self, line: &Line) -> io::Result<()> {
        let mut text = serde_json::to_vec(line)?;
        text.push(b'\n');
        if let Err(error) = self.file.write_all(&text) {
            // A part of a line would spoil the next one.
            let _ = self.file.set_len(self.bytes);
            return Err(error);
        }
        self.bytes += text.len() as u64;
        Ok(())
    }
}

/// Locks `file`; false if another process holds it.
pub(super) fn is_locked(file: &File) -> io::Result<bool> {
    match flock(file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(true),
        Err(rustix::io::Errno::WOULDBLOCK | rustix::io::Errno::INTR) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Whether `file` still is what stands at `path`.
pub(super) fn is_at(file: &File, path: &Path) -> bool {
    let same =
        |at: fs::Metadata, file: fs::Metadata| (at.dev(), at.ino()) == (file.dev(), file.ino());
    fs::symlink_metadata(path).is_ok_and(|at| file.metadata().is_ok_and(|file| same(at, file)))
}
