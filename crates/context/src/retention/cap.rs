//! Baseline `cap-4k`: long results of runs, searches and lists keep their ends.
//!
//! The plainest rule that decides on arrival: it looks at nothing but the result, so that
//! what was sent once never changes.

use crate::shape::Shape;
use foveal_effects::EffectKind;
use foveal_transcript::EntryIndex;

use super::{PolicyView, bytes_of_first, bytes_of_last};

/// The rule's name in shapes.
pub const RULE: &str = "cap";

/// Results of more characters are cut; half of these stay at each end.
pub const CHARACTERS_MAX: usize = 4_000;

/// Cuts every long result of a run, a search or a list.
pub fn decide(view: &PolicyView<'_>) -> Vec<(EntryIndex, Shape)> {
    view.results().filter_map(|index| capped(view, index)).collect()
}

fn capped(view: &PolicyView<'_>, index: EntryIndex) -> Option<(EntryIndex, Shape)> {
    let kind = view.record.facts(index).kind();
    if !matches!(kind, EffectKind::Run | EffectKind::Search | EffectKind::List) {
        return None;
    }
    if let Some(shape) = view.replaced(index) {
        return Some((index, shape.clone()));
    }
    let content = view.content(index);
    // A text has no more characters than bytes, and counting those is free.
    if content.len() <= CHARACTERS_MAX {
        return None;
    }
    let characters = content.chars().count();
    if characters <= CHARACTERS_MAX {
        return None;
    }
    let half = CHARACTERS_MAX / 2;
    let (head, tail) = (bytes_of_first(content, half), bytes_of_last(content, half));
    let gap = &content[head..content.len() - tail];
    let note = format!(
        "\n[... {} characters, {} line breaks left out ...]\n",
        characters - CHARACTERS_MAX,
        gap.bytes().filter(|byte| *byte == b'\n').count(),
    );
    Some(view.head_and_tail(index, RULE, (head, tail), note))
}
