//! Runs of foveal's own agent in its store, in the form of session files.

use std::path::Path;

use foveal_agent_runtime::runs::{self, RunConversations};
use foveal_agent_setup::sessions::{LoadError, LoadResult, SessionFile, SkippedPart};
use foveal_session_readers::SessionFormat;
use foveal_store::{ReadOnlyStore, SessionStore, SqliteStore, StoreError, StoredSession};
use foveal_transcript::RecordedSession;

use crate::{notice, toolbox};

/// Finds the runs of foveal's own agent in its data folder.
pub(super) fn find_runs(folder: &Path, format: Option<SessionFormat>) -> Vec<SessionFile> {
    let path = folder.join(toolbox::STORE_FILE_NAME);
    let mut found = Vec::new();
    if let (None, Ok(ReadOnlyStore::Store(store))) = (format, SqliteStore::open_read_only(&path)) {
        let sessions = store.sessions().unwrap_or_default();
        let has_words = |kept: &&StoredSession| {
            runs::is_main_run(kept) && runs::first_user_text(&store, &kept.id).is_some()
        };
        let files =
            sessions.iter().filter(has_words).map(|kept| run_session_file(&path, false, kept));
        found.extend(files);
    }
    found
}

/// Returns a session file for one run in the store at this path.
pub(super) fn run_session_file(store: &Path, named: bool, kept: &StoredSession) -> SessionFile {
    let session = Some(kept.id.0.clone());
    SessionFile { session, is_foveal_store: true, ..SessionFile::new(store.to_owned(), named) }
}

/// Loads a run from its store.
pub(super) fn load_run(file: &SessionFile, sink: &mut dyn FnMut(RecordedSession)) -> LoadResult {
    let session = file.session.clone().unwrap_or_default();
    let not_kept = |why: String| LoadError::NotStored { session: session.clone(), why };
    let opened = SqliteStore::open_read_only(&file.path);
    let store = match opened.map_err(|error| not_kept(notice::describe_error(&error)))? {
        ReadOnlyStore::Store(store) => store,
        ReadOnlyStore::Older | ReadOnlyStore::Newer | ReadOnlyStore::Foreign => {
            return Err(not_kept("it is from another version of foveal".to_owned()));
        }
    };
    let read = || {
        let sessions = store.sessions()?;
        let run = sessions.iter().find(|kept| kept.id.0 == session);
        run.map(|run| runs::load_conversations(&store, &sessions, run)).transpose()
    };
    let read = read().map_err(|error: StoreError| not_kept(notice::describe_error(&error)))?;
    let RunConversations { all, first_damaged: damaged } = read.unwrap_or_default();
    if all.first().is_none_or(|main| main.entries().is_empty()) {
        return Err(not_kept("its messages are not stored".to_owned()));
    }
    sink(RecordedSession { id: session, conversations: all });
    Ok(damaged.into_iter().map(|number| SkippedPart::Run(runs::describe_damage(number))).collect())
}
