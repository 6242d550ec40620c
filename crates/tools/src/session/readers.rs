//! Who is sent the answers, as far as someone tells who watches the client.
//!
//! A server of tools cannot see that a client compacted its prompt, or that another agent asks
//! over the same connection. A hook of the client can, in a process of its own: it notes so in
//! the store, by folder, and sessions that work there forget what they showed.

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use foveal_store::{SessionFacts, SessionId, Store, StoreError};
use foveal_transcript::{Handle, Timestamp};

use crate::toolbox::Toolbox;

/// Folders above one for which a note is kept and looked for.
const FOLDERS_MAX: usize = 32;

/// Orders notes: milliseconds, but later than the note before.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct Moment(i64);

/// What is noted of one folder.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct Note {
    /// Who asked last.
    reader: Option<String>,
    /// When.
    asked: Moment,
    /// When a prompt was last cut.
    cut: Moment,
}

/// What a session knows of its readers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Readers {
    /// The last note of all, whatever folder it is on.
    last: Moment,
    reader: Option<String>,
    cut: Moment,
}

/// What a note is on.
#[derive(Debug, Clone, Copy)]
enum Scope {
    /// Who works in the folder, or below it.
    Below,
    /// Who works in the folder itself.
    At,
}

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
    let last: Moment = noted(store, &latest());
    let here: Note = noted(store, &place(folder, Scope::Below));
    if reader.is_some() && here.reader.as_deref() == reader && here.asked == last {
        return Ok(());
    }
    let moment = Moment(now.0.max(last.0.saturating_add(1)));
    let above = folder.ancestors().take(FOLDERS_MAX).map(|folder| place(folder, Scope::Below));
    for place in above.chain([place(folder, Scope::At)]) {
        let mut note: Note = noted(store, &place);
        match reader {
            Some(reader) => (note.reader, note.asked) = (Some(reader.to_owned()), moment),
            None => note.cut = moment,
        }
        set(store, &place, &note, now)?;
    }
    // The last: who sees it finds all the others.
    set(store, &latest(), &moment, now)
}

fn set(
    store: &dyn Store,
    place: &SessionId,
    note: &impl Serialize,
    now: Timestamp,
) -> Result<(), StoreError> {
    store.open_session(place, &SessionFacts::default(), now)?;
    store.set_calls(place, &serde_json::to_value(note)?, now)
}

/// Where the note on a folder is kept.
fn place(folder: &Path, scope: Scope) -> SessionId {
    let kind = match scope {
        Scope::Below => "",
        Scope::At => "at ",
    };
    SessionId(format!("readers {kind}{}", Handle::of(folder.as_os_str().as_encoded_bytes())))
}

/// Where the last note of all is kept.
fn latest() -> SessionId {
    SessionId("readers".to_owned())
}

/// Whether this is a note on readers, or on what was granted, and nobody's session.
pub fn is_note(id: &SessionId) -> bool {
    let is_handle = |rest: &str| rest.parse::<Handle>().is_ok();
    let readers = |rest: &str| is_handle(rest.strip_prefix("at ").unwrap_or(rest));
    *id == latest()
        || id.0.strip_prefix("readers ").is_some_and(readers)
        || id.0.strip_prefix("permissions ").is_some_and(is_handle)
}

fn noted<T: Default + for<'de> Deserialize<'de>>(store: &dyn Store, place: &SessionId) -> T {
    let note = store.calls(place).ok().flatten();
    note.and_then(|note| serde_json::from_value(note).ok()).unwrap_or_default()
}

/// Watches who is sent a session's answers.
#[derive(Debug, Default)]
pub(crate) struct ReaderWatch(Mutex<Readers>);

impl ReaderWatch {
    /// Watches from what is noted by now.
    pub(crate) fn new(toolbox: &Toolbox) -> Self {
        Self(Mutex::new(Readers::noted(toolbox)))
    }

    /// Calls `forget` if what was shown was shown to somebody else, or left the prompt. Calls
    /// beside this one wait until it is forgotten.
    pub(crate) fn follow(&self, toolbox: &Toolbox, forget: impl FnOnce()) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let last: Moment = noted(&*toolbox.store, &latest());
        if known.last == last {
            return;
        }
        let readers = Readers::noted(toolbox);
        let is_same = (&known.reader, known.cut) == (&readers.reader, readers.cut);
        *known = readers;
        if !is_same {
            forget();
        }
    }
}

impl Readers {
    /// What is noted by now of the readers of sessions in the toolbox's roots.
    fn noted(toolbox: &Toolbox) -> Self {
        let store = &*toolbox.store;
        // First: what is noted while the others are looked for is looked for again.
        let mut readers = Self { last: noted(store, &latest()), ..Self::default() };
        let roots = toolbox.roots.all().map(|root| root.path());
        let mut asked = Moment::default();
        for folder in roots.chain(toolbox.client_folder.as_deref()) {
            let above = folder.ancestors().skip(1).take(FOLDERS_MAX);
            let above = above.map(|folder| place(folder, Scope::At));
            for place in above.chain([place(folder, Scope::Below)]) {
                let note: Note = noted(store, &place);
                readers.cut = readers.cut.max(note.cut);
                if note.asked > asked {
                    (readers.reader, asked) = (note.reader, note.asked);
                }
            }
        }
        readers
    }
}
