//! The engine: one live conversation with its facts and its plan.

use std::borrow::Cow;

use foveal_pricing::tokens::{Tokenizer, Tokens};
use foveal_transcript::{ContentBlock, Conversation, EntryIndex, Timestamp, TranscriptEntry};

use crate::conversation_record::ConversationRecord;
use crate::entry_size::EntrySize;
use crate::lines::ExcerptSource;
use crate::overrides::{OverrideError, RequestOverrides, ResultOverride};
use crate::plan_step::{BacklogChange, EntryState, PlanStep};
use crate::planner::Planner;
use crate::window_limit::WindowLimit;

/// Plans one conversation as it grows.
///
/// A replay of one conversation under many profiles shares a [`ConversationRecord`] between several
/// [`Planner`]s instead.
#[derive(Debug, Clone)]
pub struct Engine {
    record: ConversationRecord,
    planner: Planner,
}

impl Engine {
    /// Creates an engine at the first request of `conversation`. `planner` must not have planned a
    /// request yet.
    pub fn new(conversation: Conversation, tokenizer: Tokenizer, planner: Planner) -> Self {
        Self { record: ConversationRecord::from_conversation(conversation, tokenizer), planner }
    }

    /// Restores an engine from its recorded steps without deciding anything anew. `planner` must
    /// not have planned a request yet.
    pub fn resume(
        conversation: Conversation,
        tokenizer: Tokenizer,
        planner: Planner,
        recorded: &[PlanStep],
    ) -> Self {
        let record = ConversationRecord::from_conversation(conversation, tokenizer);
        let planner = planner.with_steps(&record, recorded);
        Self { record, planner }
    }

    /// Appends a message.
    pub fn push(&mut self, entry: TranscriptEntry) -> EntryIndex {
        self.record.push(entry)
    }

    /// Appends a message whose size is already known.
    pub fn push_weighed(&mut self, entry: TranscriptEntry, weight: EntrySize) -> EntryIndex {
        self.record.push_measured(entry, weight)
    }

    /// Appends a message of known size that must never be replaced.
    pub fn push_fixed(&mut self, entry: TranscriptEntry, weight: EntrySize) -> EntryIndex {
        self.record.push_fixed(entry, weight)
    }

    /// Sets the full content behind the excerpt in the result at `index`.
    pub fn set_excerpt_source(&mut self, index: EntryIndex, source: ExcerptSource) {
        self.record.set_excerpt_source(index, source);
    }

    /// Plans the request that will produce the next entry. `now` is the time at which it is sent,
    /// if known.
    pub fn plan(&mut self, now: Option<Timestamp>) -> PlanStep {
        let answer = EntryIndex(self.record.len() as u32);
        self.planner.advance(&self.record, answer, now)
    }

    /// Plans the next request with the user's overrides; see [`Planner::advance_with_overrides`].
    pub fn plan_with_overrides(
        &mut self,
        now: Option<Timestamp>,
        wishes: &RequestOverrides,
    ) -> PlanStep {
        let answer = EntryIndex(self.record.len() as u32);
        self.planner.advance_with_overrides(&self.record, answer, now, wishes)
    }

    /// Checks whether the next request can carry out an override; see [`Planner::check_override`].
    ///
    /// # Errors
    /// The reason why it cannot.
    pub fn check_override(&self, wish: &ResultOverride) -> Result<(), OverrideError> {
        self.planner.check_override(&self.record, wish)
    }

    /// Plans the next request without a rewrite: results keep the form in which they were sent,
    /// unless the client changed something before them. For callers that have no time for more.
    pub fn plan_without_rewrite(&mut self, now: Option<Timestamp>) -> PlanStep {
        let answer = EntryIndex(self.record.len() as u32);
        self.planner.advance_without_rewrite(&self.record, answer, now)
    }

    /// Returns the engine at the first request of the same conversation, with a new planner. Token
    /// counts stay cached.
    #[must_use]
    pub fn restart_with(mut self, mut planner: Planner) -> Self {
        planner.set_prelude(self.planner.prelude());
        planner.take_token_cache(&mut self.planner);
        Self { planner, ..self }
    }

    /// Adopts a step that was decided elsewhere for the next request, in place of [`Engine::plan`].
    /// All entries before its answer must have been pushed.
    pub fn adopt_step(&mut self, step: &PlanStep) {
        self.planner.adopt_step(&self.record, step);
    }

    /// Passes all new results through unchanged, in place of [`Engine::plan`]: for requests that
    /// were sent before a decision was ready. Earlier decisions stand. `backlog` is the decision
    /// that came too late.
    pub fn plan_passthrough(
        &mut self,
        now: Option<Timestamp>,
        backlog: Option<BacklogChange>,
    ) -> PlanStep {
        let answer = EntryIndex(self.record.len() as u32);
        self.planner.plan_passthrough(&self.record, answer, now, backlog)
    }

    /// Sets the tokens that every prompt holds outside its messages: the system prompt and the tool
    /// schemas, as far as they are no messages of the conversation.
    pub fn set_prelude(&mut self, tokens: Tokens) {
        self.planner.set_prelude(tokens);
    }

    /// Limits the length of the next prompts; see [`Planner::set_window_limit`].
    pub fn set_window_limit(&mut self, limit: Option<WindowLimit>) {
        self.planner.set_window_limit(limit);
    }

    /// Sets whether the next request can ask the provider to cache the prompt up to its latest
    /// answer; see [`Planner::set_can_keep_answer`].
    pub fn set_can_keep_answer(&mut self, can: bool) {
        self.planner.set_can_keep_answer(can);
    }

    /// Returns the tokens set by [`Engine::set_prelude`].
    pub fn prelude(&self) -> Tokens {
        self.planner.prelude()
    }

    /// Prepares a rewrite with the next request, as long as `go_on` returns true; see
    /// [`Planner::prepare_rewrite`].
    pub fn prepare_rewrite(&mut self, go_on: &dyn Fn() -> bool) {
        self.planner.prepare_rewrite(&self.record, go_on);
    }

    /// Returns the message that is sent for a planned entry.
    pub fn render(&self, index: EntryIndex) -> Cow<'_, TranscriptEntry> {
        let entry = self.record.entry(index);
        let Some(shape) = self.planner.entry_state(index).decision.shape() else {
            return Cow::Borrowed(entry);
        };
        let mut rendered = entry.clone();
        for block in &mut rendered.blocks {
            if let ContentBlock::Result(result) = block {
                result.content = shape.render(&result.content);
            }
        }
        Cow::Owned(rendered)
    }

    /// Returns the entries of the last planned prompt, in order.
    pub fn window(&self) -> &[EntryIndex] {
        self.planner.window()
    }

    /// Returns the decision on an entry and its state.
    pub fn entry_state(&self, index: EntryIndex) -> &EntryState {
        self.planner.entry_state(index)
    }

    /// Returns the planner.
    pub fn planner(&self) -> &Planner {
        &self.planner
    }

    /// Returns the conversation and its facts.
    pub fn record(&self) -> &ConversationRecord {
        &self.record
    }

    /// Returns the tokens of the last planned prompt, including the prelude.
    pub fn tokens(&self) -> Tokens {
        self.planner.tokens()
    }

    /// Returns the tokens of the last planned prompt as recorded, without reductions, including the
    /// prelude.
    pub fn tokens_recorded(&self) -> Tokens {
        let window = self.window().iter().map(|index| self.record.facts(*index).tokens);
        Tokens(self.planner.prelude().0 + window.sum::<Tokens>().0)
    }
}
