//! What keeps decisions, so that they stand whatever happens to the process that made them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use foveal_context::step::Step;
use foveal_transcript::{ContentHash, Timestamp};

/// What was decided at one request.
#[derive(Debug, Clone, PartialEq)]
pub struct Turn {
    /// The conversation: a name that stays the same.
    pub conversation: String,
    /// The chain's end behind the request's last message.
    pub end: ContentHash,
    /// The end of the request before it that it continues; the chain's root at the first one.
    pub before: ContentHash,
    /// What was decided.
    pub step: Arc<Step>,
    /// When.
    pub time: Timestamp,
}

/// What is known of a conversation.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// Which of the ends that were asked for is the last one that is known.
    pub at: usize,
    /// The decisions up to there, the first one first.
    pub steps: Vec<Arc<Step>>,
}

/// Keeps decisions and the contents that they leave out. Shared by threads.
pub trait Recorder: Send + Sync {
    /// What is known of the conversation whose beginnings end so, shortest first. The longest
    /// one that is known counts.
    ///
    /// # Errors
    /// [`Unrecorded`] where it cannot be asked.
    fn find(&self, ends: &[ContentHash]) -> Result<Option<Found>, Unrecorded>;

    /// Keeps what was decided, and the contents of which it leaves something out. Both are there
    /// when this returns, after a restart too.
    ///
    /// # Errors
    /// [`Unrecorded`] where they are not.
    fn record(&self, turn: &Turn, contents: &[&str]) -> Result<(), Unrecorded>;
}

/// Decisions cannot be kept or looked up.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("decisions cannot be kept: {0}")]
pub struct Unrecorded(pub String);

/// Keeps decisions as long as the process runs.
#[derive(Debug, Default)]
pub struct InMemory(Mutex<Kept>);

#[derive(Debug, Default)]
struct Kept {
    turns: HashMap<ContentHash, Turn>,
    contents: Vec<String>,
}

impl InMemory {
    /// The contents that were given to be kept.
    pub fn contents(&self) -> Vec<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).contents.clone()
    }
}

impl Recorder for InMemory {
    fn find(&self, ends: &[ContentHash]) -> Result<Option<Found>, Unrecorded> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(at) = ends.iter().rposition(|end| kept.turns.contains_key(end)) else {
            return Ok(None);
        };
        let mut steps = Vec::new();
        let mut end = ends[at];
        while let Some(turn) = kept.turns.get(&end) {
            steps.push(Arc::clone(&turn.step));
            end = turn.before;
        }
        steps.reverse();
        Ok(Some(Found { at, steps }))
    }

    fn record(&self, turn: &Turn, contents: &[&str]) -> Result<(), Unrecorded> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.turns.insert(turn.end, turn.clone());
        kept.contents.extend(contents.iter().map(|content| (*content).to_owned()));
        Ok(())
    }
}
