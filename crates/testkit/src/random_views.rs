//! Random views of reads, such as a good or a bad curator may return.

use foveal_engine::views::{
    CurationAmount, LineLabel, LineSelection, ReadContext, ViewRequest, ViewSource,
};
use foveal_pricing::tokens::Tokens;
use foveal_transcript::LineNumber;

use crate::simulated_files::RandomNumbers;

/// Chooses lines at random, but deterministically for each question. One view in eight is `None`;
/// ranges overlap, lie outside the read or run backwards, and some labels do not occur in their
/// line or hold text that a note must not contain.
#[derive(Debug, Clone, Copy, Default)]
pub struct RandomViews {
    /// The seed of the answers.
    pub seed: u64,
}

/// Texts that a note must not contain as they are.
const BAD_LABELS: [&str; 5] =
    ["two\nlines", "a] gone [b", "expand 0123456789ab", "", "\u{1b}[31mred"];

impl ViewSource for RandomViews {
    fn choose_view(&self, read: &ReadContext<'_>, wanted: ViewRequest) -> Option<LineSelection> {
        let kind = match wanted {
            ViewRequest::Curated(CurationAmount::Adaptive) => 1,
            ViewRequest::Curated(CurationAmount::Share(_)) => 2,
            ViewRequest::Summary(Tokens(most)) => 3 + most,
        };
        let place = u64::from(read.upto.0) << 32 | u64::from(read.first.0) << 8;
        let mut numbers = RandomNumbers::new(self.seed ^ place ^ kind ^ read.text.len() as u64);
        if numbers.random_below(8) == 0 {
            return None;
        }
        let rows: Vec<&str> = read.text.lines().collect();
        let line = |numbers: &mut RandomNumbers| {
            LineNumber(
                (read.first.0 + numbers.random_below(rows.len() + 4) as u32).saturating_sub(2),
            )
        };
        let mut view = LineSelection::default();
        for _ in 0..numbers.random_below(5) {
            let first = line(&mut numbers);
            let last = LineNumber((first.0 + numbers.random_below(8) as u32).saturating_sub(1));
            view.lines.push((first, last));
        }
        for _ in 0..numbers.random_below(12) {
            let line = line(&mut numbers);
            let row = line.0.checked_sub(read.first.0).and_then(|at| rows.get(at as usize));
            let word = row.and_then(|row| row.split([' ', '(', ')']).find(|word| !word.is_empty()));
            let text = match numbers.random_below(4) {
                0 => BAD_LABELS[numbers.random_below(BAD_LABELS.len())],
                1 => "nowhere",
                _ => word.unwrap_or("none"),
            };
            let labels =
                if numbers.random_below(3) == 0 { &mut view.remarks } else { &mut view.names };
            labels.push(LineLabel { line, text: text.into() });
        }
        Some(view)
    }
}
