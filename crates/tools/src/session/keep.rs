//! What of a session is kept for later: contents behind handles, calls, files before a change.

use std::sync::atomic::Ordering;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use foveal_context::handle::{Handle, ParseHandleError};
use foveal_context::planner::Step;
use foveal_context::transcript::Timestamp;
use foveal_store::secrets::without;
use foveal_store::{Log, Record, RecordNumber, SessionFacts, StoreError, Write};

use crate::answer::Found;
use crate::error::ToolError;

use super::shown::Before;
use super::{Session, Work};

/// Why a change cannot be taken back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum NoWayBack {
    /// There was no file.
    #[error("it is new")]
    New,
    /// The file held something that is not to lie in a store.
    #[error("what it held has secrets, which are not kept")]
    Secrets,
    /// Nothing can be kept.
    #[error("the store cannot be written")]
    Store,
}

impl Session {
    /// Keeps a content; its handle, or nothing where the store fails or leaves secrets out.
    pub(crate) fn keep(&self, content: &[u8], now: Timestamp) -> Option<Handle> {
        let store = &self.toolbox.store;
        let stored = self.opened(|| store.put(Some(&self.stored), content, now)).ok()?;
        Some(stored.handle)
    }

    /// Keeps that something happened. What cannot be kept is not worth failing a call for.
    pub(super) fn append(&self, event: &Event, now: Timestamp) {
        let Ok(kept) = serde_json::to_value(event) else { return };
        let appended = self.toolbox.store.append(&self.stored, Log::Events, &kept, now);
        match appended {
            // What is told of this call rests on calls that nothing is known of any more.
            Err(StoreError::UnknownSession { .. }) => drop(self.reopen()),
            // The next ones would rest on one that nothing is known of.
            Err(StoreError::TooLarge { .. } | StoreError::TooDeep { .. }) => self.lose_thread(),
            _ => {}
        }
    }

    /// Does what needs the session in the store; opens it there again if it was removed: as too
    /// old, or with a file that was put away.
    pub(super) fn opened<T>(
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
        self.lose_thread();
        self.open_stored().map(drop)
    }

    /// Opens the session in the store; whether it was there.
    pub(super) fn open_stored(&self) -> Result<bool, StoreError> {
        let roots = self.toolbox.roots.all().map(|root| root.path().display().to_string());
        let facts = SessionFacts { client: String::new(), roots: roots.collect() };
        self.toolbox.store.open_session(&self.stored, &facts, self.toolbox.clock.now())
    }

    /// What is kept does not tell all that was shown: before the next answer all is forgotten,
    /// so that a later process can go on from there.
    fn lose_thread(&self) {
        self.has_lost_thread.store(true, Ordering::Relaxed);
    }

    /// Whether [`Session::lose_thread`] was called since this was last asked.
    pub(super) fn takes_lost_thread(&self) -> bool {
        self.has_lost_thread.swap(false, Ordering::Relaxed)
    }

    /// Keeps what a file held before it was written, and remembers that it was.
    pub(super) fn keep_write(
        &self,
        path: &str,
        before: Option<&[u8]>,
        after: &[u8],
    ) -> Result<Handle, NoWayBack> {
        let now = self.toolbox.clock.now();
        let store = &self.toolbox.store;
        let put = |before| self.opened(|| store.put(Some(&self.stored), before, now));
        let stored = before.map(put);
        let kept = match stored {
            Some(Ok(stored)) if stored.secrets == 0 => Ok(stored.handle),
            Some(Ok(_)) => Err(NoWayBack::Secrets),
            Some(Err(_)) => Err(NoWayBack::Store),
            None => Err(NoWayBack::New),
        };
        let before = kept.ok();
        if let Some(after) = self.keep(after, now) {
            let write = Write { path: path.to_owned(), before, after, time: now };
            drop(store.put_write(&self.stored, &write));
        }
        kept
    }

    /// The whole of an answer of this session, or of an earlier one.
    pub fn content(&self, handle: Handle) -> Option<String> {
        let state = self.state();
        let here = state.shown.find(handle).and_then(|entry| state.shown.content(entry));
        if let Some(content) = here {
            return Some(content.to_owned());
        }
        drop(state);
        let content = self.toolbox.store.get(handle).ok().flatten()?;
        Some(String::from_utf8_lossy(&content.bytes).into_owned())
    }
}

