//! Decisions about live conversations, kept in the store.

use std::sync::Arc;

use foveal_context::step::Step;
use foveal_live::caching::Caching;
use foveal_live::recorder::{Content, Original, Planned, Recorder, Turn, Unrecorded};
use foveal_store::{self as store, LeftOut, NewContent, SessionId, Store, StoreError};
use foveal_transcript::{ContentHash, Handle, Timestamp};
use serde::{Deserialize, Serialize};

use crate::notice;
use crate::requests;

/// Keeps decisions in a store.
pub(crate) struct Kept {
    store: Arc<dyn Store>,
    /// The session that all of it is of; `None`: each conversation has one of its own.
    session: Option<SessionId>,
}

impl Kept {
    /// Of the conversations of clients.
    pub(crate) fn new(store: Arc<dyn Store>) -> Self {
        Self { store, session: None }
    }

    /// Of the one conversation of a session of ours.
    pub(crate) fn of_session(store: Arc<dyn Store>, session: SessionId) -> Self {
        Self { store, session: Some(session) }
    }

    /// Keeps a turn, in a session that is opened where it is not there yet.
    fn put(
        &self,
        conversation: &str,
        kept: &store::Turn,
        contents: &[Original<'_>],
        now: Timestamp,
    ) -> Result<(), Unrecorded> {
        let session = self.session.clone().unwrap_or_else(|| requests::session(conversation));
        let contents = new_contents(contents);
        let put = |left_out| self.store.put_turn(&session, kept, left_out, now);
        let done = match self.left_out(&contents).and_then(put) {
            // It was removed meanwhile.
            Err(StoreError::Gone { .. }) => put(LeftOut { new: contents, known: Vec::new() }),
            done => done,
        };
        done.map_err(|error| unrecorded(&error))
    }

    /// The contents, of which those that are stored, or ready to be, are not looked at again: to
    /// search a content for secrets and to compress it takes longest of all that a rewrite does.
    fn left_out<'c>(&self, contents: &[NewContent<'c>]) -> Result<LeftOut<'c>, StoreError> {
        if contents.is_empty() {
            return Ok(LeftOut::default());
        }
        let hashes: Vec<ContentHash> = contents.iter().map(|content| content.hash).collect();
        let known = self.store.contents_known(&hashes)?;
        let new = contents.iter().filter(|content| !known.contains(&content.hash));
        Ok(LeftOut { new: new.cloned().collect(), known: known.into_iter().collect() })
    }
}

fn new_contents<'c>(contents: &'c [Original<'_>]) -> Vec<NewContent<'c>> {
    let new = |content: &'c Original<'_>| NewContent {
        hash: content.hash,
        bytes: content.text.as_bytes().into(),
        secrets: 0,
    };
    contents.iter().map(new).collect()
}

/// What was decided at one request, as it is stored.
#[derive(Serialize, Deserialize)]
struct Decided<S> {
    #[serde(flatten)]
    step: S,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    caching: Option<Caching>,
}

/// Returns what was decided at a turn; `None` where a newer version wrote it.
pub(crate) fn decided_step(turn: &store::Turn) -> Option<Step> {
    serde_json::from_str::<Decided<Step>>(&turn.decided).ok().map(|decided| decided.step)
}

impl Recorder for Kept {
    fn find(&self, root: ContentHash, ends: &[ContentHash]) -> Result<Vec<Planned>, Unrecorded> {
        let turns = self.store.turns(ends).map_err(|error| unrecorded(&error))?;
        if turns.first().is_some_and(|first| first.before != root) {
            return Ok(Vec::new());
        }
        let planned: Result<Vec<Planned>, _> = turns
            .iter()
            .map(|turn| {
                let decided = serde_json::from_str::<Decided<Step>>(&turn.decided);
                decided.map(|Decided { step, caching }| {
                    let step = Arc::new(step);
                    Planned { end: turn.end, step, caching }
                })
            })
            .collect();
        // What a newer version wrote is as if it were not there.
        Ok(planned.unwrap_or_default())
    }

    fn knows(&self, ends: &[ContentHash]) -> Result<bool, Unrecorded> {
        self.store.knows_turn(ends).map_err(|error| unrecorded(&error))
    }

    fn record(&self, turn: &Turn, contents: &[Original<'_>]) -> Result<(), Unrecorded> {
        let decided = Decided { step: &*turn.step, caching: turn.caching };
        let decided =
            serde_json::to_string(&decided).map_err(|error| Unrecorded(error.to_string()))?;
        let kept = store::Turn { end: turn.end, before: turn.before, decided };
        self.put(&turn.conversation, &kept, contents, turn.time)
    }

    fn get_ready(&self, contents: &[Original<'_>]) {
        // What is not ready takes longer, and that is all.
        if let Ok(left_out) = self.left_out(&new_contents(contents)) {
            self.store.get_ready(left_out.new);
        }
    }

    fn content(&self, handle: Handle) -> Result<Option<Content>, Unrecorded> {
        let content = self.store.get(handle).map_err(|error| unrecorded(&error))?;
        Ok(content.map(|content| Content {
            text: String::from_utf8_lossy(&content.bytes).into_owned(),
            is_whole: content.secrets == 0,
        }))
    }
}

fn unrecorded(error: &StoreError) -> Unrecorded {
    Unrecorded(notice::in_one_line(error))
}
