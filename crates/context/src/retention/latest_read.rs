//! Baselines `cline-latest-read` and `cline-sdk-latest-read`: of several reads of a file
//! only the latest stays.
//!
//! Sources, both in <https://github.com/cline/cline>. The VS Code extension
//! (`src/core/context/context-management/ContextManager.ts`) does so only when the request
//! before used what its window leaves, 160,000 of 200,000 tokens; its reads are of whole
//! files, so that reads of a range are left alone here. The SDK (`message-builder.ts`) holds
//! a read superseded by a later one of the same range or of the whole file, and replaces
//! all superseded ones once they make 64 KiB. The extension's truncation of half the
//! conversation, where this frees too little, and its notes in messages are not built.

use std::collections::{HashMap, HashSet};

use crate::effects::{ReadTarget, Span};
use crate::shape::Shape;
use crate::tokens::Tokens;
use crate::transcript::{EntryIndex, Role};

use super::View;

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
pub fn extension(view: &View<'_>) -> Vec<(EntryIndex, Shape)> {
    extension_above(view, REQUEST_MAX)
}

/// The extension's rule for a model whose largest request is `request_max`.
pub fn extension_above(view: &View<'_>, request_max: Tokens) -> Vec<(EntryIndex, Shape)> {
    let mut shapes = standing(view);
    if last_request(view) < request_max {
        return shapes;
    }
    let superseded = superseded(view, |read| match read.span {
        Span::All => Some(read.path.clone()),
        Span::Lines(..) | Span::Tail(_) | Span::Unknown => None,
    });
    for (index, by) in superseded {
        shapes.push(view.stand_in(index, RULE, REMOVED.to_owned(), Some(by)));
    }
    shapes
}

/// The SDK's rule.
pub fn sdk(view: &View<'_>) -> Vec<(EntryIndex, Shape)> {
    sdk_in_batches(view, BATCH_BYTES)
}

/// The SDK's rule with batches of so many bytes.
pub fn sdk_in_batches(view: &View<'_>, batch_bytes: usize) -> Vec<(EntryIndex, Shape)> {
    let mut shapes = standing(view);
    let by_range = superseded(view, |read| Some((read.path.clone(), span_key(read.span))));
    let by_whole_file = covered_by_later_whole_read(view);
    let ranges: HashSet<_> = by_range.iter().map(|(index, _)| *index).collect();
    let others = by_whole_file.into_iter().filter(|(index, _)| !ranges.contains(index));
    let all: Vec<_> = by_range.iter().copied().chain(others).collect();
    let bytes: usize = all.iter().map(|(index, _)| view.content(*index).len()).sum();
    if bytes >= batch_bytes {
        for (index, by) in all {
            shapes.push(view.stand_in(index, RULE, OUTDATED.to_owned(), Some(by)));
        }
    }
    shapes
}

/// What was replaced and whose latest read is still in the prompt: going back in the
/// conversation takes replacements back, as Cline's checkpoints do.
fn standing(view: &View<'_>) -> Vec<(EntryIndex, Shape)> {
    let mut shapes = view.all_replaced();
    shapes.retain(|(_, shape)| {
        shape.refers_to.iter().all(|target| view.window.binary_search(target).is_ok())
    });
    shapes
}

/// Reads not replaced yet that a later one with the same key supersedes, with that one.
fn superseded<K: std::hash::Hash + Eq>(
    view: &View<'_>,
    key: impl Fn(&ReadTarget) -> Option<K>,
) -> Vec<(EntryIndex, EntryIndex)> {
    let mut latest: HashMap<K, EntryIndex> = HashMap::new();
    let mut found = Vec::new();
    for index in view.results().rev() {
        let Some(key) = view.read(index).and_then(&key) else { continue };
        match latest.get(&key) {
            Some(by) if view.replaced(index).is_none() => found.push((index, *by)),
            Some(_) => {}
            None => {
                latest.insert(key, index);
            }
        }
    }
    found
}

/// Reads not replaced yet that a later read of the whole file covers, with that one.
fn covered_by_later_whole_read(view: &View<'_>) -> Vec<(EntryIndex, EntryIndex)> {
    let mut whole: HashMap<&str, EntryIndex> = HashMap::new();
    let mut found = Vec::new();
    for index in view.results().rev() {
        let Some(read) = view.read(index) else { continue };
        match whole.get(read.path.as_str()) {
            Some(by) if view.replaced(index).is_none() => found.push((index, *by)),
            Some(_) => {}
            None if read.span == Span::All => {
                whole.insert(&read.path, index);
            }
            None => {}
        }
    }
    found
}

/// A span as something to look up by.
fn span_key(span: Span) -> (u8, u32, u32) {
    match span {
        Span::All => (0, 0, 0),
        Span::Lines(first, last) => (1, first.0, last.map_or(0, |last| last.0)),
        Span::Tail(count) => (2, count, 0),
        Span::Unknown => (3, 0, 0),
    }
}

/// Tokens of the request before this one and its response.
fn last_request(view: &View<'_>) -> Tokens {
    let answered = |index: &EntryIndex| view.conversation.entry(*index).role == Role::Assistant;
    let end = view.window.iter().rposition(answered).map_or(0, |last| last + 1);
    view.window[..end].iter().map(|index| view.before[index.at()].tokens).sum()
}
