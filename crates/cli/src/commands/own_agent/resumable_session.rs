//! An earlier session that the agent continues.

use std::path::Path;

use anyhow::{Context, bail};
use foveal_agent::ResumeState;
use foveal_providers::ModelSpec;
use foveal_store::{SessionId, SessionStore, SqliteStore, StoredSession};

use crate::environment::Environment;
use crate::notice;
use crate::numbers::format_plural;
use crate::runs::{RunLock, RunSettings, StoredRun, is_main_run, load_stored_run};
use crate::sessions::{find_stored_session, split_session_id};
use crate::toolbox;

/// An earlier session with its lock: no other process can continue it meanwhile.
pub(crate) struct ResumableSession {
    session: SessionId,
    loaded: StoredRun,
    lock: RunLock,
}

impl ResumableSession {
    /// Opens the session with this name, or with a name that has this unique prefix.
    ///
    /// # Errors
    /// If there is no such session or several, or it cannot be continued here.
    pub(crate) fn open_by_name(
        name: &str,
        directory: &Path,
        environment: &Environment,
    ) -> anyhow::Result<Self> {
        let store = toolbox::open_store_for_reading(environment)?;
        let sessions =
            store.as_ref().map(|store| store.sessions()).transpose()?.unwrap_or_default();
        let session = find_stored_session(&sessions, name)?;
        let store = store.context("there is no store")?;
        if !is_main_run(session) {
            bail!("`{}` is not a session of `foveal run`: only those can be resumed", session.id);
        }
        if let Some(other) =
            session.metadata.roots.first().filter(|root| !is_root_of_folder(root, directory))
        {
            bail!(
                "`{}` is a session of another folder: change to it first (cd {other})",
                session.id
            );
        }
        Self::open_locked(&store, session, environment)
    }

    /// Opens the most recently used session of a folder.
    ///
    /// # Errors
    /// If there is none, or it cannot be continued.
    pub(crate) fn open_latest(directory: &Path, environment: &Environment) -> anyhow::Result<Self> {
        let none = "no session of `foveal run` is stored for this folder: give a task to start \
                    one; `foveal sessions` lists those of all folders";
        let store = toolbox::open_store_for_reading(environment)?.context(none)?;
        let sessions = store.sessions()?;
        let is_it = |session: &&StoredSession| {
            is_main_run(session)
                && session
                    .metadata
                    .roots
                    .first()
                    .is_some_and(|root| is_root_of_folder(root, directory))
        };
        let session = sessions.iter().find(is_it).context(none)?;
        Self::open_locked(&store, session, environment)
    }

    fn open_locked(
        store: &SqliteStore,
        session: &StoredSession,
        environment: &Environment,
    ) -> anyhow::Result<Self> {
        let id = session.id.clone();
        let lock = RunLock::acquire(&id, environment).with_context(|| format!("`{id}`"))?;
        let loaded =
            load_stored_run(store, &id).with_context(|| format!("`{id}` cannot be read"))?;
        if let Some(number) = loaded.first_damaged {
            bail!(
                "cannot resume `{id}`: message {number} of its log is damaged, or from a later \
                 version of foveal; `foveal show` shows the messages before it"
            );
        }
        if loaded.resume_state.entries().is_empty() || loaded.run_settings.is_empty() {
            bail!("cannot resume `{id}`: its messages are not stored");
        }
        Ok(Self { session: id, loaded, lock })
    }

    /// Returns the id of the session, its messages, and its lock.
    pub(crate) fn into_session_parts(self) -> (SessionId, ResumeState, RunLock) {
        (self.session, self.loaded.resume_state, self.lock)
    }

    /// Returns the model of the session's last run.
    ///
    /// # Errors
    /// If the model is not supported any more.
    pub(crate) fn last_model(&self) -> anyhow::Result<ModelSpec> {
        let run = self.loaded.run_settings.last().context("no model is known")?;
        run.model.parse().with_context(|| {
            format!(
                "the model of the session, {}, cannot be used: choose one with --model",
                run.model
            )
        })
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
    pub(crate) fn check_unfinished(&self) -> anyhow::Result<()> {
        if self.loaded.resume_state.is_turn_complete() {
            let name = split_session_id(&self.session.0).1;
            bail!(
                "the model had finished: give the next task, as in `foveal run --session {name} \
                 \"TASK\"`"
            );
        }
        Ok(())
    }

    /// Returns the id of the session, its messages as `run` continues them, and its lock. Prints
    /// which parts differ from the original messages.
    pub(crate) fn into_resume_state(
        self,
        run: &RunSettings,
    ) -> (SessionId, ResumeState, Option<RunLock>) {
        let (past, is_less) = self.loaded.resume_state_for(run);
        if is_less {
            notice::print_notice(format_args!(
                "reasoning of another model is omitted: {} cannot read it",
                run.model
            ));
        }
        if self.loaded.has_secrets {
            notice::print_notice(
                "secrets in this session were not stored: the model sees a note in place of each",
            );
        }
        if self.loaded.lost_texts > 0 {
            let texts = format_plural(self.loaded.lost_texts, "text");
            notice::print_notice(format_args!(
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
