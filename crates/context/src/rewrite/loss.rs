//! How much may be missed where nothing is cached.
//!
//! There every request may drop for nothing what those before it have left, and what a threshold on
//! each result lets go adds up. So the uses that are expected of all that has gone are bounded too,
//! as a share of those expected of everything: a session that goes on to use much of what it has read
//! keeps more of it than one that does not.

use super::ask::Ask;
use super::candidate::Candidate;
use super::less::expected_use;
use crate::level::Level;
use crate::wish::Standing;
use foveal_transcript::EntryIndex;

/// Takes out of the candidates, in window order, those that would be missed too much together with
/// what has gone before. Those of least use for the tokens that they take go first.
pub(super) fn keep_within(ask: &Ask<'_>, candidates: &mut Vec<&Candidate>) {
    if candidates.is_empty() {
        return;
    }
    let (mut gone, all) = expected(ask);
    let most = ask.settings.loss_max * all;
    candidates.sort_by(|one, other| {
        one.uses.total_cmp(&other.uses).then(one.position.cmp(&other.position))
    });
    candidates.retain(|candidate| {
        let more = use_of(ask, candidate.index).unwrap_or(0.0);
        let is_within = gone + more <= most;
        gone += if is_within { more } else { 0.0 };
        is_within
    });
    candidates.sort_by_key(|candidate| candidate.position);
}

/// The uses expected of results of which less goes than came, and of all results, but for what the
/// person took out.
fn expected(ask: &Ask<'_>) -> (f64, f64) {
    let (mut gone, mut all) = (0.0, 0.0);
    for index in ask.movable {
        let item = ask.item(*index);
        let stands = ask.window.binary_search(index).is_ok() && item.standing != Standing::Dropped;
        let Some(uses) = use_of(ask, *index).filter(|_| stands) else { continue };
        all += uses;
        gone += if item.level == Level::Arrival { 0.0 } else { uses };
    }
    (gone, all)
}

/// How likely a result is to be used; `None` for what is none.
fn use_of(ask: &Ask<'_>, index: EntryIndex) -> Option<f64> {
    let life = ask.lives[index.at()].as_ref()?;
    Some(expected_use(ask, index, ask.record.facts(index), life))
}
