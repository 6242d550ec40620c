//! Edits that the model made with its client's own tools, as a hook of the client records them.
//!
//! Such an edit is the model's own: it knows the lines that it wrote, and they are no external
//! change. A recorded edit counts only while the file on disk is as the edit left it, and only from
//! a version that the session knows. Other changes count as external.

use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use foveal_store::{ClientEdit, ClientEditNote, ClientEditStore, EditAuthor, NoteTime, StoreError};
use foveal_transcript::{CancelToken, ContentHash, Timestamp};
use foveal_workspace::WorkspaceRoots;
use foveal_workspace::edit::diff_hunks;
use foveal_workspace::file_content::{self, FileContent, ReadLimits};

use super::known_file::KnownFile;
use super::known_files::KnownFiles;
use super::line_range_set::LineRangeSet;
use super::read_counts::ReadCounts;

/// Versions of a file that are remembered through a series of edits.
const VERSIONS_MAX: usize = 64;

/// The edits of one reader, and how many of them the session has applied.
#[derive(Debug)]
pub(super) struct ClientToolEdits {
    reader: String,
    applied_until: Mutex<NoteTime>,
}

impl ClientToolEdits {
    pub(super) fn new(reader: String) -> Self {
        Self { reader, applied_until: Mutex::default() }
    }

    /// Calls `take` with each edit recorded since the last call, in order.
    pub(super) fn for_each_new_edit(
        &self,
        store: &dyn ClientEditStore,
        take: impl Fn(&ClientEditNote),
    ) {
        let mut taken = self.applied_until.lock().unwrap_or_else(PoisonError::into_inner);
        // Without the store, it is unknown who changed a file.
        let Ok(edits) = store.client_edits(&self.reader, *taken) else { return };
        for noted in edits {
            *taken = noted.noted;
            take(&noted);
        }
    }
}

/// Applies an edit to the session's knowledge of files.
pub(super) fn apply_edit(
    noted: &ClientEditNote,
    roots: &WorkspaceRoots,
    files: &KnownFiles,
    reads: &ReadCounts,
) {
    let ClientEditNote { path, edit, .. } = noted;
    let Ok(located) = roots.resolve(path) else { return };
    let read = file_content::read_file(&located, &ReadLimits::default(), &CancelToken::NEVER);
    let Ok(read) = read else { return };
    let (FileContent::Text(text), Some(version)) = (read.content, read.version) else { return };
    if version.hash != edit.after {
        return;
    }
    let (key, text) = (located.path_key(), Arc::new(text));
    let lines = match edit.is_whole {
        true => LineRangeSet::all(u32::try_from(text.text().lines().count()).unwrap_or(u32::MAX)),
        false => LineRangeSet::from_ranges(edit.lines.iter().copied()),
    };
    let mut is_taken = true;
    files.update(&key, |known| {
        let file = match known {
            // The session read the edited version meanwhile.
            Some(known) if known.version.hash == edit.after => {
                let mut known = known.with_text(&text);
                known.mark_lines_seen(&lines);
                known
            }
            Some(known) if edit.is_whole => {
                known.with_client_edit(version, text, &lines).with_all_lines_written()
            }
            Some(known) if edit.before.contains(&known.version.hash) => {
                known.with_client_edit(version, text, &lines)
            }
            // Others may have changed the file before this edit.
            Some(_) => {
                is_taken = false;
                return None;
            }
            None => {
                let mut known = KnownFile::with_predecessor(None, version, text, None);
                known.mark_lines_seen(&lines);
                known
            }
        };
        Some(file)
    });
    if is_taken {
        reads.remove_file(&key);
    }
}

/// A change of a file by one of the client's own tools.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClientToolChange {
    /// The model wrote the whole file, with this text.
    Whole(String),
    /// The model replaced parts of the file.
    Part {
        /// The text before the change.
        before: String,
        /// The text after the change.
        after: String,
        /// The byte ranges of `after` that the model wrote.
        written: Vec<Range<usize>>,
    },
}

/// Records in the store that `author` made `changes` of the file at `path` in this order. The last
/// one left the file as it is now.
///
/// # Errors
/// If the store cannot be used.
pub fn record_client_tool_edit(
    store: &dyn ClientEditStore,
    author: EditAuthor<'_>,
    path: &Path,
    changes: &[ClientToolChange],
    now: Timestamp,
) -> Result<(), StoreError> {
    let Some(path) = path.to_str() else { return Ok(()) };
    let mut edit: Option<ClientEdit> = None;
    for change in changes {
        let known = match &edit {
            Some(edit) => Some(edit.clone()),
            None => {
                let all = store.client_edits(author.reader, NoteTime::default())?;
                all.into_iter().find(|noted| noted.path == path).map(|noted| noted.edit)
            }
        };
        edit = Some(extend_edit(known, change));
    }
    match edit {
        Some(edit) => store.note_client_edit(author, path, &edit, now),
        None => Ok(()),
    }
}

/// Adds a change to the edit known so far.
fn extend_edit(known: Option<ClientEdit>, change: &ClientToolChange) -> ClientEdit {
    let hash = |text: &str| ContentHash::from_content(text.as_bytes());
    let (before, after, written) = match change {
        ClientToolChange::Whole(text) => {
            let (before, lines) = (Vec::new(), Vec::new());
            return ClientEdit { before, after: hash(text), lines, is_whole: true };
        }
        ClientToolChange::Part { before, after, written } => (before, after, written),
    };
    let runs = diff_hunks(before, after);
    let mut lines = LineRangeSet::default();
    let mut versions = Vec::new();
    if let Some(known) = known.filter(|known| known.after == hash(before)) {
        let count = u32::try_from(before.lines().count()).unwrap_or(u32::MAX);
        let seen = match known.is_whole {
            true => LineRangeSet::all(count),
            false => LineRangeSet::from_ranges(known.lines.iter().copied()),
        };
        lines = seen.shifted_by(&runs);
        // Versions before a text that was written whole do not matter.
        versions = known.before;
    }
    versions.push(hash(before));
    versions.drain(..versions.len().saturating_sub(VERSIONS_MAX));
    lines.add_ranges(written.iter().flat_map(|bytes| complete_lines(after, bytes)));
    ClientEdit {
        before: versions,
        after: hash(after),
        lines: lines.ranges().to_vec(),
        is_whole: false,
    }
}

/// Returns the lines, from 1, that lie completely in `bytes`.
fn complete_lines<'t>(
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
