//! Results that could be reduced further, with what that saves and risks.

use super::ask::Ask;
use super::less::{less_of_edit, less_of_result, uses_of_thousand};
use crate::level::Level;
use crate::wish::Standing;
use foveal_transcript::EntryIndex;

/// A result that could be reduced further.
pub(super) struct Candidate {
    pub(super) index: EntryIndex,
    /// Place in the window.
    pub(super) position: usize,
    pub(super) level: Level,
    /// Whether it is a result that was reduced before; only the high mark takes it further.
    pub(super) again: bool,
    /// Tokens it would lose, estimated.
    pub(super) saving: u64,
    /// Uses expected of a thousand of its tokens.
    pub(super) uses: f64,
    /// What carrying the saving has cost since it became dead weight, in input tokens.
    pub(super) rent: f64,
}

/// Every result that may be reduced further, with what that saves and risks.
pub(super) fn candidates(ask: &Ask<'_>) -> Vec<Candidate> {
    let read_ratio = ask.prices.read_ratio();
    let mut found = Vec::new();
    for index in ask.movable {
        let (Some(life), item) = (&ask.lives[index.at()], ask.item(*index)) else { continue };
        let since = match item.standing {
            Standing::Pinned | Standing::Dropped => continue,
            // The person had it sent again.
            Standing::Whole => life.last_use,
            Standing::Free => life.arrived,
        };
        let recent = ask.requests - since < ask.settings.recent_requests;
        let has_less = item.tokens >= ask.settings.tokens_min && item.level != Level::Note;
        if !has_less || recent || ask.is_wished(*index) {
            continue;
        }
        let Ok(position) = ask.window.binary_search(index) else { continue };
        if position < ask.fixed_until {
            continue;
        }
        let facts = ask.record.facts(*index);
        let uses = || uses_of_thousand(ask, *index, facts, life);
        let is_edit = !facts.edits.is_empty();
        let reduced = if is_edit {
            less_of_edit(ask.settings, facts, item.level, uses)
        } else {
            less_of_result(ask.old_reads, facts, item)
                .map(|(level, saving)| (level, saving, uses()))
        };
        let Some((level, saving, uses)) = reduced else { continue };
        let dead_for = life.dead_since.map_or(0, |since| ask.requests - since);
        found.push(Candidate {
            index: *index,
            position,
            level,
            again: item.level != Level::Arrival && !is_edit,
            saving,
            uses,
            rent: f64::from(dead_for) * saving as f64 * read_ratio,
        });
    }
    found
}
