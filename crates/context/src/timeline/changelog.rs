//! Changelog: what changed when, in the model's words or, without them, from the edits.

use std::collections::HashMap;

use similar::{ChangeTag, TextDiff};

use super::definitions::definition_in;
use super::events::{Event, EventKind, events_of};
use super::known::Known;
use super::state::{Confidence, FileState};
use crate::note::{Note, NoteKind, ToldEdits};
use foveal_effects::{Change, Effect};
use foveal_secrets::without;
use foveal_transcript::Conversation;

/// Longest summary of one change, in characters.
const WHAT_CHARS_MAX: usize = 160;

/// Most names listed for one kind of change.
const NAMES_MAX: usize = 4;

/// One change of a file by one call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeNote {
    /// The model response that made it, from 1.
    pub turn: u32,
    /// The file.
    pub path: String,
    /// What was done: the stated intent in one line, or else what the edit did.
    pub what: String,
}

/// The changes that calls of `conversation` made, in order, one note for each call and file.
/// Edits that failed, or of which no result tells that they were carried out, are left out.
pub fn changelog(conversation: &Conversation) -> Vec<ChangeNote> {
    let mut notes = Vec::new();
    let mut known: HashMap<String, Known> = HashMap::new();
    let events = events_of(conversation);
    for group in events.chunk_by(|a, b| a.call == b.call && a.path == b.path) {
        let [first, ..] = group else { continue };
        let state = known.entry(first.path.clone()).or_default();
        let mut edit = Edit::default();
        for event in group {
            match &event.kind {
                EventKind::Changed(change) => edit.add(change, state),
                EventKind::MayHaveChanged
                | EventKind::Shown(_)
                | EventKind::ShownAll(_)
                | EventKind::ShownText(_) => {}
            }
            event.kind.apply(state);
        }
        if edit.changes > 0 {
            let what = stated(first).unwrap_or_else(|| edit.describe(first.command.as_deref()));
            notes.push(ChangeNote { turn: first.turn, path: first.path.clone(), what });
        }
    }
    notes
}

/// Most distinct summaries that a note on many edits lists.
const LISTED_MAX: usize = 12;

/// One note in place of many edits of `path`: each distinct summary with how often it occurs.
/// Summaries that are empty or too many are
/// counted. `None` for no notes; notes of other files are passed over.
pub fn fold_edits(path: &str, notes: &[ChangeNote]) -> Option<Note> {
    let mut edits = edits_of(path, notes)?;
    let counted = &mut edits.changes;
    for note in notes.iter().filter(|note| note.path == path) {
        match counted.iter().position(|(what, _)| **what == *note.what) {
            Some(at) => counted[at].1 += 1,
            None if counted.len() < LISTED_MAX && !note.what.is_empty() => {
                counted.push((note.what.as_str().into(), 1));
            }
            None => edits.more += 1,
        }
    }
    Some(note_of(path, edits))
}

/// The heading of [`fold_edits`]: how many edits there were, and when.
pub fn edits_heading(path: &str, notes: &[ChangeNote]) -> Option<Note> {
    Some(note_of(path, edits_of(path, notes)?))
}

fn note_of(path: &str, edits: ToldEdits) -> Note {
    Note { file: Some(path.into()), ..Note::new(NoteKind::Edits(Box::new(edits))) }
}

fn edits_of(path: &str, notes: &[ChangeNote]) -> Option<ToldEdits> {
    let notes: Vec<&ChangeNote> = notes.iter().filter(|note| note.path == path).collect();
    let turns = (notes.first()?.turn, notes.last()?.turn);
    Some(ToldEdits { count: notes.len() as u32, turns, changes: Vec::new(), more: 0 })
}

/// What a call did to one file, as far as it tells itself: the stated intent in one line, or
/// else what its changes of the file say.
pub fn summary(effect: &Effect, path: &str) -> String {
    let stated = effect.intent.as_deref().map(one_line).filter(|line| !line.is_empty());
    stated.unwrap_or_else(|| {
        let mut edit = Edit::default();
        for write in effect.writes.iter().filter(|write| write.path == path) {
            match &write.change {
                // Whether there was a file before, the call does not tell.
                Change::Content(text) => return format!("wrote {} lines", text.lines().count()),
                change => edit.add(change, &Known::default()),
            }
        }
        edit.describe(effect.command.as_deref())
    })
}

