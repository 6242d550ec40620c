//! Keeps a run while it runs.

use std::sync::Arc;

use foveal_agent::Keep;
use foveal_store::{Message, SessionFacts, SessionId, Store, StoreError};
use foveal_tools::clock::{Clock, SystemClock};

use super::encode::Encoder;
use super::kept::Run;
use crate::notice;

/// What waits to be kept, at most. Where the store takes nothing for so long, the rest is not kept:
/// what is there is the beginning, and nothing is missing in between.
const WAITING_MAX: usize = 4_096;

/// Keeps a run in the store, in order.
pub(crate) struct RunLog {
    store: Arc<dyn Store>,
    session: SessionId,
    roots: Vec<String>,
    /// How the session is gone on with, until that is kept.
    run: Option<Run>,
    /// What the store did not take so far.
    waiting: Vec<Keep>,
    is_told: bool,
}

impl RunLog {
    /// Of the session of this name in these folders, which goes on so.
    pub(crate) fn new(
        store: &Arc<dyn Store>,
        session: &SessionId,
        roots: Vec<String>,
        run: Run,
    ) -> Self {
        let (store, session) = (Arc::clone(store), session.clone());
        Self { store, session, roots, run: Some(run), waiting: Vec::new(), is_told: false }
    }

    /// Keeps this and what could not be kept before, all or nothing of it. Where that cannot be done
    /// it is said once, and tried again with what comes next.
    pub(crate) fn keep(&mut self, keeps: Vec<Keep>) {
        if self.waiting.len() > WAITING_MAX {
            return;
        }
        self.waiting.extend(keeps);
        match self.append() {
            Ok(()) => {
                self.waiting.clear();
                self.run = None;
            }
            Err(_) if self.is_told => {}
            Err(error) => {
                self.is_told = true;
                notice::say(format_args!(
                    "this session cannot be kept at the moment, and could be taken up again only \
                     as it was before: {}",
                    notice::in_one_line(&error)
                ));
            }
        }
    }

    /// Keeps this alone of a run that is there and that nobody goes on with.
    ///
    /// # Errors
    /// Those of the store.
    pub(crate) fn add(
        store: &dyn Store,
        session: &SessionId,
        keep: &Keep,
    ) -> Result<(), StoreError> {
        let now = SystemClock.now();
        let message = Encoder { store, session, now }.keep(keep)?;
        store.append_messages(session, message.as_slice(), now)
    }

    fn append(&self) -> Result<(), StoreError> {
        match self.try_append() {
            // It could not be opened before. One that was removed since stays so: what comes next
            // would be kept without its beginning.
            Err(StoreError::UnknownSession { .. }) if self.run.is_some() => {
                let facts = SessionFacts { roots: self.roots.clone(), transcript: None };
                self.store.open_session(&self.session, &facts, SystemClock.now())?;
                self.try_append()
            }
            done => done,
        }
    }

    fn try_append(&self) -> Result<(), StoreError> {
        let (store, session, now) = (&*self.store, &self.session, SystemClock.now());
        let encoder = Encoder { store, session, now };
        let run = self.run.iter().map(|run| encoder.run(run));
        let keeps = self.waiting.iter().filter_map(|keep| encoder.keep(keep).transpose());
        let messages: Result<Vec<Message>, _> = run.chain(keeps).collect();
        store.append_messages(session, &messages?, now)
    }
}
