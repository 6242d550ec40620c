//! Who is sent the answers, as far as someone tells who watches the client.
//!
//! A server of tools cannot see that a client compacted its prompt, or that another agent asks
//! over the same connection. A hook of the client can, in a process of its own: it notes so in
//! the store, by folder, and sessions that work there forget what they showed.

use std::path::Path;

use foveal_store::{FolderKey, Reach, ReaderPlace, Readers, Store, StoreError};
use foveal_transcript::Timestamp;

use super::Session;

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

fn place(folder: &Path, reach: Reach) -> ReaderPlace {
    ReaderPlace { folder: FolderKey::of(folder), reach }
}

impl Session {
    /// What is noted of the readers by now; nothing where the store cannot be read.
    pub(super) fn readers(&self) -> Readers {
        let roots = self.toolbox.roots.all().map(|root| root.path());
        let mut places = Vec::new();
        for folder in roots.chain(self.toolbox.client_folder.as_deref()) {
            let above = folder.ancestors().skip(1).take(FOLDERS_MAX);
            places.extend(above.map(|folder| place(folder, Reach::At)));
            places.push(place(folder, Reach::Below));
        }
        self.toolbox.store.readers(&places).unwrap_or_default()
    }

    /// Forgets what was shown if it was shown to somebody else, or left the prompt.
    pub(super) fn follow_reader(&self) {
        let last = self.toolbox.store.last_reader_note().unwrap_or_default();
        if self.state().readers.last == last {
            return;
        }
        let readers = self.readers();
        let mut state = self.state();
        let is_same = (&state.readers.reader, state.readers.cut) == (&readers.reader, readers.cut);
        state.readers = readers;
        if !is_same {
            self.forget_all(&mut state);
        }
    }
}
