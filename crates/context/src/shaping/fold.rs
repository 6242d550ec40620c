//! Rule `fold`: a line repeated many times in a row is shown once, with its count.

use crate::note::{Note, NoteKind};
use crate::shape::ShapeKind;

use super::draft::{Draft, Gap};

const RULE: &str = "fold";

/// Longest pattern, in lines.
pub(super) const PERIOD_MAX: usize = 3;

/// Shorter runs are not worth a note.
const BYTES_MIN: usize = 60;

/// Folds runs of equal lines, and runs of two- or three-line patterns.
pub fn repeats(draft: &mut Draft<'_>) {
    let mut at = 0;
    while at < draft.len() {
        at = match longest_run(draft, at) {
            Some((period, times)) => {
                let lines = at + period..at + period * times;
                let (period, times) = (period as u32, times as u32 - 1);
                let note = Note::new(NoteKind::Repeated { period, times });
                let end = lines.end;
                draft.leave_out(RULE, lines, Gap::new(ShapeKind::Compacted, note));
                end
            }
            None => at + 1,
        };
    }
}

/// Period and number of repetitions of the longest run that starts at `at`.
fn longest_run(draft: &Draft<'_>, at: usize) -> Option<(usize, usize)> {
    (1..=PERIOD_MAX)
        .filter_map(|period| {
            let mut times = 1;
            while same(draft, at, at + period * times, period) {
                times += 1;
            }
            let bytes: usize =
                (at + period..at + period * times).map(|line| draft.shown_len(line)).sum();
            (times > 2 && bytes >= BYTES_MIN).then_some((period, times, bytes))
        })
        .max_by_key(|(period, _, bytes)| (*bytes, usize::MAX - period))
        .map(|(period, times, _)| (period, times))
}

fn same(draft: &Draft<'_>, first: usize, second: usize, length: usize) -> bool {
    second + length <= draft.len()
        && (0..length).all(|offset| {
            draft.keeps(first + offset)
                && draft.keeps(second + offset)
                && draft.line(first + offset).whole_in(draft.content)
                    == draft.line(second + offset).whole_in(draft.content)
        })
}
