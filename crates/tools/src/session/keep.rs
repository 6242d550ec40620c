//! What of a session is kept for later: contents behind handles, and what happened.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use foveal_context::handle::Handle;
use foveal_context::planner::Step;
use foveal_context::shape::Decision;
use foveal_context::transcript::Timestamp;
use foveal_files::{ContentHash, Stamp, Version};
use foveal_store::{Log, Record, RecordNumber};

use super::shown::Before;
use super::{KnownFile, Seen, Session};

impl Session {
    /// Keeps a content; its handle, or nothing where the store fails or leaves secrets out.
    pub(crate) fn keep(&self, content: &[u8], now: Timestamp) -> Option<Handle> {
        let stored = self.toolbox.store.put(Some(&self.stored), content, now).ok()?;
        Some(stored.handle)
    }

    /// Keeps that something happened. What cannot be kept is not worth failing a call for.
    pub(super) fn append(&self, event: &Event, now: Timestamp) {
        if let Ok(event) = serde_json::to_value(event) {
            drop(self.toolbox.store.append(&self.stored, Log::Events, &event, now));
        }
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
        /// The same, where it is not kept apart.
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
    /// This much of a file is seen from now on; without a version, nothing.
    Saw { file: String, version: Option<(Stamp, ContentHash)>, lines: Vec<(u32, u32)> },
}

/// Records read at once.
const RECORDS: usize = 256;

impl Session {
    /// Remembers what an earlier process showed in this session. What cannot be read any more
    /// is as if it had been forgotten.
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
        while let Ok(records) = store.records(&self.stored, Log::Events, from, RECORDS) {
            let Some(last) = records.last() else { break };
            from = RecordNumber(last.number.0 + 1);
            for record in records {
                match self.before(record) {
                    Ok(Recalled::Call(call)) => before.push(*call),
                    Ok(Recalled::Saw(file, saw)) => drop(seen.insert(file, saw)),
                    Ok(Recalled::Nothing) => {}
                    Err(Forgotten) => {
                        before.clear();
                        seen.clear();
                    }
                }
            }
        }
        self.recall_files(seen);
        if !before.is_empty() {
            self.state().shown.resume(before);
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
    fn before(&self, record: Record) -> Result<Recalled, Forgotten> {
        let event = serde_json::from_value(record.payload).map_err(|_| Forgotten)?;
        let (tool, arguments, question, handle, text, is_error, step) = match event {
            Event::Answered { tool, arguments, question, handle, text, is_error, step, .. } => {
                (tool, arguments, question, handle, text, is_error, step)
            }
            Event::Pointed { .. } => return Ok(Recalled::Nothing),
            Event::Saw { file, version, lines } => {
                return Ok(Recalled::Saw(file, Saw { version, lines }));
            }
            Event::Forgot => return Err(Forgotten),
        };
        let kept = handle.and_then(|handle| self.toolbox.store.get(handle).ok().flatten());
        let kept = kept.map(|kept| String::from_utf8_lossy(&kept.bytes).into_owned());
        let content = kept.or(text).ok_or(Forgotten)?;
        // What was decided on another text, one with secrets, means nothing for this one.
        let handle = Handle::of(content.as_bytes());
        let is_of = |decision: &Decision| match decision {
            Decision::Keep => true,
            Decision::Replace(shape) => shape.handle == handle,
        };
        if !step.changed.iter().all(|(_, decision)| is_of(decision)) {
            return Err(Forgotten);
        }
        let time = record.time;
        let before = Before { tool, arguments, question, content, is_error, time, step: *step };
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

/// What was shown before is not known any more.
struct Forgotten;
