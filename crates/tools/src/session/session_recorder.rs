//! The recorder of a session: stores its contents and events.

use std::cmp::Reverse;
use std::fmt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use foveal_engine::message_shape::MessageShape;
use foveal_store::{
    CallChanges, ContentReceipt, FileWrite, SessionId, SessionMetadata, Store, StoreError,
};
use foveal_transcript::{ContentHash, EntryIndex, Handle, Timestamp};
use foveal_workspace::FileStamp;

use crate::clock::Clock;
use crate::store_notice::StoreUnavailableNotice;
use crate::toolbox::Toolbox;

use super::content_buffer::ContentBuffer;
use super::known_files::SeenFileLines;
use super::read_counts::FileReadCount;

/// Bytes of contents that wait for the store.
const WAITING_BYTES_MAX: usize = 32 << 20;

/// Writes the contents and events of one session to the store.
pub(crate) struct SessionRecorder {
    id: SessionId,
    roots: Vec<String>,
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    /// Whether omitted content can be fetched later.
    keeps_content: bool,
    unkept: Arc<StoreUnavailableNotice>,
    /// Whether the session is not open in the store yet.
    is_unopened: AtomicBool,
    /// Whether the stored events do not cover all shown content.
    is_incomplete: AtomicBool,
    /// The places of delivered answers whose delivery is not stored yet.
    delivered: Mutex<Vec<EntryIndex>>,
    /// Contents of reduced answers that the store has not taken yet.
    buffer: Mutex<ContentBuffer>,
}

impl SessionRecorder {
    /// Creates the recorder of the session `id`.
    pub(crate) fn new(toolbox: &Toolbox, id: &str) -> Self {
        let roots = toolbox.roots.all().map(|root| root.path().display().to_string());
        Self {
            id: SessionId(id.to_owned()),
            roots: roots.collect(),
            store: Arc::clone(&toolbox.store),
            clock: Arc::clone(&toolbox.clock),
            keeps_content: toolbox.keeps_content,
            unkept: Arc::clone(&toolbox.store_notice),
            is_unopened: AtomicBool::new(false),
            is_incomplete: AtomicBool::new(false),
            delivered: Mutex::default(),
            buffer: Mutex::new(ContentBuffer::new(WAITING_BYTES_MAX)),
        }
    }

    /// Records that the answers at these places were delivered; stored with the next event.
    pub(crate) fn queue_delivered(&self, places: Vec<EntryIndex>) {
        self.delivered.lock().unwrap_or_else(PoisonError::into_inner).extend(places);
    }

