//! What others changed in a file since the model saw it, until it is shown.

use foveal_files::edit::{LineSpan, Run, differing_lines};

use super::seen::Seen;

/// Where a text differs from what the model takes it for. Without any, the lines that were seen
/// are all that the model needs to know.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Unshown(Vec<Difference>);

/// Lines that the model does not know of, and what it takes them for.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Difference {
    /// The first of the lines, from 0.
    from: usize,
    /// The line after the last; where it is the first, lines are gone from before it.
    to: usize,
    before: String,
}

impl Unshown {
    /// What makes `believed` into `text`.
    pub(crate) fn between(believed: &str, text: &str) -> Self {
        let lines: Vec<&str> = believed.split_inclusive('\n').collect();
        let difference = |run: Run| {
            let (before, now) = (run.before.indices(), run.after.indices());
            Difference { from: now.start, to: now.end, before: lines[before].concat() }
        };
        Self(differing_lines(believed, text).into_iter().map(difference).collect())
    }

    /// Whether the model knows of everything.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Bytes of what is remembered.
    pub(crate) fn bytes(&self) -> usize {
        self.0.iter().map(|difference| difference.before.len()).sum()
    }

    /// The text that the model takes `text` for.
    pub(crate) fn believed(&self, text: &str) -> String {
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let mut believed = String::with_capacity(text.len());
        let mut at = 0;
        for Difference { from, to, before } in &self.0 {
            believed.extend(lines.iter().take(*from).skip(at).copied());
            believed.push_str(before);
            at = *to;
        }
        believed.extend(lines.iter().skip(at).copied());
        believed
    }

    /// The same in the text after `runs` were changed by the model itself.
    pub(crate) fn moved(&self, runs: &[Run]) -> Self {
        let place = |at: usize, is_end: bool| {
            let is_before = |run: &&Run| {
                let start = run.before.indices().start;
                start < at || (start == at && !is_end)
            };
            let Some(run) = runs.iter().rev().find(is_before) else { return at };
            let (before, after) = (run.before.indices(), run.after.indices());
            match at.checked_sub(before.end) {
                Some(beyond) => after.end + beyond,
                None if is_end => after.end,
                None => after.start,
            }
        };
        let moved = self.0.iter().map(|Difference { from, to, before }| {
            let from = place(*from, false);
            Difference { from, to: place(*to, true).max(from), before: before.clone() }
        });
        Self(moved.collect())
    }

    /// The model is shown `lines` of a text of `count`.
    pub(crate) fn show(&mut self, lines: &Seen, count: u32) {
        let is_shown = |at: usize| lines.holds(u32::try_from(at + 1).unwrap_or(u32::MAX));
        let mut left = Vec::new();
        for Difference { from, to, before } in self.0.drain(..) {
            if from == to {
                // That nothing is between two lines shows where both are shown.
                let is_seen =
                    (from == 0 || is_shown(from - 1)) && (from >= count as usize || is_shown(from));
                if !is_seen {
                    left.push(Difference { from, to, before });
                }
                continue;
            }
            let mut before = Some(before);
            let mut at = from;
            while at < to {
                let end = (at..to).find(|at| is_shown(*at)).unwrap_or(to);
                if at < end {
                    let before = before.take().unwrap_or_default();
                    left.push(Difference { from: at, to: end, before });
                }
                at = end + 1;
            }
        }
        self.0 = left;
    }

    /// Whether one of the places is in one of `spans`. Lines that are gone from between two lines
    /// of a span are; those gone next to it are not.
    pub(crate) fn meets(&self, spans: &[LineSpan]) -> bool {
        let is_in = |difference: &Difference, span: &LineSpan| {
            let span = span.indices();
            match (difference.from == difference.to, span.is_empty()) {
                (false, false) => difference.from < span.end && span.start < difference.to,
                (true, true) => difference.from == span.start,
                (true, false) => span.start < difference.from && difference.from < span.end,
                (false, true) => difference.from < span.start && span.start < difference.to,
            }
        };
        self.0.iter().any(|difference| spans.iter().any(|span| is_in(difference, span)))
    }

    /// The lines that are there, from 1.
    pub(crate) fn ranges(&self) -> impl Iterator<Item = (u32, u32)> {
        let number = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        let there = self.0.iter().filter(|difference| difference.from < difference.to);
        there.map(move |difference| (number(difference.from + 1), number(difference.to)))
    }

    /// The lines beside places where lines are gone, from 1.
    pub(crate) fn beside(&self) -> impl Iterator<Item = (u32, u32)> {
        let number = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        let gone = self.0.iter().filter(|difference| difference.from == difference.to);
        gone.map(move |difference| (number(difference.from).max(1), number(difference.from + 1)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_go_as_they_are_shown() {
        let (believed, text) = ("a\nb\nc\nd\ne\nf\n", "a\nB\nBB\nc\ne\nf\ng\n");
        for (shown, left) in [
            (vec![], "a\nb\nc\nd\ne\nf\n"),
            (vec![(1, 1), (4, 4)], "a\nb\nc\nd\ne\nf\n"),
            (vec![(2, 3)], "a\nB\nBB\nc\nd\ne\nf\n"),
            // Of lines that are shown in part, what they were is still to be told.
            (vec![(2, 2)], "a\nB\nb\nc\nd\ne\nf\n"),
            (vec![(3, 3)], "a\nb\nBB\nc\nd\ne\nf\n"),
            (vec![(4, 5)], "a\nb\nc\ne\nf\n"),
            (vec![(7, 7)], "a\nb\nc\nd\ne\nf\ng\n"),
            (vec![(1, 7)], text),
        ] {
            let mut unshown = Unshown::between(believed, text);
            assert_eq!(unshown.believed(text), believed);
            unshown.show(&Seen::of(shown.clone()), 7);
            assert_eq!(unshown.believed(text), left, "{shown:?}");
        }
    }

    #[test]
    fn differences_move_with_changes_beside_them() {
        let (believed, text) = ("a\nb\nc\nd\ne\n", "a\nB\nc\ne\n");
        let unshown = Unshown::between(believed, text);
        for (new, expected) in [
            ("x\ny\na\nB\nc\ne\n", "x\ny\na\nb\nc\nd\ne\n"),
            ("B\nc\ne\n", "b\nc\nd\ne\n"),
            ("a\nB\nC\nCC\ne\n", "a\nb\nC\nCC\nd\ne\n"),
            ("a\nB\nc\nE\n", "a\nb\nc\nd\nE\n"),
        ] {
            let runs = differing_lines(text, new);
            assert_eq!(unshown.moved(&runs).believed(new), expected, "{new:?}");
        }
    }
}
