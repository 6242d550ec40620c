//! The number of reads of each file since its last change.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};

use foveal_transcript::CancelToken;
use foveal_workspace::{FileFreshness, FileVersion};
use foveal_workspace::{PathKey, ResolvedPath, WorkspaceRoots};

/// Files whose reads are counted.
const READS_MAX: usize = 10_000;

/// The read counts of a session.
#[derive(Debug, Default)]
pub struct ReadCounts(Mutex<ReadCountTable>);

/// The read counts, and those to be stored with the next event.
#[derive(Debug, Default)]
struct ReadCountTable {
    files: BTreeMap<PathKey, FileReadCount>,
    unsaved: BTreeMap<PathKey, FileReadCount>,
}

/// The read count of a file.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct FileReadCount {
    /// The absolute path.
    path: PathBuf,
    /// Reads since the file's last change; 0 if no read counts.
    count: u32,
    /// The version that was read last, if it is known.
    version: Option<FileVersion>,
    /// Whether the next read must return all of the file.
    #[serde(default)]
    is_invalid: bool,
}

impl ReadCountTable {
    fn put(&mut self, key: PathKey, file: FileReadCount) {
        if self.files.len() >= READS_MAX && !self.files.contains_key(&key) {
            self.files.pop_first();
        }
        self.queue_unsaved(key.clone(), file.clone());
        self.files.insert(key, file);
    }

    fn queue_unsaved(&mut self, key: PathKey, file: FileReadCount) {
        if self.unsaved.len() >= READS_MAX {
            self.unsaved.pop_first();
        }
        self.unsaved.insert(key, file);
    }

    fn remove(&mut self, key: &PathKey) {
        if let Some(file) = self.files.remove(key) {
            let file = FileReadCount { count: 0, version: None, is_invalid: false, ..file };
            self.queue_unsaved(key.clone(), file);
        }
    }
}

impl ReadCounts {
    /// Returns the counts that changed since the last call of this method.
    pub(crate) fn take_unsaved(&self) -> Vec<FileReadCount> {
        std::mem::take(&mut self.lock().unsaved).into_values().collect()
    }

    /// Restores the counts of an earlier process.
    pub(crate) fn restore(&self, roots: &WorkspaceRoots, files: Vec<FileReadCount>) {
        let mut reads = self.lock();
        for file in files {
            let Ok(located) = roots.resolve(&file.path.to_string_lossy()) else { continue };
            match file.count == 0 && !file.is_invalid {
                true => reads.remove(&located.path_key()),
                false => reads.put(located.path_key(), file),
            }
        }
        reads.unsaved.clear();
    }

    /// Removes the count of a file.
    pub(crate) fn remove_file(&self, key: &PathKey) {
        self.lock().remove(key);
    }

    /// Counts a read of a file's current version.
    pub(crate) fn record_read(&self, located: &ResolvedPath, version: Option<FileVersion>) {
        let mut reads = self.lock();
        let key = located.path_key();
        let before = reads.files.get(&key);
        let is_same = |before: &&FileReadCount| {
            let hash = |version: Option<FileVersion>| version.map(|version| version.hash);
            version.is_none() || before.version.is_none() || hash(before.version) == hash(version)
        };
        let count = before.filter(is_same).map_or(0, |before| before.count).saturating_add(1);
        let version = version.or(before.and_then(|before| before.version));
        reads.put(
            key,
            FileReadCount { path: located.absolute_path(), count, version, is_invalid: false },
        );
    }

    /// Marks a file as unread if it was read or `is_shown`: its next read returns all of it.
    pub(crate) fn mark_unread(&self, located: &ResolvedPath, is_shown: bool) {
        let mut reads = self.lock();
        let key = located.path_key();
        if is_shown || reads.files.contains_key(&key) {
            let (path, count, version) = (located.absolute_path(), 0, None);
            reads.put(key, FileReadCount { path, count, version, is_invalid: true });
        }
    }

    /// Returns whether a file was marked as unread since its last read.
    pub(crate) fn needs_full_read(&self, key: &PathKey) -> bool {
        self.lock().files.get(key).is_some_and(|file| file.is_invalid)
    }

    /// Returns the number of reads of a file since its last change by the session or others.
    pub(crate) fn read_count(&self, located: &ResolvedPath) -> u32 {
        let file = self.lock().files.get(&located.path_key()).cloned();
        file.map_or(0, |file| self.current_count(located, &file))
    }

    /// Returns the display paths, sorted, of all files read since their last change by the session
    /// or others.
    pub fn read_paths(&self, roots: &WorkspaceRoots) -> Vec<String> {
        let files: Vec<FileReadCount> = self.lock().files.values().cloned().collect();
        let mut names: Vec<String> = files
            .into_iter()
            .filter_map(|file| Some((roots.resolve(&file.path.to_string_lossy()).ok()?, file)))
            .filter(|(located, file)| self.current_count(located, file) > 0)
            .map(|(located, _)| roots.display_path(&located.absolute_path()))
            .collect();
        names.sort_unstable();
        names
    }

    /// Returns the count, or 0 if the file has changed since.
    fn current_count(&self, located: &ResolvedPath, file: &FileReadCount) -> u32 {
        let Some(version) = file.version.filter(|_| file.count > 0) else { return file.count };
        let now = version.check_freshness(located, &CancelToken::NEVER);
        let mut reads = self.lock();
        // Another call may have read the file meanwhile.
        let known = reads.files.get_mut(&located.path_key());
        let known = known.filter(|known| known.version == Some(version));
        match (now, known) {
            (Ok(FileFreshness::Same(now)), Some(known)) => known.version = Some(now),
            (Ok(FileFreshness::Same(_)), None) => {}
            (Ok(FileFreshness::Changed) | Err(_), known) => {
                if known.is_some() {
                    reads.remove(&located.path_key());
                }
                return 0;
            }
        }
        file.count
    }

    fn lock(&self) -> MutexGuard<'_, ReadCountTable> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
