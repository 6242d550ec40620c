//! Baselines `cline-latest-read` and `cline-sdk-latest-read`: of several reads of a file
//! only the latest stays.
//!
//! Sources, both in <https://github.com/cline/cline>. The VS Code extension
//! (`src/core/context/context-management/ContextManager.ts`) does so only when the request
//! before used what its window leaves, 160,000 of 200,000 tokens; its reads are of whole
//! files, so that reads of a range are left alone here. The SDK (`message-builder.ts`) holds
//! a read superseded by a later one of the same range or of the whole file, and replaces
//! all superseded ones once they make 64 KiB. The extension's truncation of half the
//! conversation, where this frees too little, is not built.

use std::collections::{HashMap, HashSet};

use crate::shape::Shape;
use crate::tokens::Tokens;
use foveal_effects::{ReadTarget, Span};
use foveal_transcript::{EntryIndex, Role};

use super::PolicyView;

/// The rule's name in shapes.
pub const RULE: &str = "latest-read";

/// The extension's largest request for a model of 200,000 tokens.
pub const REQUEST_MAX: Tokens = Tokens(160_000);
/// The extension's note in a superseded read's place.
pub const REMOVED: &str = "[[NOTE] This file read has been removed to save space in the context window. Refer to the latest file read for the most up to date version of this file.]";

/// Bytes of superseded reads at which the SDK replaces them.
pub const BATCH_BYTES: usize = 65_536;
/// The SDK's note in a superseded read's place.
pub const OUTDATED: &str = "[outdated - see the latest file content]";

/// The extension's rule.
pub fn extension(view: &PolicyView<'_>) -> Vec<(EntryIndex, Shape)> {
    extension_above(view, REQUEST_MAX)
}

/// The extension's rule for a model whose largest request is `request_max`.
pub fn extension_above(view: &PolicyView<'_>, request_max: Tokens) -> Vec<(EntryIndex, Shape)> {
    let mut whole = HashSet::new();
    let superseded = superseded(view, |read| match read.span {
        Span::All => !whole.insert(read.path.clone()),
        Span::Lines(..) | Span::Tail(_) | Span::Unknown => false,
    });
    replace(view, &superseded, last_request(view) >= request_max, REMOVED)
}

/// The SDK's rule.
pub fn sdk(view: &PolicyView<'_>) -> Vec<(EntryIndex, Shape)> {
    sdk_in_batches(view, BATCH_BYTES)
}

/// The SDK's rule with batches of so many bytes.
pub fn sdk_in_batches(view: &PolicyView<'_>, batch_bytes: usize) -> Vec<(EntryIndex, Shape)> {
    let mut whole = HashSet::new();
    let mut ranges: HashMap<String, Vec<Span>> = HashMap::new();
    let superseded = superseded(view, |read| {
        let later = ranges.entry(read.path.clone()).or_default();
        let covered = whole.contains(&read.path) || later.contains(&read.span);
        later.push(read.span);
        if read.span == Span::All {
            whole.insert(read.path.clone());
        }
        covered
    });
    let pending = superseded.iter().filter(|index| view.replaced(**index).is_none());
    let bytes: usize = pending.map(|index| view.content(*index).len()).sum();
    replace(view, &superseded, bytes >= batch_bytes, OUTDATED)
}

/// Reads that a later one supersedes, latest first; `covered` is asked about each read from
/// the latest on.
fn superseded(
    view: &PolicyView<'_>,
    mut covered: impl FnMut(&ReadTarget) -> bool,
) -> Vec<EntryIndex> {
    let reads = view.results().rev();
    reads.filter(|index| view.read(*index).is_some_and(&mut covered)).collect()
}

/// Replaces what was replaced before, and everything if it is `due`. Where the client went
/// back to before the later read, the earlier one is itself the latest again and returns.
fn replace(
    view: &PolicyView<'_>,
    superseded: &[EntryIndex],
    due: bool,
    text: &str,
) -> Vec<(EntryIndex, Shape)> {
    let replace = |index: &EntryIndex| match view.replaced(*index) {
        Some(shape) => Some((*index, shape.clone())),
        None if due => Some(view.stand_in(*index, RULE, text.to_owned(), None)),
        None => None,
    };
    superseded.iter().filter_map(replace).collect()
}

/// Tokens of the request before this one and its response.
fn last_request(view: &PolicyView<'_>) -> Tokens {
    let answered = |index: &EntryIndex| view.record.entry(*index).role == Role::Assistant;
    let end = view.window.iter().rposition(answered).map_or(0, |last| last + 1);
    view.window[..end].iter().map(|index| view.before[index.at()].tokens).sum()
}
