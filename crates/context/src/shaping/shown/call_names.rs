//! Which of several calls of one name a note means.

use foveal_transcript::EntryIndex;

use crate::ledger::Ledger;
use crate::note::NoteKind;
use crate::record::Record;

/// A call by its name, counted from the end of the prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::shaping) struct CallName {
    label: Box<str>,
    /// Whether the lines stand in its arguments.
    is_own: bool,
    /// Its place among those of this name, the last one 1; `None`: there is no other.
    from_end: Option<u32>,
}

impl CallName {
    /// The call that a result answers.
    pub(in crate::shaping) fn of_result(
        (record, ledger): (&Record, &Ledger),
        entry: EntryIndex,
    ) -> Self {
        let label = record.facts(entry).label();
        let entries = ledger.entries();
        let alike = entries.filter(|other| {
            record.entry(*other).result().is_some() && record.facts(*other).label() == label
        });
        let from_end = from_end(alike.map(|other| (other, 0)), (entry, 0));
        Self { label: label.into(), is_own: false, from_end }
    }

    /// A call of a response.
    pub(super) fn of_response(
        (record, ledger): (&Record, &Ledger),
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
        let from_end = from_end(calls, (entry, call));
        Some(Self { label: label.as_str().into(), is_own: true, from_end })
    }

    /// The note on lines that stand there.
    pub(super) fn same_lines(&self) -> NoteKind {
        let Self { label, is_own, from_end } = self.clone();
        NoteKind::SameLines { call: label, is_own, from_end }
    }

    /// The note on a result that is the same.
    pub(in crate::shaping) fn same_result(&self) -> NoteKind {
        NoteKind::SameResult { call: self.label.clone(), from_end: self.from_end }
    }
}

/// The place of `wanted` in `all`, which are ascending, counted from the end; `None` if it is alone.
fn from_end<T: Ord + Copy>(all: impl Iterator<Item = T>, wanted: T) -> Option<u32> {
    let (mut count, mut behind) = (0u32, 0u32);
    for one in all {
        count += 1;
        behind += u32::from(one > wanted);
    }
    (count > 1).then_some(behind + 1)
}
