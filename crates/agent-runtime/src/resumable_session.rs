//! An earlier session that the agent continues.

use std::path::Path;

use foveal_agent::ResumeState;
use foveal_providers::{ModelSpec, ModelSpecError};
use foveal_screen::numbers::format_plural;
use foveal_store::{SessionId, Store, StoreError, StoredSession};
use foveal_tools::user_notifier::UserNotifier;

use crate::runs::{RunLock, RunLockError, RunSettings, StoredRun, is_main_run, load_stored_run};

/// An earlier session with its lock: no other process can continue it meanwhile.
pub struct ResumableSession {
    session: SessionId,
    loaded: StoredRun,
    lock: RunLock,
}

/// The reason why a session cannot be continued.
#[derive(Debug, thiserror::Error)]
pub enum ResumeError {
    /// The session is not a main run of foveal's own agent.
    #[error("`{0}` is not a session of `foveal run`: only those can be resumed")]
    NotARun(SessionId),
    /// The session belongs to another folder.
    #[error("`{session}` is a session of another folder: change to it first (cd {folder})")]
    OtherFolder {
        /// The session.
        session: SessionId,
        /// Its folder.
        folder: String,
    },
    /// The session cannot be locked.
    #[error("`{session}`")]
    NotLocked {
        /// The session.
        session: SessionId,
        /// The reason.
        source: RunLockError,
    },
    /// The store cannot read the session.
    #[error("`{session}` cannot be read")]
    Unreadable {
        /// The session.
        session: SessionId,
        /// The error of the store.
        source: StoreError,
    },
    /// A message of the session cannot be read.
    #[error(
        "cannot resume `{session}`: message {number} of its log is damaged, or from a later version \
         of foveal; `foveal show` shows the messages before it"
    )]
    Damaged {
        /// The session.
        session: SessionId,
        /// The number of the message.
        number: u64,
    },
    /// The store has no messages of the session.
    #[error("cannot resume `{0}`: its messages are not stored")]
    NotStored(SessionId),
    /// The session has no run.
    #[error("no model is known")]
    NoModel,
    /// The model of the last run is not supported any more.
    #[error("the model of the session, {model}, cannot be used: choose one with --model")]
    UnusableModel {
        /// The model.
        model: String,
        /// The reason.
        source: ModelSpecError,
    },
    /// The session needs a new message to continue.
    #[error(
        "the model had finished: give the next task, as in `foveal run --session {name} \"TASK\"`"
    )]
    Finished {
        /// The name of the session.
        name: String,
    },
}

impl ResumableSession {
    /// Opens a session in a folder. Its lock is a file below the user's `data_folder`.
    ///
    /// # Errors
    /// If it cannot be continued here.
    pub fn open(
        store: &dyn Store,
        session: &StoredSession,
        directory: &Path,
        data_folder: Option<&Path>,
    ) -> Result<Self, ResumeError> {
        let id = session.id.clone();
        if !is_main_run(session) {
            return Err(ResumeError::NotARun(id));
        }
        if let Some(other) =
            session.metadata.roots.first().filter(|root| !is_root_of_folder(root, directory))
        {
            return Err(ResumeError::OtherFolder { session: id, folder: other.clone() });
        }
        let lock = match RunLock::acquire(&id, data_folder) {
            Ok(lock) => lock,
            Err(source) => return Err(ResumeError::NotLocked { session: id, source }),
        };
        let loaded = match load_stored_run(store, &id) {
            Ok(loaded) => loaded,
            Err(source) => return Err(ResumeError::Unreadable { session: id, source }),
        };
        if let Some(number) = loaded.first_damaged {
            return Err(ResumeError::Damaged { session: id, number });
        }
        if loaded.resume_state.entries().is_empty() || loaded.run_settings.is_empty() {
            return Err(ResumeError::NotStored(id));
        }
        Ok(Self { session: id, loaded, lock })
    }

    /// Finds the most recently used session of a folder among `sessions`.
    pub fn find_latest<'s>(
        sessions: &'s [StoredSession],
        directory: &Path,
    ) -> Option<&'s StoredSession> {
        let is_it = |session: &&StoredSession| {
            is_main_run(session)
                && session
                    .metadata
                    .roots
                    .first()
                    .is_some_and(|root| is_root_of_folder(root, directory))
        };
        sessions.iter().find(is_it)
    }

    /// Returns the id of the session, its messages, and its lock.
    pub fn into_session_parts(self) -> (SessionId, ResumeState, RunLock) {
        (self.session, self.loaded.resume_state, self.lock)
    }

    /// Returns the model of the session's last run.
    ///
    /// # Errors
    /// If the model is not supported any more.
    pub fn last_model(&self) -> Result<ModelSpec, ResumeError> {
        let run = self.loaded.run_settings.last().ok_or(ResumeError::NoModel)?;
        let parsed = run.model.parse();
        parsed.map_err(|source| ResumeError::UnusableModel { model: run.model.clone(), source })
    }

    /// Returns the profile of the session's last run.
    pub(crate) fn last_profile(&self) -> Option<String> {
        Some(self.loaded.run_settings.last()?.profile.clone())
    }

    /// Returns the key of the user's settings with which the session began.
    pub(crate) fn settings_key(&self) -> Option<String> {
        self.loaded.run_settings.last()?.settings_key.clone()
    }

    /// Returns whether `run` continues the session under other rules, so that earlier decisions do
    /// not hold.
    pub(crate) fn needs_new_decisions(&self, run: &RunSettings) -> bool {
        self.loaded.run_settings.last().is_some_and(|last| !run.has_compatible_rules(last))
    }

    /// Checks that the session can continue without a new message.
    ///
    /// # Errors
    /// If the model had finished.
    pub fn check_unfinished(&self) -> Result<(), ResumeError> {
        if self.loaded.resume_state.is_turn_complete() {
            let name = self.session.kind_and_name().1.to_owned();
            return Err(ResumeError::Finished { name });
        }
        Ok(())
    }

    /// Returns the id of the session, its messages as `run` continues them, and its lock. The
    /// `notifier` reports which parts differ from the original messages.
    pub(crate) fn into_resume_state(
        self,
        run: &RunSettings,
        notifier: &UserNotifier,
    ) -> (SessionId, ResumeState, Option<RunLock>) {
        let (past, is_less) = self.loaded.resume_state_for(run);
        if is_less {
            notifier.notify(&format!(
                "reasoning of another model is omitted: {} cannot read it",
                run.model
            ));
        }
        if self.loaded.has_secrets {
            notifier.notify(
                "secrets in this session were not stored: the model sees a note in place of each",
            );
        }
        if self.loaded.lost_texts > 0 {
            let texts = format_plural(self.loaded.lost_texts, "text");
            notifier.notify(&format!(
                "{texts} of this session no longer stored: the model sees a note instead"
            ));
        }
        (self.session, past, Some(self.lock))
    }
}

/// Returns whether a stored root, which has no secrets, is this folder.
fn is_root_of_folder(root: &str, directory: &Path) -> bool {
    foveal_redaction::redact_text(&directory.display().to_string()) == root
}
