//! The gateway's decisions about live conversations, recorded in the store.

use std::sync::Arc;

use foveal_engine::plan_step::PlanStep;
use foveal_proxy::breakpoint_policy::BreakpointState;
use foveal_proxy::recorder::{
    OriginalContent, PlannedStep, RecordedContent, Recorder, RecorderError, StepRecord,
};
use foveal_screen::describe_error;
use foveal_store::{self as store, NewContent, OmittedContents, SessionId, Store, StoreError};
use foveal_transcript::{ContentHash, Handle, Timestamp};
use serde::{Deserialize, Serialize};

use crate::request_record;

/// A [`Recorder`] that writes decisions and omitted contents to a store.
pub struct StoreRecorder {
    store: Arc<dyn Store>,
    /// The session of all decisions; `None`: each conversation has its own session.
    session: Option<SessionId>,
}

impl StoreRecorder {
    /// Returns a recorder for the conversations of clients, each with a session of its own.
    pub fn new(store: Arc<dyn Store>) -> Self {
        Self { store, session: None }
    }

    /// Returns a recorder that writes all decisions to one session.
    pub fn with_session(store: Arc<dyn Store>, session: SessionId) -> Self {
        Self { store, session: Some(session) }
    }

    /// Stores a turn, and opens its session if it does not exist yet.
    fn store_turn(
        &self,
        conversation: &str,
        kept: &store::TurnRecord,
        contents: &[OriginalContent<'_>],
        now: Timestamp,
    ) -> Result<(), RecorderError> {
        let session = self
            .session
            .clone()
            .unwrap_or_else(|| request_record::gateway_session_id(conversation));
        let contents = new_contents(contents);
        let put = |left_out| self.store.put_turn(&session, kept, left_out, now);
        let done = match self.split_known_contents(&contents).and_then(put) {
            // A known content was removed meanwhile: send all of them.
            Err(StoreError::Gone { .. }) => {
                put(OmittedContents { new: contents, known: Vec::new() })
            }
            done => done,
        };
        done.map_err(|error| recorder_error(&error))
    }

    /// Splits contents into those that the store has or is preparing, and new ones. Known contents
    /// are not processed again: the scan for secrets and the compression of a content take longer
    /// than anything else in a rewrite.
    fn split_known_contents<'c>(
        &self,
        contents: &[NewContent<'c>],
    ) -> Result<OmittedContents<'c>, StoreError> {
        if contents.is_empty() {
            return Ok(OmittedContents::default());
        }
        let hashes: Vec<ContentHash> = contents.iter().map(|content| content.hash).collect();
        let known = self.store.known_contents(&hashes)?;
        let new = contents.iter().filter(|content| !known.contains(&content.hash));
        Ok(OmittedContents { new: new.cloned().collect(), known: known.into_iter().collect() })
    }
}

fn new_contents<'c>(contents: &'c [OriginalContent<'_>]) -> Vec<NewContent<'c>> {
    let new = |content: &'c OriginalContent<'_>| NewContent {
        hash: content.hash,
        bytes: content.text.as_bytes().into(),
        secrets: 0,
    };
    contents.iter().map(new).collect()
}

/// The stored form of the decisions for one request.
#[derive(Serialize, Deserialize)]
struct StoredDecision<S> {
    #[serde(flatten)]
    step: S,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    caching: Option<BreakpointState>,
}

/// Returns the step of a stored turn, or `None` if a newer version of foveal wrote it.
pub fn parse_stored_step(turn: &store::TurnRecord) -> Option<PlanStep> {
    serde_json::from_str::<StoredDecision<PlanStep>>(&turn.decision)
        .ok()
        .map(|decided| decided.step)
}

impl Recorder for StoreRecorder {
    fn find_steps(
        &self,
        root: ContentHash,
        ends: &[ContentHash],
    ) -> Result<Vec<PlannedStep>, RecorderError> {
        let turns = self.store.turns(ends).map_err(|error| recorder_error(&error))?;
        if turns.first().is_some_and(|first| first.previous_hash != root) {
            return Ok(Vec::new());
        }
        let planned: Result<Vec<PlannedStep>, _> = turns
            .iter()
            .map(|turn| {
                let decided = serde_json::from_str::<StoredDecision<PlanStep>>(&turn.decision);
                decided.map(|StoredDecision { step, caching }| {
                    let step = Arc::new(step);
                    PlannedStep { fingerprint: turn.end_hash, step, breakpoints: caching }
                })
            })
            .collect();
        // Turns of a newer version cannot be read and count as missing.
        Ok(planned.unwrap_or_default())
    }

    fn has_any_step(&self, ends: &[ContentHash]) -> Result<bool, RecorderError> {
        self.store.has_turn(ends).map_err(|error| recorder_error(&error))
    }

    fn record_step(
        &self,
        turn: &StepRecord,
        contents: &[OriginalContent<'_>],
    ) -> Result<(), RecorderError> {
        let decided = StoredDecision { step: &*turn.step, caching: turn.breakpoints };
        let decided =
            serde_json::to_string(&decided).map_err(|error| RecorderError(error.to_string()))?;
        let kept = store::TurnRecord {
            end_hash: turn.fingerprint,
            previous_hash: turn.previous,
            decision: decided,
        };
        self.store_turn(&turn.conversation, &kept, contents, turn.time)
    }

    fn prefetch(&self, contents: &[OriginalContent<'_>]) {
        // Preparation only saves time later, so errors are ignored.
        if let Ok(left_out) = self.split_known_contents(&new_contents(contents)) {
            self.store.prepare_contents(left_out.new);
        }
    }

    fn content(&self, handle: Handle) -> Result<Option<RecordedContent>, RecorderError> {
        let content = self.store.content(handle).map_err(|error| recorder_error(&error))?;
        Ok(content.map(|content| RecordedContent {
            text: String::from_utf8_lossy(&content.bytes).into_owned(),
            is_whole: content.secrets == 0,
        }))
    }
}

fn recorder_error(error: &StoreError) -> RecorderError {
    RecorderError(describe_error(error))
}
