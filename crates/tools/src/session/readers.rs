//! The reader that receives a session's answers, as far as a hook of the client reports it.
//!
//! A server of tools cannot see that a client compacted its prompt, or that another agent calls
//! over the same connection. A hook of the client can, in its own process. It records this in the
//! store by folder, and sessions that work in the folder forget their shown content.

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use foveal_store::{
    ClientEditNote, FolderKey, FolderScope, ReaderNoteKey, ReaderNoteStore, ReaderNotes, StoreError,
};
use foveal_transcript::Timestamp;

use crate::toolbox::Toolbox;

use super::client_tool_edits::ClientToolEdits;

/// The most ancestors of a folder for which a report is stored and looked up.
const FOLDERS_MAX: usize = 32;

/// Records that `reader` is about to receive answers in `folder`; `None` records that shown content
/// has left a prompt. Sessions whose root or client is at the folder, above it or below it forget
/// their shown content, unless the same reader was recorded last. Folders are compared by spelling:
/// `folder` must be canonical, as roots are.
///
/// # Errors
/// If the store cannot be written.
pub fn announce_reader(
    store: &dyn ReaderNoteStore,
    folder: &Path,
    reader: Option<&str>,
    now: Timestamp,
) -> Result<(), StoreError> {
    let above = folder
        .ancestors()
        .take(FOLDERS_MAX)
        .map(|folder| reader_place(folder, FolderScope::Subtree));
    let places: Vec<ReaderNoteKey> =
        above.chain([reader_place(folder, FolderScope::FolderOnly)]).collect();
    store.note_reader(&places, reader, now)
}

/// Returns the reader that made the call with the client's id `call`, if a hook recorded it.
pub fn reader_of_call(toolbox: &Toolbox, call: &str) -> Option<String> {
    toolbox.store.call_reader(call).ok().flatten()
}

fn reader_place(folder: &Path, reach: FolderScope) -> ReaderNoteKey {
    ReaderNoteKey { folder: FolderKey::from_path(folder), scope: reach }
}

/// Watches which reader receives a session's answers.
#[derive(Debug, Default)]
pub(crate) struct ReaderWatch {
    known: Mutex<ReaderNotes>,
    /// The edits of the session's only reader, if it has one. Then only cut prompts make the
    /// session forget, not other readers.
    own_edits: Option<ClientToolEdits>,
}

impl ReaderWatch {
    /// Starts to watch from the current reports.
    pub(crate) fn new(toolbox: &Toolbox) -> Self {
        Self { known: Mutex::new(load_readers(toolbox)), own_edits: None }
    }

    /// Binds the watch to the only reader of the session.
    pub(crate) fn with_reader(self, reader: String) -> Self {
        Self { own_edits: Some(ClientToolEdits::new(reader)), ..self }
    }

    /// Calls `take` with each new edit that the reader made with its client's own tools.
    pub(crate) fn for_each_new_edit(&self, toolbox: &Toolbox, take: impl Fn(&ClientEditNote)) {
        if let Some(edits) = &self.own_edits {
            edits.for_each_new_edit(&*toolbox.store, take);
        }
    }

    /// Calls `forget` if another reader received the shown content, or it left the prompt.
    /// Concurrent calls wait until it returns.
    pub(crate) fn detect_reader_change(&self, toolbox: &Toolbox, forget: impl FnOnce()) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let last = toolbox.store.last_reader_note().unwrap_or_default();
        if known.last == last {
            return;
        }
        let readers = load_readers(toolbox);
        let is_same_reader = self.own_edits.is_some() || known.reader == readers.reader;
        let is_same = is_same_reader && known.prompt_cut == readers.prompt_cut;
        *known = readers;
        if !is_same {
            forget();
        }
    }
}

/// Loads the current reports on the toolbox's roots; empty if the store cannot be read.
fn load_readers(toolbox: &Toolbox) -> ReaderNotes {
    let roots = toolbox.roots.all().map(|root| root.path());
    let mut places = Vec::new();
    for folder in roots.chain(toolbox.client_folder.as_deref()) {
        let above = folder.ancestors().skip(1).take(FOLDERS_MAX);
        places.extend(above.map(|folder| reader_place(folder, FolderScope::FolderOnly)));
        places.push(reader_place(folder, FolderScope::Subtree));
    }
    toolbox.store.reader_notes(&places).unwrap_or_default()
}
