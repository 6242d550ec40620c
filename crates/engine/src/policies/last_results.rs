//! Baselines `keep-last-30` and `mask-10`: only the last results stay.
//!
//! `keep-last-30` is `keep_recent_tool_results(30)`, the strategy that the design document "Smart
//! Tool History Strategy" (seed 002) replaces. `mask-10` is the observation masking of SWE-agent's
//! `LastNObservations` processor
//! (<https://swe-agent.com/latest/reference/history_processor_config/>), with 10 results as in "The
//! Complexity Trap" (<https://arxiv.org/abs/2508.21433>). Both move their window at every request.

use crate::message_shape::MessageShape;
use foveal_transcript::EntryIndex;

use super::PolicyView;

/// The name of the dropping rule in shapes.
pub const RULE: &str = "keep-last";
/// The name of the masking rule in shapes.
pub const RULE_MASK: &str = "mask";

/// The placeholder of a dropped result. A result cannot be omitted altogether, since its call must
/// have one.
pub const DROPPED_NOTE: &str = "[dropped]";

/// Returns the results in the prompt but for the last `count`, oldest first.
pub fn results_before_last<'v>(
    view: &'v PolicyView<'_>,
    count: usize,
) -> impl Iterator<Item = EntryIndex> + use<'v> {
    let older = view.results().count().saturating_sub(count);
    view.results().take(older)
}

/// Drops all but the last `count` results.
pub fn drop_old_results(view: &PolicyView<'_>, count: usize) -> Vec<(EntryIndex, MessageShape)> {
    results_before_last(view, count)
        .map(|index| view.placeholder(index, RULE, DROPPED_NOTE.to_owned(), None))
        .collect()
}

/// Masks all but the last `count` results; the placeholder states the number of lines.
pub fn mask_old_results(view: &PolicyView<'_>, count: usize) -> Vec<(EntryIndex, MessageShape)> {
    results_before_last(view, count)
        .map(|index| {
            let lines = view.content(index).lines().count();
            let text = format!("Old environment output: ({lines} lines omitted)");
            view.placeholder(index, RULE_MASK, text, None)
        })
        .collect()
}
