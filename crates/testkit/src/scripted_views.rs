//! Views of reads by chance: what may come from a curator, good or bad.

use foveal_context::tokens::Tokens;
use foveal_context::views::{Amount, Label, Read, View, Views, Wanted};
use foveal_transcript::LineNumber;

use crate::world::Numbers;

/// Chooses lines by chance; the same question gets the same answer. One in eight is none;
/// ranges overlap, lie outside the read or run backwards, and some labels are no words of
/// their line or hold what a note must not.
#[derive(Debug, Clone, Copy, Default)]
pub struct ScriptedViews {
    /// Another seed gives other answers.
    pub seed: u64,
}

/// Texts that a note must not take over as they are.
const BAD_LABELS: [&str; 5] =
    ["two\nlines", "a] gone [b", "expand 0123456789ab", "", "\u{1b}[31mred"];

impl Views for ScriptedViews {
    fn view(&self, read: &Read<'_>, wanted: Wanted) -> Option<View> {
        let kind = match wanted {
            Wanted::Curated(Amount::Adaptive) => 1,
            Wanted::Curated(Amount::Share(_)) => 2,
            Wanted::Summary(Tokens(most)) => 3 + most,
        };
        let place = u64::from(read.upto.0) << 32 | u64::from(read.first.0) << 8;
        let mut numbers = Numbers::new(self.seed ^ place ^ kind ^ read.text.len() as u64);
        if numbers.below(8) == 0 {
            return None;
        }
        let rows: Vec<&str> = read.text.lines().collect();
        let line = |numbers: &mut Numbers| {
            LineNumber((read.first.0 + numbers.below(rows.len() + 4) as u32).saturating_sub(2))
        };
        let mut view = View::default();
        for _ in 0..numbers.below(5) {
            let first = line(&mut numbers);
            let last = LineNumber((first.0 + numbers.below(8) as u32).saturating_sub(1));
            view.lines.push((first, last));
        }
        for _ in 0..numbers.below(12) {
            let line = line(&mut numbers);
            let row = line.0.checked_sub(read.first.0).and_then(|at| rows.get(at as usize));
            let word = row.and_then(|row| row.split([' ', '(', ')']).find(|word| !word.is_empty()));
            let text = match numbers.below(4) {
                0 => BAD_LABELS[numbers.below(BAD_LABELS.len())],
                1 => "nowhere",
                _ => word.unwrap_or("none"),
            };
            let labels = if numbers.below(3) == 0 { &mut view.remarks } else { &mut view.names };
            labels.push(Label { line, text: text.into() });
        }
        Some(view)
    }
}
