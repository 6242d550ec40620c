use super::*;

fn lines(texts: &[u32]) -> impl Iterator<Item = (u32, LineId)> {
    (0u32..).zip(texts.iter().copied().map(LineId))
}

fn place(entry: u32, line: u32) -> LinePosition {
    LinePosition { entry: EntryIndex(entry), line }
}

#[test]
fn what_is_forgotten_is_not_found() {
    let [a, b, c] = [0, 1, 2];
    let mut ledger = Ledger::default();
    ledger.push_entry(EntryIndex(1), lines(&[a, b]), None);
    ledger.push_entry(EntryIndex(4), lines(&[b, c]), Some(LineHash::from_text("b\nc")));
    assert_eq!(ledger.positions(LineId(b)).collect::<Vec<_>>(), [place(4, 0), place(1, 1)]);
    let blocks: Vec<_> = ledger.blocks(LineId(b)).map(|b| b.lines().count()).collect();
    assert_eq!(blocks, [2, 1]);
    assert!(ledger.is_visible(place(4, 1)));
    ledger.retain_prefix(&[EntryIndex(1), EntryIndex(3)]);
    assert_eq!(ledger.positions(LineId(b)).collect::<Vec<_>>(), [place(1, 1)]);
    assert_eq!(ledger.positions(LineId(c)).count(), 0);
    assert_eq!(ledger.entries_with_content(LineHash::from_text("b\nc")), []);
    assert!(!ledger.is_visible(place(4, 1)));
    assert_eq!(ledger.visible_line_count(), 2);
}
