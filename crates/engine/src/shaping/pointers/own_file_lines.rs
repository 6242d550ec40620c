//! Finds lines of a draft that are also in the newest visible version of their file.

use std::ops::Range;
use std::rc::Rc;

use super::newest_version::NewestFileVersion;
use super::{
    BlockMatch, BlockOrigin, MinBlockSize, PointerContext, SourceRun, draft_line_path,
    is_search_or_list,
};
use crate::shaping::draft::ShapeDraft;

use super::block_size::{is_worth_pointer, pointable_end};

/// The lines that may be replaced by pointers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PointerScope {
    /// Lines that are visible anywhere in the prompt.
    Everywhere,
    /// Lines that are visible as the same lines of the same file.
    InPlace,
}

/// Returns every run of kept lines that the newest visible version of their file has with its
/// numbers shifted by one distance, in order.
pub(super) fn find_own_matches(
    draft: &ShapeDraft<'_>,
    seen: &PointerContext<'_>,
    minimum: MinBlockSize,
    scope: PointerScope,
) -> Vec<BlockMatch> {
    let mut matches = Vec::new();
    if is_search_or_list(draft.facts.kind()) {
        return matches;
    }
    let mut at = 0;
    while let Some(stretch) = next_numbered_run(draft, at) {
        at = stretch.end;
        let path = draft_line_path(draft, stretch.start).expect("lines of a stretch have a file");
        let version = seen.newest_version(path);
        let texts: Vec<&str> = stretch.clone().map(|at| draft.line_text(at)).collect();
        let undone = version.find_undone_edits(&texts);
        OwnFileMatcher {
            draft,
            version,
            lines: stretch,
            undone_edits: undone,
            minimum,
            reach: scope,
        }
        .collect_matches(&mut matches);
    }
    matches
}

/// Returns the next consecutive lines of one file from `from` on.
fn next_numbered_run(draft: &ShapeDraft<'_>, from: usize) -> Option<Range<usize>> {
    let end = pointable_end(draft);
    let start = (from..end).find(|at| draft.result_line(*at).number.is_some())?;
    let first = draft.result_line(start);
    let goes_on = |at: &usize| {
        let (line, before) = (draft.result_line(*at), draft.result_line(*at - 1));
        let next = before.number.map(|number| number.0 + 1);
        line.path == first.path && line.number.is_some_and(|number| Some(number.0) == next)
    };
    Some(start..start + 1 + (start + 1..end).take_while(goes_on).count())
}

/// Consecutive lines of one file in a draft, and the newest version of that file.
struct OwnFileMatcher<'a, 'd> {
    draft: &'a ShapeDraft<'d>,
    version: Rc<NewestFileVersion<'d>>,
    lines: Range<usize>,
    /// For each line, the index of the latest edit that removed it and was undone since.
    undone_edits: Vec<Option<usize>>,
    minimum: MinBlockSize,
    reach: PointerScope,
}

impl OwnFileMatcher<'_, '_> {
    fn collect_matches(&self, matches: &mut Vec<BlockMatch>) {
        let mut at = self.lines.start;
        let mut last_shift = 0;
        while at < self.lines.end {
            let (shift, length) = self.find_longest_run(at, last_shift);
            let lines = at..at + length;
            let is_all = lines == self.lines;
            if length > 0 && (is_all || is_worth_pointer(self.draft, &lines, true, self.minimum)) {
                at = lines.end;
                last_shift = shift;
                let sources = self.source_runs(&lines);
                matches.push(BlockMatch { lines, sources, origin: BlockOrigin::Own(shift) });
            } else {
                at += length.max(1);
            }
        }
    }

    /// Returns the shift of the longest run from `at` on to its numbers in the newest version, and
    /// its number of lines.
    fn find_longest_run(&self, at: usize, last_shift: i64) -> (i64, usize) {
        let mut best = (0, self.run_length(at, 0));
        if self.reach == PointerScope::InPlace || best.1 == self.lines.end - at {
            return best;
        }
        let number = self.line_number(at);
        let (text, draft) = (self.draft.facts.line_ids[at], self.draft);
        if !draft.is_visible(at) {
            return best;
        }
        let near = self.version.numbers_near(text, number).iter();
        let shifts = near.map(|there| i64::from(*there) - i64::from(number));
        for shift in std::iter::once(last_shift).chain(shifts) {
            let length = self.run_length(at, shift);
            if length > best.1 {
                best = (shift, length);
            }
        }
        best
    }

    /// Returns the number of lines from `at` on that the newest version has at this shift.
    fn run_length(&self, at: usize, shift: i64) -> usize {
        (at..self.lines.end).take_while(|at| self.matches_at_shift(*at, shift)).count()
    }

    fn matches_at_shift(&self, at: usize, shift: i64) -> bool {
        let text = self.draft.facts.line_ids[at];
        let there = u32::try_from(i64::from(self.line_number(at)) + shift);
        let Some(statement) = there.ok().and_then(|there| self.version.last_statement(there))
        else {
            return false;
        };
        let undone = self.undone_edits[at - self.lines.start];
        statement.shows_text(text)
            && self.draft.is_visible(at)
            && undone.is_none_or(|edit| self.version.is_newer_than_edit(statement, edit))
            && self.version.visible_place(text).is_some()
    }

    fn line_number(&self, at: usize) -> u32 {
        self.draft.result_line(at).number.expect("lines of a stretch have a number").0
    }

    /// Returns the places at which the texts of the lines are visible.
    fn source_runs(&self, lines: &Range<usize>) -> Vec<SourceRun> {
        let mut sources: Vec<SourceRun> = Vec::new();
        for at in lines.clone() {
            let place =
                self.version.visible_place(self.draft.facts.line_ids[at]).expect("it stands there");
            match sources.last_mut() {
                Some(last) if last.continues_at(place) => last.count += 1,
                _ => sources.push(SourceRun { place, count: 1 }),
            }
        }
        sources
    }
}
