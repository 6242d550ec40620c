//! Baseline `opencode-prune`: opencode's pruning of old tool output.
//!
//! Source: `prune` in `packages/opencode/src/session/compaction.ts` of
//! <https://github.com/sst/opencode>. When a turn of the user ends, it walks back over the
//! results before the last two turns, up to the last pruned one; those beyond the first
//! 40,000 tokens are replaced if they make more than 20,000 tokens, counted as a quarter of
//! their characters. Failed calls and the `skill` tool are left out. It was on by default
//! and is opt-in now. A conversation with one user message is never pruned.

use crate::shape::Shape;
use foveal_transcript::{EntryIndex, Mark, Role};

use super::PolicyView;

/// The rule's name in shapes.
pub const RULE: &str = "prune";

/// Tokens of output before the last turns that are protected.
pub const PROTECTED: usize = 40_000;
/// Nothing is pruned unless it frees more tokens than this.
pub const FREED_MIN: usize = 20_000;
/// Turns of the user whose results are never pruned, the one that ended included.
pub const TURNS_KEPT: usize = 2;
/// What stands in a pruned result's place.
pub const CLEARED: &str = "[Old tool result content cleared]";

/// The tool whose results are never pruned.
const PROTECTED_TOOL: &str = "skill";

/// Prunes at the first request of a turn, which is the first to show that the turn before
/// it ended; what is pruned stays so.
pub fn decide(view: &PolicyView<'_>) -> Vec<(EntryIndex, Shape)> {
    decide_beyond(view, PROTECTED, FREED_MIN)
}

/// Prunes beyond `protected` tokens if that frees more than `freed_min`.
pub fn decide_beyond(
    view: &PolicyView<'_>,
    protected: usize,
    freed_min: usize,
) -> Vec<(EntryIndex, Shape)> {
    let mut shapes = view.all_replaced();
    let Some(ended) = turn_ended_before(view) else { return shapes };
    let (mut turns, mut seen, mut freed) = (0, 0, 0);
    let mut chosen = Vec::new();
    for index in view.window[..ended].iter().rev().copied() {
        turns += usize::from(is_user(view, index));
        let entry = view.record.entry(index);
        if turns < TURNS_KEPT {
            continue;
        }
        if entry.mark == Mark::CompactSummary || view.replaced(index).is_some() {
            break;
        }
        if entry.role != Role::Tool || view.is_error(index) || view.tool(index) == PROTECTED_TOOL {
            continue;
        }
        let tokens = estimate(view.content(index));
        seen += tokens;
        if seen > protected {
            freed += tokens;
            chosen.push(index);
        }
    }
    if freed > freed_min {
        let cleared = |index| view.stand_in(index, RULE, CLEARED.to_owned(), None);
        shapes.extend(chosen.into_iter().map(cleared));
    }
    shapes
}

/// opencode's estimate: a quarter of the UTF-16 length, rounded.
fn estimate(text: &str) -> usize {
    (text.encode_utf16().count() + 2) / 4
}

/// Whether a message of the user begins a turn.
fn is_user(view: &PolicyView<'_>, index: EntryIndex) -> bool {
    let entry = view.record.entry(index);
    entry.role == Role::User && matches!(entry.mark, Mark::None | Mark::Rewind { .. })
}

/// Window position of the message that began the present turn, if no response followed it.
fn turn_ended_before(view: &PolicyView<'_>) -> Option<usize> {
    let began = view.window.iter().rposition(|index| is_user(view, *index))?;
    let answered = |index: &EntryIndex| view.record.entry(*index).role == Role::Assistant;
    (!view.window[began..].iter().any(answered)).then_some(began)
}
