//! Baselines `cline-latest-read` and `cline-sdk-latest-read`: of several reads of a file only the
//! latest stays.
//!
//! Sources, both in <https://github.com/cline/cline>. The VS Code extension
//! (`src/core/context/context-management/ContextManager.ts`) acts only when the last request
//! reached 160,000 of the window's 200,000 tokens. It reads whole files only, so reads of a range
//! are not replaced here. In the SDK (`message-builder.ts`) a later read of the same range or of
//! the whole file supersedes a read, and all superseded reads are replaced once they amount to 64
//! KiB. The extension also truncates half of the conversation if this frees too little; that is not
//! implemented.

use std::collections::{HashMap, HashSet};

use foveal_engine::message_shape::MessageShape;
use foveal_pricing::tokens::Tokens;
use foveal_tool_effects::{ReadSpan, ReadTarget};
use foveal_transcript::{EntryIndex, MessageRole};

use foveal_engine::policies::policy_view::PolicyView;

/// The rule's name in shapes.
pub const RULE: &str = "latest-read";

/// The extension's largest request for a model of 200,000 tokens.
pub const REQUEST_MAX: Tokens = Tokens(160_000);
/// The extension's placeholder of a superseded read.
pub const REMOVED_NOTE: &str = "[[NOTE] This file read has been removed to save space in the context window. Refer to the latest file read for the most up to date version of this file.]";

/// Bytes of superseded reads at which the SDK replaces them.
pub const BATCH_BYTES: usize = 65_536;
/// The SDK's placeholder of a superseded read.
pub const OUTDATED_NOTE: &str = "[outdated - see the latest file content]";

/// The extension's rule.
pub fn decide_like_extension(view: &PolicyView<'_>) -> Vec<(EntryIndex, MessageShape)> {
    decide_above_request_size(view, REQUEST_MAX)
}

/// The extension's rule for a model whose largest request is `request_max`.
pub fn decide_above_request_size(
    view: &PolicyView<'_>,
    request_max: Tokens,
) -> Vec<(EntryIndex, MessageShape)> {
    let mut whole = HashSet::new();
    let superseded = superseded_reads(view, |read| match read.span {
        ReadSpan::All => !whole.insert(read.path.clone()),
        ReadSpan::Lines(..) | ReadSpan::Tail(_) | ReadSpan::Unknown => false,
    });
    replace_reads(view, &superseded, last_request_tokens(view) >= request_max, REMOVED_NOTE)
}

/// The SDK's rule.
pub fn decide_like_sdk(view: &PolicyView<'_>) -> Vec<(EntryIndex, MessageShape)> {
    decide_in_batches(view, BATCH_BYTES)
}

/// The SDK's rule with batches of `batch_bytes` bytes.
pub fn decide_in_batches(
    view: &PolicyView<'_>,
    batch_bytes: usize,
) -> Vec<(EntryIndex, MessageShape)> {
    let mut whole = HashSet::new();
    let mut ranges: HashMap<String, Vec<ReadSpan>> = HashMap::new();
    let superseded = superseded_reads(view, |read| {
        let later = ranges.entry(read.path.clone()).or_default();
        let covered = whole.contains(&read.path) || later.contains(&read.span);
        later.push(read.span);
        if read.span == ReadSpan::All {
            whole.insert(read.path.clone());
        }
        covered
    });
    let pending = superseded.iter().filter(|index| view.current_shape(**index).is_none());
    let bytes: usize = pending.map(|index| view.content(*index).len()).sum();
    replace_reads(view, &superseded, bytes >= batch_bytes, OUTDATED_NOTE)
}

/// Returns the reads that a later one supersedes, latest first. `covered` is called for each read
/// from the latest on.
fn superseded_reads(
    view: &PolicyView<'_>,
    mut covered: impl FnMut(&ReadTarget) -> bool,
) -> Vec<EntryIndex> {
    let reads = view.results().rev();
    reads.filter(|index| view.single_read(*index).is_some_and(&mut covered)).collect()
}

/// Replaces the reads that were replaced before, and all superseded ones if `due`. If the client
/// rewound to before the later read, the earlier one is the latest again and is restored.
fn replace_reads(
    view: &PolicyView<'_>,
    superseded: &[EntryIndex],
    due: bool,
    text: &str,
) -> Vec<(EntryIndex, MessageShape)> {
    let replace = |index: &EntryIndex| match view.current_shape(*index) {
        Some(shape) => Some((*index, shape.clone())),
        None if due => Some(view.placeholder(*index, RULE, text.to_owned(), None)),
        None => None,
    };
    superseded.iter().filter_map(replace).collect()
}

/// Returns the tokens of the last request and its response.
fn last_request_tokens(view: &PolicyView<'_>) -> Tokens {
    let answered = |index: &EntryIndex| view.record.entry(*index).role == MessageRole::Assistant;
    let end = view.window.iter().rposition(answered).map_or(0, |last| last + 1);
    view.window[..end].iter().map(|index| view.entry_states[index.as_usize()].tokens).sum()
}
