//! What keeps decisions, so that they stand whatever happens to the process that made them.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use foveal_context::step::Step;
use foveal_transcript::{ContentHash, Handle, Timestamp};

use crate::caching::Caching;

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
    /// What was decided about its marks, where its client sets none.
    pub caching: Option<Caching>,
    /// When.
    pub time: Timestamp,
}

/// What was decided at a request that ended so.
#[derive(Debug, Clone, PartialEq)]
pub struct Planned {
    /// The chain's end behind its last message.
    pub end: ContentHash,
    /// What was decided.
    pub step: Arc<Step>,
    /// What was decided about its marks, where its client sets none.
    pub caching: Option<Caching>,
}

/// Keeps decisions and the contents that they leave out. Shared by threads.
pub trait Recorder: Send + Sync {
    /// What was decided about the conversation whose beginnings end so, shortest first, up to the
    /// longest one that is known; the first decision first. Nothing where the way back does not
    /// lead to `root`: a part of what was decided says nothing of what went.
    ///
    /// # Errors
    /// [`Unrecorded`] where it cannot be asked.
    fn find(&self, root: ContentHash, ends: &[ContentHash]) -> Result<Vec<Planned>, Unrecorded>;

    /// Whether something was decided about a conversation of which one of these is the end.
    ///
    /// # Errors
    /// [`Unrecorded`] where it cannot be asked.
    fn knows(&self, ends: &[ContentHash]) -> Result<bool, Unrecorded>;

    /// Takes note of contents that may have to be kept with a later step, for whoever can get ready
    /// for that. Nothing is kept by it.
    fn get_ready(&self, _contents: &[Original<'_>]) {}

    /// Keeps what was decided, and the contents of which it leaves something out. Both are there
    /// when this returns, after a restart too.
    ///
    /// # Errors
    /// [`Unrecorded`] where they are not.
    fn record(&self, turn: &Turn, contents: &[Original<'_>]) -> Result<(), Unrecorded>;

    /// The content behind a handle, as it is kept: without secrets. `None` where none is.
    ///
    /// # Errors
    /// [`Unrecorded`] where it cannot be asked.
    fn content(&self, _handle: Handle) -> Result<Option<Content>, Unrecorded> {
        Ok(None)
    }
}

/// A content that a step leaves something out of, as it came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Original<'c> {
    /// Its hash.
    pub hash: ContentHash,
    /// What it says.
    pub text: Cow<'c, str>,
}

/// A content as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Content {
    /// What it says, without secrets.
    pub text: String,
    /// Whether that is all of it: there were no secrets in it.
    pub is_whole: bool,
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
    fn find(&self, root: ContentHash, ends: &[ContentHash]) -> Result<Vec<Planned>, Unrecorded> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut next = ends.iter().rev().find_map(|end| kept.turns.get(end));
        let mut all = Vec::new();
        let mut first = root;
        while let Some(turn) = next {
            let (step, caching) = (Arc::clone(&turn.step), turn.caching);
            all.push(Planned { end: turn.end, step, caching });
            first = turn.before;
            next = kept.turns.get(&first);
        }
        if first != root {
            all.clear();
        }
        all.reverse();
        Ok(all)
    }

    fn knows(&self, ends: &[ContentHash]) -> Result<bool, Unrecorded> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(ends.iter().any(|end| kept.turns.contains_key(end)))
    }

    fn record(&self, turn: &Turn, contents: &[Original<'_>]) -> Result<(), Unrecorded> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.turns.insert(turn.end, turn.clone());
        kept.contents.extend(contents.iter().map(|content| content.text.clone().into_owned()));
        Ok(())
    }

    fn content(&self, handle: Handle) -> Result<Option<Content>, Unrecorded> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_it = |content: &&String| Handle::of(content.as_bytes()) == handle;
        let text = kept.contents.iter().find(is_it).cloned();
        Ok(text.map(|text| Content { text, is_whole: true }))
    }
}
