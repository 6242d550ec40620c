//! The changelog: changes of files by call, with the model's stated intent or a summary of the
//! edits.

use std::collections::HashMap;

use similar::{ChangeTag, TextDiff};

use super::definitions::find_definition;
use super::events::{FileEvent, FileEventKind, collect_events};
use super::file_state::{FileState, StateConfidence};
use super::known_content::KnownContent;
use foveal_redaction::redact_text;
use foveal_screen::numbers::PlainCount;
use foveal_tool_effects::WriteChange;
use foveal_transcript::Conversation;

/// Longest summary of one change, in characters.
const SUMMARY_CHARS_MAX: usize = 160;

/// Most names listed for one kind of change.
const NAMES_MAX: usize = 4;

/// One change of a file by one call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeNote {
    /// The model response with the call, counted from 1.
    pub turn: u32,
    /// The file.
    pub path: String,
    /// The stated intent in one line, or else a summary of the edit.
    pub summary: String,
}

/// Returns the changes that calls of `conversation` made, in order, one note per call and file.
/// Edits that failed, or whose success no result confirms, are omitted.
pub fn build_changelog(conversation: &Conversation) -> Vec<ChangeNote> {
    let mut notes = Vec::new();
    let mut known: HashMap<String, KnownContent> = HashMap::new();
    let events = collect_events(conversation);
    for group in events.chunk_by(|a, b| a.call == b.call && a.path == b.path) {
        let [first, ..] = group else { continue };
        let state = known.entry(first.path.clone()).or_default();
        let mut edit = FileEditSummary::default();
        for event in group {
            match &event.kind {
                FileEventKind::Changed(change) => edit.add_change(change, state),
                FileEventKind::MayHaveChanged
                | FileEventKind::Shown(_)
                | FileEventKind::ShownAll(_)
                | FileEventKind::ShownText(_) => {}
            }
            event.kind.apply(state);
        }
        if edit.changes > 0 {
            let what =
                stated_intent(first).unwrap_or_else(|| edit.describe(first.command.as_deref()));
            notes.push(ChangeNote { turn: first.turn, path: first.path.clone(), summary: what });
        }
    }
    notes
}

fn stated_intent(event: &FileEvent) -> Option<String> {
    let intent = event.intent.as_deref()?;
    let line = summary_line(intent);
    (!line.is_empty()).then_some(line)
}

/// Returns the text in one line, cut at [`SUMMARY_CHARS_MAX`]. It stands in stored notes, so
/// secrets are redacted before the cut: a part of one would not be recognised.
fn summary_line(text: &str) -> String {
    let line = redact_text(text).split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(SUMMARY_CHARS_MAX) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

/// The changes of one call to one file.
#[derive(Debug, Default)]
struct FileEditSummary {
    changes: usize,
    unknown: bool,
    removed_file: bool,
    created: bool,
    added: usize,
    removed: usize,
    defined: Vec<String>,
    undefined: Vec<String>,
}

impl FileEditSummary {
    /// Adds a change to a file whose content was `before`.
    fn add_change(&mut self, change: &WriteChange, before: &KnownContent) {
        self.changes += 1;
        match change {
            WriteChange::Replace { old, new, .. } => self.add_diff(old, new),
            WriteChange::Content(new) => {
                let before = before.state();
                self.created |= before.confidence == StateConfidence::Unknown || before.removed;
                self.add_diff(&known_file_text(&before), new);
            }
            WriteChange::Lines { first, last, new } => {
                let lines = before.state().lines;
                let start = (first.0 as usize).saturating_sub(1).min(lines.len());
                let end = (last.0 as usize).clamp(start, lines.len());
                let old: String =
                    lines[start..end].iter().flatten().map(|l| format!("{l}\n")).collect();
                self.add_diff(&old, new);
            }
            WriteChange::Insert { new, .. } | WriteChange::Append(new) => self.add_diff("", new),
            WriteChange::Remove => self.removed_file = true,
            WriteChange::Unknown => self.unknown = true,
        }
    }

    fn add_diff(&mut self, old: &str, new: &str) {
        // A missing line break at the end is no change of the last line.
        let end = |text: &str| match text {
            "" => String::new(),
            text => format!("{}\n", text.strip_suffix('\n').unwrap_or(text)),
        };
        let (old, new) = (end(old), end(new));
        for change in TextDiff::from_lines(&old, &new).iter_all_changes() {
            let definition = || find_definition(change.value());
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
            (added, 0) => parts.push(format!("+{}", PlainCount::new(added, "line"))),
            (0, removed) => parts.push(format!("−{}", PlainCount::new(removed, "line"))),
            (added, removed) => {
                parts.push(format!("+{added} −{}", PlainCount::new(removed, "line")));
            }
        }
        let both = |name: &&String| self.undefined.contains(name);
        let adds: Vec<&String> = self.defined.iter().filter(|name| !both(name)).collect();
        let changes: Vec<&String> = self.defined.iter().filter(both).collect();
        let removes: Vec<&String> =
            self.undefined.iter().filter(|name| !self.defined.contains(name)).collect();
        for (verb, names) in [("adds", adds), ("changes", changes), ("removes", removes)] {
            parts.extend(list_names(verb, &names));
        }
        if self.removed_file {
            parts.push("removes the file".to_owned());
        }
        if self.unknown {
            let by = command.map(|command| format!(" by `{}`", summary_line(command)));
            parts.push(format!("changed{}", by.unwrap_or_default()));
        }
        if parts.is_empty() { "no line changed".to_owned() } else { parts.join(", ") }
    }
}

fn list_names(verb: &str, names: &[&String]) -> Option<String> {
    let shown: Vec<&str> = names.iter().take(NAMES_MAX).map(|name| name.as_str()).collect();
    let more = match names.len().saturating_sub(NAMES_MAX) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    (!shown.is_empty()).then(|| format!("{verb} {}{more}", shown.join(", ")))
}

fn known_file_text(state: &FileState) -> String {
    state.lines.iter().flatten().map(|line| format!("{line}\n")).collect()
}
