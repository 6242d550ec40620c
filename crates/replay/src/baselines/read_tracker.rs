//! Counts reads per file: the `FileReadTracker` of the design document "File Read Tracker -
//! Deduplication" (seed 000).
//!
//! Paths are compared without regard to case, as that document demands.

use std::collections::HashMap;

/// Counts reads by file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReadTracker {
    /// The number of reads by the path in lower case.
    reads: HashMap<String, u32>,
}

impl ReadTracker {
    /// Returns whether the file was read since it was last invalidated.
    pub fn has_been_read(&self, path: &str) -> bool {
        self.reads.contains_key(&path.to_lowercase())
    }

    /// Counts one more read.
    pub fn track_read(&mut self, path: &str) {
        *self.reads.entry(path.to_lowercase()).or_default() += 1;
    }

    /// Returns the number of reads since the file was last invalidated.
    pub fn read_count(&self, path: &str) -> u32 {
        self.reads.get(&path.to_lowercase()).copied().unwrap_or_default()
    }

    /// Removes a file that was written: its next read is a first one again.
    pub fn invalidate(&mut self, path: &str) {
        self.reads.remove(&path.to_lowercase());
    }
}

#[cfg(test)]
mod tests;
