//! Baseline `opencode-prune`: opencode's pruning of old tool output.
//!
//! Source: `prune` in `packages/opencode/src/session/compaction.ts` of
//! <https://github.com/sst/opencode>. When a turn of the user ends, it walks back over the results
//! before the last two turns, up to the last pruned one. Those beyond the first 40,000 tokens are
//! replaced if they amount to more than 20,000 tokens, counted as a quarter of their characters.
//! Failed calls and the `skill` tool are exempt. It was on by default and is opt-in now. A
//! conversation with one user message is never pruned.

use foveal_engine::message_shape::MessageShape;
use foveal_transcript::{EntryIndex, EntryMark, MessageRole};

use foveal_engine::policies::policy_view::PolicyView;

/// The rule's name in shapes.
pub const RULE: &str = "prune";

/// Tokens of output before the last turns that are protected.
pub const PROTECTED_TOKENS: usize = 40_000;
/// Nothing is pruned unless that frees more tokens than this.
pub const FREED_TOKENS_MIN: usize = 20_000;
/// Number of last turns of the user whose results are never pruned, the one that ended included.
pub const TURNS_KEPT: usize = 2;
/// The placeholder of a pruned result.
pub const CLEARED_NOTE: &str = "[Old tool result content cleared]";

/// The tool whose results are never pruned.
const PROTECTED_TOOL: &str = "skill";

/// Prunes at the first request of a turn, which is the first to show that the previous turn ended.
/// Pruned results stay pruned.
pub fn decide(view: &PolicyView<'_>) -> Vec<(EntryIndex, MessageShape)> {
    decide_beyond_protected(view, PROTECTED_TOKENS, FREED_TOKENS_MIN)
}

/// Prunes beyond `protected` tokens if that frees more than `freed_min`.
pub fn decide_beyond_protected(
    view: &PolicyView<'_>,
    protected: usize,
    freed_min: usize,
) -> Vec<(EntryIndex, MessageShape)> {
    let mut shapes = view.current_shapes();
    let Some(ended) = unanswered_turn_start(view) else { return shapes };
    let (mut turns, mut seen, mut freed) = (0, 0, 0);
    let mut chosen = Vec::new();
    for index in view.window[..ended].iter().rev().copied() {
        turns += usize::from(starts_turn(view, index));
        let entry = view.record.entry(index);
        if turns < TURNS_KEPT {
            continue;
        }
        if entry.mark == EntryMark::CompactSummary || view.current_shape(index).is_some() {
            break;
        }
        if entry.role != MessageRole::Tool
            || view.is_error(index)
            || view.tool_name(index) == PROTECTED_TOOL
        {
            continue;
        }
        let tokens = estimate_utf16_quarter(view.content(index));
        seen += tokens;
        if seen > protected {
            freed += tokens;
            chosen.push(index);
        }
    }
    if freed > freed_min {
        let cleared = |index| view.placeholder(index, RULE, CLEARED_NOTE.to_owned(), None);
        shapes.extend(chosen.into_iter().map(cleared));
    }
    shapes
}

/// Returns opencode's estimate: a quarter of the UTF-16 length, rounded.
fn estimate_utf16_quarter(text: &str) -> usize {
    (text.encode_utf16().count() + 2) / 4
}

/// Returns whether a message of the user begins a turn.
fn starts_turn(view: &PolicyView<'_>, index: EntryIndex) -> bool {
    let entry = view.record.entry(index);
    entry.role == MessageRole::User
        && matches!(entry.mark, EntryMark::None | EntryMark::Rewind { .. })
}

/// Returns the window position of the message that began the present turn, if no response follows
/// it.
fn unanswered_turn_start(view: &PolicyView<'_>) -> Option<usize> {
    let began = view.window.iter().rposition(|index| starts_turn(view, *index))?;
    let answered = |index: &EntryIndex| view.record.entry(*index).role == MessageRole::Assistant;
    (!view.window[began..].iter().any(answered)).then_some(began)
}
