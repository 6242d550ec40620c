//! Rule `gutter`: the numbers before a file's lines are spelled shorter.
//!
//! The blanks that align them say nothing. The numbers count up by one, so that, where a
//! note says so, every tenth is enough. In recorded sessions such gutters are a third of
//! the tokens of the reads that have them, the blanks half of that.

use crate::note::{Note, NoteKind};
use foveal_effects::EffectKind;

use super::draft::Draft;

const RULE: &str = "gutter";

/// Which numbers of a gutter are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Numbers {
    /// Every one; only the blanks before it are cut.
    All,
    /// Those divisible by this; a note says so.
    Every(u32),
}

/// Runs shorter than this keep their numbers: the note would cost what the rule saves.
const RUN_MIN: usize = 8;

/// Marks the numbers to be cut. Runs last: gaps decide where a run begins.
pub fn thin(draft: &mut Draft<'_>, numbers: Numbers) {
    let hits = matches!(draft.facts.kind(), EffectKind::Search | EffectKind::List);
    let runs = numbered_runs(draft);
    let mut noted = false;
    for run in runs {
        if run.len() < RUN_MIN {
            continue;
        }
        let mut thinned = false;
        for at in run.clone() {
            let line = draft.line(at);
            let number = line.number.expect("a numbered run has numbers").0;
            let gutter = line.whole.start..line.text.start;
            let kept = match numbers {
                Numbers::All => true,
                // Which lines were found is what a search says; its context only counts up.
                Numbers::Every(_) if hits && !is_context(draft, at) => true,
                Numbers::Every(every) => at == run.start || number.is_multiple_of(every),
            };
            if kept {
                let text = line.whole_in(draft.content);
                let blank = text.len() - text.trim_start_matches(' ').len();
                let blank = (blank as u32).min(gutter.end - gutter.start);
                draft.cut(RULE, at, gutter.start..gutter.start + blank);
            } else {
                draft.cut(RULE, at, gutter);
                thinned = true;
            }
        }
        if let Numbers::Every(every) = numbers
            && thinned
            && !noted
        {
            draft.head(RULE, run.clone(), Note::new(NoteKind::EveryNumbered(every)));
            noted = true;
        }
    }
}

/// Whether a search printed the line as context (`12-`) of one it found (`12:`).
pub(super) fn is_context(draft: &Draft<'_>, at: usize) -> bool {
    let gutter_end = draft.line(at).text.start as usize;
    draft.content[..gutter_end].ends_with('-')
}

/// Runs of kept lines whose gutters count up by one, in one file. Where the text of a line
/// could itself be taken for a numbered one, the run ends: it must stay unambiguous.
fn numbered_runs(draft: &Draft<'_>) -> Vec<std::ops::Range<usize>> {
    let mut runs: Vec<std::ops::Range<usize>> = Vec::new();
    for at in 0..draft.len() {
        let line = draft.line(at);
        let gutter = line.text.start - line.whole.start;
        let plain = gutter > 0 && draft.keeps(at) && !looks_numbered(draft.text(at));
        let Some(number) = line.number.filter(|_| plain) else { continue };
        match runs.last_mut() {
            Some(run)
                if run.end == at
                    && draft.line(at - 1).path == line.path
                    && draft.line(at - 1).number.is_some_and(|n| n.0 + 1 == number.0) =>
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
