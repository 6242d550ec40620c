//! Finds the lines of a file that the agent used after it had read it.

use std::collections::HashMap;

use foveal_engine::entry_facts::EntryFacts;
use foveal_tool_effects::{Effect, ReadSpan, WriteChange};
use foveal_transcript::{ContentBlock, TranscriptEntry};

use super::evidence::UsageEvidence;

/// The fewest letters and digits of a line that can be identified by its text.
const ALPHANUMERICS_MIN: usize = 6;

/// Lines of one file, each marked if it is used.
pub(super) struct LineUsage<'a> {
    path: &'a str,
    lines: &'a [&'a str],
    evidence: &'a [UsageEvidence],
    /// The indices of the lines, from 0, whose trimmed text is long enough and unique.
    places: HashMap<&'a str, usize>,
    marks: Vec<bool>,
    /// Whether line numbers still equal those of the read.
    unchanged: bool,
}

impl<'a> LineUsage<'a> {
    /// Starts with no used line of the file at `path`; only the kinds of use in `evidence` count.
    pub(super) fn new(path: &'a str, lines: &'a [&'a str], evidence: &'a [UsageEvidence]) -> Self {
        let mut counts: HashMap<&str, (usize, usize)> = HashMap::new();
        for (at, line) in lines.iter().enumerate() {
            counts.entry(line.trim()).or_insert((at, 0)).1 += 1;
        }
        let telling =
            counts.into_iter().filter(|(line, (_, count))| *count == 1 && is_identifiable(line));
        let places = telling.map(|(line, (at, _))| (line, at)).collect();
        Self { path, lines, evidence, places, marks: vec![false; lines.len()], unchanged: true }
    }

    /// Adds a response: lines quoted in its text, and edits of the file.
    pub(super) fn add_response(&mut self, entry: &TranscriptEntry, facts: &EntryFacts) {
        if self.evidence.contains(&UsageEvidence::Quoted) {
            for block in &entry.blocks {
                if let ContentBlock::Text(text) = block {
                    self.mark_quoted(text);
                }
            }
        }
        for call in &facts.calls {
            self.add_edits(&call.effect);
        }
    }

    /// Adds a result: lines of the file that the agent requested by number.
    pub(super) fn add_result(&mut self, entry: &TranscriptEntry, facts: &EntryFacts) {
        let (Some(result), Some(call)) = (entry.tool_result(), &facts.call) else { return };
        let of_file = call.effect.reads.iter().filter(|read| read.path == self.path);
        let in_part = of_file.filter(|read| read.span != ReadSpan::All).count() > 0;
        if !in_part || facts.is_error || !self.evidence.contains(&UsageEvidence::Reread) {
            return;
        }
        let path = facts.printed.paths.iter().position(|path| path == self.path);
        for line in facts.printed.lines.iter().filter(|line| line.path.map(usize::from) == path) {
            let text = line.file_text(&result.content);
            let at = line.number.map(|number| (number.0 as usize).wrapping_sub(1));
            match at.filter(|at| self.lines.get(*at).is_some_and(|line| *line == text)) {
                Some(at) => self.marks[at] = true,
                None => self.mark_line(text),
            }
        }
    }

    /// Returns the used lines, from 1, ascending.
    pub(super) fn finish(self) -> Vec<u32> {
        (1u32..).zip(self.marks).filter_map(|(line, used)| used.then_some(line)).collect()
    }

    fn add_edits(&mut self, effect: &Effect) {
        let path = self.path;
        let counts = self.evidence.contains(&UsageEvidence::Edited);
        for write in effect.writes.iter().filter(|write| write.path == path) {
            match &write.change {
                WriteChange::Replace { old, .. } if counts => self.mark_replaced(old),
                WriteChange::Lines { first, last, .. } if counts && self.unchanged => {
                    self.mark_range(first.0, last.0);
                }
                WriteChange::Insert { after, .. } if counts && self.unchanged => {
                    self.mark_range(*after, after.saturating_add(1));
                }
                // A whole new content repeats lines too, but they may come from the model's memory.
                WriteChange::Replace { .. }
                | WriteChange::Lines { .. }
                | WriteChange::Insert { .. }
                | WriteChange::Content(_)
                | WriteChange::Append(_)
                | WriteChange::Remove
                | WriteChange::Unknown => {}
            }
            self.unchanged = false;
        }
    }

    /// Marks the lines that `old` spans; if it does not occur, those of its lines that can be
    /// identified.
    fn mark_replaced(&mut self, old: &str) {
        let wanted: Vec<&str> = old.trim_matches('\n').split('\n').collect();
        let found = self.lines.windows(wanted.len()).position(|window| {
            let count = window.len();
            window.iter().zip(&wanted).enumerate().all(|(at, (line, wanted))| {
                // The first and the last line may be partial.
                match (at == 0, at + 1 == count) {
                    (true, true) => line.contains(wanted),
                    (true, false) => line.ends_with(wanted),
                    (false, true) => line.starts_with(wanted),
                    (false, false) => line == wanted,
                }
            })
        });
        match found.filter(|_| !old.trim().is_empty()) {
            Some(at) => self.marks[at..at + wanted.len()].fill(true),
            None => self.mark_quoted(old),
        }
    }

    /// Marks the existing lines of a range of numbers.
    fn mark_range(&mut self, first: u32, last: u32) {
        let last = (last as usize).min(self.marks.len());
        let first = (first.max(1) as usize - 1).min(last);
        self.marks[first..last].fill(true);
    }

    fn mark_quoted(&mut self, text: &str) {
        text.split('\n').for_each(|line| self.mark_line(line));
    }

    fn mark_line(&mut self, line: &str) {
        if let Some(at) = self.places.get(line.trim()) {
            self.marks[*at] = true;
        }
    }
}

fn is_identifiable(line: &str) -> bool {
    line.chars().filter(|c| c.is_alphanumeric()).nth(ALPHANUMERICS_MIN - 1).is_some()
}
