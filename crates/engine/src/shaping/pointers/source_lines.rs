//! Properties of visible lines: their file, and whether a pointer may lead to them.

use crate::conversation_record::ConversationRecord;
use crate::ledger::LinePosition;
use foveal_tool_effects::EffectKind;

/// Returns whether two recorded paths name one file: they are equal, or one is the end of the
/// other.
pub(super) fn is_same_file(one: &str, other: &str) -> bool {
    let ends = |long: &str, short: &str| {
        long.strip_suffix(short.trim_start_matches("./")).is_some_and(|rest| rest.ends_with('/'))
    };
    one == other || ends(one, other) || ends(other, one)
}

/// Returns whether a result is a list of hits or paths.
pub(super) fn is_search_or_list(kind: EffectKind) -> bool {
    matches!(kind, EffectKind::Search | EffectKind::List)
}

/// Returns whether a line is a search hit or has a path or number of one before it: no place for a
/// pointer from a file's line.
pub(super) fn is_among_hits(record: &ConversationRecord, place: LinePosition) -> bool {
    let facts = record.facts(place.entry);
    let reads = matches!(facts.kind(), EffectKind::Read | EffectKind::Edit | EffectKind::Write);
    let line = facts.printed.lines.get(place.line as usize);
    is_search_or_list(facts.kind()) || (!reads && line.is_some_and(|line| line.text != line.whole))
}
