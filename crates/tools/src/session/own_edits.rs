//! What the model made of files with tools that are not ours, as a hook of its client notes it.
//!
//! Such an edit is the model's own: it knows the lines that it wrote, and nobody else changed
//! them. What a note says counts only while the file on disk is what the model left there, and
//! only from a version on that is known here. Anything else is as if others had changed the file.

use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use foveal_cancel::Cancel;
use foveal_files::Roots;
use foveal_files::edit::differing_lines;
use foveal_files::kind::{self, Content, ReadLimits};
use foveal_store::{Moment, NotedEdit, OwnEdit, Store, StoreError};
use foveal_transcript::{ContentHash, Timestamp};

use super::known_file::KnownFile;
use super::known_files::KnownFiles;
use super::reads::ReadCounts;
use super::seen::Seen;

/// Versions between which a file was edited that are remembered.
const VERSIONS_MAX: usize = 64;

/// The edits of one reader that are taken over by now.
#[derive(Debug)]
pub(super) struct OwnEdits {
    reader: String,
    taken: Mutex<Moment>,
}

impl OwnEdits {
    pub(super) fn of(reader: String) -> Self {
        Self { reader, taken: Mutex::default() }
    }

    /// Hands on what was noted since, in order.
    pub(super) fn follow(&self, store: &dyn Store, take: impl Fn(&NotedEdit)) {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        // Where the store cannot be read, nobody knows who changed a file.
        let Ok(edits) = store.edits_by(&self.reader, *taken) else { return };
        for noted in edits {
            *taken = noted.noted;
            take(&noted);
        }
    }
}

/// Takes an edit over into what is known of `files`.
pub(super) fn take_over(
    noted: &NotedEdit,
    roots: &Roots,
    (files, reads): (&KnownFiles, &ReadCounts),
) {
    let NotedEdit { path, edit, .. } = noted;
    let Ok(located) = roots.resolve(path) else { return };
    let read = kind::read(&located, &ReadLimits::default(), &Cancel::NEVER);
    let Ok(read) = read else { return };
    let (Content::Text(text), Some(version)) = (read.content, read.version) else { return };
    if version.hash != edit.after {
        return;
    }
    let (key, text) = (located.key(), Arc::new(text));
    let lines = match edit.is_whole {
        true => Seen::all(u32::try_from(text.text().lines().count()).unwrap_or(u32::MAX)),
        false => Seen::of(edit.lines.iter().copied()),
    };
    let mut is_taken = true;
    files.change(&key, |known| {
        let file = match known {
            // It was read meanwhile.
            Some(known) if known.version.hash == edit.after => {
                let mut known = known.with_text(&text);
                known.show(&lines);
                known
            }
            Some(known) if edit.is_whole => {
                known.edited_elsewhere(version, text, &lines).all_written()
            }
            Some(known) if edit.before.contains(&known.version.hash) => {
                known.edited_elsewhere(version, text, &lines)
            }
            // Somebody else may have changed it too, before the model did.
            Some(_) => {
                is_taken = false;
                return None;
            }
            None => {
                let mut known = KnownFile::after(None, version, text, None);
                known.show(&lines);
                known
            }
        };
        Some(file)
    });
    if is_taken {
        reads.forget(&key);
    }
}

/// A change of a file by a tool that is not ours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OwnChange {
    /// The model wrote all of this.
    Whole(String),
    /// It replaced parts of it.
    Part {
        /// What the file held before.
        before: String,
        /// What it held afterwards.
        after: String,
        /// The bytes of that which the model wrote.
        written: Vec<Range<usize>>,
    },
}

/// Notes that `reader`, an agent of the client's `session`, made `changes` of the file at `path`
/// one after the other, the last of which is what the file holds now.
///
/// # Errors
/// If the store cannot be used.
pub fn note_edit(
    store: &dyn Store,
    (session, reader): (&str, &str),
    path: &Path,
    changes: &[OwnChange],
    now: Timestamp,
) -> Result<(), StoreError> {
    let Some(path) = path.to_str() else { return Ok(()) };
    let mut edit: Option<OwnEdit> = None;
    for change in changes {
        let known = match &edit {
            Some(edit) => Some(edit.clone()),
            None => {
                let all = store.edits_by(reader, Moment::default())?;
                all.into_iter().find(|noted| noted.path == path).map(|noted| noted.edit)
            }
        };
        edit = Some(after(known, change));
    }
    match edit {
        Some(edit) => store.note_edit((session, reader), path, &edit, now),
        None => Ok(()),
    }
}

/// What is known after a change, of what was known before it.
fn after(known: Option<OwnEdit>, change: &OwnChange) -> OwnEdit {
    let hash = |text: &str| ContentHash::of(text.as_bytes());
    let (before, after, written) = match change {
        OwnChange::Whole(text) => {
            let (before, lines) = (Vec::new(), Vec::new());
            return OwnEdit { before, after: hash(text), lines, is_whole: true };
        }
        OwnChange::Part { before, after, written } => (before, after, written),
    };
    let runs = differing_lines(before, after);
    let mut lines = Seen::default();
    let mut versions = Vec::new();
    if let Some(known) = known.filter(|known| known.after == hash(before)) {
        let count = u32::try_from(before.lines().count()).unwrap_or(u32::MAX);
        let seen = match known.is_whole {
            true => Seen::all(count),
            false => Seen::of(known.lines.iter().copied()),
        };
        lines = seen.moved(&runs);
        // All before a text that was written whole does not matter.
        versions = known.before;
    }
    versions.push(hash(before));
    versions.drain(..versions.len().saturating_sub(VERSIONS_MAX));
    lines.add(written.iter().flat_map(|bytes| whole_lines(after, bytes)));
    OwnEdit {
        before: versions,
        after: hash(after),
        lines: lines.ranges().to_vec(),
        is_whole: false,
    }
}

/// The lines that lie in `bytes` from end to end, from 1.
fn whole_lines<'t>(
    text: &'t str,
    bytes: &'t Range<usize>,
) -> impl Iterator<Item = (u32, u32)> + 't {
    let mut start = 0;
    (1..).zip(text.split_inclusive('\n')).filter_map(move |(number, line)| {
        let (from, to) = (start, start + line.trim_end_matches(['\n', '\r']).len());
        start += line.len();
        (bytes.start <= from && to <= bytes.end && from < bytes.end).then_some((number, number))
    })
}

#[cfg(test)]
mod tests;
