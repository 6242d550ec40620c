//! What a person wants of a conversation between two requests, until it is decided about.

use foveal_context::tokens::Tokens;
use foveal_context::wish::{Unwishable, Wish, Wishes};
use foveal_transcript::{ContentHash, EntryIndex};
use foveal_wire::body::Body;

use crate::active::Request;
use crate::chain::Chain;
use crate::conversation::Live;
use crate::conversations::{Conversations, is_to_be_left, model};
use crate::inactive::Inactive;
use crate::overview::{Overview, Seen};
use crate::request::{Asked, Wait};

/// What a person wants changed in a prompt. It holds from the next request on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// A note in place of a result.
    Drop(EntryIndex),
    /// All of a result, and so it stays.
    Pin(EntryIndex),
    /// All of a result again; what becomes of it later is decided as for others.
    Restore(EntryIndex),
    /// Takes back the last of these changes.
    Undo,
}

/// Why a change cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum ChangeError {
    /// Of that result.
    #[error("{0}")]
    Unwishable(#[from] Unwishable),
    /// There is none to take back.
    #[error("there is no change to take back")]
    NothingToUndo,
    /// Nothing can be decided about this conversation.
    #[error("nothing can be changed: {0}")]
    Inactive(String),
}

/// What a rewrite would come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Compaction {
    /// Tokens of the prompt as it would go else.
    pub before: Tokens,
    /// Tokens of it with the rewrite.
    pub after: Tokens,
    /// How many results it reduces.
    pub results: usize,
}

impl Conversations {
    /// Where all goes as it is, nothing is decided that a person could change.
    fn may_be_changed(&self) -> Result<(), ChangeError> {
        match self.rules.lets_pass {
            true => Err(ChangeError::Inactive("nothing is left out of prompts here".to_owned())),
            false => Ok(()),
        }
    }

    /// What stands in the prompt that this body continues, as it would go now.
    ///
    /// # Errors
    /// [`ChangeError::Inactive`] where nothing is decided about it.
    pub fn overview(&self, asked: &Asked<'_>) -> Result<Overview, ChangeError> {
        self.look(asked, |live, first, request| {
            let wanted = self.wanting.of(first).wishes(live).results;
            let seen = Seen {
                engine: live.engine(),
                steps: live.steps(),
                model: &request.model,
                window: self.windows.window(
                    asked.upstream,
                    request.body.model.as_deref().or(asked.model).unwrap_or_default(),
                    &request.model,
                ),
                now: asked.now,
                wanted: &wanted,
            };
            Ok(seen.overview())
        })
    }

    /// Notes what the person wants of a result, for the next request. It is forgotten when the
    /// process ends before that; afterwards it is a decision like others.
    ///
    /// # Errors
    /// Why it cannot be done.
    pub fn change(&self, asked: &Asked<'_>, change: Change) -> Result<(), ChangeError> {
        self.may_be_changed()?;
        self.look(asked, |live, first, _| {
            let mut wanted = self.wanting.of(first);
            let wish = match change {
                Change::Drop(index) => Wish::dropped(index),
                Change::Pin(index) => Wish::pinned(index),
                Change::Restore(index) => Wish::restored(index),
                Change::Undo => {
                    let back = wanted.take_last().ok_or(ChangeError::NothingToUndo)?;
                    // One that cannot be taken back does not stand in the way of those before it.
                    let taken = wanted.take_back(live, back);
                    self.wanting.set(first, wanted);
                    taken?;
                    return Ok(());
                }
            };
            wanted.want(live, wish)?;
            self.wanting.set(first, wanted);
            Ok(())
        })
    }

    /// Has old results rewritten with the next request, as if the prompt had just passed the high
    /// mark of its profile; what that will come to. Where it comes to nothing, nothing is done.
    ///
    /// # Errors
    /// [`ChangeError::Inactive`] where nothing is decided about it.
    pub fn compact(&self, asked: &Asked<'_>) -> Result<Compaction, ChangeError> {
        self.may_be_changed()?;
        self.look(asked, |live, first, _| {
            let mut wanted = self.wanting.of(first);
            let mut tried = live.clone();
            let wishes = wanted.wishes(live);
            tried.plan(asked.now, &wishes);
            let before = tried.tokens().1;
            let mut tried = live.clone();
            let step = tried.plan(asked.now, &Wishes { compacts: true, ..wishes });
            let is_reduced = |index| step.changed.iter().any(|(changed, _)| *changed == index);
            let results = step.levels.iter().filter(|(index, _)| is_reduced(*index)).count();
            let after = tried.tokens().1;
            let is_less = results > 0 && after < before;
            wanted.set_compacts(is_less);
            self.wanting.set(first, wanted);
            Ok(match is_less {
                true => Compaction { before, after, results },
                false => Compaction { before, after: before, results: 0 },
            })
        })
    }

    /// Looks at the conversation that a body continues, with its messages known and nothing decided.
    fn look<T>(
        &self,
        asked: &Asked<'_>,
        with: impl FnOnce(&Live, ContentHash, &Request<'_>) -> Result<T, ChangeError>,
    ) -> Result<T, ChangeError> {
        let inactive = |error: Inactive| ChangeError::Inactive(error.to_string());
        let wait = Wait::default();
        let asked = &Asked { counts: true, wait: &wait, ..*asked };
        let rules = self.rules(asked.wish).map_err(inactive)?;
        let body =
            Body::scan(asked.protocol, asked.body).map_err(|error| inactive(error.into()))?;
        is_to_be_left(&body).map_err(inactive)?;
        let root = rules.root(asked.protocol);
        let chain = &Chain::of(root, (&body, asked.body), &[]);
        let Some(first) = chain.ends.first().copied() else {
            return Err(ChangeError::Inactive("nothing was said yet".to_owned()));
        };
        let named = body.model.as_deref().or(asked.model).unwrap_or_default();
        let model = model(rules, (named, asked.upstream), (&body, asked.body));
        let (unmarked, keeping) = (None, None);
        let request = Request { asked, body: &body, chain, rules, model, unmarked, keeping };
        let _turn = self.queue.wait(first);
        let mut live = self.find(&request).map_err(inactive)?;
        let taken = live.take(request.bytes(), chain, body.messages.len());
        taken.map_err(|error| inactive(error.into()))?;
        with(&live, first, &request)
    }
}
