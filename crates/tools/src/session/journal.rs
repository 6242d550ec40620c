//! What of a session is kept for later: contents behind handles, and what happened.

use std::cmp::Reverse;
use std::fmt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use foveal_context::shape::Shape;
use foveal_files::Stamp;
use foveal_store::{CallChanges, SessionFacts, SessionId, Store, StoreError, Stored, Write};
use foveal_transcript::{ContentHash, EntryIndex, Handle, Timestamp};

use crate::clock::Clock;
use crate::toolbox::Toolbox;
use crate::unkept::Unkept;

use super::held_contents::HeldContents;
use super::known_files::SeenOfFile;
use super::reads::ReadFile;

/// Bytes of contents that wait for the store.
const WAITING_BYTES_MAX: usize = 32 << 20;

/// The store's side of one session.
pub(crate) struct Journal {
    id: SessionId,
    roots: Vec<String>,
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    /// Whether what is left out of an answer can be had later.
    keeps_content: bool,
    unkept: Arc<Unkept>,
    /// Whether the session could not be opened in the store yet.
    is_unopened: AtomicBool,
    /// Whether what is kept does not tell all that was shown.
    has_lost_thread: AtomicBool,
    /// Places of answers that were delivered, of which nothing is kept yet.
    delivered: Mutex<Vec<EntryIndex>>,
    /// Contents that an answer leaves something out of, and that the store could not take yet.
    waiting: Mutex<HeldContents>,
}

impl Journal {
    /// That of the session called `id`.
    pub(crate) fn new(toolbox: &Toolbox, id: &str) -> Self {
        let roots = toolbox.roots.all().map(|root| root.path().display().to_string());
        Self {
            id: SessionId(id.to_owned()),
            roots: roots.collect(),
            store: Arc::clone(&toolbox.store),
            clock: Arc::clone(&toolbox.clock),
            keeps_content: toolbox.keeps_content,
            unkept: Arc::clone(&toolbox.unkept),
            is_unopened: AtomicBool::new(false),
            has_lost_thread: AtomicBool::new(false),
            delivered: Mutex::default(),
            waiting: Mutex::new(HeldContents::new(WAITING_BYTES_MAX)),
        }
    }

    /// Notes that the answers at these places were delivered, to be kept with the next.
    pub(crate) fn note_delivered(&self, places: Vec<EntryIndex>) {
        self.delivered.lock().unwrap_or_else(PoisonError::into_inner).extend(places);
    }

