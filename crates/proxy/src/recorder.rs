//! The interface to the store of decisions, which outlive the process that made them.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use foveal_engine::plan_step::PlanStep;
use foveal_transcript::{ContentHash, Handle, Timestamp};

use crate::breakpoint_policy::BreakpointState;

/// A decision about one request, with its place in the conversation.
#[derive(Debug, Clone, PartialEq)]
pub struct StepRecord {
    /// The stable name of the conversation.
    pub conversation: String,
    /// The fingerprint behind the request's last message.
    pub fingerprint: ContentHash,
    /// The fingerprint of the previous request that it continues; that of the empty prefix for the
    /// first request.
    pub previous: ContentHash,
    /// The decision about the results.
    pub step: Arc<PlanStep>,
    /// The decision about cache breakpoints, if the client sets none.
    pub breakpoints: Option<BreakpointState>,
    /// The time of the request.
    pub time: Timestamp,
}

/// A decision about one request.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedStep {
    /// The fingerprint behind the request's last message.
    pub fingerprint: ContentHash,
    /// The decision about the results.
    pub step: Arc<PlanStep>,
    /// The decision about cache breakpoints, if the client sets none.
    pub breakpoints: Option<BreakpointState>,
}

/// Stores decisions and the contents that they omit. Threads share it.
pub trait Recorder: Send + Sync {
    /// Returns the steps of the conversation with these prefix fingerprints (shortest first), up to
    /// the longest known prefix, oldest first. The result is empty if the chain of steps does not
    /// lead back to `root`: a part of the steps does not tell what was sent.
    ///
    /// # Errors
    /// [`RecorderError`] if the store cannot be read.
    fn find_steps(
        &self,
        root: ContentHash,
        ends: &[ContentHash],
    ) -> Result<Vec<PlannedStep>, RecorderError>;

    /// Returns whether a step is stored under any of these fingerprints.
    ///
    /// # Errors
    /// [`RecorderError`] if the store cannot be read.
    fn has_any_step(&self, ends: &[ContentHash]) -> Result<bool, RecorderError>;

    /// Announces contents that may have to be stored with a later step, so that the recorder can
    /// prepare for them. It stores nothing.
    fn prefetch(&self, _contents: &[OriginalContent<'_>]) {}

    /// Stores a step and the contents that it omits. Both are durable when this returns.
    ///
    /// # Errors
    /// [`RecorderError`] if they are not stored.
    fn record_step(
        &self,
        turn: &StepRecord,
        contents: &[OriginalContent<'_>],
    ) -> Result<(), RecorderError>;

    /// Returns the stored content of a handle, without secrets; `None` if there is none.
    ///
    /// # Errors
    /// [`RecorderError`] if the store cannot be read.
    fn content(&self, _handle: Handle) -> Result<Option<RecordedContent>, RecorderError> {
        Ok(None)
    }
}

/// A content that a step omits at least in part, as it was received.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OriginalContent<'c> {
    /// Its hash.
    pub hash: ContentHash,
    /// The text.
    pub text: Cow<'c, str>,
}

/// A stored content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedContent {
    /// The text without secrets.
    pub text: String,
    /// Whether it equals the original: it contained no secrets.
    pub is_whole: bool,
}

/// Decisions cannot be stored or looked up.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("decisions cannot be kept: {0}")]
pub struct RecorderError(pub String);

/// Stores decisions for the lifetime of the process.
#[derive(Debug, Default)]
pub struct InMemoryRecorder(Mutex<RecordedSteps>);

#[derive(Debug, Default)]
struct RecordedSteps {
    steps: HashMap<ContentHash, StepRecord>,
    contents: Vec<String>,
}

impl InMemoryRecorder {
    /// Returns all stored contents.
    pub fn contents(&self) -> Vec<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).contents.clone()
    }
}

impl Recorder for InMemoryRecorder {
    fn find_steps(
        &self,
        root: ContentHash,
        ends: &[ContentHash],
    ) -> Result<Vec<PlannedStep>, RecorderError> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut next = ends.iter().rev().find_map(|end| kept.steps.get(end));
        let mut all = Vec::new();
        let mut first = root;
        while let Some(turn) = next {
            let (step, caching) = (Arc::clone(&turn.step), turn.breakpoints);
            all.push(PlannedStep { fingerprint: turn.fingerprint, step, breakpoints: caching });
            first = turn.previous;
            next = kept.steps.get(&first);
        }
        if first != root {
            all.clear();
        }
        all.reverse();
        Ok(all)
    }

    fn has_any_step(&self, ends: &[ContentHash]) -> Result<bool, RecorderError> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(ends.iter().any(|end| kept.steps.contains_key(end)))
    }

    fn record_step(
        &self,
        turn: &StepRecord,
        contents: &[OriginalContent<'_>],
    ) -> Result<(), RecorderError> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.steps.insert(turn.fingerprint, turn.clone());
        kept.contents.extend(contents.iter().map(|content| content.text.clone().into_owned()));
        Ok(())
    }

    fn content(&self, handle: Handle) -> Result<Option<RecordedContent>, RecorderError> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_it = |content: &&String| Handle::from_content(content.as_bytes()) == handle;
        let text = kept.contents.iter().find(is_it).cloned();
        Ok(text.map(|text| RecordedContent { text, is_whole: true }))
    }
}
