//! No scraps between notes: of a view, what is shown anew beside what is pointed at is a few
//! lines at least, and one of them says something.
//!
//! A scrap grows by lines of the pointer beside it, which are shown again: that costs less than
//! looking up what it belongs to. Where nothing stands in it, it goes into the gap beside it.

use std::ops::Range;

use super::worth::is_worth;
use super::{BlockMin, Home, Match};
use crate::shaping::draft::Draft;
use crate::shaping::outline::names_something;

/// Lines that are shown together at least, unless they are the header of something.
const RUN_LINES_MIN: usize = 3;
/// Lines that are shown again at most so that a scrap can be read.
const AGAIN_MAX: usize = 6;
/// How often what came of it is looked at again: a pointer that is too short then goes, and joins
/// what is beside it.
const PASSES_MAX: usize = 4;

/// What is to become of the lines of a view.
pub(in crate::shaping) struct Readable {
    /// The blocks to point at.
    pub(in crate::shaping) matches: Vec<Match>,
    /// Kept lines that say nothing and are left out with the gap beside them.
    pub(in crate::shaping) unsaid: Vec<usize>,
}

/// Shows some lines of `matches` again, and leaves out what says nothing. With `is_exact`, all
/// lines stay: they were asked for one by one.
pub(in crate::shaping) fn readable(
    draft: &Draft<'_>,
    matches: Vec<Match>,
    minimum: BlockMin,
    is_exact: bool,
) -> Readable {
    let mut readable = Readable { matches, unsaid: Vec::new() };
    for _ in 0..PASSES_MAX {
        let before = (readable.matches.len(), lines_in(&readable.matches), readable.unsaid.len());
        for run in runs(draft, &readable) {
            readable.mend(draft, run, is_exact);
        }
        let runs = runs(draft, &readable);
        readable.matches.retain(|found| {
            let is_own = matches!(found.home, Home::Own(_));
            let is_between = runs.iter().any(|run| run.end == found.lines.start)
                && runs.iter().any(|run| run.start == found.lines.end);
            let is_short = found.lines.len() <= RUN_LINES_MIN;
            is_worth(draft, &found.lines, is_own, minimum) && !(is_short && is_between)
        });
        if before == (readable.matches.len(), lines_in(&readable.matches), readable.unsaid.len()) {
            break;
        }
    }
    readable
}

/// Whether a line says something by itself: no blank one, no bracket, quote or word that only
/// ends what is above.
pub(in crate::shaping) fn says_something(line: &str) -> bool {
    let word = line.trim_matches(|c: char| !c.is_alphanumeric());
    !matches!(word, "" | "end" | "fi" | "done" | "esac" | "else" | "begin" | "do" | "then")
}

/// Whether a line names something and needs none of those after it to be read.
fn is_header(line: &str) -> bool {
    names_something(line) && !line.trim_end().ends_with(['(', ',', '['])
}

fn lines_in(matches: &[Match]) -> usize {
    matches.iter().map(|found| found.lines.len()).sum()
}

/// The lines of a file that are shown together, apart from what is pointed at.
fn runs(draft: &Draft<'_>, readable: &Readable) -> Vec<Range<usize>> {
    let mut shown: Vec<bool> =
        (0..draft.len()).map(|at| draft.keeps(at) && draft.line(at).number.is_some()).collect();
    readable.matches.iter().for_each(|found| shown[found.lines.clone()].fill(false));
    readable.unsaid.iter().for_each(|at| shown[*at] = false);
    let mut runs: Vec<Range<usize>> = Vec::new();
    for at in (0..shown.len()).filter(|at| shown[*at]) {
        match runs.last_mut() {
            Some(run) if run.end == at => run.end += 1,
            _ => runs.push(at..at + 1),
        }
    }
    runs
}

impl Readable {
    /// Has a run grow, or go, if it is a scrap.
    fn mend(&mut self, draft: &Draft<'_>, run: Range<usize>, is_exact: bool) {
        let says = |at: usize| says_something(draft.text(at));
        let first = run.clone().find(|at| says(*at));
        let is_left_out =
            |at: usize| at < draft.len() && (!draft.keeps(at) || self.unsaid.contains(&at));
        let touches_gap = is_left_out(run.end) || run.start.checked_sub(1).is_some_and(is_left_out);
        match first {
            // Blank lines and ends of what stands elsewhere.
            None if touches_gap && !is_exact => self.unsaid.extend(run),
            Some(first) if run.len() >= RUN_LINES_MIN || is_header(draft.text(first)) => {}
            Some(_) | None => self.grow(draft, &run),
        }
    }

    /// Shows lines of the pointer before a run again, or of the one after it.
    fn grow(&mut self, draft: &Draft<'_>, run: &Range<usize>) {
        let missing = RUN_LINES_MIN.saturating_sub(run.len()).max(1);
        let says = |at: usize| says_something(draft.text(at));
        if let Some(found) = self.matches.iter_mut().find(|found| found.lines.end == run.start) {
            let lines = found.lines.clone().rev();
            let again = lines.zip(1..=AGAIN_MAX.min(found.lines.len()));
            let mut enough = again.filter(|(at, count)| *count >= missing && says(*at));
            let count = enough.next().map_or(missing.min(found.lines.len()), |(_, count)| count);
            found.lines.end -= count;
        } else if let Some(found) =
            self.matches.iter_mut().find(|found| found.lines.start == run.end)
        {
            found.drop_start(missing.min(found.lines.len()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::says_something;

    #[test]
    fn ends_of_things_say_nothing() {
        for line in ["", "   ", "\t}", "});", "\"\"\"", "'''", "    */", "end", "  } else {", "fi"]
        {
            assert!(!says_something(line), "{line:?}");
        }
        for line in ["x", "    return", "/// Says.", "else if a {", "0,", "é"] {
            assert!(says_something(line), "{line:?}");
        }
    }
}
