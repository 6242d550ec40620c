//! Timeline: what the files were at any turn, as far as the conversation tells.
//!
//! A file's state is replayed from what tools showed of it and what calls changed. Other
//! programs may change files unseen; a later read that disagrees lowers the confidence in
//! whatever it did not show.

mod changelog;
mod definitions;
mod events;
mod known;
mod state;

use std::collections::HashMap;

pub use changelog::{ChangeNote, changelog, edits_heading, fold_edits, summary};
pub use state::{Confidence, FileState};

use events::{Event, EventKind, events_of};
use foveal_effects::{Change, path};
use foveal_transcript::Conversation;
use known::Known;

/// The files of one conversation over its turns.
#[derive(Debug, Clone, Default)]
pub struct Timeline {
    /// Events by path, in order.
    files: HashMap<String, Vec<Event>>,
    directory: Option<String>,
}

impl Timeline {
    /// The timeline of `conversation`. Sub-agents are conversations of their own: what they
    /// did to files is not in it.
    pub fn of(conversation: &Conversation) -> Self {
        let mut files: HashMap<String, Vec<Event>> = HashMap::new();
        let mut all = events_of(conversation);
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

    /// The paths that anything is known of, sorted.
    pub fn paths(&self) -> Vec<&str> {
        let mut paths: Vec<&str> = self.files.keys().map(String::as_str).collect();
        paths.sort_unstable();
        paths
    }

    /// The file at `path` after the results of the `turn`-th model response, counted from 1.
    /// The path may be relative to the working directory, or the end of one known path.
    pub fn file_state_at(&self, path: &str, turn: u32) -> FileState {
        let mut known = Known::default();
        let events = self.events(path).iter().take_while(|event| event.turn <= turn);
        events.for_each(|event| event.kind.apply(&mut known));
        known.state()
    }

    fn events(&self, path: &str) -> &[Event] {
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

/// Where the working directory is not recorded, one file goes by a relative and an absolute
/// path: a relative path that ends exactly one absolute one is taken for it.
fn unify_paths(events: &mut [Event]) {
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

impl EventKind {
    fn apply(&self, known: &mut Known) {
        match self {
            EventKind::ShownText(text) => known.put(text),
            EventKind::ShownAll(lines) => known.show_all(lines),
            EventKind::Shown(lines) => known.show(lines),
            EventKind::Changed(change) => known.apply(change),
            EventKind::MayHaveChanged => known.apply(&Change::Unknown),
        }
    }
}

#[cfg(test)]
mod tests;
