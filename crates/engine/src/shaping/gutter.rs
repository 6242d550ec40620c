//! Rule `gutter`: the line numbers before a file's lines are shortened.
//!
//! The blanks that align them carry no information. The numbers count up by one, so every tenth is
//! enough if a note says so. In recorded sessions such gutters are a third of the tokens of the
//! reads that have them; blanks are half of that.

use crate::note::{Note, NoteKind};
use foveal_tool_effects::EffectKind;

use super::draft::ShapeDraft;

const RULE: &str = "gutter";

/// The numbers of a gutter that are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum GutterNumbers {
    /// All numbers; only the blanks before them are cut.
    All,
    /// The numbers divisible by this; a note says so.
    Every(u32),
}

/// Shortest run whose numbers are cut: for shorter ones the note would cost as much as the rule
/// saves.
const RUN_MIN: usize = 8;

/// Cuts numbers and blanks of gutters. Must run last, since gaps decide where a run begins.
pub fn thin_gutters(draft: &mut ShapeDraft<'_>, numbers: GutterNumbers) {
    let hits = matches!(draft.facts.kind(), EffectKind::Search | EffectKind::List);
    let runs = numbered_runs(draft);
    let mut noted = false;
    for run in runs {
        if run.len() < RUN_MIN {
            continue;
        }
        let mut thinned = false;
        for at in run.clone() {
            let line = draft.result_line(at);
            let number = line.number.expect("a numbered run has numbers").0;
            let gutter = line.whole.start..line.text.start;
            let kept = match numbers {
                GutterNumbers::All => true,
                // The numbers of found lines are the answer of a search; its context lines only
                // count up.
                GutterNumbers::Every(_) if hits && !is_context_line(draft, at) => true,
                GutterNumbers::Every(every) => at == run.start || number.is_multiple_of(every),
            };
            if kept {
                let text = line.full_text(draft.content);
                let blank = text.len() - text.trim_start_matches(' ').len();
                let blank = (blank as u32).min(gutter.end - gutter.start);
                draft.cut_range(RULE, at, gutter.start..gutter.start + blank);
            } else {
                draft.cut_range(RULE, at, gutter);
                thinned = true;
            }
        }
        if let GutterNumbers::Every(every) = numbers
            && thinned
            && !noted
        {
            draft.insert_heading(RULE, run.clone(), Note::new(NoteKind::EveryNumbered(every)));
            noted = true;
        }
    }
}

/// Returns whether a search printed the line as context (`12-`) of a hit (`12:`).
pub(super) fn is_context_line(draft: &ShapeDraft<'_>, at: usize) -> bool {
    let gutter_end = draft.result_line(at).text.start as usize;
    draft.content[..gutter_end].ends_with('-')
}

/// Returns the runs of kept lines whose gutters count up by one in one file. A line whose text
/// looks numbered itself ends the run, so that the numbers stay unambiguous.
fn numbered_runs(draft: &ShapeDraft<'_>) -> Vec<std::ops::Range<usize>> {
    let mut runs: Vec<std::ops::Range<usize>> = Vec::new();
    for at in 0..draft.len() {
        let line = draft.result_line(at);
        let gutter = line.text.start - line.whole.start;
        let plain = gutter > 0 && draft.is_visible(at) && !looks_numbered(draft.line_text(at));
        let Some(number) = line.number.filter(|_| plain) else { continue };
        match runs.last_mut() {
            Some(run)
                if run.end == at
                    && draft.result_line(at - 1).path == line.path
                    && draft.result_line(at - 1).number.is_some_and(|n| n.0 + 1 == number.0) =>
            {
                run.end = at + 1;
            }
            _ => runs.push(at..at + 1),
        }
    }
    runs
}

fn looks_numbered(text: &str) -> bool {
    let text = text.trim_start();
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    rest.len() < text.len() && rest.starts_with(['→', ':', '-', '\t', '|'])
}
