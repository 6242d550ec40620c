//! Rule `heading`: search hits that name their file on every line name it once.

use crate::note::{Note, NoteKind};
use foveal_effects::EffectKind;

use super::draft::Draft;

const RULE: &str = "heading";

/// Groups of fewer hits stay as they are.
const HITS_MIN: usize = 2;

/// Turns `path:12:text` lines of one file into the path and `12:text` lines, the form that
/// `rg --heading` prints.
pub fn name_files_once(draft: &mut Draft<'_>) {
    if draft.facts.kind() == EffectKind::Read {
        return;
    }
    let mut at = 0;
    while at < draft.len() {
        let Some(path) = prefix(draft, at) else {
            at += 1;
            continue;
        };
        let mut end = at + 1;
        while end < draft.len() && prefix(draft, end) == Some(path) {
            end += 1;
        }
        if end - at >= HITS_MIN {
            let note = Note { file: Some(path.into()), ..Note::new(NoteKind::Heading) };
            draft.head(RULE, at..end, note);
            for line in at..end {
                let start = draft.line(line).whole.start;
                draft.cut(RULE, line, start..start + path.len() as u32 + 1);
            }
        }
        at = end;
    }
}

/// Whether the line at `at` names the file of the hits after it, which do not name it
/// themselves: without it they would be taken for hits of the file before.
pub(super) fn is_heading(draft: &Draft<'_>, at: usize) -> bool {
    let is_search = matches!(draft.facts.kind(), EffectKind::Search | EffectKind::List);
    if !is_search || at + 1 >= draft.len() || draft.line(at).number.is_some() {
        return false;
    }
    let (line, next) = (draft.line(at), draft.line(at + 1));
    let starts = next.whole_in(draft.content).starts_with(|sign: char| sign.is_ascii_digit());
    !line.whole.is_empty() && next.number.is_some() && starts
}

/// The path before `:12:` or `-12-` on a kept line, if the line is a hit.
fn prefix<'a>(draft: &Draft<'a>, at: usize) -> Option<&'a str> {
    let line = draft.line(at);
    let path = draft.facts.printed.paths.get(usize::from(line.path?))?;
    let number = line.number?;
    if !draft.keeps(at) || draft.shown_len(at) != (line.whole.end - line.whole.start) as usize + 1 {
        return None;
    }
    let text = line.whole_in(draft.content);
    let (head, rest) = text.split_at_checked(path.len())?;
    let rest = rest.strip_prefix([':', '-'])?;
    let rest = rest.strip_prefix(number.0.to_string().as_str())?;
    (head == path && rest.starts_with([':', '-'])).then_some(head)
}