fn stated(event: &Event) -> Option<String> {
    let intent = event.intent.as_deref()?;
    let line = one_line(intent);
    (!line.is_empty()).then_some(line)
}

/// The text in one line, cut at [`WHAT_CHARS_MAX`]. It stands in notes that are stored: secrets
/// are removed first, since a part of one would not be recognised any more.
fn one_line(text: &str) -> String {
    let line = without(text).split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(WHAT_CHARS_MAX) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

/// What the changes of one call did to one file.
#[derive(Debug, Default)]
struct Edit {
    changes: usize,
    unknown: bool,
    removed_file: bool,
    created: bool,
    added: usize,
    removed: usize,
    defined: Vec<String>,
    undefined: Vec<String>,
}

impl Edit {
    /// Adds a change of a file that was `before`.
    fn add(&mut self, change: &Change, before: &Known) {
        self.changes += 1;
        match change {
            Change::Replace { old, new, .. } => self.compare(old, new),
            Change::Content(new) => {
                let before = before.state();
                self.created |= before.confidence == Confidence::Unknown || before.removed;
                self.compare(&known_text(&before), new);
            }
            Change::Lines { first, last, new } => {
                let lines = before.state().lines;
                let start = (first.0 as usize).saturating_sub(1).min(lines.len());
                let end = (last.0 as usize).clamp(start, lines.len());
                let old: String =
                    lines[start..end].iter().flatten().map(|l| format!("{l}\n")).collect();
                self.compare(&old, new);
            }
            Change::Insert { new, .. } | Change::Append(new) => self.compare("", new),
            Change::Remove => self.removed_file = true,
            Change::Unknown => self.unknown = true,
        }
    }

    fn compare(&mut self, old: &str, new: &str) {
        // A missing line break at the end is no change of the last line.
        let end = |text: &str| match text {
            "" => String::new(),
            text => format!("{}\n", text.strip_suffix('\n').unwrap_or(text)),
        };
        let (old, new) = (end(old), end(new));
        for change in TextDiff::from_lines(&old, &new).iter_all_changes() {
            let definition = || definition_in(change.value());
            match change.tag() {
                ChangeTag::Insert => {
                    self.added += 1;
                    self.defined.extend(definition());
                }
                ChangeTag::Delete => {
                    self.removed += 1;
                    self.undefined.extend(definition());
                }
                ChangeTag::Equal => {}
            }
        }
    }

    fn describe(&self, command: Option<&str>) -> String {
        let mut parts = Vec::new();
        if self.created {
            parts.push("new file".to_owned());
        }
        match (self.added, self.removed) {
            (0, 0) => {}
            (added, 0) => parts.push(format!("+{added} lines")),
            (0, removed) => parts.push(format!("−{removed} lines")),
            (added, removed) => parts.push(format!("+{added} −{removed} lines")),
        }
        let both = |name: &&String| self.undefined.contains(name);
        let adds: Vec<&String> = self.defined.iter().filter(|name| !both(name)).collect();
        let changes: Vec<&String> = self.defined.iter().filter(both).collect();
        let removes: Vec<&String> =
            self.undefined.iter().filter(|name| !self.defined.contains(name)).collect();
        for (verb, names) in [("adds", adds), ("changes", changes), ("removes", removes)] {
            parts.extend(list(verb, &names));
        }
        if self.removed_file {
            parts.push("removes the file".to_owned());
        }
        if self.unknown {
            let by = command.map(|command| format!(" by `{}`", one_line(command)));
            parts.push(format!("changed{}", by.unwrap_or_default()));
        }
        if parts.is_empty() { "no line changed".to_owned() } else { parts.join(", ") }
    }
}

fn list(verb: &str, names: &[&String]) -> Option<String> {
    let shown: Vec<&str> = names.iter().take(NAMES_MAX).map(|name| name.as_str()).collect();
    let more = match names.len().saturating_sub(NAMES_MAX) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    (!shown.is_empty()).then(|| format!("{verb} {}{more}", shown.join(", ")))
}

fn known_text(state: &FileState) -> String {
    state.lines.iter().flatten().map(|line| format!("{line}\n")).collect()
}
