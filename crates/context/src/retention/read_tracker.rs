//! Which files were read, and how often: the `FileReadTracker` of the design document
//! "File Read Tracker - Deduplication" (seed 000).
//!
//! Paths compare without regard to case, as that document asks for.

use std::collections::HashMap;

/// Counts reads by file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReadTracker {
    /// By the path in lower case: the path as first read, and how often.
    reads: HashMap<String, (String, u32)>,
}

impl ReadTracker {
    /// Whether the file was read since it was last invalidated.
    pub fn has_been_read(&self, path: &str) -> bool {
        self.reads.contains_key(&path.to_lowercase())
    }

    /// Counts one more read.
    pub fn track_read(&mut self, path: &str) {
        let (_, count) =
            self.reads.entry(path.to_lowercase()).or_insert_with(|| (path.to_owned(), 0));
        *count += 1;
    }

    /// Reads since the file was last invalidated.
    pub fn read_count(&self, path: &str) -> u32 {
        self.reads.get(&path.to_lowercase()).map_or(0, |(_, count)| *count)
    }

    /// All files read, each as it was first spelled, in alphabetical order.
    pub fn all_read_files(&self) -> Vec<&str> {
        let mut paths: Vec<_> = self.reads.values().map(|(path, _)| path.as_str()).collect();
        paths.sort_unstable();
        paths
    }

    /// Forgets a file that was written: its next read is a first one again.
    pub fn invalidate(&mut self, path: &str) {
        self.reads.remove(&path.to_lowercase());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after_reads(paths: &[&str]) -> ReadTracker {
        let mut tracker = ReadTracker::default();
        paths.iter().for_each(|path| tracker.track_read(path));
        tracker
    }

    #[test]
    fn a_file_that_was_not_read_has_not_been_read() {
        assert!(!after_reads(&["b.rs"]).has_been_read("a.rs"));
    }

    #[test]
    fn a_tracked_file_has_been_read() {
        assert!(after_reads(&["a.rs"]).has_been_read("a.rs"));
    }

    #[test]
    fn tracking_counts() {
        let tracker = after_reads(&["a.rs", "b.rs", "a.rs", "a.rs"]);
        assert_eq!([tracker.read_count("a.rs"), tracker.read_count("b.rs")], [3, 1]);
        assert_eq!(tracker.read_count("c.rs"), 0);
    }

    #[test]
    fn invalidating_resets_one_file() {
        let mut tracker = after_reads(&["a.rs", "a.rs", "b.rs"]);
        tracker.invalidate("a.rs");
        assert!(!tracker.has_been_read("a.rs"));
        assert_eq!([tracker.read_count("a.rs"), tracker.read_count("b.rs")], [0, 1]);
        tracker.track_read("a.rs");
        assert_eq!(tracker.read_count("a.rs"), 1);
    }

    #[test]
    fn all_tracked_paths_are_listed_once() {
        let tracker = after_reads(&["b.rs", "a.rs", "b.rs"]);
        assert_eq!(tracker.all_read_files(), ["a.rs", "b.rs"]);
    }

    #[test]
    fn paths_compare_without_regard_to_case() {
        let mut tracker = after_reads(&["Src/Main.rs", "src/main.RS"]);
        assert_eq!(tracker.read_count("SRC/MAIN.RS"), 2);
        assert_eq!(tracker.all_read_files(), ["Src/Main.rs"]);
        tracker.invalidate("src/MAIN.rs");
        assert!(!tracker.has_been_read("Src/Main.rs"));
    }
}
