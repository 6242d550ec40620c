//! The first of what several threads find in any order.

use std::collections::BTreeMap;

use super::answer::FileHits;
use super::name::Name;
use super::query::GrepMode;

/// The files that come first by path and hold as many hits as are wanted, whatever order
/// they come in. Holds little more than that at any time.
pub(super) struct FirstFiles {
    files: BTreeMap<Name, (FileHits, u64)>,
    /// Hits in `files` that count towards what is wanted.
    hits: u64,
    wanted: u64,
}

impl FirstFiles {
    pub(super) fn new(wanted: usize) -> Self {
        Self { files: BTreeMap::new(), hits: 0, wanted: wanted as u64 }
    }

    /// Whether hits in a file can still be among the first.
    pub(super) fn wants(&self, path: &str) -> bool {
        if self.hits < self.wanted {
            return true;
        }
        let last = self.files.last_key_value();
        last.is_some_and(|(last, _)| super::name::compare(path, &last.0).is_lt())
    }

    pub(super) fn put(&mut self, file: FileHits, mode: GrepMode) {
        if !self.wants(&file.path) {
            return;
        }
        let counted = match mode {
            GrepMode::Content => file.hits,
            GrepMode::Files | GrepMode::Count => 1,
        };
        self.hits += counted;
        self.files.insert(Name(file.path.as_str().into()), (file, counted));
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
