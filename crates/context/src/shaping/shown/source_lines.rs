//! Which file a line of a result is of, and whether it is a place to send a reader to.

use crate::ledger::Place;
use crate::record::Record;
use foveal_effects::EffectKind;

/// Whether two recorded paths name one file: equal, or one is the end of the other.
pub(super) fn same_file(one: &str, other: &str) -> bool {
    let ends = |long: &str, short: &str| {
        long.strip_suffix(short.trim_start_matches("./")).is_some_and(|rest| rest.ends_with('/'))
    };
    one == other || ends(one, other) || ends(other, one)
}

/// Whether a result lists what was found.
pub(super) fn is_hits(kind: EffectKind) -> bool {
    matches!(kind, EffectKind::Search | EffectKind::List)
}

/// Whether a line stands among search hits, behind a path or a number of theirs: no place to
/// send the reader of a file to.
pub(super) fn is_among_hits(record: &Record, place: Place) -> bool {
    let facts = record.facts(place.entry);
    let reads = matches!(facts.kind(), EffectKind::Read | EffectKind::Edit | EffectKind::Write);
    let line = facts.printed.lines.get(place.line as usize);
    is_hits(facts.kind()) || (!reads && line.is_some_and(|line| line.text != line.whole))
}
