//! Lines of a file that the newest visible version of that file has, too.

use std::ops::Range;
use std::rc::Rc;

use foveal_transcript::EntryIndex;

use super::newest_version::NewestVersion;
use super::{BlockMin, Home, Match, Seen, Source, is_hits, own_path};
use crate::shaping::draft::Draft;

use super::worth::{end, is_worth};

/// Which lines are pointed at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// Those that stand elsewhere in the prompt.
    Everywhere,
    /// Those that stand there as the same lines of the same file.
    InPlace,
}

/// Every run of kept lines that the newest visible version of their file has at the same distance
/// from their numbers, in order.
pub(super) fn find_runs(
    draft: &Draft<'_>,
    seen: &Seen<'_>,
    minimum: BlockMin,
    reach: Reach,
) -> Vec<Match> {
    let mut matches = Vec::new();
    if is_hits(draft.facts.kind()) {
        return matches;
    }
    let mut at = 0;
    while let Some(stretch) = next_stretch(draft, at) {
        at = stretch.end;
        let path = own_path(draft, stretch.start).expect("lines of a stretch have a file");
        let version = seen.version(path);
        let texts: Vec<&str> = stretch.clone().map(|at| draft.text(at)).collect();
        let undone = version.edits_undone(&texts);
        OwnLines { draft, version, stretch, undone, minimum, reach }.runs_into(&mut matches);
    }
    matches
}

/// The next lines from `from` on that follow each other in one file.
fn next_stretch(draft: &Draft<'_>, from: usize) -> Option<Range<usize>> {
    let end = end(draft);
    let start = (from..end).find(|at| draft.line(*at).number.is_some())?;
    let first = draft.line(start);
    let goes_on = |at: &usize| {
        let (line, before) = (draft.line(*at), draft.line(*at - 1));
        let next = before.number.map(|number| number.0 + 1);
        line.path == first.path && line.number.is_some_and(|number| Some(number.0) == next)
    };
    Some(start..start + 1 + (start + 1..end).take_while(goes_on).count())
}

/// Lines of a draft that follow each other in one file.
struct OwnLines<'a, 'd> {
    draft: &'a Draft<'d>,
    version: Rc<NewestVersion<'d>>,
    stretch: Range<usize>,
    /// For each of them, the latest edit that took it out and does not hold any more.
    undone: Vec<Option<EntryIndex>>,
    minimum: BlockMin,
    reach: Reach,
}

impl OwnLines<'_, '_> {
    fn runs_into(&self, matches: &mut Vec<Match>) {
        let mut at = self.stretch.start;
        let mut last_shift = 0;
        while at < self.stretch.end {
            let (shift, length) = self.longest_at(at, last_shift);
            let lines = at..at + length;
            let is_all = lines == self.stretch;
            if length > 0 && (is_all || is_worth(self.draft, &lines, true, self.minimum)) {
                at = lines.end;
                last_shift = shift;
                let sources = self.sources(&lines);
                matches.push(Match { lines, sources, home: Home::Own(shift) });
            } else {
                at += length.max(1);
            }
        }
    }

    /// How far the numbers of the longest run from `at` on are from those in the newest version,
    /// and how many lines it has.
    fn longest_at(&self, at: usize, last_shift: i64) -> (i64, usize) {
        let mut best = (0, self.run_length(at, 0));
        if self.reach == Reach::InPlace || best.1 == self.stretch.end - at {
            return best;
        }
        let number = self.number(at);
        let (text, draft) = (self.draft.facts.ids[at], self.draft);
        if !draft.keeps(at) {
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

    /// How many lines from `at` on stand so far away in the newest version.
    fn run_length(&self, at: usize, shift: i64) -> usize {
        (at..self.stretch.end).take_while(|at| self.stands(*at, shift)).count()
    }

    fn stands(&self, at: usize, shift: i64) -> bool {
        let text = self.draft.facts.ids[at];
        let there = u32::try_from(i64::from(self.number(at)) + shift);
        let Some(statement) = there.ok().and_then(|there| self.version.statement(there)) else {
            return false;
        };
        let undone = self.undone[at - self.stretch.start];
        statement.has(text)
            && self.draft.keeps(at)
            && undone.is_none_or(|edit| edit < statement.entry)
            && self.version.place(text).is_some()
    }

    fn number(&self, at: usize) -> u32 {
        self.draft.line(at).number.expect("lines of a stretch have a number").0
    }

    /// Where the texts of the lines are visible.
    fn sources(&self, lines: &Range<usize>) -> Vec<Source> {
        let mut sources: Vec<Source> = Vec::new();
        for at in lines.clone() {
            let place = self.version.place(self.draft.facts.ids[at]).expect("it stands there");
            match sources.last_mut() {
                Some(last) if last.goes_on_at(place) => last.count += 1,
                _ => sources.push(Source { place, count: 1 }),
            }
        }
        sources
    }
}
