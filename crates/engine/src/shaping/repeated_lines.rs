//! Rule `fold`: a line repeated many times in a row is shown once, with the number of repetitions.

use crate::message_shape::ShapeKind;
use crate::note::{Note, NoteKind};

use super::draft::{DraftGap, ShapeDraft};

const RULE: &str = "fold";

/// Length of the longest recognised pattern, in lines.
pub(super) const PERIOD_MAX: usize = 3;

/// Smallest size of a run, in bytes, that is worth a note.
const BYTES_MIN: usize = 60;

/// Folds runs of equal lines, and runs of two- or three-line patterns.
pub fn fold_repeated_lines(draft: &mut ShapeDraft<'_>) {
    let mut at = 0;
    while at < draft.len() {
        at = match longest_run(draft, at) {
            Some((period, times)) => {
                let lines = at + period..at + period * times;
                let (period, times) = (period as u32, times as u32 - 1);
                let note = Note::new(NoteKind::Repeated { period, times });
                let end = lines.end;
                draft.omit_lines(RULE, lines, DraftGap::new(ShapeKind::Compacted, note));
                end
            }
            None => at + 1,
        };
    }
}

/// Returns the period and number of repetitions of the longest run that starts at `at`.
fn longest_run(draft: &ShapeDraft<'_>, at: usize) -> Option<(usize, usize)> {
    (1..=PERIOD_MAX)
        .filter_map(|period| {
            let mut times = 1;
            while are_equal_blocks(draft, at, at + period * times, period) {
                times += 1;
            }
            let bytes: usize =
                (at + period..at + period * times).map(|line| draft.visible_len(line)).sum();
            (times > 2 && bytes >= BYTES_MIN).then_some((period, times, bytes))
        })
        .max_by_key(|(period, _, bytes)| (*bytes, usize::MAX - period))
        .map(|(period, times, _)| (period, times))
}

fn are_equal_blocks(draft: &ShapeDraft<'_>, first: usize, second: usize, length: usize) -> bool {
    second + length <= draft.len()
        && (0..length).all(|offset| {
            draft.is_visible(first + offset)
                && draft.is_visible(second + offset)
                && draft.result_line(first + offset).full_text(draft.content)
                    == draft.result_line(second + offset).full_text(draft.content)
        })
}
