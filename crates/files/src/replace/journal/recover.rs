//! What dead processes left undone.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::{MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::cut_off::{Recovered, Unfinished};
use super::line::Line;
use super::record::{ENDING, Journal, Passed, is_at, is_locked};
use super::undo::{self, NotMended};
use crate::roots::Roots;

/// How long a record is kept whose folders are not there.
const KEPT: Duration = Duration::from_secs(30 * 24 * 3600);

/// Bytes of a record that are read.
const RECORD_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// How long writers that live are waited for, in one recovery.
const PATIENCE: Duration = Duration::from_millis(500);

/// Records that are remembered as being about other folders.
const PASSED_MAX: usize = 1000;

impl Journal {
    /// Takes back what processes that were killed left half done in `roots`, and removes the
    /// temporary files that they left. Says what the user should know of.
    ///
    /// It costs little where there is nothing to do, so that it can be called at every turn.
    pub fn recover(&self, roots: &Roots) -> Vec<Recovered> {
        self.recover_stepping(roots, &|| ())
    }

    /// The same, with `step` called between any two steps, for tests that stop there.
    #[doc(hidden)]
    pub fn recover_stepping(&self, roots: &Roots, step: &dyn Fn()) -> Vec<Recovered> {
        let Ok(entries) = fs::read_dir(&self.folder) else { return Vec::new() };
        let folders: Vec<PathBuf> = roots.all().map(|root| root.path().to_owned()).collect();
        let mut found = Vec::new();
        // Whoever holds a folder for longer is not waited for at each call.
        let patience =
            if self.has_waited.load(Ordering::Relaxed) { Duration::ZERO } else { PATIENCE };
        let until = Instant::now() + patience;
        let mut is_busy = false;
        for entry in entries.flatten() {
            let path = entry.path();
            let is_record = path.extension().is_some_and(|ending| ending == ENDING);
            let is_own = path.file_stem().is_some_and(|stem| stem == self.names().id());
            let key = (entry.file_name(), folders.clone());
            if !is_record || is_own || self.passed().contains(&key) {
                continue;
            }
            // A record that cannot be read is left to whoever can.
            let left = self.recover_record(&path, (roots, until), &mut found, step);
            is_busy |= matches!(left, Ok(Some(NotMended::Busy)));
            if let Ok(Some(NotMended::Elsewhere)) = left {
                let mut passed = self.passed();
                if passed.len() >= PASSED_MAX {
                    passed.clear();
                }
                passed.insert(key);
            }
        }
        self.has_waited.store(is_busy, Ordering::Relaxed);
        found
    }

    /// Mends what the record at `path` says; why not all of it, if so.
    fn recover_record(
        &self,
        path: &Path,
        (roots, until): (&Roots, Instant),
        found: &mut Vec<Recovered>,
        step: &dyn Fn(),
    ) -> io::Result<Option<NotMended>> {
        let mut file = OpenOptions::new().read(true).append(true).open(path)?;
        // Its process lives, or somebody else is at it.
        if !is_locked(&file)? || !is_at(&file, path) {
            return Ok(None);
        }
        let mut left = None;
        for (write, unfinished) in unfinished(&mut file)? {
            step();
            match undo::mend(self, &unfinished, (roots, until), step) {
                Ok(told) => found.extend(told),
                Err(why) => {
                    // What may be mended soon is looked at again.
                    left = Some(if left == Some(NotMended::Busy) { NotMended::Busy } else { why });
                    continue;
                }
            }
            step();
            // If that cannot be noted, the next one finds nothing left to do.
            let _ = append(&file, &Line::End { write });
        }
        let is_old = || {
            let changed = file.metadata().and_then(|metadata| metadata.modified());
            changed.is_ok_and(|time| time.elapsed().is_ok_and(|age| age > KEPT))
        };
        if left.is_none() || is_old() {
            fs::remove_file(path)?;
            left = None;
        }
        Ok(left)
    }

    fn passed(&self) -> MutexGuard<'_, Passed> {
        self.passed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Appends a line to the record of another process, whose last one may be cut off.
fn append(mut record: &File, line: &Line) -> io::Result<()> {
    record.write_all(&[b"\n", &*serde_json::to_vec(line)?, b"\n"].concat())
}

/// The writes in a record that have not ended. A line that cannot be read was cut off by a power
/// cut; what it would have said was not done then.
fn unfinished(file: &mut File) -> io::Result<BTreeMap<u64, Unfinished>> {
    let mut text = Vec::new();
    file.take(RECORD_BYTES_MAX).read_to_end(&mut text)?;
    let mut writes: BTreeMap<u64, Unfinished> = BTreeMap::new();
    for line in text.split(|byte| *byte == b'\n') {
        match serde_json::from_slice(line) {
            Ok(Line::Begin { write, files }) => {
                writes.insert(write, Unfinished { files, ..Unfinished::default() });
            }
            Ok(Line::Made { write, file, inode }) => {
                if let Some(unfinished) = writes.get_mut(&write) {
                    unfinished.made.insert(file, inode);
                }
            }
            Ok(Line::End { write }) => drop(writes.remove(&write)),
            Err(_) => {}
        }
    }
    Ok(writes)
}
