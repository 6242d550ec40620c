//! The timeline: the content of files at any turn, as far as the conversation shows it.
//!
//! A file's state is replayed from the content that tools showed and the changes that calls made.
//! Other programs may change files unseen; a later read that disagrees lowers the confidence in all
//! lines that it does not show.

mod changelog;
mod definitions;
mod events;
mod file_state;
mod known_content;
mod read_files_result;

use std::collections::HashMap;

pub use changelog::{ChangeNote, build_changelog};
pub use file_state::{FileState, StateConfidence};

use events::{FileEvent, FileEventKind, collect_events};
use foveal_tool_effects::{WriteChange, path};
use foveal_transcript::Conversation;
use known_content::KnownContent;

/// The files of one conversation over its turns.
#[derive(Debug, Clone, Default)]
pub struct Timeline {
    /// Events by path, in order.
    files: HashMap<String, Vec<FileEvent>>,
    directory: Option<String>,
}

impl Timeline {
    /// Builds the timeline of `conversation`. Changes by sub-agents are not included, since these
    /// have conversations of their own.
    pub fn from_conversation(conversation: &Conversation) -> Self {
        let mut files: HashMap<String, Vec<FileEvent>> = HashMap::new();
        let mut all = collect_events(conversation);
        unify_paths(&mut all);
        for event in all {
            if let Some(events) = files.get_mut(&event.path) {
                events.push(event);
            } else {
                files.insert(event.path.clone(), vec![event]);
            }
        }
        Self { files, directory: conversation.directory.clone() }
    }

    /// Returns all known paths, sorted.
    pub fn paths(&self) -> Vec<&str> {
        let mut paths: Vec<&str> = self.files.keys().map(String::as_str).collect();
        paths.sort_unstable();
        paths
    }

    /// Returns the state of the file at `path` after the results of the `turn`-th model response,
    /// counted from 1. The path may be relative to the working directory, or the end of one known
    /// path.
    pub fn file_state_at(&self, path: &str, turn: u32) -> FileState {
        let mut known = KnownContent::default();
        let events = self.events(path).iter().take_while(|event| event.turn <= turn);
        events.for_each(|event| event.kind.apply(&mut known));
        known.state()
    }

    fn events(&self, path: &str) -> &[FileEvent] {
        let resolved = path::resolve(path, self.directory.as_deref());
        let known = self.files.get(path).or_else(|| self.files.get(&resolved));
        if let Some(events) = known {
            return events;
        }
        let end = format!("/{}", path.trim_start_matches("./"));
        let mut matches = self.files.iter().filter(|(known, _)| known.ends_with(&end));
        match (matches.next(), matches.next()) {
            (Some((_, events)), None) => events,
            _ => &[],
        }
    }
}

/// Unifies the relative and the absolute path of a file where the working directory is not
/// recorded: a relative path that ends exactly one absolute one is replaced by it.
fn unify_paths(events: &mut [FileEvent]) {
    let absolute: std::collections::BTreeSet<String> = events
        .iter()
        .filter(|event| path::is_rooted(&event.path))
        .map(|event| event.path.clone())
        .collect();
    for event in events.iter_mut().filter(|event| !path::is_rooted(&event.path)) {
        let end = format!("/{}", event.path);
        let mut matches = absolute.iter().filter(|known| known.ends_with(&end));
        if let (Some(known), None) = (matches.next(), matches.next()) {
            event.path.clone_from(known);
        }
    }
}

impl FileEventKind {
    fn apply(&self, known: &mut KnownContent) {
        match self {
            FileEventKind::ShownText(text) => known.set_text(text),
            FileEventKind::ShownAll(lines) => known.set_lines(lines),
            FileEventKind::Shown(lines) => known.set_numbered_lines(lines),
            FileEventKind::Changed(change) => known.apply(change),
            FileEventKind::MayHaveChanged => known.apply(&WriteChange::Unknown),
        }
    }
}

#[cfg(test)]
mod tests;
