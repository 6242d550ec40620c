//! Baseline `clear-100k`: Anthropic's context editing strategy `clear_tool_uses_20250919` with its
//! defaults.
//!
//! Source: <https://docs.claude.com/en/docs/build-with-claude/context-editing>. When the prompt
//! exceeds 100,000 input tokens, a placeholder replaces all results but those of the last three
//! tool uses; calls stay. Cleared results stay cleared, and the trigger is compared with the prompt
//! after earlier clearings, so that the cache holds between two of them. The documentation does not
//! quote the placeholder.

use foveal_engine::message_shape::MessageShape;
use foveal_pricing::tokens::Tokens;
use foveal_transcript::EntryIndex;

use foveal_engine::policies::policy_view::PolicyView;

/// The rule's name in shapes.
pub const RULE: &str = "clear-tool-uses";

/// Prompts with more tokens are cleared.
pub const TRIGGER_TOKENS: Tokens = Tokens(100_000);
/// Number of last tool uses whose results stay.
pub const TOOL_USES_KEPT: usize = 3;
/// The placeholder of a cleared result.
pub const CLEARED_NOTE: &str = "[cleared to save context]";

/// Clears with the strategy's defaults.
pub fn decide(view: &PolicyView<'_>) -> Vec<(EntryIndex, MessageShape)> {
    decide_above(view, TRIGGER_TOKENS)
}

/// Clears prompts of more than `trigger` tokens.
pub fn decide_above(view: &PolicyView<'_>, trigger: Tokens) -> Vec<(EntryIndex, MessageShape)> {
    let mut shapes = view.current_shapes();
    if view.tokens() <= trigger {
        return shapes;
    }
    for index in view.results_before_last(TOOL_USES_KEPT) {
        if view.current_shape(index).is_none() {
            shapes.push(view.placeholder(index, RULE, CLEARED_NOTE.to_owned(), None));
        }
    }
    shapes
}
