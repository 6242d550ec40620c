//! The runs of foveal's own agent, read from its store as other sessions are from their files.

use std::path::Path;

use foveal_store::{ReadOnly, Session as Kept, SqliteStore, Store, StoreError};
use foveal_transcript::Session;
use foveal_wire::Format;

use super::error::{LoadError, Loaded, NotRead};
use super::file::{FoundSessions, SessionFile};
use crate::runs::{self, Conversations};
use crate::{notice, toolbox};

/// The runs of foveal's own agent in its folder of data.
pub(super) fn runs_in(folder: &Path, format: Option<Format>) -> FoundSessions {
    let path = folder.join(toolbox::STORE);
    let mut found = FoundSessions::default();
    if let (None, Ok(ReadOnly::Store(store))) = (format, SqliteStore::open_read_only(&path)) {
        let sessions = store.sessions().unwrap_or_default();
        let has_words =
            |kept: &&Kept| runs::is_run(kept) && runs::first_words(&store, &kept.id).is_some();
        let files = sessions.iter().filter(has_words).map(|kept| file_of(&path, false, kept));
        found.files.extend(files);
    }
    found
}

/// A run in the store at this path, as a file of one session.
pub(super) fn file_of(store: &Path, named: bool, kept: &Kept) -> SessionFile {
    let session = Some(kept.id.0.clone());
    SessionFile { session, is_own: true, ..SessionFile::new(store.to_owned(), named) }
}

/// Reads a run from the store that its file names.
pub(super) fn load(file: &SessionFile, sink: &mut dyn FnMut(Session)) -> Loaded {
    let session = file.session.clone().unwrap_or_default();
    let not_kept = |why: String| LoadError::NotKept { session: session.clone(), why };
    let opened = SqliteStore::open_read_only(&file.path);
    let store = match opened.map_err(|error| not_kept(notice::in_one_line(&error)))? {
        ReadOnly::Store(store) => store,
        ReadOnly::Older | ReadOnly::Newer | ReadOnly::Foreign => {
            return Err(not_kept("it is of another version of foveal".to_owned()));
        }
    };
    let read = || {
        let sessions = store.sessions()?;
        let run = sessions.iter().find(|kept| kept.id.0 == session);
        run.map(|run| runs::conversations(&store, &sessions, run)).transpose()
    };
    let read = read().map_err(|error: StoreError| not_kept(notice::in_one_line(&error)))?;
    let Conversations { all, damaged } = read.unwrap_or_default();
    if all.first().is_none_or(|main| main.entries().is_empty()) {
        return Err(not_kept("nothing that was said in it is kept".to_owned()));
    }
    sink(Session { id: session, conversations: all });
    Ok(damaged.into_iter().map(|number| NotRead::OfRun(runs::damaged(number))).collect())
}