    /// Returns the places of the answers that were delivered since the last call of this method.
    pub(crate) fn take_delivered(&self) -> Vec<EntryIndex> {
        std::mem::take(&mut *self.delivered.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the session's id in the store.
    pub(super) fn session_id(&self) -> &SessionId {
        &self.id
    }

    /// Opens the session in the store; returns whether the store already had it.
    pub(crate) fn open(&self) -> Result<bool, StoreError> {
        let facts = SessionMetadata { roots: self.roots.clone(), transcript: None };
        let opened = self.store.open_session(&self.id, &facts, self.clock.now());
        self.unkept.check_result(&opened);
        self.is_unopened.store(opened.is_err(), Ordering::Relaxed);
        opened
    }

    /// Returns whether the session is open in the store; retries if it could not be opened before.
    /// If the store then turns out to have the session, its events were not restored, and new ones
    /// must not follow them yet.
    fn is_open(&self) -> bool {
        if !self.is_unopened.load(Ordering::Relaxed) {
            return true;
        }
        let opened = self.open();
        if matches!(opened, Ok(true)) {
            self.mark_incomplete();
        }
        matches!(opened, Ok(false))
    }

    /// Stores a content; returns its handle and the number of removed secrets. `None` if the store
    /// fails or does not keep contents for later requests.
    pub(crate) fn store_content(&self, content: &[u8], now: Timestamp) -> Option<ContentReceipt> {
        let stored =
            self.with_open_session(|| self.store.put_content(Some(&self.id), content, now));
        self.unkept.check_result(&stored);
        let stored = stored.ok()?;
        self.flush_buffer(now);
        Some(stored).filter(|_| self.keeps_content)
    }

    /// Holds the content of a reduced answer until the store takes it.
    pub(crate) fn buffer_content(&self, handle: Handle, content: &[u8]) {
        self.lock_buffer().put(handle, content);
    }

    /// Returns a content that waits for the store.
    pub(crate) fn buffered_content(&self, handle: Handle) -> Option<Arc<[u8]>> {
        self.lock_buffer().get(handle)
    }

    /// Stores the waiting contents, up to the first that the store does not take.
    fn flush_buffer(&self, now: Timestamp) {
        let mut waiting = self.lock_buffer();
        while let Some((handle, content)) = waiting.pop_oldest() {
            if self
                .with_open_session(|| self.store.put_content(Some(&self.id), &content, now))
                .is_err()
            {
                waiting.put(handle, &content);
                return;
            }
        }
    }

    fn lock_buffer(&self) -> MutexGuard<'_, ContentBuffer> {
        self.buffer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Stores an event. Failures do not fail the call.
    pub(crate) fn append_event(&self, event: &SessionEvent) {
        if !self.is_open() {
            return;
        }
        let Ok(kept) = serde_json::to_value(event) else { return };
        let appended = self.store.append_record(&self.id, &kept, self.clock.now());
        match appended {
            // The event refers to calls that the store no longer has.
            Err(StoreError::UnknownSession { .. }) => drop(self.reopen()),
            // Later events would refer to one that the store does not have.
            Err(StoreError::TooLarge { .. } | StoreError::TooDeep { .. }) => self.mark_incomplete(),
            // A later process would count forgotten content as shown.
            Err(_) if event.revokes_visibility() => self.mark_incomplete(),
            _ => {}
        }
    }

    /// Stores the seen lines of files.
    pub(crate) fn append_seen_lines(&self, files: Vec<SeenFileLines>) {
        for SeenFileLines { key, version, lines } in files {
            let file = key.as_str().to_owned();
            let version = version.map(|version| (version.stamp, version.hash));
            self.append_event(&SessionEvent::Saw { file, version, lines: lines.ranges().to_vec() });
        }
    }

    /// Stores changes of the calls that may answer later ones.
    pub(crate) fn save_call_changes(&self, changes: &CallChanges) {
        let change = || self.store.update_calls(&self.id, changes, self.clock.now());
        // Without them, a later process runs the calls again.
        if self.is_open() {
            drop(self.with_open_session(change));
        }
    }

    /// Stores a file's content before and after a write; `None` stands for no file. Returns the
    /// content before.
    pub(crate) fn record_write(
        &self,
        path: &str,
        before: Option<&[u8]>,
        after: Option<&[u8]>,
    ) -> Result<Option<ContentReceipt>, StoreError> {
        let time = self.clock.now();
        let put = |content: Option<&[u8]>| {
            content.map(|content| self.store.put_content(Some(&self.id), content, time)).transpose()
        };
        self.with_open_session(|| {
            let (stored, after) = (put(before)?, put(after)?);
            let [before, after] = [stored, after].map(|stored| stored.map(|stored| stored.handle));
            let write = FileWrite { path: path.to_owned(), before, after, time };
            self.store.put_file_write(&self.id, &write)?;
            Ok(stored)
        })
    }

    /// Returns all writes of the session and of its sub-agents, newest first. The session of a
    /// sub-agent is named after this session, with `/` and a suffix.
    pub(crate) fn writes_with_sub_agents(&self) -> Result<Vec<FileWrite>, StoreError> {
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

    /// Returns the session's writes to one file, newest first.
    pub(crate) fn file_writes(&self, path: &str) -> Result<Vec<FileWrite>, StoreError> {
        self.store.file_writes(&self.id, path)
    }

    /// Returns whether the stored events ceased to cover all shown content since the last call of
    /// this method. The session must then forget that content, so that a later process can
    /// continue.
    pub(crate) fn take_incomplete(&self) -> bool {
        self.is_incomplete.swap(false, Ordering::Relaxed)
    }

    fn mark_incomplete(&self) {
        self.is_incomplete.store(true, Ordering::Relaxed);
    }

    /// Runs an operation on the stored session; opens the session again if it was removed from the
    /// store, because of its age or with a quarantined database.
    fn with_open_session<T>(
        &self,
        work: impl Fn() -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        match work() {
            Err(StoreError::UnknownSession { .. }) => {
                self.reopen()?;
                work()
            }
            other => other,
        }
    }

    fn reopen(&self) -> Result<(), StoreError> {
        self.mark_incomplete();
        self.open().map(drop)
    }
}

impl Drop for SessionRecorder {
    fn drop(&mut self) {
        self.flush_buffer(self.clock.now());
    }
}

impl fmt::Debug for SessionRecorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SessionRecorder").field("id", &self.id).finish_non_exhaustive()
    }
}

impl SessionEvent {
    /// Returns whether less content counts as shown after this event.
    fn revokes_visibility(&self) -> bool {
        matches!(self, Self::Forgot | Self::Saw { version: None, .. })
    }
}

/// An event of a session, as the store keeps it.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SessionEvent {
    /// A call was answered with content.
    Answered {
        tool: String,
        arguments: Value,
        question: Option<String>,
        /// The handle of the whole content.
        handle: Option<Handle>,
        /// The whole content, if it is not stored under the handle.
        text: Option<String>,
        is_error: bool,
        /// The folder in which relative paths started.
        #[serde(default)]
        directory: Option<PathBuf>,
        /// Whether an earlier answer was reused.
        cached: bool,
        /// Bytes found, and bytes sent.
        bytes: (u64, u64),
        /// The answer's place in the transcript.
        place: EntryIndex,
        /// The reduction; absent if the content was sent whole.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        shape: Option<Arc<MessageShape>>,
        /// The read counts that changed since the previous event.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        reads: Vec<FileReadCount>,
        /// Whether the answer counts as shown only after a later event confirms its delivery.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        awaits_delivery: bool,
        /// The places of earlier answers delivered since the previous event.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        delivered: Vec<EntryIndex>,
    },
    /// A call was answered with a note that nothing has changed.
    Pointed {
        tool: String,
        arguments: Value,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        reads: Vec<FileReadCount>,
    },
    /// The answers at these places were delivered.
    Delivered { places: Vec<EntryIndex> },
    /// All shown content was forgotten.
    Forgot,
    /// The seen lines of a file from now on; without a version, none.
    Saw { file: String, version: Option<(FileStamp, ContentHash)>, lines: Vec<(u32, u32)> },
}
