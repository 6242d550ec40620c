//! Rule `gutter`: a file shown with a number before every line keeps every tenth number.
//!
//! The numbers count up by one, so the missing ones can be read off; a note says so. In
//! recorded sessions these gutters are a third of the tokens of such reads.

use super::draft::Draft;

const RULE: &str = "gutter";

/// Numbers divisible by this are kept.
const EVERY: u32 = 10;

/// Runs shorter than this keep their numbers: the note would cost what the rule saves.
const RUN_MIN: usize = 8;

/// Marks the numbers to be cut. Runs last: gaps decide where a run begins.
pub fn thin(draft: &mut Draft<'_>) {
    let runs = numbered_runs(draft);
    let mut noted = false;
    for run in runs {
        if run.len() < RUN_MIN {
            continue;
        }
        for at in run.clone() {
            let line = draft.line(at);
            let number = line.number.expect("a numbered run has numbers").0;
            let gutter = line.whole.start..line.text.start;
            if at == run.start || number % EVERY == 0 {
                let text = line.whole_in(draft.content);
                let blank = text.len() - text.trim_start_matches(' ').len();
                let blank = (blank as u32).min(gutter.end - gutter.start);
                draft.cut(RULE, at, gutter.start..gutter.start + blank);
            } else {
                draft.cut(RULE, at, gutter);
            }
        }
        if !noted {
            draft.head(RULE, run.start, format!("[every {EVERY}th line numbered]"));
            noted = true;
        }
    }
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
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    rest.len() < text.len() && rest.starts_with(['→', ':', '\t', '|'])
}
