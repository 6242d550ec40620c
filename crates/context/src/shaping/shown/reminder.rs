//! Reminders: what a client puts behind results in tags of its own, in the same words each time.

use std::ops::Range;

use super::super::draft::Draft;
use crate::ledger::{Block, Ledger};

/// How the names of the tags end: `<system-reminder>`.
const NAME_END: &str = "reminder";

/// The name of the reminder that a block of the draft is, if it is one, whole and alone, and if all
/// visible reminders of that name say the same: a note that only says the name has to mean this one.
pub(super) fn only_one<'d>(
    draft: &Draft<'d>,
    ledger: &Ledger,
    block: Range<usize>,
) -> Option<&'d str> {
    let mut lines = block.filter(|at| !draft.text(*at).trim().is_empty());
    let (first, last) = (lines.next()?, lines.next_back()?);
    let name = draft.text(first).trim().strip_prefix('<')?.strip_suffix('>')?;
    let ends = draft.text(last).trim().strip_prefix("</")?.strip_suffix('>')?;
    let is_reminder = name == ends && name.ends_with(NAME_END) && !name.contains(['<', ' ']);
    let has_no_file = lines.clone().chain([first, last]).all(|at| draft.line(at).path.is_none());
    // With more reminders in it, the name would not tell which.
    let is_alone = lines.all(|at| !draft.text(at).contains(&format!("{name}>")));
    if !is_reminder || !has_no_file || !is_alone {
        return None;
    }
    let ids = draft.facts.ids.get(first..=last)?;
    let says_so = |block: Block<'_>| {
        block.lines().take(ids.len()).map(|(_, text)| text).eq(ids.iter().copied())
    };
    ledger.blocks(ids[0]).all(says_so).then_some(name)
}
