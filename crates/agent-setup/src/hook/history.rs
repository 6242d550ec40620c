//! The hook's records of one prompt, which belongs to a session or to one of its sub-agents: which
//! results were replaced, and when earlier ones left the prompt.

use std::cell::Cell;
use std::collections::HashMap;

use foveal_store::{RecordNumber, SessionId, SessionMetadata, Store, StoreError};
use foveal_transcript::{Handle, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::event::{AnsweredCall, HookEvent};
use super::transcript;

/// The largest number of records that is read. A session has one for each shaped result.
const RECORDS_MAX: usize = 20_000;

/// The hook's records of one prompt.
pub(super) struct HookHistory<'s> {
    store: &'s dyn Store,
    session: SessionId,
    now: Timestamp,
    /// The text that was sent as the result of each call, by call id.
    sent_texts: HashMap<String, String>,
    /// The last call whose result was shaped.
    last_shaped: Option<LastShapedCall>,
    /// The length of the transcript's part whose results have left the prompt, in bytes.
    pub(super) forgotten_bytes: u64,
    needs_explanation: Cell<bool>,
}

/// The last call whose result was shaped.
pub(super) struct LastShapedCall {
    pub(super) call: String,
    tool: String,
    input: Value,
}

/// A record of the hook in the store.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum HookRecord {
    /// The hook replaced a result.
    Sent {
        call: String,
        tool: String,
        input: Value,
        text: String,
        /// The result before the replacement.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        whole: Option<Handle>,
    },
    /// The model repeated the last shaped call, and its result was given in full.
    Whole,
    /// The results in the first `bytes` bytes of the transcript have left the prompt.
    Forgot { bytes: u64 },
}

/// Returns the tool and the arguments of the call in a hook record.
pub fn recorded_call(payload: &Value) -> Option<(String, Value)> {
    match serde_json::from_value(payload.clone()).ok()? {
        HookRecord::Sent { tool, input, .. } => Some((tool, input)),
        HookRecord::Whole | HookRecord::Forgot { .. } => None,
    }
}

/// The text that was sent in place of a result.
#[derive(Debug, Clone)]
pub struct RecordedReplacement {
    /// The text.
    pub text: String,
    /// The result before the replacement; `None` in older records.
    pub original: Option<Handle>,
}

/// Returns the call id and the replaced result in a hook record.
pub fn recorded_replacement(payload: &Value) -> Option<(String, RecordedReplacement)> {
    match HookRecord::deserialize(payload).ok()? {
        HookRecord::Sent { call, text, whole, .. } => {
            Some((call, RecordedReplacement { text, original: whole }))
        }
        HookRecord::Whole | HookRecord::Forgot { .. } => None,
    }
}

impl<'s> HookHistory<'s> {
    /// Opens the records of the prompt in which `event` happened.
    ///
    /// # Errors
    /// If the store cannot be used.
    pub(super) fn open(
        store: &'s dyn Store,
        event: &HookEvent,
        now: Timestamp,
    ) -> Result<Self, StoreError> {
        let agent = event.agent.as_ref().map(|agent| format!("/{agent}")).unwrap_or_default();
        let session = SessionId(format!("{} {}{agent}", event.host.agent, event.session));
        let transcript = event.transcript.as_ref().map(|path| path.display().to_string());
        let facts = SessionMetadata { roots: vec![event.directory.clone()], transcript };
        let is_known = store.open_session(&session, &facts, now)?;
        let mut past = Self {
            store,
            session,
            now,
            sent_texts: HashMap::new(),
            last_shaped: None,
            forgotten_bytes: 0,
            needs_explanation: Cell::new(true),
        };
        let records = store.records(&past.session, RecordNumber(1), RECORDS_MAX)?;
        // The store may have lost what replaced the results that the transcript holds.
        let is_told_here = event.host.records_unshaped_results;
        let mut is_lost = is_told_here && !is_known && transcript::has_results(event);
        for record in records {
            let Ok(kept) = serde_json::from_value(record.payload) else {
                is_lost = true;
                continue;
            };
            is_lost &= !matches!(kept, HookRecord::Forgot { .. });
            past.apply_record(kept);
        }
        if is_lost {
            let bytes = transcript::byte_length(event);
            past.record_forgotten(bytes);
            past.mark_forgotten(bytes);
        }
        Ok(past)
    }

    fn apply_record(&mut self, kept: HookRecord) {
        match kept {
            HookRecord::Sent { call, tool, input, text, .. } => {
                self.sent_texts.insert(call.clone(), text);
                self.last_shaped = Some(LastShapedCall { call, tool, input });
                self.needs_explanation.set(false);
            }
            HookRecord::Whole => self.last_shaped = None,
            HookRecord::Forgot { bytes } => self.mark_forgotten(bytes),
        }
    }

    fn mark_forgotten(&mut self, bytes: u64) {
        self.forgotten_bytes = bytes;
        self.last_shaped = None;
        self.needs_explanation.set(true);
    }

    /// Returns the id of the prompt's session in the store.
    pub(super) fn session_id(&self) -> &SessionId {
        &self.session
    }

    /// Returns the text that was sent as the result of `call`, if the hook shaped it.
    pub(super) fn sent_text(&self, call: &str) -> Option<&str> {
        self.sent_texts.get(call).map(String::as_str)
    }

    /// Returns the last shaped call if `answered` repeats it: a model that asks again at once needs
    /// the full result.
    pub(super) fn repeated_call(&self, answered: &AnsweredCall) -> Option<&LastShapedCall> {
        let last = self.last_shaped.as_ref()?;
        (last.tool == answered.tool && last.input == answered.input).then_some(last)
    }

    /// Records that the result of a repeated call was given in full.
    pub(super) fn record_full_result(&self) {
        // If this fails, a later result is given in full once more than necessary.
        let _ = self.append(&HookRecord::Whole);
    }

    /// Returns whether the model still needs the explanation of notes.
    pub(super) fn needs_explanation(&self) -> bool {
        self.needs_explanation.get()
    }

    /// Records the replacement of a result.
    ///
    /// # Errors
    /// If the store cannot keep it.
    pub(super) fn record_sent(
        &self,
        answered: &AnsweredCall,
        text: &str,
        whole: Handle,
    ) -> Result<(), StoreError> {
        self.append(&HookRecord::Sent {
            call: answered.call.clone(),
            tool: answered.tool.clone(),
            input: answered.input.clone(),
            text: text.to_owned(),
            whole: Some(whole),
        })
    }

    /// Records that the results in the first `bytes` bytes of the transcript have left the prompt.
    pub(super) fn record_forgotten(&self, bytes: u64) {
        // If this fails, the transcript itself still shows it.
        let _ = self.append(&HookRecord::Forgot { bytes });
    }

    fn append(&self, kept: &HookRecord) -> Result<(), StoreError> {
        let record = serde_json::to_value(kept).expect("all keys are text");
        self.store.append_record(&self.session, &record, self.now).map(drop)
    }
}
