//! Who is sent the answers, as far as someone tells who watches the client.
//!
//! A server of tools cannot see that a client compacted its prompt, or that another agent asks
//! over the same connection. A hook of the client can, in a process of its own: it notes so in
//! the store, by folder, and sessions that work there forget what they showed.

use std::path::Path;

use serde::{Deserialize, Serialize};

use foveal_context::handle::Handle;
use foveal_context::transcript::Timestamp;
use foveal_store::{SessionFacts, SessionId, Store, StoreError};

use super::Session;

/// Folders above the one told for which a note is kept.
const FOLDERS_MAX: usize = 32;

/// What is noted of one folder.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Note {
    /// Who asked last.
    reader: Option<String>,
    /// How often that changed, or a prompt was cut.
    changes: u64,
}

/// Notes that `reader` is about to be answered in `folder`; `None`: that what was shown there
/// has left a prompt. Sessions with a root at the folder, or above it, forget what they showed,
/// unless the same reader asked last.
///
/// # Errors
/// If the store cannot be written.
pub fn note_reader(
    store: &dyn Store,
    folder: &Path,
    reader: Option<&str>,
    now: Timestamp,
) -> Result<(), StoreError> {
    for folder in folder.ancestors().take(FOLDERS_MAX) {
        let place = place(folder);
        let note = noted(store, &place);
        if reader.is_some() && note.reader.as_deref() == reader {
            continue;
        }
        let note = Note { reader: reader.map(str::to_owned), changes: note.changes + 1 };
        store.open_session(&place, &SessionFacts::default(), now)?;
        if let Ok(note) = serde_json::to_value(note) {
            store.set_calls(&place, &note, now)?;
        }
    }
    Ok(())
}

/// Where the note on a folder is kept.
fn place(folder: &Path) -> SessionId {
    SessionId(format!("readers {}", Handle::of(folder.as_os_str().as_encoded_bytes())))
}

fn noted(store: &dyn Store, place: &SessionId) -> Note {
    let note = store.calls(place).ok().flatten();
    note.and_then(|note| serde_json::from_value(note).ok()).unwrap_or_default()
}

impl Session {
    /// How often readers changed in the roots.
    pub(super) fn reader_changes(&self) -> u64 {
        let roots = self.toolbox.roots.all();
        roots.map(|root| noted(&*self.toolbox.store, &place(root.path())).changes).sum()
    }

    /// Forgets what was shown if it was shown to somebody else, or left the prompt.
    pub(super) fn follow_reader(&self) {
        let changes = self.reader_changes();
        let mut state = self.state();
        if state.reader_changes != changes {
            state.reader_changes = changes;
            self.forget_all(&mut state);
        }
    }
}
