//! The first files of a parallel search.

use std::collections::BTreeMap;

use super::grep_answer::FileHits;
use super::grep_query::GrepMode;
use super::path_names::HitPath;

/// The files that come first by path, changelogs and lock files last, as many as are needed for the wanted number of matches, from
/// insertions in any order. Holds little more than these at any time.
pub(super) struct FirstFiles {
    files: BTreeMap<HitPath, (FileHits, u64)>,
    /// Matches in `files` that count towards `wanted`.
    hits: u64,
    wanted: u64,
}

impl FirstFiles {
    pub(super) fn new(wanted: usize) -> Self {
        Self { files: BTreeMap::new(), hits: 0, wanted: wanted as u64 }
    }

    /// Returns whether the file at `path` can still be among the first.
    pub(super) fn is_candidate(&self, path: &str) -> bool {
        if self.hits < self.wanted {
            return true;
        }
        let last = self.files.last_key_value();
        last.is_some_and(|(last, _)| HitPath::new(path) < *last)
    }

    pub(super) fn insert(&mut self, file: FileHits, mode: GrepMode) {
        if !self.is_candidate(&file.path) {
            return;
        }
        let counted = match mode {
            GrepMode::Content => file.hits,
            GrepMode::Files | GrepMode::Count => 1,
        };
        self.hits += counted;
        self.files.insert(HitPath::new(&file.path), (file, counted));
        while let Some(last) = self.files.last_entry() {
            let without = self.hits - last.get().1;
            if without < self.wanted {
                break;
            }
            last.remove();
            self.hits = without;
        }
    }

    pub(super) fn into_files(self) -> impl Iterator<Item = FileHits> {
        self.files.into_values().map(|(file, _)| file)
    }
}
