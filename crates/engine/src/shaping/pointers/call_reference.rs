//! References to calls in notes, by name and position.

use foveal_transcript::EntryIndex;

use crate::conversation_record::ConversationRecord;
use crate::ledger::Ledger;
use crate::note::NoteKind;

/// A reference to a call: its name and position from the end of the prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::shaping) struct CallReference {
    label: Box<str>,
    /// Whether the lines are in the call's arguments.
    is_own: bool,
    /// The position among the calls of this name, counted from the last, which is 1; `None` if it
    /// is the only one.
    from_end: Option<u32>,
}

impl CallReference {
    /// Returns a reference to the call that a result answers.
    pub(in crate::shaping) fn from_result(
        record: &ConversationRecord,
        ledger: &Ledger,
        entry: EntryIndex,
    ) -> Self {
        let label = record.facts(entry).label();
        let entries = ledger.entries();
        let alike = entries.filter(|other| {
            record.entry(*other).tool_result().is_some() && record.facts(*other).label() == label
        });
        let from_end = position_from_end(alike.map(|other| (other, 0)), (entry, 0));
        Self { label: label.into(), is_own: false, from_end }
    }

    /// Returns a reference to a call of a response.
    pub(super) fn from_response(
        record: &ConversationRecord,
        ledger: &Ledger,
        entry: EntryIndex,
        call: u16,
    ) -> Option<Self> {
        let label = &record.facts(entry).calls.get(usize::from(call))?.label;
        let calls = ledger.entries().flat_map(|other| {
            let calls = record.facts(other).calls.iter();
            calls
                .zip(0..u16::MAX)
                .filter(|(call, _)| call.label == *label)
                .map(move |it| (other, it.1))
        });
        let from_end = position_from_end(calls, (entry, call));
        Some(Self { label: label.as_str().into(), is_own: true, from_end })
    }

    /// Returns the kind of a note on lines of the call.
    pub(super) fn same_lines_kind(&self) -> NoteKind {
        let Self { label, is_own, from_end } = self.clone();
        NoteKind::SameLines { call: label, is_own, from_end }
    }

    /// Returns the kind of a note on a result that equals the call's.
    pub(in crate::shaping) fn same_result_kind(&self) -> NoteKind {
        NoteKind::SameResult { call: self.label.clone(), from_end: self.from_end }
    }
}

/// Returns the position of `wanted` in `all`, which is ascending, counted from the end; `None` if
/// it is alone.
fn position_from_end<T: Ord + Copy>(all: impl Iterator<Item = T>, wanted: T) -> Option<u32> {
    let (mut count, mut behind) = (0u32, 0u32);
    for one in all {
        count += 1;
        behind += u32::from(one > wanted);
    }
    (count > 1).then_some(behind + 1)
}
