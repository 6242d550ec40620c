//! A session that is gone on with.

use std::path::Path;

use anyhow::{Context, bail};
use foveal_agent::Past;
use foveal_llm::ModelSpec;
use foveal_store::{Session, SessionId, SqliteStore, Store};

use crate::environment::Environment;
use crate::notice;
use crate::numbers::plural;
use crate::runs::{Loaded, Lock, Run, is_run, load};
use crate::sessions::{find_kept, kind_and_name};
use crate::toolbox;

/// A session that is gone on with. Nobody else can while this is there.
pub(crate) struct Earlier {
    session: SessionId,
    loaded: Loaded,
    lock: Lock,
}

impl Earlier {
    /// The one that `name` names or begins the name of.
    ///
    /// # Errors
    /// If there is none, or several, or it cannot be gone on with here.
    pub(crate) fn named(
        name: &str,
        directory: &Path,
        environment: &Environment,
    ) -> anyhow::Result<Self> {
        let store = toolbox::store_to_read(environment)?;
        let sessions =
            store.as_ref().map(|store| store.sessions()).transpose()?.unwrap_or_default();
        let session = find_kept(&sessions, name)?;
        let store = store.context("there is no store")?;
        if !is_run(session) {
            bail!("`{}` is no session of `foveal run`: only those can be gone on with", session.id);
        }
        if let Some(other) = session.facts.roots.first().filter(|root| !is_of(root, directory)) {
            bail!("`{}` is a session of another folder: go there first (cd {other})", session.id);
        }
        Self::open(&store, session, environment)
    }

    /// The one of this folder that was used last.
    ///
    /// # Errors
    /// If there is none, or it cannot be gone on with.
    pub(crate) fn latest(directory: &Path, environment: &Environment) -> anyhow::Result<Self> {
        let none = "no session of `foveal run` is kept for this folder: give a task to begin one; \
                    `foveal sessions` lists those of all folders";
        let store = toolbox::store_to_read(environment)?.context(none)?;
        let sessions = store.sessions()?;
        let is_it = |session: &&Session| {
            is_run(session)
                && session.facts.roots.first().is_some_and(|root| is_of(root, directory))
        };
        let session = sessions.iter().find(is_it).context(none)?;
        Self::open(&store, session, environment)
    }

    fn open(
        store: &SqliteStore,
        session: &Session,
        environment: &Environment,
    ) -> anyhow::Result<Self> {
        let id = session.id.clone();
        let lock = Lock::take(&id, environment).with_context(|| format!("`{id}`"))?;
        let loaded = load(store, &id).with_context(|| format!("`{id}` cannot be read"))?;
        if let Some(number) = loaded.damaged {
            bail!(
                "`{id}` cannot be gone on with: message {number} of its log is damaged, or of a \
                 later version of foveal; `foveal show` has what stands before it"
            );
        }
        if loaded.past.entries().is_empty() || loaded.runs.is_empty() {
            bail!("`{id}` cannot be gone on with: nothing that was said in it is kept");
        }
        Ok(Self { session: id, loaded, lock })
    }

    /// The session, what was said and done in it, and what holds it.
    pub(crate) fn held(self) -> (SessionId, Past, Lock) {
        (self.session, self.loaded.past, self.lock)
    }

    /// The model that was asked last.
    ///
    /// # Errors
    /// If it is not known any more.
    pub(crate) fn model(&self) -> anyhow::Result<ModelSpec> {
        let run = self.loaded.runs.last().context("no model is known")?;
        run.model.parse().with_context(|| {
            format!(
                "the model of the session, {}, cannot be asked: name one with --model",
                run.model
            )
        })
    }

    /// By which rules its requests were decided about last.
    pub(crate) fn profile(&self) -> Option<String> {
        Some(self.loaded.runs.last()?.profile.clone())
    }

    /// Whether what was decided in it does not stand where `run` goes on with it.
    pub(crate) fn is_decided_anew(&self, run: &Run) -> bool {
        self.loaded.runs.last().is_some_and(|last| !run.decides_as(last))
    }

    /// Goes on if there is something to go on with.
    ///
    /// # Errors
    /// If the model had said all it had to say.
    pub(crate) fn check_goes_on(&self) -> anyhow::Result<()> {
        if self.loaded.past.is_done() {
            let name = kind_and_name(&self.session.0).1;
            bail!(
                "the model was done: say what is next, as in \
                 `foveal run --session {name} \"TASK\"`"
            );
        }
        Ok(())
    }

    /// The session with what was said in it, as `run` goes on with it. What differs from what was
    /// said is told.
    pub(crate) fn taken_up(self, run: &Run) -> (SessionId, Past, Option<Lock>) {
        let (past, is_less) = self.loaded.past_for(run);
        if is_less {
            notice::say(format_args!(
                "reasoning of another model is left out: {} could not read it",
                run.model
            ));
        }
        if self.loaded.has_secrets {
            notice::say(
                "secrets in this session were not kept: the model reads a note in place of each",
            );
        }
        if self.loaded.lost > 0 {
            let texts = plural(self.loaded.lost, "text");
            notice::say(format_args!(
                "{texts} of this session are no longer kept: the model reads a note in their place"
            ));
        }
        (self.session, past, Some(self.lock))
    }
}

/// Whether a root, as it is kept, is this folder.
fn is_of(root: &str, directory: &Path) -> bool {
    foveal_secrets::without(&directory.display().to_string()) == root
}
