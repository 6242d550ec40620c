//! What is needed of which result, and for how long.

use std::collections::{BTreeMap, HashMap};

use foveal_transcript::{EntryIndex, Role, Window, WindowChange};

use super::lines::{Kept, content};
use crate::run::Prepared;
use crate::scan::Scan;
use crate::visible::Visible;

/// What is kept of every result, in order.
pub(super) fn kept(prepared: &Prepared) -> Vec<Kept> {
    let mut search = Search::new(prepared);
    let mut window = Window::default();
    let mut next = 0;
    let mut spoken = Visible::default();
    for answer in prepared.record.conversation().responses() {
        while next < answer.0 {
            let change = window.push(prepared.record.conversation());
            let index = EntryIndex(next);
            next += 1;
            if let WindowChange::Cut { .. } = change {
                spoken = Visible::default();
                window.entries().iter().for_each(|index| speak(prepared, *index, &mut spoken));
            } else if window.entries().last() == Some(&index) {
                speak(prepared, index, &mut spoken);
            }
        }
        for line in prepared.evidence(answer) {
            if !spoken.has_line(*line) {
                search.need(window.entries(), Use::Line(*line), answer);
            }
        }
        for reference in prepared.references(answer) {
            if !spoken.has_reference(*reference) {
                search.need(window.entries(), Use::Reference(*reference), answer);
            }
        }
    }
    search.finish()
}

/// Adds what a message other than a tool result says.
fn speak(prepared: &Prepared, index: EntryIndex, spoken: &mut Visible) {
    match prepared.record.entry(index).role {
        Role::System | Role::User | Role::Assistant => spoken.add(prepared.scan(index)),
        Role::Tool => {}
    }
}

/// Something an answer uses, by its hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Use {
    Line(u64),
    Reference(u64),
}

/// What is kept of each result, as it is found to be needed.
struct Search<'a> {
    prepared: &'a Prepared,
    /// Where each result first shows what; filled when a result is first needed.
    places: HashMap<EntryIndex, HashMap<Use, u32>>,
    kept: HashMap<EntryIndex, KeptResult>,
}

/// What is kept of one result.
#[derive(Default)]
struct KeptResult {
    /// Its lines, from 0, with the last response that uses them.
    lines: BTreeMap<u32, EntryIndex>,
    /// What stands on them, and on which.
    shown: HashMap<Use, u32>,
}

impl<'a> Search<'a> {
    fn new(prepared: &'a Prepared) -> Self {
        Self { prepared, places: HashMap::new(), kept: HashMap::new() }
    }

    /// Keeps a line that shows `wanted`, unless one in the prompt is kept already, until `answer`.
    /// The latest result that has it is the one that is carried for the shortest time.
    fn need(&mut self, window: &[EntryIndex], wanted: Use, answer: EntryIndex) {
        let holds = |index: &&EntryIndex| {
            self.prepared.record.entry(**index).role == Role::Tool
                && holds(self.prepared.scan(**index), wanted)
        };
        let holders: Vec<EntryIndex> = window.iter().rev().filter(holds).copied().collect();
        let kept = holders.iter().find(|index| self.shows(**index, wanted));
        let Some(index) = kept.or(holders.first()).copied() else { return };
        let kept = self.kept.entry(index).or_default();
        if let Some(at) = kept.shown.get(&wanted) {
            kept.lines.insert(*at, answer);
            return;
        }
        let content = content(self.prepared, index);
        let places = self.places.entry(index).or_insert_with(|| places(content));
        let at = *places.get(&wanted).expect("the lines of a text hold what the text holds");
        let line = content.split('\n').nth(at as usize).expect("places are lines of the text");
        kept.lines.insert(at, answer);
        for shown in uses_of(line) {
            kept.shown.entry(shown).or_insert(at);
        }
    }

    /// Whether a kept line of a result shows it.
    fn shows(&self, index: EntryIndex, wanted: Use) -> bool {
        self.kept.get(&index).is_some_and(|kept| kept.shown.contains_key(&wanted))
    }

    fn finish(mut self) -> Vec<Kept> {
        let mut all = Vec::new();
        for (at, entry) in (0u32..).zip(self.prepared.record.entries()) {
            if entry.role == Role::Tool {
                let index = EntryIndex(at);
                let lines = self.kept.remove(&index).unwrap_or_default().lines;
                all.push(Kept { index, lines });
            }
        }
        all
    }
}

fn holds(scan: &Scan, wanted: Use) -> bool {
    match wanted {
        Use::Line(line) => scan.lines.binary_search(&line).is_ok(),
        Use::Reference(reference) => scan.references.binary_search(&reference).is_ok(),
    }
}

/// What a line shows.
fn uses_of(line: &str) -> impl Iterator<Item = Use> {
    let scan = Scan::of(&[line]);
    let lines = scan.lines.into_iter().map(Use::Line);
    lines.chain(scan.references.into_iter().map(Use::Reference))
}

/// The first line of `content` that shows each of its lines and references.
fn places(content: &str) -> HashMap<Use, u32> {
    let mut places = HashMap::new();
    for (at, line) in (0u32..).zip(content.split('\n')) {
        for found in uses_of(line) {
            places.entry(found).or_insert(at);
        }
    }
    places
}