/// What happened in a session, as it is kept.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Event {
    /// A call was answered.
    Answered {
        tool: String,
        arguments: Value,
        question: Option<String>,
        /// The whole of what was found.
        handle: Option<Handle>,
        /// The same, where it is too short to be kept apart.
        text: Option<String>,
        is_error: bool,
        /// Whether an earlier answer was used.
        cached: bool,
        /// Bytes found, and bytes sent.
        bytes: (u64, u64),
        step: Box<Step>,
    },
    /// A call was answered by a note that nothing has changed.
    Pointed { tool: String, arguments: Value },
    /// All that was shown was forgotten.
    Forgot,
}

/// Records read at once.
const RECORDS: usize = 256;

impl Session {
    /// Remembers what an earlier process showed in this session. What came after something that
    /// cannot be read any more rests on it, and is as if it had been forgotten too.
    pub(super) fn recall(&self) {
        let store = &self.toolbox.store;
        if let Ok(Some(calls)) = store.calls(&self.stored)
            && let Ok(calls) = serde_json::from_value(calls)
        {
            self.toolbox.calls().restore(&self.id, calls);
        }
        let mut before: Vec<Before> = Vec::new();
        let mut from = RecordNumber(1);
        let mut is_lost = false;
        while let Ok(records) = store.records(&self.stored, Log::Events, from, RECORDS) {
            let Some(last) = records.last() else { break };
            from = RecordNumber(last.number.0 + 1);
            for record in records {
                match self.before(record) {
                    Ok(call) if !is_lost => before.extend(call),
                    Ok(_) => {}
                    Err(gone) => {
                        before.clear();
                        is_lost = matches!(gone, Gone::Unknown);
                    }
                }
            }
        }
        let is_whole = !is_lost && (before.is_empty() || self.state().shown.resume(before));
        if !is_whole {
            self.append(&Event::Forgot, self.toolbox.clock.now());
        }
    }

    /// One call of an earlier process; nothing of one that showed nothing.
    fn before(&self, record: Record) -> Result<Option<Before>, Gone> {
        let event = serde_json::from_value(record.payload).map_err(|_| Gone::Unknown)?;
        let (tool, arguments, question, handle, text, is_error, step) = match event {
            Event::Answered { tool, arguments, question, handle, text, is_error, step, .. } => {
                (tool, arguments, question, handle, text, is_error, step)
            }
            Event::Pointed { .. } => return Ok(None),
            Event::Forgot => return Err(Gone::Forgotten),
        };
        let kept = handle.and_then(|handle| self.toolbox.store.get(handle).ok().flatten());
        let kept = kept.map(|kept| String::from_utf8_lossy(&kept.bytes).into_owned());
        let content = kept.or(text).ok_or(Gone::Unknown)?;
        let time = record.time;
        Ok(Some(Before { tool, arguments, question, content, is_error, time, step: *step }))
    }
}

/// Why what was shown before does not count.
enum Gone {
    /// It was forgotten then.
    Forgotten,
    /// It cannot be read any more.
    Unknown,
}

impl Work<'_> {
    /// Puts back what a file held before a change.
    pub(crate) fn restore(&self, path: &str, handle: &str) -> Result<Found, ToolError> {
        let handle: Result<Handle, ParseHandleError> = handle.trim().parse();
        let handle = handle.map_err(ToolError::failed)?;
        let located = self.file(path)?;
        let shown = located.shown();
        let store = &self.toolbox.store;
        let writes = store.writes(&self.session.stored, Some(handle)).map_err(ToolError::failed)?;
        let is_before =
            writes.iter().any(|write| write.before == Some(handle) && write.path == without(shown));
        let content = store.get(handle).map_err(ToolError::failed)?.filter(|_| is_before);
        let Some(content) = content else {
            return Err(ToolError::failed(format!(
                "`{handle}` is nothing that `{shown}` held before a change in this session"
            )));
        };
        if content.secrets > 0 {
            return Err(ToolError::failed(format!(
                "what is kept under `{handle}` had secrets, which were left out; it cannot be put \
                 back from here"
            )));
        }
        self.write_bytes(&located, &content.bytes)
    }
}
