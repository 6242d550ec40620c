//! Rule `heading`: search hits that name their file on every line name it once, above them.

use crate::note::{Note, NoteKind};
use foveal_tool_effects::EffectKind;

use super::draft::ShapeDraft;

const RULE: &str = "heading";

/// Smallest number of hits that are grouped.
const HITS_MIN: usize = 2;

/// Turns `path:12:text` lines of one file into the path and `12:text` lines, the form that
/// `rg --heading` prints.
pub fn group_hits_by_file(draft: &mut ShapeDraft<'_>) {
    if draft.facts.kind() == EffectKind::Read {
        return;
    }
    let mut at = 0;
    while at < draft.len() {
        let Some(path) = hit_path(draft, at) else {
            at += 1;
            continue;
        };
        let mut end = at + 1;
        while end < draft.len() && hit_path(draft, end) == Some(path) {
            end += 1;
        }
        if end - at >= HITS_MIN {
            let note = Note { file: Some(path.into()), ..Note::new(NoteKind::Heading) };
            draft.insert_heading(RULE, at..end, note);
            for line in at..end {
                let start = draft.result_line(line).whole.start;
                draft.cut_range(RULE, line, start..start + path.len() as u32 + 1);
            }
        }
        at = end;
    }
}

/// Returns whether the line at `at` is the heading of the hits after it, which do not name their
/// file: without the heading they would be taken for hits of the file before.
pub(super) fn is_file_heading(draft: &ShapeDraft<'_>, at: usize) -> bool {
    let is_search = matches!(draft.facts.kind(), EffectKind::Search | EffectKind::List);
    if !is_search || at + 1 >= draft.len() || draft.result_line(at).number.is_some() {
        return false;
    }
    let (line, next) = (draft.result_line(at), draft.result_line(at + 1));
    let starts = next.full_text(draft.content).starts_with(|sign: char| sign.is_ascii_digit());
    !line.whole.is_empty() && next.number.is_some() && starts
}

/// Returns the path before `:12:` or `-12-` on a kept line, if the line is a hit.
fn hit_path<'a>(draft: &ShapeDraft<'a>, at: usize) -> Option<&'a str> {
    let line = draft.result_line(at);
    let path = draft.facts.printed.paths.get(usize::from(line.path?))?;
    let number = line.number?;
    if !draft.is_visible(at)
        || draft.visible_len(at) != (line.whole.end - line.whole.start) as usize + 1
    {
        return None;
    }
    let text = line.full_text(draft.content);
    let (head, rest) = text.split_at_checked(path.len())?;
    let rest = rest.strip_prefix([':', '-'])?;
    let rest = rest.strip_prefix(number.0.to_string().as_str())?;
    (head == path && rest.starts_with([':', '-'])).then_some(head)
}
