//! Finds earlier calls of a session that answer later ones.

use std::sync::Arc;

use serde_json::Value;

use crate::duplicate_calls::{
    CallQuery, LookupHit, LookupMiss, RecordedCall, RecordedCallId, SessionCalls,
};
use foveal_store::{CallChanges, CallHistory, CallNumber, RecentCall};
use foveal_transcript::Timestamp;

use crate::answer::AnswerDependency;
use crate::toolbox::Toolbox;

use super::recorded_answer::RecordedAnswer;
use super::session_recorder::SessionRecorder;

/// Bytes above which a text argument is remembered by its hash.
const TEXT_BYTES_MAX: usize = 256;

/// The detector of duplicate calls in a session. The toolbox holds the calls of all sessions.
#[derive(Debug)]
pub struct DuplicateDetector {
    session: String,
    toolbox: Arc<Toolbox>,
    journal: Arc<SessionRecorder>,
}

/// An earlier call that may answer the current one.
pub(crate) struct DuplicateCandidate {
    pub(crate) id: RecordedCallId,
    pub(crate) time: Timestamp,
    pub(crate) recorded: RecordedAnswer,
    pub(crate) depends: Vec<AnswerDependency>,
}

impl DuplicateDetector {
    /// Creates the detector of the session `session`.
    pub(crate) fn new(
        toolbox: &Arc<Toolbox>,
        session: &str,
        journal: &Arc<SessionRecorder>,
    ) -> Self {
        let (toolbox, journal) = (Arc::clone(toolbox), Arc::clone(journal));
        Self { session: session.to_owned(), toolbox, journal }
    }

    /// Restores the calls that an earlier process remembered.
    pub(crate) fn restore(&self) {
        let Ok(Some(history)) = self.toolbox.store.call_history(self.journal.session_id()) else {
            return;
        };
        let CallHistory { state, calls } = history;
        let Ok(state) = serde_json::from_value(state) else { return };
        let records =
            calls.into_iter().filter_map(|call| serde_json::from_value(call.payload).ok());
        self.toolbox
            .calls()
            .restore_session(&self.session, SessionCalls::from_state(state, records));
    }

    /// Switches the detection on or off for this session; `None` restores the common setting.
    pub fn set_detection(&self, detect: Option<bool>) {
        self.toolbox.calls().set_detection(&self.session, detect, self.toolbox.clock.now());
        self.save(None);
    }

    /// Forgets the calls, so that each is run again.
    pub fn remove_calls(&self) {
        self.toolbox.calls().clear_session(&self.session);
        self.save(None);
    }

    /// Returns the number of remembered calls.
    pub fn call_count(&self) -> usize {
        self.toolbox.calls().records(&self.session).count()
    }

    /// Returns whether earlier calls may answer calls of a tool.
    pub(crate) fn is_enabled_for(&self, tool: &str) -> bool {
        self.toolbox.calls().is_detecting_tool(&self.session, tool)
    }

    /// Counts a call that no earlier one can answer.
    pub(crate) fn record_uncacheable_call(&self) {
        self.toolbox.calls().count_skipped_call(&self.session, self.toolbox.clock.now());
    }

    /// Counts a call that repeated an earlier one.
    pub(crate) fn record_repeat(&self) {
        self.toolbox.calls().count_repeat();
    }

    /// Makes the query for a call; `key` maps paths of the same file to one key.
    pub(crate) fn make_query(
        &self,
        tool: &str,
        arguments: Value,
        key: &dyn Fn(&str) -> String,
    ) -> CallQuery {
        self.toolbox.calls().new_query(tool, arguments, key)
    }

    /// Returns the latest usable duplicate of a call.
    pub(crate) fn look_up(
        &self,
        asked: &CallQuery,
        is_usable: impl Fn(&LookupHit<'_, RecordedAnswer, Vec<AnswerDependency>>) -> bool,
    ) -> Result<DuplicateCandidate, LookupMiss> {
        let now = self.toolbox.clock.now();
        let mut calls = self.toolbox.calls();
        let record = calls.look_up(&self.session, asked, now, is_usable)?.record;
        Ok(DuplicateCandidate {
            id: record.id,
            time: record.time,
            recorded: record.result.clone(),
            depends: record.dependencies.clone(),
        })
    }

    /// Removes a call whose result is out of date.
    pub(crate) fn invalidate(&self, id: RecordedCallId) {
        self.toolbox.calls().reject_hit(&self.session, id);
    }

    /// Records that an earlier call answered this one, and that its result now depends on
    /// `depends`.
    pub(crate) fn confirm_hit(
        &self,
        asked: &CallQuery,
        earlier: &DuplicateCandidate,
        depends: Vec<AnswerDependency>,
    ) {
        let mut calls = self.toolbox.calls();
        calls.update_dependencies(&self.session, earlier.id, depends);
        calls.confirm_hit(&self.session, asked, earlier.recorded.bytes);
        drop(calls);
        self.save(Some(earlier.id));
    }

    /// Records that the tool answered from a cache that all sessions share.
    pub(crate) fn record_shared_hit(&self, asked: &CallQuery, bytes: u64) {
        let now = self.toolbox.clock.now();
        self.toolbox.calls().record_external_answer(&self.session, asked, bytes, now);
        self.save(None);
    }

    /// Remembers the result of a call.
    pub(crate) fn record_call(
        &self,
        asked: CallQuery,
        recorded: RecordedAnswer,
        depends: Vec<AnswerDependency>,
    ) {
        let now = self.toolbox.clock.now();
        let id = self.toolbox.calls().record(&self.session, asked, recorded, depends, now);
        if id.is_some() {
            self.save(id);
        }
    }

    /// Stores the state of the detector, the numbers of all remembered calls, and the content of
    /// the new or changed one.
    fn save(&self, changed: Option<RecordedCallId>) {
        let changes = {
            let calls = self.toolbox.calls();
            let history = calls.session_calls(&self.session);
            history.map_or_else(
                || Some(CallChanges::default()),
                |history| call_changes(history, changed),
            )
        };
        if let Some(changes) = changes {
            self.journal.save_call_changes(&changes);
        }
    }
}

/// Returns the changes to store after one call changed; `None` if they cannot be serialized.
fn call_changes(
    history: &SessionCalls<RecordedAnswer, Vec<AnswerDependency>>,
    changed: Option<RecordedCallId>,
) -> Option<CallChanges> {
    let number = |record: &RecordedCall<_, _>| CallNumber(record.id.0);
    let is_changed = |record: &&RecordedCall<_, _>| Some(record.id) == changed;
    let call = |record: &RecordedCall<RecordedAnswer, Vec<AnswerDependency>>| {
        Some(RecentCall { number: number(record), payload: serde_json::to_value(record).ok()? })
    };
    Some(CallChanges {
        state: Some(serde_json::to_value(history.state()).ok()?),
        calls: history.records().filter(is_changed).map(call).collect::<Option<_>>()?,
        remaining: history.records().map(number).collect(),
    })
}

/// Replaces each long text in the arguments by its hash. Equal arguments stay equal, and different
/// ones stay different.
pub(crate) fn hash_long_texts(value: &Value) -> Value {
    match value {
        Value::String(text) if text.len() > TEXT_BYTES_MAX => {
            format!("blake3 {}", blake3::hash(text.as_bytes()).to_hex()).into()
        }
        Value::Array(items) => items.iter().map(hash_long_texts).collect(),
        Value::Object(properties) => {
            let short = |(name, value): (&String, &Value)| (name.clone(), hash_long_texts(value));
            Value::Object(properties.iter().map(short).collect())
        }
        other => other.clone(),
    }
}
