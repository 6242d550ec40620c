//! The ledger: which lines of which entries the model can see in the projection right now.
//!
//! It is filled from what was really sent, line by line, and emptied by compaction,
//! rewinds and rewrites, so that a pointer is only ever made to what stands in the prompt.

use std::collections::HashMap;

use crate::observed::LineHash;
use crate::transcript::EntryIndex;

/// One visible line: an entry and the line's place in [`Facts::hashes`](crate::observed::Facts).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The entry.
    pub entry: EntryIndex,
    /// The line's place in it, from 0.
    pub line: u32,
}

/// Places remembered per line text; older ones are forgotten first. A line that stands in
/// more places (a brace, a blank line) is no landmark anyway.
const PLACES_PER_LINE_MAX: usize = 12;

/// What the model can see, for one conversation.
#[derive(Debug, Clone, Default)]
pub struct Ledger {
    places: HashMap<LineHash, Vec<Place>>,
    /// Visible lines of each entry, ascending by entry, as (line, hash).
    entries: Vec<(EntryIndex, Vec<(u32, LineHash)>)>,
    /// Entries sent byte for byte, by the hash of their content.
    whole: HashMap<LineHash, Vec<EntryIndex>>,
}

impl Ledger {
    /// Records that `lines` (ascending) of `entry` are visible. Entries come in order.
    /// `whole` is the hash of the content, if all of it is visible.
    pub fn show(
        &mut self,
        entry: EntryIndex,
        lines: Vec<(u32, LineHash)>,
        whole: Option<LineHash>,
    ) {
        for (line, hash) in &lines {
            let places = self.places.entry(*hash).or_default();
            if places.len() >= PLACES_PER_LINE_MAX {
                places.remove(0);
            }
            places.push(Place { entry, line: *line });
        }
        if let Some(hash) = whole {
            self.whole.entry(hash).or_default().push(entry);
        }
        self.entries.push((entry, lines));
    }

    /// Forgets every entry for which `keep` is false.
    pub fn retain(&mut self, keep: impl Fn(EntryIndex) -> bool) {
        let mut gone = Vec::new();
        self.entries.retain_mut(|(entry, lines)| {
            let kept = keep(*entry);
            if !kept {
                gone.append(lines);
            }
            kept
        });
        for (_, hash) in gone {
            if let Some(places) = self.places.get_mut(&hash) {
                places.retain(|place| keep(place.entry));
                if places.is_empty() {
                    self.places.remove(&hash);
                }
            }
        }
        self.whole.retain(|_, entries| {
            entries.retain(|entry| keep(*entry));
            !entries.is_empty()
        });
    }

    /// Where a line with this hash is visible, oldest first.
    pub fn places(&self, hash: LineHash) -> &[Place] {
        self.places.get(&hash).map_or(&[], Vec::as_slice)
    }

    /// Whether this very line of this entry is visible.
    pub fn sees(&self, place: Place) -> bool {
        let Ok(at) = self.entries.binary_search_by_key(&place.entry, |(entry, _)| *entry) else {
            return false;
        };
        self.entries[at].1.binary_search_by_key(&place.line, |(line, _)| *line).is_ok()
    }

    /// Entries whose whole content has this hash and is visible, oldest first.
    pub fn whole(&self, hash: LineHash) -> &[EntryIndex] {
        self.whole.get(&hash).map_or(&[], Vec::as_slice)
    }

    /// Lines visible in all.
    pub fn lines_visible(&self) -> usize {
        self.entries.iter().map(|(_, lines)| lines.len()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(texts: &[&str]) -> Vec<(u32, LineHash)> {
        (0u32..).zip(texts).map(|(at, text)| (at, LineHash::of(text))).collect()
    }

    #[test]
    fn what_is_forgotten_is_not_found() {
        let mut ledger = Ledger::default();
        ledger.show(EntryIndex(1), lines(&["a", "b"]), Some(LineHash::of("a\nb")));
        ledger.show(EntryIndex(4), lines(&["b", "c"]), None);
        let b = LineHash::of("b");
        assert_eq!(ledger.places(b).len(), 2);
        assert!(ledger.sees(Place { entry: EntryIndex(1), line: 1 }));
        ledger.retain(|entry| entry > EntryIndex(1));
        assert_eq!(ledger.places(b), [Place { entry: EntryIndex(4), line: 0 }]);
        assert_eq!(ledger.places(LineHash::of("a")), []);
        assert_eq!(ledger.whole(LineHash::of("a\nb")), []);
        assert!(!ledger.sees(Place { entry: EntryIndex(1), line: 1 }));
        assert_eq!(ledger.lines_visible(), 2);
    }
}
