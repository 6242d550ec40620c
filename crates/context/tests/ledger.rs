//! The ledger beside a naive one: a plain list of what was shown and not forgotten.

use foveal_context::ledger::{Ledger, Place};
use foveal_context::observed::LineHash;
use foveal_context::transcript::EntryIndex;
use proptest::prelude::*;

/// Different texts; few, so that lines repeat.
const TEXTS: u64 = 6;

/// Places of one text that the ledger promises to remember.
const PLACES_MAX: usize = 12;

#[derive(Debug, Clone)]
enum Operation {
    /// The next entry shows these lines (number, text); whole, if so.
    Show(Vec<Option<u64>>, bool),
    /// Entries before this many stay.
    Keep(u32),
    /// Entries at whose number divided by 3 this remains are forgotten.
    Forget(u32),
}

fn operation() -> impl Strategy<Value = Operation> {
    let line = prop_oneof![3 => (0..TEXTS).prop_map(Some), 1 => Just(None)];
    prop_oneof![
        8 => (prop::collection::vec(line, 0..8), any::<bool>())
            .prop_map(|(lines, whole)| Operation::Show(lines, whole)),
        1 => (0..30u32).prop_map(Operation::Keep),
        1 => (0..3u32).prop_map(Operation::Forget),
    ]
}

fn hash(text: u64) -> LineHash {
    LineHash::of(&text.to_string())
}

fn whole_of(lines: &[Option<u64>]) -> LineHash {
    LineHash::of(&format!("{lines:?}"))
}

#[derive(Default)]
struct Model {
    /// Every line ever shown and not forgotten, in order.
    lines: Vec<(Place, u64)>,
    /// The same, but of each text only the latest places at the time of showing.
    remembered: Vec<(Place, u64)>,
    whole: Vec<(EntryIndex, LineHash)>,
    all_whole: Vec<LineHash>,
}

impl Model {
    fn show(&mut self, place: Place, text: u64) {
        self.lines.push((place, text));
        if self.remembered.iter().filter(|(_, t)| *t == text).count() == PLACES_MAX {
            let oldest = self.remembered.iter().position(|(_, t)| *t == text);
            self.remembered.remove(oldest.expect("there are as many as are remembered"));
        }
        self.remembered.push((place, text));
    }
}

fn agree(ledger: &Ledger, model: &Model, entries: u32) {
    assert_eq!(ledger.lines_visible(), model.lines.len());
    for text in 0..TEXTS {
        let mine = model.remembered.iter().filter(|(_, t)| *t == text);
        let mine: Vec<Place> = mine.map(|(place, _)| *place).collect();
        assert_eq!(ledger.places(hash(text)), mine);
    }
    for entry in 0..entries {
        for line in 0..8 {
            let place = Place { entry: EntryIndex(entry), line };
            let mine = model.lines.iter().any(|(shown, _)| *shown == place);
            assert_eq!(ledger.sees(place), mine, "{place:?}");
        }
    }
    for hash in &model.all_whole {
        let mine = model.whole.iter().filter(|(_, whole)| whole == hash);
        let mine: Vec<EntryIndex> = mine.map(|(entry, _)| *entry).collect();
        assert_eq!(ledger.whole(*hash), mine);
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
        for operation in &operations {
            let stays: Box<dyn Fn(EntryIndex) -> bool> = match operation {
                Operation::Show(lines, whole) => {
                    let entry = EntryIndex(entries);
                    entries += 1;
                    let shown = (0u32..).zip(lines).filter_map(|(at, text)| Some((at, (*text)?)));
                    let shown: Vec<_> = shown.collect();
                    let hashes = shown.iter().map(|(at, text)| (*at, hash(*text))).collect();
                    let whole = whole.then(|| whole_of(lines));
                    ledger.show(entry, hashes, whole);
                    for (line, text) in shown {
                        model.show(Place { entry, line }, text);
                    }
                    model.whole.extend(whole.map(|whole| (entry, whole)));
                    model.all_whole.extend(whole);
                    Box::new(|_| true)
                }
                Operation::Keep(count) => Box::new(|entry| entry.0 < *count),
                Operation::Forget(rest) => Box::new(|entry| entry.0 % 3 != *rest),
            };
            ledger.retain(&stays);
            model.lines.retain(|(place, _)| stays(place.entry));
            model.remembered.retain(|(place, _)| stays(place.entry));
            model.whole.retain(|(entry, _)| stays(*entry));
            agree(&ledger, &model, entries);
        }
    }
}
