//! The sessions of all clients, and their eviction.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use foveal_tools::ToolSession;
use tokio::runtime::Handle;

use crate::session_report::CallCounts;

/// Identifies a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SessionKey {
    /// The connection; requests without one share number 0.
    pub(crate) connection: u64,
    /// The client's prompt that the answers go into.
    pub(crate) prompt: PromptIdentity,
    /// The roots that it works in.
    pub(crate) roots: Vec<PathBuf>,
}

/// Identifies the prompt, among those of a client, that the answers of a session go into.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PromptIdentity {
    /// The only one, as far as known.
    Sole,
    /// The conversation that the client names.
    Named(String),
    /// The prompt of the reader that a hook of the client recorded.
    Recorded(String),
    /// One of several, not known which.
    Unknown,
}

/// A tool session and the counts of its calls.
#[derive(Debug)]
pub(crate) struct ClientSession {
    pub(crate) session: ToolSession,
    pub(crate) counts: Mutex<CallCounts>,
}

impl ClientSession {
    pub(crate) fn new(session: ToolSession) -> Self {
        Self { session, counts: Mutex::default() }
    }
}

/// The live sessions, up to a maximum.
#[derive(Debug)]
pub(crate) struct SessionRegistry {
    max: usize,
    idle: Duration,
    entries: Mutex<Vec<SessionEntry>>,
}

#[derive(Debug)]
struct SessionEntry {
    key: SessionKey,
    used: Instant,
    session: Arc<ClientSession>,
}

impl SessionRegistry {
    pub(crate) fn new(max: usize, idle: Duration) -> Self {
        Self { max: max.max(1), idle, entries: Mutex::default() }
    }

    /// Returns the session of `key`; creates it if there is none.
    pub(crate) fn get_or_insert_with(
        &self,
        key: &SessionKey,
        make: impl FnOnce() -> ClientSession,
    ) -> Arc<ClientSession> {
        let now = Instant::now();
        let mut held = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        // Ordered by last use, the most recent last.
        let fresh = held.partition_point(|held| now.duration_since(held.used) > self.idle);
        let mut gone: Vec<SessionEntry> = held.drain(..fresh).collect();
        let mut found = match held.iter().position(|held| held.key == *key) {
            Some(at) => held.remove(at),
            None => SessionEntry { key: key.clone(), used: now, session: Arc::new(make()) },
        };
        found.used = now;
        let session = Arc::clone(&found.session);
        held.push(found);
        while held.len() > self.max
            && let Some(at) = eviction_candidate(&held)
        {
            gone.push(held.remove(at));
        }
        drop(held);
        drop_in_background(gone);
        session
    }

    /// Returns the most recently used session of a connection.
    pub(crate) fn latest_session(&self, connection: u64) -> Option<Arc<ClientSession>> {
        let held = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        let latest = held.iter().rev().find(|held| held.key.connection == connection)?;
        Some(Arc::clone(&latest.session))
    }

    /// Clears the visibility of the session called `name` of a connection, or of all its sessions.
    pub(crate) fn clear_visibility(&self, connection: u64, name: Option<&str>) {
        self.for_each_session(connection, name, ToolSession::clear_visibility);
    }

    /// Calls `act` on the session called `name` of a connection, or on all its sessions.
    pub(crate) fn for_each_session(
        &self,
        connection: u64,
        name: Option<&str>,
        act: impl Fn(&ToolSession),
    ) {
        let held = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        let meant = held.iter().filter(|held| {
            held.key.connection == connection
                && name.is_none_or(|name| held.key.prompt == PromptIdentity::Named(name.to_owned()))
        });
        meant.for_each(|held| act(&held.session.session));
    }

    /// Closes all sessions of a connection.
    pub(crate) fn close_connection(&self, connection: u64) {
        let mut held = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        let gone: Vec<SessionEntry> =
            held.extract_if(.., |held| held.key.connection == connection).collect();
        drop(held);
        drop_in_background(gone);
    }
}

/// Returns the session to evict: one without a running call, of the connection with the most
/// sessions, the least recently used.
fn eviction_candidate(held: &[SessionEntry]) -> Option<usize> {
    let count = |connection| held.iter().filter(|held| held.key.connection == connection).count();
    // The requested session is last, and its caller holds a reference.
    let idle = held.iter().enumerate().filter(|(_, held)| Arc::strong_count(&held.session) == 1);
    let next = idle.min_by_key(|(at, held)| (usize::MAX - count(held.key.connection), *at));
    next.map(|(at, _)| at)
}

/// Drops sessions on a blocking thread: ending their terminals may take longer than the protocol
/// thread can wait.
fn drop_in_background(gone: Vec<SessionEntry>) {
    if gone.is_empty() {
        return;
    }
    match Handle::try_current() {
        Ok(runtime) => drop(runtime.spawn_blocking(move || drop(gone))),
        Err(_) => drop(gone),
    }
}
