//! Baseline `clear-100k`: Anthropic's context editing strategy `clear_tool_uses_20250919`
//! with its defaults.
//!
//! Source: <https://docs.claude.com/en/docs/build-with-claude/context-editing>. When the
//! prompt exceeds 100,000 input tokens, all results but those of the last three tool uses
//! are replaced by a placeholder; calls stay. What is cleared stays cleared, and the prompt
//! that is compared with the trigger is the one with what was cleared before, so that the
//! cache holds between two clearings. The documentation does not quote the placeholder.

use crate::shape::Shape;
use crate::tokens::Tokens;
use foveal_transcript::EntryIndex;

use super::{PolicyView, keep_last};

/// The rule's name in shapes.
pub const RULE: &str = "clear-tool-uses";

/// Prompts of more tokens are cleared.
pub const TRIGGER: Tokens = Tokens(100_000);
/// Tool uses whose results stay.
pub const TOOL_USES_KEPT: usize = 3;
/// What stands in a cleared result's place.
pub const CLEARED: &str = "[cleared to save context]";

/// Clears with the strategy's defaults.
pub fn decide(view: &PolicyView<'_>) -> Vec<(EntryIndex, Shape)> {
    decide_above(view, TRIGGER)
}

/// Clears prompts of more than `trigger` tokens.
pub fn decide_above(view: &PolicyView<'_>, trigger: Tokens) -> Vec<(EntryIndex, Shape)> {
    let mut shapes = view.all_replaced();
    if view.tokens() <= trigger {
        return shapes;
    }
    for index in keep_last::older_than(view, TOOL_USES_KEPT) {
        if view.replaced(index).is_none() {
            shapes.push(view.stand_in(index, RULE, CLEARED.to_owned(), None));
        }
    }
    shapes
}
