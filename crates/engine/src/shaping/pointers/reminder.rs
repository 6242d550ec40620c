//! Reminders: texts that a client appends to results in tags, with the same words each time.

use std::ops::Range;

use super::super::draft::ShapeDraft;
use crate::ledger::{Ledger, VisibleBlock};

/// The end of the tags' names: `<system-reminder>`.
const TAG_NAME_SUFFIX: &str = "reminder";

/// Returns the name of the reminder that a block of the draft is, if it is exactly one, and if all
/// visible reminders of that name are equal, so that the name in the note is unambiguous.
pub(super) fn sole_reminder_name<'d>(
    draft: &ShapeDraft<'d>,
    ledger: &Ledger,
    block: Range<usize>,
) -> Option<&'d str> {
    let mut lines = block.filter(|at| !draft.line_text(*at).trim().is_empty());
    let (first, last) = (lines.next()?, lines.next_back()?);
    let name = draft.line_text(first).trim().strip_prefix('<')?.strip_suffix('>')?;
    let ends = draft.line_text(last).trim().strip_prefix("</")?.strip_suffix('>')?;
    let is_reminder = name == ends && name.ends_with(TAG_NAME_SUFFIX) && !name.contains(['<', ' ']);
    let has_no_file =
        lines.clone().chain([first, last]).all(|at| draft.result_line(at).path.is_none());
    // In a block with several reminders, the name would be ambiguous.
    let is_alone = lines.all(|at| !draft.line_text(at).contains(&format!("{name}>")));
    if !is_reminder || !has_no_file || !is_alone {
        return None;
    }
    let ids = draft.facts.line_ids.get(first..=last)?;
    let says_so = |block: VisibleBlock<'_>| {
        block.lines().take(ids.len()).map(|(_, text)| text).eq(ids.iter().copied())
    };
    ledger.blocks(ids[0]).all(says_so).then_some(name)
}
