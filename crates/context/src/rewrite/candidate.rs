//! Results that could be reduced further, with what that saves and risks.

use super::ask::Ask;
use super::less::{less_of_edit, less_of_other, less_of_result, uses_of_thousand};
use crate::facts::Facts;
use crate::level::Level;
use crate::settings::RewriteSettings;
use crate::step::Item;
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

/// Which results may be reduced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    /// Those that came some requests ago.
    Old,
    /// Those that the model has seen.
    Seen,
    /// Those that come with this request, too.
    All,
}

impl Reach {
    /// Requests that have shown a result before it may go.
    fn requests_min(self, settings: &RewriteSettings) -> u32 {
        match self {
            Self::Old => settings.recent_requests,
            Self::Seen => 1,
            Self::All => 0,
        }
    }
}

/// Every result within reach that may be reduced further, with what that saves and risks.
pub(super) fn candidates(ask: &Ask<'_>, reach: Reach) -> Vec<Candidate> {
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
        let recent = ask.requests - since < reach.requests_min(ask.settings);
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
            let is_new = ask.requests == life.arrived;
            less_in_reach(ask, facts, item, reach, is_new)
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

/// The next level of a result within reach, and the tokens that it saves.
fn less_in_reach(
    ask: &Ask<'_>,
    facts: &Facts,
    item: &Item,
    reach: Reach,
    is_new: bool,
) -> Option<(Level, u64)> {
    let less = less_of_result(ask.old_reads, facts, item);
    match (reach, less) {
        (Reach::Old, less) => less,
        // The model sees something of each result.
        (_, less) if is_new => {
            less.or_else(|| less_of_other(item)).map(|(_, saving)| (Level::Reduced, saving))
        }
        // An outline may be as long as the file.
        (_, Some((Level::Reduced, _))) if ask.old_reads.is_none() => less_of_other(item),
        (_, less) => less.or_else(|| less_of_other(item)),
    }
}
