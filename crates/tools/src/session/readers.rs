//! Who is sent the answers, as far as someone tells who watches the client.
//!
//! A server of tools cannot see that a client compacted its prompt, or that another agent asks
//! over the same connection. A hook of the client can, in a process of its own: it notes so in
//! the store, by folder, and sessions that work there forget what they showed.

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use foveal_store::{FolderKey, NotedEdit, Reach, ReaderPlace, Readers, Store, StoreError};
use foveal_transcript::Timestamp;

use crate::toolbox::Toolbox;

use super::own_edits::OwnEdits;

/// Folders above one for which a note is kept and looked for.
const FOLDERS_MAX: usize = 32;

/// Notes that `reader` is about to be answered in `folder`; `None`: that what was shown there
/// has left a prompt. Sessions forget what they showed whose root, or whose client, is at the
/// folder, above it or below it, unless the same reader asked last. Folders are told apart as
/// they are spelled: `folder` is to be canonical, as roots are.
///
/// # Errors
/// If the store cannot be written.
pub fn note_reader(
    store: &dyn Store,
    folder: &Path,
    reader: Option<&str>,
    now: Timestamp,
) -> Result<(), StoreError> {
    let above = folder.ancestors().take(FOLDERS_MAX).map(|folder| place(folder, Reach::Below));
    let places: Vec<ReaderPlace> = above.chain([place(folder, Reach::At)]).collect();
    store.note_reader(&places, reader, now)
}

/// The reader who makes the call that its client calls `call`, if a hook of the client noted it.
pub fn asker(toolbox: &Toolbox, call: &str) -> Option<String> {
    toolbox.store.asker(call).ok().flatten()
}

fn place(folder: &Path, reach: Reach) -> ReaderPlace {
    ReaderPlace { folder: FolderKey::of(folder), reach }
}

/// Watches who is sent a session's answers.
#[derive(Debug, Default)]
pub(crate) struct ReaderWatch {
    known: Mutex<Readers>,
    /// The reader, if the session is of one alone: then only cut prompts matter, and edits of its
    /// own.
    own_edits: Option<OwnEdits>,
}

impl ReaderWatch {
    /// Watches from what is noted by now.
    pub(crate) fn new(toolbox: &Toolbox) -> Self {
        Self { known: Mutex::new(noted(toolbox)), own_edits: None }
    }

    /// The same for a session that only this reader asks.
    pub(crate) fn of_one(self, reader: String) -> Self {
        Self { own_edits: Some(OwnEdits::of(reader)), ..self }
    }

    /// Hands on what the reader edited with tools that are not ours.
    pub(crate) fn follow_edits(&self, toolbox: &Toolbox, take: impl Fn(&NotedEdit)) {
        if let Some(edits) = &self.own_edits {
            edits.follow(&*toolbox.store, take);
        }
    }

    /// Calls `forget` if what was shown was shown to somebody else, or left the prompt. Calls
    /// beside this one wait until it is forgotten.
    pub(crate) fn follow(&self, toolbox: &Toolbox, forget: impl FnOnce()) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let last = toolbox.store.last_reader_note().unwrap_or_default();
        if known.last == last {
            return;
        }
        let readers = noted(toolbox);
        let is_same_reader = self.own_edits.is_some() || known.reader == readers.reader;
        let is_same = is_same_reader && known.cut == readers.cut;
        *known = readers;
        if !is_same {
            forget();
        }
    }
}

/// What is noted by now of the readers of sessions in the toolbox's roots; nothing where the
/// store cannot be read.
fn noted(toolbox: &Toolbox) -> Readers {
    let roots = toolbox.roots.all().map(|root| root.path());
    let mut places = Vec::new();
    for folder in roots.chain(toolbox.client_folder.as_deref()) {
        let above = folder.ancestors().skip(1).take(FOLDERS_MAX);
        places.extend(above.map(|folder| place(folder, Reach::At)));
        places.push(place(folder, Reach::Below));
    }
    toolbox.store.readers(&places).unwrap_or_default()
}
