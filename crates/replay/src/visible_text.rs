//! The text that a prompt shows: counted sets of hashes, updated entry by entry.

use std::collections::HashMap;

use crate::scan::TextScan;

/// The lines and references of all texts in a prompt, each with the number of texts that hold it.
#[derive(Debug, Clone, Default)]
pub struct VisibleText {
    lines: HashMap<u64, u32>,
    references: HashMap<u64, u32>,
}

impl VisibleText {
    /// Adds a text.
    pub fn add(&mut self, scan: &TextScan) {
        for (counts, hashes) in
            [(&mut self.lines, &scan.lines), (&mut self.references, &scan.references)]
        {
            for hash in hashes {
                *counts.entry(*hash).or_default() += 1;
            }
        }
    }

    /// Adds only the references of a text.
    pub fn add_references(&mut self, scan: &TextScan) {
        for hash in &scan.references {
            *self.references.entry(*hash).or_default() += 1;
        }
    }

    /// Removes a text that was added before.
    pub fn remove(&mut self, scan: &TextScan) {
        for (counts, hashes) in
            [(&mut self.lines, &scan.lines), (&mut self.references, &scan.references)]
        {
            for hash in hashes {
                if let Some(count) = counts.get_mut(hash) {
                    *count -= 1;
                    if *count == 0 {
                        counts.remove(hash);
                    }
                }
            }
        }
    }

    /// Returns whether the prompt holds a line with this hash.
    pub fn contains_line(&self, line: u64) -> bool {
        self.lines.contains_key(&line)
    }

    /// Returns whether the prompt holds a reference with this hash.
    pub fn contains_reference(&self, reference: u64) -> bool {
        self.references.contains_key(&reference)
    }
}