    /// The places of answers that were delivered since this was last asked.
    pub(crate) fn take_delivered(&self) -> Vec<EntryIndex> {
        std::mem::take(&mut *self.delivered.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// What the store calls the session.
    pub(super) fn id(&self) -> &SessionId {
        &self.id
    }

    /// Opens the session in the store; whether it was there.
    pub(crate) fn open(&self) -> Result<bool, StoreError> {
        let facts = SessionFacts { roots: self.roots.clone(), transcript: None };
        let opened = self.store.open_session(&self.id, &facts, self.clock.now());
        self.unkept.tell(&opened);
        self.is_unopened.store(opened.is_err(), Ordering::Relaxed);
        opened
    }

    /// Whether something can be kept of the session. If it could not be opened in the store when
    /// it began, that is tried again. What an earlier process kept of it was not taken up then:
    /// nothing of now may be put behind that.
    fn is_open(&self) -> bool {
        if !self.is_unopened.load(Ordering::Relaxed) {
            return true;
        }
        let opened = self.open();
        if matches!(opened, Ok(true)) {
            self.lose_thread();
        }
        matches!(opened, Ok(false))
    }

    /// Keeps a content; its handle, with how many secrets were left out. Nothing where the store
    /// fails, or is gone before anybody asks for it.
    pub(crate) fn put(&self, content: &[u8], now: Timestamp) -> Option<Stored> {
        let stored = self.opened(|| self.store.put(Some(&self.id), content, now));
        self.unkept.tell(&stored);
        let stored = stored.ok()?;
        self.put_waiting(now);
        Some(stored).filter(|_| self.keeps_content)
    }

    /// Holds a content that an answer leaves something out of, and that could not be kept, until
    /// the store takes it.
    pub(crate) fn keep_later(&self, handle: Handle, content: &[u8]) {
        self.waiting().put(handle, content);
    }

    /// A content that waits for the store.
    pub(crate) fn held(&self, handle: Handle) -> Option<Arc<[u8]>> {
        self.waiting().get(handle)
    }

    /// Keeps what waits for the store, up to the first content that it does not take.
    fn put_waiting(&self, now: Timestamp) {
        let mut waiting = self.waiting();
        while let Some((handle, content)) = waiting.take_first() {
            if self.opened(|| self.store.put(Some(&self.id), &content, now)).is_err() {
                waiting.put(handle, &content);
                return;
            }
        }
    }

    fn waiting(&self) -> MutexGuard<'_, HeldContents> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps that something happened. What cannot be kept is not worth failing a call for.
    pub(crate) fn append(&self, event: &Event) {
        if !self.is_open() {
            return;
        }
        let Ok(kept) = serde_json::to_value(event) else { return };
        let appended = self.store.append(&self.id, &kept, self.clock.now());
        match appended {
            // What is told of this call rests on calls that nothing is known of any more.
            Err(StoreError::UnknownSession { .. }) => drop(self.reopen()),
            // The next ones would rest on one that nothing is known of.
            Err(StoreError::TooLarge { .. } | StoreError::TooDeep { .. }) => self.lose_thread(),
            // A later process would take for shown what is not.
            Err(_) if event.takes_back() => self.lose_thread(),
            _ => {}
        }
    }

    /// Keeps what is seen of files.
    pub(crate) fn append_seen(&self, files: Vec<SeenOfFile>) {
        for SeenOfFile { key, version, lines } in files {
            let file = key.as_str().to_owned();
            let version = version.map(|version| (version.stamp, version.hash));
            self.append(&Event::Saw { file, version, lines: lines.ranges().to_vec() });
        }
    }

    /// Keeps what changed in the calls that may answer later ones.
    pub(crate) fn change_calls(&self, changes: &CallChanges) {
        let change = || self.store.change_calls(&self.id, changes, self.clock.now());
        // Without them, calls are carried out again.
        if self.is_open() {
            drop(self.opened(change));
        }
    }

    /// Keeps what a file held before and after a write, where there was or is a file; what it
    /// held before.
    pub(crate) fn put_write(
        &self,
        path: &str,
        (before, after): (Option<&[u8]>, Option<&[u8]>),
    ) -> Result<Option<Stored>, StoreError> {
        let time = self.clock.now();
        let put = |content: Option<&[u8]>| {
            content.map(|content| self.store.put(Some(&self.id), content, time)).transpose()
        };
        self.opened(|| {
            let (stored, after) = (put(before)?, put(after)?);
            let [before, after] = [stored, after].map(|stored| stored.map(|stored| stored.handle));
            let write = Write { path: path.to_owned(), before, after, time };
            self.store.put_write(&self.id, &write)?;
            Ok(stored)
        })
    }

    /// All writes of the session and of its sub-agents, newest first. Those have sessions of its name
    /// with `/` and their own behind it.
    pub(crate) fn all_writes(&self) -> Result<Vec<Write>, StoreError> {
        let mut writes = self.store.session_writes(&self.id)?;
        let of_agents = format!("{}/", self.id);
        let own = writes.len();
        for session in self.store.sessions()? {
            if session.id.0.starts_with(&of_agents) {
                writes.extend(self.store.session_writes(&session.id)?);
            }
        }
        if writes.len() > own {
            writes.sort_by_key(|write| Reverse(write.time));
        }
        Ok(writes)
    }

    /// The writes of the session to one file, newest first.
    pub(crate) fn writes(&self, path: &str) -> Result<Vec<Write>, StoreError> {
        self.store.writes(&self.id, path)
    }

    /// Whether what is kept no longer tells all that was shown, since this was last asked: all
    /// is to be forgotten, so that a later process can go on from there.
    pub(crate) fn takes_lost_thread(&self) -> bool {
        self.has_lost_thread.swap(false, Ordering::Relaxed)
    }

    fn lose_thread(&self) {
        self.has_lost_thread.store(true, Ordering::Relaxed);
    }

    /// Does what needs the session in the store; opens it there again if it was removed: as too
    /// old, or with a file that was put away.
    fn opened<T>(&self, work: impl Fn() -> Result<T, StoreError>) -> Result<T, StoreError> {
        match work() {
            Err(StoreError::UnknownSession { .. }) => {
                self.reopen()?;
                work()
            }
            other => other,
        }
    }

    fn reopen(&self) -> Result<(), StoreError> {
        self.lose_thread();
        self.open().map(drop)
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        self.put_waiting(self.clock.now());
    }
}

impl fmt::Debug for Journal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Journal").field("id", &self.id).finish_non_exhaustive()
    }
}

impl Event {
    /// Whether less counts as shown after it than before.
    fn takes_back(&self) -> bool {
        matches!(self, Self::Forgot | Self::Saw { version: None, .. })
    }
}

/// What happened in a session, as it is kept.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Event {
    /// A call was answered.
    Answered {
        tool: String,
        arguments: Value,
        question: Option<String>,
        /// The whole of what was found.
        handle: Option<Handle>,
        /// The same, where it is not kept apart.
        text: Option<String>,
        is_error: bool,
        /// The folder that relative paths started at.
        #[serde(default)]
        directory: Option<PathBuf>,
        /// Whether an earlier answer was used.
        cached: bool,
        /// Bytes found, and bytes sent.
        bytes: (u64, u64),
        /// Where the answer stands in what was shown.
        place: EntryIndex,
        /// What stands in its place; nothing: all of it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        shape: Option<Arc<Shape>>,
        /// Files whose reads are counted otherwise since the event before.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        reads: Vec<ReadFile>,
        /// Whether it counts as shown only once a later event says that it was delivered.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        awaits_delivery: bool,
        /// Places of earlier answers that were delivered since the event before.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        delivered: Vec<EntryIndex>,
    },
    /// A call was answered by a note that nothing has changed.
    Pointed {
        tool: String,
        arguments: Value,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        reads: Vec<ReadFile>,
    },
    /// The answers at these places were delivered.
    Delivered { places: Vec<EntryIndex> },
    /// All that was shown was forgotten.
    Forgot,
    /// This much of a file is seen from now on; without a version, nothing.
    Saw { file: String, version: Option<(Stamp, ContentHash)>, lines: Vec<(u32, u32)> },
}
