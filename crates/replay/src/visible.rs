//! What stands in a prompt: counted sets of hashes, kept up to date entry by entry.

use std::collections::HashMap;

use crate::scan::Scan;

/// Lines and references of all texts in a prompt, with the number of texts they stand in.
#[derive(Debug, Clone, Default)]
pub struct Visible {
    lines: HashMap<u64, u32>,
    references: HashMap<u64, u32>,
}

impl Visible {
    /// Adds a text.
    pub fn add(&mut self, scan: &Scan) {
        for (counts, hashes) in
            [(&mut self.lines, &scan.lines), (&mut self.references, &scan.references)]
        {
            for hash in hashes {
                *counts.entry(*hash).or_default() += 1;
            }
        }
    }

    /// Adds only the references of a text.
    pub fn add_references(&mut self, scan: &Scan) {
        for hash in &scan.references {
            *self.references.entry(*hash).or_default() += 1;
        }
    }

    /// Takes a text away that was added before.
    pub fn remove(&mut self, scan: &Scan) {
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

    /// Whether a line with this hash stands in the prompt.
    pub fn has_line(&self, line: u64) -> bool {
        self.lines.contains_key(&line)
    }

    /// Whether a reference with this hash stands in the prompt.
    pub fn has_reference(&self, reference: u64) -> bool {
        self.references.contains_key(&reference)
    }
}
