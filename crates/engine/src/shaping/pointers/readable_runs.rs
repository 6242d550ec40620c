//! Avoids fragments between notes: lines of a view that are shown beside pointers are at least a
//! few, and one of them has content.
//!
//! A fragment is extended by lines of the adjacent pointer, which are shown again: that costs less
//! than looking up their context. A fragment without content becomes part of the adjacent gap.

use std::ops::Range;

use super::block_size::is_worth_pointer;
use super::{BlockMatch, BlockOrigin, MinBlockSize};
use crate::shaping::draft::ShapeDraft;
use crate::shaping::outline::is_definition_line;

/// Smallest number of lines that are shown together, unless they are a definition's header.
const RUN_LINES_MIN: usize = 3;
/// Largest number of lines that are shown again to make a fragment readable.
const REPEATED_LINES_MAX: usize = 6;
/// Largest number of passes: a pointer that became too short is removed, and its lines join their
/// neighbours.
const PASSES_MAX: usize = 4;

/// The decision on the lines of a view.
pub(in crate::shaping) struct ReadableView {
    /// The blocks that pointers replace.
    pub(in crate::shaping) matches: Vec<BlockMatch>,
    /// Kept lines without content that are omitted with the adjacent gap.
    pub(in crate::shaping) insignificant_lines: Vec<usize>,
}

/// Shows some lines of `matches` again and omits lines without content. With `is_exact`, all lines
/// stay, since they were requested individually.
pub(in crate::shaping) fn make_readable(
    draft: &ShapeDraft<'_>,
    matches: Vec<BlockMatch>,
    minimum: MinBlockSize,
    is_exact: bool,
) -> ReadableView {
    let mut readable = ReadableView { matches, insignificant_lines: Vec::new() };
    for _ in 0..PASSES_MAX {
        let before = (
            readable.matches.len(),
            count_lines(&readable.matches),
            readable.insignificant_lines.len(),
        );
        for run in visible_runs(draft, &readable) {
            readable.repair_run(draft, run, is_exact);
        }
        let runs = visible_runs(draft, &readable);
        readable.matches.retain(|found| {
            let is_own = matches!(found.origin, BlockOrigin::Own(_));
            let is_between = runs.iter().any(|run| run.end == found.lines.start)
                && runs.iter().any(|run| run.start == found.lines.end);
            let is_short = found.lines.len() <= RUN_LINES_MIN;
            is_worth_pointer(draft, &found.lines, is_own, minimum) && !(is_short && is_between)
        });
        if before
            == (
                readable.matches.len(),
                count_lines(&readable.matches),
                readable.insignificant_lines.len(),
            )
        {
            break;
        }
    }
    readable
}

/// Returns whether a line has content of its own: it is not blank, nor only a bracket, quote or
/// word that ends a block.
pub(in crate::shaping) fn has_content(line: &str) -> bool {
    let word = line.trim_matches(|c: char| !c.is_alphanumeric());
    !matches!(word, "" | "end" | "fi" | "done" | "esac" | "else" | "begin" | "do" | "then")
}

/// Returns whether a line opens a definition and can be read without the lines after it.
fn is_complete_header(line: &str) -> bool {
    is_definition_line(line) && !line.trim_end().ends_with(['(', ',', '['])
}

fn count_lines(matches: &[BlockMatch]) -> usize {
    matches.iter().map(|found| found.lines.len()).sum()
}

/// Returns the runs of lines of a file that are shown between pointers.
fn visible_runs(draft: &ShapeDraft<'_>, readable: &ReadableView) -> Vec<Range<usize>> {
    let mut shown: Vec<bool> = (0..draft.len())
        .map(|at| draft.is_visible(at) && draft.result_line(at).number.is_some())
        .collect();
    readable.matches.iter().for_each(|found| shown[found.lines.clone()].fill(false));
    readable.insignificant_lines.iter().for_each(|at| shown[*at] = false);
    let mut runs: Vec<Range<usize>> = Vec::new();
    for at in (0..shown.len()).filter(|at| shown[*at]) {
        match runs.last_mut() {
            Some(run) if run.end == at => run.end += 1,
            _ => runs.push(at..at + 1),
        }
    }
    runs
}

impl ReadableView {
    /// Extends or omits a run if it is a fragment.
    fn repair_run(&mut self, draft: &ShapeDraft<'_>, run: Range<usize>, is_exact: bool) {
        let says = |at: usize| has_content(draft.line_text(at));
        let first = run.clone().find(|at| says(*at));
        let is_left_out = |at: usize| {
            at < draft.len() && (!draft.is_visible(at) || self.insignificant_lines.contains(&at))
        };
        let touches_gap = is_left_out(run.end) || run.start.checked_sub(1).is_some_and(is_left_out);
        match first {
            // Blank lines and ends of blocks that are shown elsewhere.
            None if touches_gap && !is_exact => self.insignificant_lines.extend(run),
            Some(first)
                if run.len() >= RUN_LINES_MIN || is_complete_header(draft.line_text(first)) => {}
            Some(_) | None => self.extend_run(draft, &run),
        }
    }

    /// Shows lines of the pointer before a run again, or of the one after it.
    fn extend_run(&mut self, draft: &ShapeDraft<'_>, run: &Range<usize>) {
        let missing = RUN_LINES_MIN.saturating_sub(run.len()).max(1);
        let says = |at: usize| has_content(draft.line_text(at));
        if let Some(found) = self.matches.iter_mut().find(|found| found.lines.end == run.start) {
            let lines = found.lines.clone().rev();
            let again = lines.zip(1..=REPEATED_LINES_MAX.min(found.lines.len()));
            let mut enough = again.filter(|(at, count)| *count >= missing && says(*at));
            let count = enough.next().map_or(missing.min(found.lines.len()), |(_, count)| count);
            found.lines.end -= count;
        } else if let Some(found) =
            self.matches.iter_mut().find(|found| found.lines.start == run.end)
        {
            found.remove_first_lines(missing.min(found.lines.len()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::has_content;

    #[test]
    fn ends_of_things_say_nothing() {
        for line in ["", "   ", "\t}", "});", "\"\"\"", "'''", "    */", "end", "  } else {", "fi"]
        {
            assert!(!has_content(line), "{line:?}");
        }
        for line in ["x", "    return", "/// Says.", "else if a {", "0,", "é"] {
            assert!(has_content(line), "{line:?}");
        }
    }
}
