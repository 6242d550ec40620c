use super::*;

fn lines(texts: &[u32]) -> impl Iterator<Item = (u32, LineId)> {
    (0u32..).zip(texts.iter().copied().map(LineId))
}

fn place(entry: u32, line: u32) -> Place {
    Place { entry: EntryIndex(entry), line }
}

#[test]
fn what_is_forgotten_is_not_found() {
    let [a, b, c] = [0, 1, 2];
    let mut ledger = Ledger::default();
    ledger.show(EntryIndex(1), lines(&[a, b]), None);
    ledger.show(EntryIndex(4), lines(&[b, c]), Some(LineHash::of("b\nc")));
    assert_eq!(ledger.places(LineId(b)).collect::<Vec<_>>(), [place(4, 0), place(1, 1)]);
    let blocks: Vec<_> = ledger.blocks(LineId(b)).map(|b| b.lines().count()).collect();
    assert_eq!(blocks, [2, 1]);
    assert!(ledger.sees(place(4, 1)));
    ledger.forget_all_but(&[EntryIndex(1), EntryIndex(3)]);
    assert_eq!(ledger.places(LineId(b)).collect::<Vec<_>>(), [place(1, 1)]);
    assert_eq!(ledger.places(LineId(c)).count(), 0);
    assert_eq!(ledger.whole(LineHash::of("b\nc")), []);
    assert!(!ledger.sees(place(4, 1)));
    assert_eq!(ledger.lines_visible(), 2);
}
