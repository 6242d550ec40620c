//! Baseline `cap-4k`: long results of runs, searches and lists keep head and tail.
//!
//! The simplest rule that decides on arrival: it depends on the result alone, so that results never
//! change after they were sent.

use foveal_engine::message_shape::MessageShape;
use foveal_tool_effects::EffectKind;
use foveal_transcript::EntryIndex;

use foveal_engine::policies::policy_view::{PolicyView, first_chars_len, last_chars_len};

/// The rule's name in shapes.
pub const RULE: &str = "cap";

/// Results with more characters are cut; half of these stay at each end.
pub const CHARACTERS_MAX: usize = 4_000;

/// Cuts every long result of a run, a search or a list.
pub fn decide(view: &PolicyView<'_>) -> Vec<(EntryIndex, MessageShape)> {
    view.results().filter_map(|index| cap_result(view, index)).collect()
}

fn cap_result(view: &PolicyView<'_>, index: EntryIndex) -> Option<(EntryIndex, MessageShape)> {
    let kind = view.record.facts(index).kind();
    if !matches!(kind, EffectKind::Run | EffectKind::Search | EffectKind::List) {
        return None;
    }
    if let Some(shape) = view.current_shape(index) {
        return Some((index, shape.clone()));
    }
    let content = view.content(index);
    // A text has no more characters than bytes, and its bytes need not be counted.
    if content.len() <= CHARACTERS_MAX {
        return None;
    }
    let characters = content.chars().count();
    if characters <= CHARACTERS_MAX {
        return None;
    }
    let half = CHARACTERS_MAX / 2;
    let (head, tail) = (first_chars_len(content, half), last_chars_len(content, half));
    let gap = &content[head..content.len() - tail];
    let note = format!(
        "\n[... {} characters, {} line breaks left out ...]\n",
        characters - CHARACTERS_MAX,
        gap.bytes().filter(|byte| *byte == b'\n').count(),
    );
    Some(view.head_and_tail(index, RULE, head, tail, note))
}
