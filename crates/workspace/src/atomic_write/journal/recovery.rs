//! Recovery of the unfinished writes of dead processes.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::{MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::interrupted_write::{RecoveredWrite, UnfinishedWrite};
use super::journal_line::JournalLine;
use super::process_record::{IrrelevantRecords, Journal, RECORD_EXTENSION, is_file_at, try_lock};
use super::rollback::{self, RollbackBlocked};
use crate::roots::WorkspaceRoots;

/// The age at which a record is removed even though its folders were not found.
const RECORD_AGE_MAX: Duration = Duration::from_secs(30 * 24 * 3600);

/// Bytes of a record that are read.
const RECORD_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// The total wait for living writers in one recovery.
const WRITER_TIMEOUT: Duration = Duration::from_millis(500);

/// Records that are remembered as irrelevant.
const IRRELEVANT_RECORDS_MAX: usize = 1000;

impl Journal {
    /// Rolls back the writes in `roots` that killed processes left unfinished, and removes their
    /// temporary files. Returns the writes that the user should know of.
    ///
    /// Cheap if there is nothing to do, so it can be called at every turn.
    pub fn recover(&self, roots: &WorkspaceRoots) -> Vec<RecoveredWrite> {
        self.recover_with_step_hook(roots, &|| ())
    }

    /// Recovers like [`Self::recover`], calling `step` between any two steps, for tests that stop
    /// there.
    #[doc(hidden)]
    pub fn recover_with_step_hook(
        &self,
        roots: &WorkspaceRoots,
        step: &dyn Fn(),
    ) -> Vec<RecoveredWrite> {
        let Ok(entries) = fs::read_dir(&self.folder) else { return Vec::new() };
        let folders: Vec<PathBuf> = roots.all().map(|root| root.path().to_owned()).collect();
        let mut found = Vec::new();
        // A folder that stays locked is not waited for again at each call.
        let patience = if self.has_timed_out.load(Ordering::Relaxed) {
            Duration::ZERO
        } else {
            WRITER_TIMEOUT
        };
        let until = Instant::now() + patience;
        let mut is_busy = false;
        for entry in entries.flatten() {
            let path = entry.path();
            let is_record = path.extension().is_some_and(|ending| ending == RECORD_EXTENSION);
            let is_own =
                path.file_stem().is_some_and(|stem| stem == self.temporary_names().process_token());
            let key = (entry.file_name(), folders.clone());
            if !is_record || is_own || self.lock_irrelevant_records().contains(&key) {
                continue;
            }
            // A record that cannot be read is left to processes that can.
            let left = self.recover_record(&path, roots, until, &mut found, step);
            is_busy |= matches!(left, Ok(Some(RollbackBlocked::Busy)));
            if let Ok(Some(RollbackBlocked::Elsewhere)) = left {
                let mut passed = self.lock_irrelevant_records();
                if passed.len() >= IRRELEVANT_RECORDS_MAX {
                    passed.clear();
                }
                passed.insert(key);
            }
        }
        self.has_timed_out.store(is_busy, Ordering::Relaxed);
        found
    }

    /// Rolls back the writes in the record at `path` and returns the reason if some remain.
    fn recover_record(
        &self,
        path: &Path,
        roots: &WorkspaceRoots,
        until: Instant,
        found: &mut Vec<RecoveredWrite>,
        step: &dyn Fn(),
    ) -> io::Result<Option<RollbackBlocked>> {
        let mut file = OpenOptions::new().read(true).append(true).open(path)?;
        // The process is alive, or another one is recovering its record.
        if !try_lock(&file)? || !is_file_at(&file, path) {
            return Ok(None);
        }
        let mut left = None;
        for (write, unfinished) in parse_unfinished_writes(&mut file)? {
            step();
            match rollback::roll_back_write(self, &unfinished, roots, until, step) {
                Ok(told) => found.extend(told),
                Err(why) => {
                    // A write that may be recoverable soon keeps the record relevant.
                    left = Some(if left == Some(RollbackBlocked::Busy) {
                        RollbackBlocked::Busy
                    } else {
                        why
                    });
                    continue;
                }
            }
            step();
            // If this fails, the next recovery finds nothing left to do.
            let _ = append_to_foreign_record(&file, &JournalLine::End { write });
        }
        let is_old = || {
            let changed = file.metadata().and_then(|metadata| metadata.modified());
            changed.is_ok_and(|time| time.elapsed().is_ok_and(|age| age > RECORD_AGE_MAX))
        };
        if left.is_none() || is_old() {
            fs::remove_file(path)?;
            left = None;
        }
        Ok(left)
    }

    fn lock_irrelevant_records(&self) -> MutexGuard<'_, IrrelevantRecords> {
        self.irrelevant_records.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Appends a line to the record of another process, whose last line may be incomplete.
fn append_to_foreign_record(mut record: &File, line: &JournalLine) -> io::Result<()> {
    record.write_all(&[b"\n", &*serde_json::to_vec(line)?, b"\n"].concat())
}

/// Parses the unfinished writes of a record. A line that cannot be parsed was cut off by a power
/// cut, before the action it announces.
fn parse_unfinished_writes(file: &mut File) -> io::Result<BTreeMap<u64, UnfinishedWrite>> {
    let mut text = Vec::new();
    file.take(RECORD_BYTES_MAX).read_to_end(&mut text)?;
    let mut writes: BTreeMap<u64, UnfinishedWrite> = BTreeMap::new();
    for line in text.split(|byte| *byte == b'\n') {
        match serde_json::from_slice(line) {
            Ok(JournalLine::Begin { write, files }) => {
                writes.insert(write, UnfinishedWrite { files, ..UnfinishedWrite::default() });
            }
            Ok(JournalLine::Made { write, file, inode }) => {
                if let Some(unfinished) = writes.get_mut(&write) {
                    unfinished.new_inodes.insert(file, inode);
                }
            }
            Ok(JournalLine::End { write }) => drop(writes.remove(&write)),
            Err(_) => {}
        }
    }
    Ok(writes)
}
