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
            search.add(index);
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
    /// The results that show what any answer uses, the latest last.
    holders: HashMap<Use, Vec<EntryIndex>>,
    /// The lines kept so far that show it, the latest kept last.
    shown: HashMap<Use, Vec<(EntryIndex, u32)>>,
    /// Where each result first shows what; filled when a result is first needed.
    places: HashMap<EntryIndex, HashMap<Use, u32>>,
    /// The lines kept of each result, from 0, with the last response that uses them.
    kept: HashMap<EntryIndex, BTreeMap<u32, EntryIndex>>,
}

impl<'a> Search<'a> {
    fn new(prepared: &'a Prepared) -> Self {
        let mut holders: HashMap<Use, Vec<EntryIndex>> = HashMap::new();
        for answer in prepared.record.conversation().responses() {
            let lines = prepared.evidence(answer).iter().map(|line| Use::Line(*line));
            let references = prepared.references(answer).iter();
            for used in lines.chain(references.map(|reference| Use::Reference(*reference))) {
                holders.entry(used).or_default();
            }
        }
        let (shown, places, kept) = (HashMap::new(), HashMap::new(), HashMap::new());
        Self { prepared, holders, shown, places, kept }
    }

    /// Takes the next entry of the conversation.
    fn add(&mut self, index: EntryIndex) {
        if self.prepared.record.entry(index).role == Role::Tool {
            for shown in uses_of(self.prepared.scan(index)) {
                if let Some(holders) = self.holders.get_mut(&shown) {
                    holders.push(index);
                }
            }
        }
    }

    /// Keeps a line that shows `wanted`, unless one in the prompt is kept already, until `answer`.
    /// The latest result that has it is the one that is carried for the shortest time.
    fn need(&mut self, window: &[EntryIndex], wanted: Use, answer: EntryIndex) {
        let is_there = |index: &EntryIndex| window.binary_search(index).is_ok();
        if let Some((index, at)) = last_there(self.shown.get_mut(&wanted), |one| is_there(&one.0)) {
            self.kept.entry(index).or_default().insert(at, answer);
            return;
        }
        let Some(index) = last_there(self.holders.get_mut(&wanted), is_there) else { return };
        let content = content(self.prepared, index);
        let places = self.places.entry(index).or_insert_with(|| places(content));
        let at = *places.get(&wanted).expect("the lines of a text hold what the text holds");
        let line = content.split('\n').nth(at as usize).expect("places are lines of the text");
        self.kept.entry(index).or_default().insert(at, answer);
        for shown in uses_of(&Scan::of(&[line])) {
            self.shown.entry(shown).or_default().push((index, at));
        }
    }

    fn finish(mut self) -> Vec<Kept> {
        let mut all = Vec::new();
        for (at, entry) in (0u32..).zip(self.prepared.record.entries()) {
            if entry.role == Role::Tool {
                let index = EntryIndex(at);
                all.push(Kept { index, lines: self.kept.remove(&index).unwrap_or_default() });
            }
        }
        all
    }
}

/// The last of a list that is in the prompt. What has left it does not come back.
fn last_there<T: Copy>(list: Option<&mut Vec<T>>, is_there: impl Fn(&T) -> bool) -> Option<T> {
    let list = list?;
    while list.last().is_some_and(|last| !is_there(last)) {
        list.pop();
    }
    list.last().copied()
}

/// What a text shows.
fn uses_of(scan: &Scan) -> impl Iterator<Item = Use> + '_ {
    let lines = scan.lines.iter().map(|line| Use::Line(*line));
    lines.chain(scan.references.iter().map(|reference| Use::Reference(*reference)))
}

/// The first line of `content` that shows each of its lines and references.
fn places(content: &str) -> HashMap<Use, u32> {
    let mut places = HashMap::new();
    for (at, line) in (0u32..).zip(content.split('\n')) {
        for found in uses_of(&Scan::of(&[line])) {
            places.entry(found).or_insert(at);
        }
    }
    places
}
