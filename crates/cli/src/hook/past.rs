//! What was sent in place of results, and when all was forgotten: records of one prompt, which
//! is that of a session or of one of its sub-agents.

use std::cell::Cell;
use std::collections::HashMap;

use foveal_store::{RecordNumber, SessionFacts, SessionId, Store, StoreError};
use foveal_transcript::{Handle, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::event::{Answered, Event};
use super::transcript;

/// Records read at most; a session has one for each result that was shaped.
const RECORDS_MAX: usize = 20_000;

/// Records of one prompt.
pub(super) struct Past<'s> {
    store: &'s dyn Store,
    session: SessionId,
    now: Timestamp,
    /// What was sent of each call.
    sent: HashMap<String, String>,
    /// The call whose result was shaped last.
    last: Option<Last>,
    /// Bytes of the transcript whose results are no longer in the prompt.
    pub(super) forgotten: u64,
    is_first: Cell<bool>,
}

/// A call whose result was shaped.
pub(super) struct Last {
    /// Its id.
    pub(super) call: String,
    tool: String,
    input: Value,
}

/// One record.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum PastRecord {
    /// A result was shaped.
    Sent {
        call: String,
        tool: String,
        input: Value,
        text: String,
        /// The result as it was.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        whole: Option<Handle>,
    },
    /// What was shaped last was asked for again, and given whole.
    Whole,
    /// All before so many bytes of the transcript left the prompt.
    Forgot { bytes: u64 },
}

/// The call that a record of a hook tells of, with its tool and arguments.
pub(crate) fn kept_call(payload: &Value) -> Option<(String, Value)> {
    match serde_json::from_value(payload.clone()).ok()? {
        PastRecord::Sent { tool, input, .. } => Some((tool, input)),
        PastRecord::Whole | PastRecord::Forgot { .. } => None,
    }
}

/// What was sent in place of a result.
#[derive(Debug, Clone)]
pub(crate) struct SentResult {
    pub(crate) text: String,
    /// The result as it was; older records do not tell.
    pub(crate) whole: Option<Handle>,
}

/// The result that a record of a hook tells of, with the id of its call.
pub(crate) fn sent_result(payload: &Value) -> Option<(String, SentResult)> {
    match PastRecord::deserialize(payload).ok()? {
        PastRecord::Sent { call, text, whole, .. } => Some((call, SentResult { text, whole })),
        PastRecord::Whole | PastRecord::Forgot { .. } => None,
    }
}

impl<'s> Past<'s> {
    /// What is kept of the prompt in which `event` happened.
    ///
    /// # Errors
    /// If the store cannot be used.
    pub(super) fn open(
        store: &'s dyn Store,
        event: &Event,
        now: Timestamp,
    ) -> Result<Self, StoreError> {
        let agent = event.agent.as_ref().map(|agent| format!("/{agent}")).unwrap_or_default();
        let session = SessionId(format!("{} {}{agent}", event.host.name(), event.session));
        let transcript = event.transcript.as_ref().map(|path| path.display().to_string());
        let facts = SessionFacts { roots: vec![event.directory.clone()], transcript };
        let is_known = store.open_session(&session, &facts, now)?;
        let mut past = Self {
            store,
            session,
            now,
            sent: HashMap::new(),
            last: None,
            forgotten: 0,
            is_first: Cell::new(true),
        };
        let records = store.records(&past.session, RecordNumber(1), RECORDS_MAX)?;
        // What was sent of results that are there already may be kept no more.
        let is_told_here = event.host.records_originals();
        let mut is_lost = is_told_here && !is_known && transcript::has_results(event);
        for record in records {
            let Ok(kept) = serde_json::from_value(record.payload) else {
                is_lost = true;
                continue;
            };
            is_lost &= !matches!(kept, PastRecord::Forgot { .. });
            past.take(kept);
        }
        if is_lost {
            let bytes = transcript::length(event);
            past.forget(bytes);
            past.forget_all_before(bytes);
        }
        Ok(past)
    }

    fn take(&mut self, kept: PastRecord) {
        match kept {
            PastRecord::Sent { call, tool, input, text, .. } => {
                self.sent.insert(call.clone(), text);
                self.last = Some(Last { call, tool, input });
                self.is_first.set(false);
            }
            PastRecord::Whole => self.last = None,
            PastRecord::Forgot { bytes } => self.forget_all_before(bytes),
        }
    }

    fn forget_all_before(&mut self, bytes: u64) {
        self.forgotten = bytes;
        self.last = None;
        self.is_first.set(true);
    }

    /// What it is called in the store.
    pub(super) fn session(&self) -> &SessionId {
        &self.session
    }

    /// What was sent of the result of `call`, if that was shaped.
    pub(super) fn of(&self, call: &str) -> Option<&str> {
        self.sent.get(call).map(String::as_str)
    }

    /// The call whose result was shaped last, if it was the same as this one: who asks again at
    /// once needs all of it.
    pub(super) fn last_like(&self, answered: &Answered) -> Option<&Last> {
        let last = self.last.as_ref()?;
        (last.tool == answered.tool && last.input == answered.input).then_some(last)
    }

    /// Keeps that this was so.
    pub(super) fn given_whole(&self) {
        // Where it cannot be kept, more is given whole.
        let _ = self.append(&PastRecord::Whole);
    }

    /// Whether the model was not told yet what the notes mean.
    pub(super) fn is_first(&self) -> bool {
        self.is_first.get()
    }

    /// Keeps what is sent.
    ///
    /// # Errors
    /// If it cannot be kept.
    pub(super) fn sent(
        &self,
        answered: &Answered,
        text: &str,
        whole: Handle,
    ) -> Result<(), StoreError> {
        self.append(&PastRecord::Sent {
            call: answered.call.clone(),
            tool: answered.tool.clone(),
            input: answered.input.clone(),
            text: text.to_owned(),
            whole: Some(whole),
        })
    }

    /// Keeps that all before so many bytes of the transcript is forgotten.
    pub(super) fn forget(&self, bytes: u64) {
        // Where it cannot be kept, the transcript says so itself.
        let _ = self.append(&PastRecord::Forgot { bytes });
    }

    fn append(&self, kept: &PastRecord) -> Result<(), StoreError> {
        let record = serde_json::to_value(kept).expect("all keys are text");
        self.store.append(&self.session, &record, self.now).map(drop)
    }
}
