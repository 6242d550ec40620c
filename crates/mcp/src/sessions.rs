//! The sessions of all clients: what each was shown.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use foveal_tools::Session;
use tokio::runtime::Handle;

use crate::session_report::CallCounts;

/// Whose session it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SessionKey {
    /// The connection; requests that belong to none share number 0.
    pub(crate) connection: u64,
    /// Which of the client's prompts it is for.
    pub(crate) prompt: Prompt,
    /// The folders it is about.
    pub(crate) roots: Vec<PathBuf>,
}

/// Which of a client's prompts the answers of a session go into.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Prompt {
    /// The only one, as far as is known.
    Only,
    /// The one that the client calls so.
    Named(String),
    /// That of the reader whom a hook of the client noted.
    Noted(String),
    /// One of several, and nobody knows which.
    Unknown,
}

/// A session of the tools, and the counts of its calls.
#[derive(Debug)]
pub(crate) struct ClientSession {
    pub(crate) session: Session,
    pub(crate) counts: Mutex<CallCounts>,
}

impl ClientSession {
    pub(crate) fn new(session: Session) -> Self {
        Self { session, counts: Mutex::default() }
    }
}

/// The sessions that are remembered.
#[derive(Debug)]
pub(crate) struct Sessions {
    max: usize,
    idle: Duration,
    held: Mutex<Vec<Entry>>,
}

#[derive(Debug)]
struct Entry {
    key: SessionKey,
    used: Instant,
    session: Arc<ClientSession>,
}

impl Sessions {
    pub(crate) fn new(max: usize, idle: Duration) -> Self {
        Self { max: max.max(1), idle, held: Mutex::default() }
    }

    /// The session of `key`, made if there is none.
    pub(crate) fn get_or_make(
        &self,
        key: &SessionKey,
        make: impl FnOnce() -> ClientSession,
    ) -> Arc<ClientSession> {
        let now = Instant::now();
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        // The last used stands last.
        let fresh = held.partition_point(|held| now.duration_since(held.used) > self.idle);
        let mut gone: Vec<Entry> = held.drain(..fresh).collect();
        let mut found = match held.iter().position(|held| held.key == *key) {
            Some(at) => held.remove(at),
            None => Entry { key: key.clone(), used: now, session: Arc::new(make()) },
        };
        found.used = now;
        let session = Arc::clone(&found.session);
        held.push(found);
        while held.len() > self.max
            && let Some(at) = next_to_go(&held)
        {
            gone.push(held.remove(at));
        }
        drop(held);
        retire(gone);
        session
    }

    /// The session of a connection that was used last.
    pub(crate) fn latest(&self, connection: u64) -> Option<Arc<ClientSession>> {
        let held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let latest = held.iter().rev().find(|held| held.key.connection == connection)?;
        Some(Arc::clone(&latest.session))
    }

    /// Forgets what was shown in the session called `name` of a connection, or in all of them.
    pub(crate) fn forget_shown(&self, connection: u64, name: Option<&str>) {
        self.each(connection, name, Session::forget);
    }

    /// Does something with the session called `name` of a connection, or with all of them.
    pub(crate) fn each(&self, connection: u64, name: Option<&str>, act: impl Fn(&Session)) {
        let held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let meant = held.iter().filter(|held| {
            held.key.connection == connection
                && name.is_none_or(|name| held.key.prompt == Prompt::Named(name.to_owned()))
        });
        meant.for_each(|held| act(&held.session.session));
    }

    /// Forgets a connection.
    pub(crate) fn close(&self, connection: u64) {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let gone: Vec<Entry> =
            held.extract_if(.., |held| held.key.connection == connection).collect();
        drop(held);
        retire(gone);
    }
}

/// Which session goes where there are too many: one that no call runs in; of the connection that
/// has the most, the one that was not used for longest.
fn next_to_go(held: &[Entry]) -> Option<usize> {
    let count = |connection| held.iter().filter(|held| held.key.connection == connection).count();
    // The one that is asked for stands last, and is held by whoever asks.
    let idle = held.iter().enumerate().filter(|(_, held)| Arc::strong_count(&held.session) == 1);
    let next = idle.min_by_key(|(at, held)| (usize::MAX - count(held.key.connection), *at));
    next.map(|(at, _)| at)
}

/// Ends sessions. Their terminals end with them, which may take a moment that the thread of the
/// protocol does not have.
fn retire(gone: Vec<Entry>) {
    if gone.is_empty() {
        return;
    }
    match Handle::try_current() {
        Ok(runtime) => drop(runtime.spawn_blocking(move || drop(gone))),
        Err(_) => drop(gone),
    }
}
