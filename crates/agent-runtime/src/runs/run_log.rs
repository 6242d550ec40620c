//! Writes the log of a run while it runs.

use std::sync::Arc;

use foveal_agent::RunLogEntry;
use foveal_screen::describe_error;
use foveal_store::{SessionId, SessionMetadata, Store, StoreError, StoredMessage};
use foveal_tools::clock::{Clock, SystemClock};
use foveal_tools::user_notifier::UserNotifier;

use super::log_encoder::RunLogEncoder;
use super::log_record::RunSettings;
/// The most records that wait for the store. If the store fails for so long, later records are
/// dropped: the stored log is a beginning without gaps.
const PENDING_RECORDS_MAX: usize = 4_096;

/// Writes the log of a run to the store, in order.
pub struct RunLog {
    store: Arc<dyn Store>,
    session: SessionId,
    roots: Vec<String>,
    /// The settings of the run, until they are stored.
    settings: Option<RunSettings>,
    /// Records that the store did not accept yet.
    pending: Vec<RunLogEntry>,
    notifier: UserNotifier,
    is_failure_reported: bool,
}

impl RunLog {
    /// Creates the log of a session with these roots, continued with the settings `run`. The
    /// `notifier` reports a store that fails.
    pub(crate) fn new(
        store: &Arc<dyn Store>,
        session: &SessionId,
        roots: Vec<String>,
        run: RunSettings,
        notifier: UserNotifier,
    ) -> Self {
        let (store, session) = (Arc::clone(store), session.clone());
        Self {
            store,
            session,
            roots,
            settings: Some(run),
            pending: Vec::new(),
            notifier,
            is_failure_reported: false,
        }
    }

    /// Appends records and all that could not be stored before, all or none of them. A failure is
    /// reported once, and the next call tries again.
    pub(crate) fn append_records(&mut self, keeps: Vec<RunLogEntry>) {
        if self.pending.len() > PENDING_RECORDS_MAX {
            return;
        }
        self.pending.extend(keeps);
        match self.write_pending() {
            Ok(()) => {
                self.pending.clear();
                self.settings = None;
            }
            Err(_) if self.is_failure_reported => {}
            Err(error) => {
                self.is_failure_reported = true;
                self.notifier.notify(&format!(
                    "this session cannot be saved at the moment, and could be resumed only as it \
                     was before: {}",
                    describe_error(&error)
                ));
            }
        }
    }

    /// Appends a single record to an existing run that no process continues.
    ///
    /// # Errors
    /// Returns errors of the store.
    pub fn append_single(
        store: &dyn Store,
        session: &SessionId,
        keep: &RunLogEntry,
    ) -> Result<(), StoreError> {
        let now = SystemClock.now();
        let message = RunLogEncoder { store, session, now }.encode_record(keep)?;
        store.append_messages(session, message.as_slice(), now)
    }

    fn write_pending(&self) -> Result<(), StoreError> {
        match self.try_write_pending() {
            // The session was not created yet. One that was removed later is not created again: its
            // log would lack the beginning.
            Err(StoreError::UnknownSession { .. }) if self.settings.is_some() => {
                let facts = SessionMetadata { roots: self.roots.clone(), transcript: None };
                self.store.open_session(&self.session, &facts, SystemClock.now())?;
                self.try_write_pending()
            }
            done => done,
        }
    }

    fn try_write_pending(&self) -> Result<(), StoreError> {
        let (store, session, now) = (&*self.store, &self.session, SystemClock.now());
        let encoder = RunLogEncoder { store, session, now };
        let run = self.settings.iter().map(|run| encoder.encode_run_settings(run));
        let keeps = self.pending.iter().filter_map(|keep| encoder.encode_record(keep).transpose());
        let messages: Result<Vec<StoredMessage>, _> = run.chain(keeps).collect();
        store.append_messages(session, &messages?, now)
    }
}
