//! The oracle: perfect hindsight, the limit of what shaping on arrival can reach.
//!
//! It knows the whole conversation. Of each result it keeps the lines that a later edit uses
//! and, for each identifier and path that is used later, one line that holds it, where no
//! message and no line already kept shows them then. A short note with the handle stands
//! for the rest. Nothing used is missing and nothing sent is ever changed; what any other
//! rule for arriving results sends beyond this is never used.

use std::collections::{BTreeSet, HashMap};

use foveal_context::note::{Note, NoteKind};
use foveal_context::projector::Projector;
use foveal_context::retention::fixed::Fixed;
use foveal_context::shape::{Piece, Shape, ShapeKind};
use foveal_transcript::Handle;
use foveal_transcript::{EntryIndex, Role, Window, WindowChange};

use crate::run::Prepared;
use crate::scan::Scan;
use crate::visible::Visible;

/// The oracle for one conversation, to be replayed as any profile.
pub fn oracle(prepared: &Prepared) -> Projector {
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
        let lines = prepared.evidence(answer).iter().filter(|line| !spoken.has_line(**line));
        for line in lines {
            search.need(window.entries(), Use::Line(*line));
        }
        for reference in prepared.references(answer) {
            if !spoken.has_reference(*reference) {
                search.need(window.entries(), Use::Reference(*reference));
            }
        }
    }
    let shapes = search.shapes();
    Projector::Fixed(Fixed::new(&prepared.record, &shapes))
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
    /// Its lines, from 0.
    lines: BTreeSet<u32>,
    /// What stands on them.
    shown: Visible,
}

impl KeptResult {
    fn shows(&self, wanted: Use) -> bool {
        match wanted {
            Use::Line(line) => self.shown.has_line(line),
            Use::Reference(reference) => self.shown.has_reference(reference),
        }
    }
}

impl<'a> Search<'a> {
    fn new(prepared: &'a Prepared) -> Self {
        Self { prepared, places: HashMap::new(), kept: HashMap::new() }
    }

    /// Keeps a line that shows `wanted`, unless one in the prompt is kept already. The latest
    /// result that has it is the one that is carried for the shortest time.
    fn need(&mut self, window: &[EntryIndex], wanted: Use) {
        let holders = || {
            let results = window.iter().rev().filter(|index| {
                self.prepared.record.entry(**index).role == Role::Tool
                    && holds(self.prepared.scan(**index), wanted)
            });
            results.copied()
        };
        let is_kept = |index| self.kept.get(&index).is_some_and(|kept| kept.shows(wanted));
        if holders().any(is_kept) {
            return;
        }
        let Some(index) = holders().next() else { return };
        let content = self.content(index);
        let places = self.places.entry(index).or_insert_with(|| places(content));
        let at = places.get(&wanted).expect("the lines of a text hold what the text holds");
        let kept = self.kept.entry(index).or_default();
        let line = content.split('\n').nth(*at as usize).expect("places are lines of the text");
        if kept.lines.insert(*at) {
            kept.shown.add(&Scan::of(&[line]));
        }
    }

    fn content(&self, index: EntryIndex) -> &'a str {
        let result = self.prepared.record.entry(index).result();
        result.map_or("", |result| &result.content)
    }

    /// The shape of every result.
    fn shapes(&self) -> Vec<(EntryIndex, Shape)> {
        let none = BTreeSet::new();
        (0u32..)
            .zip(self.prepared.record.entries())
            .filter(|(_, entry)| entry.role == Role::Tool)
            .map(|(at, _)| {
                let lines = self.kept.get(&EntryIndex(at)).map_or(&none, |kept| &kept.lines);
                (EntryIndex(at), shape(self.content(EntryIndex(at)), lines))
            })
            .collect()
    }
}

fn holds(scan: &Scan, wanted: Use) -> bool {
    match wanted {
        Use::Line(line) => scan.lines.binary_search(&line).is_ok(),
        Use::Reference(reference) => scan.references.binary_search(&reference).is_ok(),
    }
}

/// The first line of `content` that shows each of its lines and references.
fn places(content: &str) -> HashMap<Use, u32> {
    let mut places = HashMap::new();
    for (at, line) in (0u32..).zip(content.split('\n')) {
        let scan = Scan::of(&[line]);
        let lines = scan.lines.into_iter().map(Use::Line);
        for found in lines.chain(scan.references.into_iter().map(Use::Reference)) {
            places.entry(found).or_insert(at);
        }
    }
    places
}

/// The kept lines with their line breaks, then the note.
fn shape(content: &str, kept: &BTreeSet<u32>) -> Shape {
    let handle = Handle::of(content.as_bytes());
    let mut pieces: Vec<Piece> = Vec::new();
    let mut start = 0u32;
    for (at, line) in (0u32..).zip(content.split_inclusive('\n')) {
        let end = start + line.len() as u32;
        if kept.contains(&at) {
            match pieces.last_mut() {
                Some(Piece::Keep(last)) if last.end == start => last.end = end,
                _ => pieces.push(Piece::Keep(start..end)),
            }
        }
        start = end;
    }
    let open_line = match pieces.last() {
        Some(Piece::Keep(last)) => !content[..last.end as usize].ends_with('\n'),
        Some(Piece::Break | Piece::Note(..)) | None => false,
    };
    pieces.extend(open_line.then_some(Piece::Break));
    let note = Note { handle: Some(handle), ..Note::new(NoteKind::Behind) };
    pieces.push(Piece::Note(content.len() as u32, note.into()));
    Shape {
        kind: if kept.is_empty() { ShapeKind::Note } else { ShapeKind::Excerpt },
        rule: "oracle".to_owned(),
        pieces,
        handle,
    }
}

#[cfg(test)]
mod tests;
