//! Baselines `keep-last-30` and `mask-10`: only the last results stay.
//!
//! `keep-last-30` is `keep_recent_tool_results(30)`, the strategy that the design document "Smart
//! Tool History Strategy" (seed 002) replaces. `mask-10` is the observation masking of SWE-agent's
//! `LastNObservations` processor
//! (<https://swe-agent.com/latest/reference/history_processor_config/>), with 10 results as in "The
//! Complexity Trap" (<https://arxiv.org/abs/2508.21433>). Both move their window at every request.

use foveal_engine::message_shape::MessageShape;
use foveal_transcript::EntryIndex;

use foveal_engine::policies::policy_view::{DROPPED_NOTE, PolicyView, RULE_DROPPED};

/// The name of the masking rule in shapes.
pub const RULE_MASK: &str = "mask";

/// Drops all but the last `count` results.
pub fn drop_old_results(view: &PolicyView<'_>, count: usize) -> Vec<(EntryIndex, MessageShape)> {
    view.results_before_last(count)
        .map(|index| view.placeholder(index, RULE_DROPPED, DROPPED_NOTE.to_owned(), None))
        .collect()
}

/// Masks all but the last `count` results; the placeholder states the number of lines.
pub fn mask_old_results(view: &PolicyView<'_>, count: usize) -> Vec<(EntryIndex, MessageShape)> {
    view.results_before_last(count)
        .map(|index| {
            let lines = view.content(index).lines().count();
            let text = format!("Old environment output: ({lines} lines omitted)");
            view.placeholder(index, RULE_MASK, text, None)
        })
        .collect()
}
