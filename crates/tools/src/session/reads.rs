//! Which files were read, and how often, since they were last changed.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};

use foveal_cancel::Cancel;
use foveal_files::{Freshness, Version};
use foveal_files::{Located, PathKey, Roots};

/// Files whose reads are counted.
const READS_MAX: usize = 10_000;

/// Counts the reads of a session.
#[derive(Debug, Default)]
pub struct ReadCounts(Mutex<Reads>);

/// The files read, and what of that is to be kept with the next event.
#[derive(Debug, Default)]
struct Reads {
    files: BTreeMap<PathKey, ReadFile>,
    unkept: BTreeMap<PathKey, ReadFile>,
}

/// How often a file was read.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct ReadFile {
    /// From the root of the file system on.
    path: PathBuf,
    /// Reads since it was last changed; 0: none that counts.
    count: u32,
    /// What was read last, where that is known.
    version: Option<Version>,
    /// Whether its next read is to give all of it.
    #[serde(default)]
    is_invalid: bool,
}

impl Reads {
    fn put(&mut self, key: PathKey, file: ReadFile) {
        if self.files.len() >= READS_MAX && !self.files.contains_key(&key) {
            self.files.pop_first();
        }
        self.note(key.clone(), file.clone());
        self.files.insert(key, file);
    }

    fn note(&mut self, key: PathKey, file: ReadFile) {
        if self.unkept.len() >= READS_MAX {
            self.unkept.pop_first();
        }
        self.unkept.insert(key, file);
    }

    fn remove(&mut self, key: &PathKey) {
        if let Some(file) = self.files.remove(key) {
            let file = ReadFile { count: 0, version: None, is_invalid: false, ..file };
            self.note(key.clone(), file);
        }
    }
}

impl ReadCounts {
    /// What changed since this was last asked.
    pub(crate) fn take_unkept(&self) -> Vec<ReadFile> {
        std::mem::take(&mut self.lock().unkept).into_values().collect()
    }

    /// Goes on counting where an earlier process ended.
    pub(crate) fn restore(&self, roots: &Roots, files: Vec<ReadFile>) {
        let mut reads = self.lock();
        for file in files {
            let Ok(located) = roots.resolve(&file.path.to_string_lossy()) else { continue };
            match file.count == 0 && !file.is_invalid {
                true => reads.remove(&located.key()),
                false => reads.put(located.key(), file),
            }
        }
        reads.unkept.clear();
    }

    /// Forgets the reads of a file.
    pub(crate) fn forget(&self, key: &PathKey) {
        self.lock().remove(key);
    }

    /// Counts a read of what is now in a file.
    pub(crate) fn count(&self, located: &Located, version: Option<Version>) {
        let mut reads = self.lock();
        let key = located.key();
        let before = reads.files.get(&key);
        let is_same = |before: &&ReadFile| {
            let hash = |version: Option<Version>| version.map(|version| version.hash);
            version.is_none() || before.version.is_none() || hash(before.version) == hash(version)
        };
        let count = before.filter(is_same).map_or(0, |before| before.count).saturating_add(1);
        let version = version.or(before.and_then(|before| before.version));
        reads.put(key, ReadFile { path: located.absolute(), count, version, is_invalid: false });
    }

    /// Takes a file for unread, if it was read or `is_shown`: its next read gives all of it.
    pub(crate) fn invalidate(&self, located: &Located, is_shown: bool) {
        let mut reads = self.lock();
        let key = located.key();
        if is_shown || reads.files.contains_key(&key) {
            let (path, count, version) = (located.absolute(), 0, None);
            reads.put(key, ReadFile { path, count, version, is_invalid: true });
        }
    }

    /// Whether a file was invalidated since it was last read.
    pub(crate) fn is_invalid(&self, key: &PathKey) -> bool {
        self.lock().files.get(key).is_some_and(|file| file.is_invalid)
    }

    /// How often a file was read since it was last changed, here or by anybody.
    pub(crate) fn of(&self, located: &Located) -> u32 {
        let file = self.lock().files.get(&located.key()).cloned();
        file.map_or(0, |file| self.counted(located, &file))
    }

    /// All files read since they were last changed, here or by anybody, by their display paths in
    /// alphabetical order.
    pub fn all(&self, roots: &Roots) -> Vec<String> {
        let files: Vec<ReadFile> = self.lock().files.values().cloned().collect();
        let mut names: Vec<String> = files
            .into_iter()
            .filter_map(|file| Some((roots.resolve(&file.path.to_string_lossy()).ok()?, file)))
            .filter(|(located, file)| self.counted(located, file) > 0)
            .map(|(located, _)| roots.display_path(&located.absolute()))
            .collect();
        names.sort_unstable();
        names
    }

    /// The reads of a file, which are none of what it holds now if that is something else.
    fn counted(&self, located: &Located, file: &ReadFile) -> u32 {
        let Some(version) = file.version.filter(|_| file.count > 0) else { return file.count };
        let now = version.check(located, &Cancel::NEVER);
        let mut reads = self.lock();
        // Another call may have read it meanwhile.
        let known = reads.files.get_mut(&located.key());
        let known = known.filter(|known| known.version == Some(version));
        match (now, known) {
            (Ok(Freshness::Same(now)), Some(known)) => known.version = Some(now),
            (Ok(Freshness::Same(_)), None) => {}
            (Ok(Freshness::Changed) | Err(_), known) => {
                if known.is_some() {
                    reads.remove(&located.key());
                }
                return 0;
            }
        }
        file.count
    }

    fn lock(&self) -> MutexGuard<'_, Reads> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
