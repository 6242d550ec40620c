//! The ledger beside a naive one: a plain list of what was shown and not forgotten.

use foveal_engine::entry_facts::{LineHash, LineId};
use foveal_engine::ledger::{Ledger, LinePosition};
use foveal_transcript::EntryIndex;
use proptest::prelude::*;

/// Different texts; few, so that lines repeat.
const TEXTS: u32 = 6;

/// Places of one text that the ledger promises to remember.
const PLACES_MAX: usize = 12;

#[derive(Debug, Clone)]
enum Operation {
    /// The next entry shows these lines (number, text); whole, if so.
    Show(Vec<Option<u32>>, bool),
    /// Entries before this many stay.
    Keep(u32),
}

fn operation() -> impl Strategy<Value = Operation> {
    let line = prop_oneof![3 => (0..TEXTS).prop_map(Some), 1 => Just(None)];
    prop_oneof![
        8 => (prop::collection::vec(line, 0..8), any::<bool>())
            .prop_map(|(lines, whole)| Operation::Show(lines, whole)),
        1 => (0..30u32).prop_map(Operation::Keep),
    ]
}

fn whole_of(lines: &[Option<u32>]) -> LineHash {
    LineHash::from_text(&format!("{lines:?}"))
}

#[derive(Default)]
struct Model {
    /// Every line ever shown and not forgotten, in order.
    lines: Vec<(LinePosition, u32)>,
    /// The same, but of each text only the latest places at the time of showing.
    remembered: Vec<(LinePosition, u32)>,
    whole: Vec<(EntryIndex, LineHash)>,
    all_whole: Vec<LineHash>,
}

impl Model {
    fn show(&mut self, place: LinePosition, text: u32) {
        self.lines.push((place, text));
        if self.remembered.iter().filter(|(_, t)| *t == text).count() == PLACES_MAX {
            let oldest = self.remembered.iter().position(|(_, t)| *t == text);
            self.remembered.remove(oldest.expect("there are as many as are remembered"));
        }
        self.remembered.push((place, text));
    }

    /// The lines that are visible from `start` on without a gap.
    fn block(&self, start: LinePosition) -> Vec<(LinePosition, LineId)> {
        let numbered = self.lines.iter().skip_while(|(place, _)| *place != start).zip(start.line..);
        numbered
            .take_while(|((place, _), line)| *place == LinePosition { line: *line, ..start })
            .map(|((place, text), _)| (*place, LineId(*text)))
            .collect()
    }
}

fn agree(ledger: &Ledger, model: &Model, entries: u32) {
    assert_eq!(ledger.visible_line_count(), model.lines.len());
    for text in 0..TEXTS {
        let mine = model.remembered.iter().filter(|(_, t)| *t == text);
        let mine: Vec<LinePosition> = mine.rev().map(|(place, _)| *place).collect();
        assert_eq!(ledger.positions(LineId(text)).collect::<Vec<_>>(), mine);
        let blocks = mine.iter().map(|start| model.block(*start)).collect::<Vec<_>>();
        let theirs = ledger.blocks(LineId(text)).map(|block| block.lines().collect());
        assert_eq!(theirs.collect::<Vec<Vec<_>>>(), blocks);
    }
    for entry in 0..entries {
        for line in 0..8 {
            let place = LinePosition { entry: EntryIndex(entry), line };
            let mine = model.lines.iter().any(|(shown, _)| *shown == place);
            assert_eq!(ledger.is_visible(place), mine, "{place:?}");
        }
    }
    for hash in &model.all_whole {
        let mine = model.whole.iter().filter(|(_, whole)| whole == hash);
        let mine: Vec<EntryIndex> = mine.map(|(entry, _)| *entry).collect();
        assert_eq!(ledger.entries_with_content(*hash), mine);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..Default::default() })]

    #[test]
    fn the_ledger_is_what_was_shown_and_not_forgotten(
        operations in prop::collection::vec(operation(), 0..40)
    ) {
        let mut ledger = Ledger::default();
        let mut model = Model::default();
        let mut entries = 0;
        let mut prompt = Vec::new();
        for operation in &operations {
            match operation {
                Operation::Show(lines, whole) => {
                    let entry = EntryIndex(entries);
                    entries += 1;
                    prompt.push(entry);
                    let shown = (0u32..).zip(lines).filter_map(|(at, text)| Some((at, (*text)?)));
                    let shown: Vec<_> = shown.collect();
                    let ids = shown.iter().map(|(at, text)| (*at, LineId(*text)));
                    let whole = whole.then(|| whole_of(lines));
                    ledger.push_entry(entry, ids, whole);
                    for (line, text) in shown {
                        model.show(LinePosition { entry, line }, text);
                    }
                    model.whole.extend(whole.map(|whole| (entry, whole)));
                    model.all_whole.extend(whole);
                }
                Operation::Keep(count) => {
                    prompt.retain(|entry| entry.0 < *count);
                    ledger.retain_prefix(&prompt);
                    model.lines.retain(|(place, _)| place.entry.0 < *count);
                    model.remembered.retain(|(place, _)| place.entry.0 < *count);
                    model.whole.retain(|(entry, _)| entry.0 < *count);
                }
            }
            agree(&ledger, &model, entries);
        }
    }

    #[test]
    fn without_some_entries_it_is_as_if_they_had_never_been_shown(
        entries in prop::collection::vec((operation(), any::<bool>()), 0..20)
    ) {
        let mut ledger = Ledger::default();
        let mut model = Model::default();
        let mut hidden = Vec::new();
        for ((operation, is_hidden), entry) in entries.iter().zip(0u32..) {
            let Operation::Show(lines, whole) = operation else { continue };
            let index = EntryIndex(entry);
            let shown = (0u32..).zip(lines).filter_map(|(at, text)| Some((at, (*text)?)));
            let whole = whole.then(|| whole_of(lines));
            ledger.push_entry(index, shown.clone().map(|(at, text)| (at, LineId(text))), whole);
            model.all_whole.extend(whole);
            if *is_hidden {
                hidden.push(index);
                continue;
            }
            for (line, text) in shown {
                model.show(LinePosition { entry: index, line }, text);
            }
            model.whole.extend(whole.map(|whole| (index, whole)));
        }
        let rest = ledger.without_entries(&hidden);
        agree(&rest, &model, entries.len() as u32);
        prop_assert!(hidden.iter().all(|entry| !rest.entries().any(|other| other == *entry)));
    }
}
