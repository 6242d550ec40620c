//! One more mark for the provider's cache, in requests whose client marks the end of its messages.
//!
//! Results that the model has seen are reduced in the request behind the one that showed them (see
//! [`foveal_context::look_once`]). What the client's mark behind them keeps is then not found again.
//! What stands in front of them is, if it was kept up to the answer before them, and that takes a
//! mark there. It costs nothing: all of it is written anyway. Where it cannot be set, nothing is
//! reduced that soon.

use foveal_context::placement::breakpoints::minimum_cacheable;
use foveal_context::tokens::Tokens;
use foveal_wire::body::{AnswerMark, Body, BodyError, FreePlace};

use crate::conversation::Live;
use crate::models::Model;
use crate::request::{Asked, Marks};
use crate::rules::{CacheMarks, Rules};

/// How a request can be kept up to its latest answer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Keeping {
    mark: AnswerMark,
    /// Shorter prompts are not kept.
    minimum: Tokens,
}

impl Keeping {
    /// How the request with this body can, if its client marks something and that is of use to its
    /// rules; `None` where it cannot. A client that marks the answer itself needs no mark of ours.
    pub(crate) fn of(
        rules: &Rules,
        asked: &Asked<'_>,
        body: &Body,
        (name, model): (&str, &Model),
    ) -> Result<Option<Self>, BodyError> {
        // Where the provider is told to take parts out by itself, what is sent is not what it
        // would find.
        let is_plain = body.server_edits.is_empty();
        if !rules.settings.looks_once() || !model.wants_marks || !is_plain {
            return Ok(None);
        }
        let may_mark = rules.marks == CacheMarks::Auto;
        let mark = body.answer_mark(asked.body)?;
        let mark = mark.filter(|mark| may_mark || mark.missing.is_none());
        Ok(mark.map(|mark| Self { mark, minimum: minimum_cacheable(name) }))
    }

    /// Whether the prompt is long enough up to there.
    pub(crate) fn is_possible(&self, live: &Live) -> bool {
        live.tokens_up_to(self.mark.message + 1) >= self.minimum
    }

    /// The mark, if what was decided last about the conversation asks for one.
    pub(crate) fn marks(&self, live: &Live) -> Marks {
        let is_decided = live.steps().last().is_some_and(|last| last.step.keeps_answer);
        match self.mark.missing.filter(|_| is_decided) {
            Some(FreePlace { at, is_hour }) => Marks { places: vec![at], for_an_hour: is_hour },
            None => Marks::default(),
        }
    }
}
