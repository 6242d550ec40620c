//! What of a session is kept for later: contents behind handles, and what happened.

use std::collections::HashMap;

use std::path::PathBuf;
use std::sync::atomic::Ordering;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use foveal_context::planner::Step;
use foveal_context::shape::Decision;
use foveal_files::{Stamp, Version};
use foveal_store::{Log, Record, RecordNumber, SessionFacts, StoreError, Stored};
use foveal_transcript::Timestamp;
use foveal_transcript::{ContentHash, Handle};

use super::reads::ReadFile;
use super::shown::Before;
use super::{KnownFile, Seen, Session};

impl Session {
    /// Keeps a content; its handle, with how many secrets were left out. Nothing where the store
    /// fails.
    pub(crate) fn put(&self, content: &[u8], now: Timestamp) -> Option<Stored> {
        let store = &self.toolbox.store;
        self.opened(|| store.put(Some(&self.stored), content, now)).ok()
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

    /// The whole of an answer of this session, or of an earlier one. Of one that is not in
    /// memory any more, secrets are left out.
    pub fn content(&self, handle: Handle) -> Option<String> {
        self.found(handle).map(|(content, _)| content)
    }

    /// The same where it is what was answered, word for word.
    pub(crate) fn whole_content(&self, handle: Handle) -> Option<String> {
        self.found(handle).filter(|(_, secrets)| *secrets == 0).map(|(content, _)| content)
    }

    /// What stands behind a handle, and how many secrets are left out of it.
    fn found(&self, handle: Handle) -> Option<(String, u32)> {
        let state = self.state();
        let here = state.shown.find(handle).and_then(|entry| state.shown.content(entry));
        if let Some(content) = here {
            return Some((content.to_owned(), 0));
        }
        drop(state);
        let content = self.toolbox.store.get(handle).ok().flatten()?;
        Some((String::from_utf8_lossy(&content.bytes).into_owned(), content.secrets))
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
        step: Box<Step>,
        /// Files whose reads are counted otherwise since the event before.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        reads: Vec<ReadFile>,
    },
    /// A call was answered by a note that nothing has changed.
    Pointed {
        tool: String,
        arguments: Value,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        reads: Vec<ReadFile>,
    },
    /// All that was shown was forgotten.
    Forgot,
    /// This much of a file is seen from now on; without a version, nothing.
    Saw { file: String, version: Option<(Stamp, ContentHash)>, lines: Vec<(u32, u32)> },
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
        let mut seen: HashMap<String, Saw> = HashMap::new();
        let mut from = RecordNumber(1);
        let mut is_lost = false;
        while let Ok(records) = store.records(&self.stored, Log::Events, from, RECORDS) {
            let Some(last) = records.last() else { break };
            from = RecordNumber(last.number.0 + 1);
            for record in records {
                match self.before(record) {
                    Ok(_) if is_lost => {}
                    Ok(Recalled::Call(call)) => before.push(*call),
                    Ok(Recalled::Saw(file, saw)) => drop(seen.insert(file, saw)),
                    Ok(Recalled::Nothing) => {}
                    Err(gone) => {
                        before.clear();
                        seen.clear();
                        is_lost = matches!(gone, Gone::Unknown);
                    }
                }
            }
        }
        let is_whole = !is_lost && (before.is_empty() || self.state().shown.resume(before));
        if is_whole {
            self.recall_files(seen);
        } else {
            self.append(&Event::Forgot, self.toolbox.clock.now());
        }
    }

    /// Remembers what was seen of files, as far as these are as they were then.
    fn recall_files(&self, seen: HashMap<String, Saw>) {
        let mut state = self.state();
        for (file, Saw { version, lines }) in seen {
            let located = state.roots.resolve(&file).ok();
            let key = located.map(|located| located.key()).filter(|key| key.as_str() == file);
            let (Some(key), Some((stamp, hash))) = (key, version) else { continue };
            let known = KnownFile::recalled(Version::stored(stamp, hash), Seen::of(lines));
            state.files.put(key, known);
        }
        state.files.take_touched();
    }

    /// Keeps what is seen of files, where that changed.
    pub(super) fn append_seen(&self) {
        let mut state = self.state();
        for key in state.files.take_touched() {
            let known = state.files.get(&key);
            let version = known.map(|known| (known.version.stamp, known.version.hash));
            let lines = known.map(KnownFile::seen_beside).unwrap_or_default().ranges().to_vec();
            let event = Event::Saw { file: key.as_str().to_owned(), version, lines };
            self.append(&event, self.toolbox.clock.now());
        }
    }

    /// One record of an earlier process.
    fn before(&self, record: Record) -> Result<Recalled, Gone> {
        let event = serde_json::from_value(record.payload).map_err(|_| Gone::Unknown)?;
        let (tool, arguments, question, handle, text, is_error, directory, step) = match event {
            Event::Answered {
                tool,
                arguments,
                question,
                handle,
                text,
                is_error,
                directory,
                step,
                reads,
                ..
            } => {
                self.restore_reads(reads);
                (tool, arguments, question, handle, text, is_error, directory, step)
            }
            Event::Pointed { reads, .. } => {
                self.restore_reads(reads);
                return Ok(Recalled::Nothing);
            }
            Event::Saw { file, version, lines } => {
                return Ok(Recalled::Saw(file, Saw { version, lines }));
            }
            Event::Forgot => return Err(Gone::Forgotten),
        };
        let kept = handle.and_then(|handle| self.toolbox.store.get(handle).ok().flatten());
        let kept = kept.map(|kept| String::from_utf8_lossy(&kept.bytes).into_owned());
        let content = kept.or(text).ok_or(Gone::Unknown)?;
        // What was decided on another text, one with secrets, means nothing for this one.
        let handle = Handle::of(content.as_bytes());
        let is_of = |decision: &Decision| match decision {
            Decision::Keep => true,
            Decision::Replace(shape) => shape.handle == handle,
        };
        if !step.changed.iter().all(|(_, decision)| is_of(decision)) {
            return Err(Gone::Unknown);
        }
        let time = record.time;
        let step = *step;
        let before = Before { tool, arguments, question, content, is_error, directory, time, step };
        Ok(Recalled::Call(Box::new(before)))
    }
}

/// What a record says.
enum Recalled {
    Call(Box<Before>),
    Saw(String, Saw),
    Nothing,
}

/// What was seen of a file.
struct Saw {
    version: Option<(Stamp, ContentHash)>,
    lines: Vec<(u32, u32)>,
}

/// Why what was shown before does not count.
enum Gone {
    /// It was forgotten then.
    Forgotten,
    /// It cannot be read any more.
    Unknown,
}
