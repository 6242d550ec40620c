//! The engine: one live conversation, its facts and its plan as one value.

use std::borrow::Cow;

use crate::budget::WindowLimit;
use crate::call_texts::projected;
use crate::lines::ExcerptSource;
use crate::planner::Planner;
use crate::record::Record;
use crate::step::{BacklogChange, Item, Step};
use crate::tokens::{Tokenizer, Tokens};
use crate::weight::Weight;
use crate::wish::{Unwishable, Wish, Wishes};
use foveal_transcript::{Block, Conversation, Entry, EntryIndex, Timestamp};

/// Plans one conversation as it grows. Who replays one conversation under many profiles
/// shares a [`Record`] between planners instead.
#[derive(Debug, Clone)]
pub struct Engine {
    record: Record,
    planner: Planner,
}

impl Engine {
    /// An engine at the first request of `conversation`. `planner` has to be at its start.
    pub fn new(conversation: Conversation, tokenizer: Tokenizer, planner: Planner) -> Self {
        Self { record: Record::of(conversation, tokenizer), planner }
    }

    /// An engine that stands where `recorded` left one: no decision is made anew. `planner` has
    /// to be at its start.
    pub fn resume(
        conversation: Conversation,
        tokenizer: Tokenizer,
        planner: Planner,
        recorded: &[Step],
    ) -> Self {
        let record = Record::of(conversation, tokenizer);
        let planner = planner.resumed(&record, recorded);
        Self { record, planner }
    }

    /// Appends a message.
    pub fn push(&mut self, entry: Entry) -> EntryIndex {
        self.record.push(entry)
    }

    /// The same for a message of which is known what it takes.
    pub fn push_weighed(&mut self, entry: Entry, weight: Weight) -> EntryIndex {
        self.record.push_weighed(entry, weight)
    }

    /// The same for a message in whose place nothing can stand.
    pub fn push_fixed(&mut self, entry: Entry, weight: Weight) -> EntryIndex {
        self.record.push_fixed(entry, weight)
    }

    /// Sets the content of which the result at `index` is an excerpt.
    ///
    /// # Panics
    /// If there is no such entry.
    pub fn set_excerpt_source(&mut self, index: EntryIndex, source: ExcerptSource) {
        self.record.set_excerpt_source(index, source);
    }

    /// Plans the request that is answered next; `now` is when it is sent, as far as known.
    pub fn plan(&mut self, now: Option<Timestamp>) -> Step {
        let answer = EntryIndex(self.record.len() as u32);
        self.planner.advance(&self.record, answer, now)
    }

    /// The same with what the person wants; see [`Planner::advance_with`].
    pub fn plan_with(&mut self, now: Option<Timestamp>, wishes: &Wishes) -> Step {
        let answer = EntryIndex(self.record.len() as u32);
        self.planner.advance_with(&self.record, answer, now, wishes)
    }

    /// Whether a wish can be carried out with the next request; see [`Planner::check_wish`].
    ///
    /// # Errors
    /// Why not.
    pub fn check_wish(&self, wish: &Wish) -> Result<(), Unwishable> {
        self.planner.check_wish(&self.record, wish)
    }

    /// The same, but what was sent stays as it was sent, unless the client changed what stands
    /// before it: for who has no time for more.
    pub fn plan_without_rewrite(&mut self, now: Option<Timestamp>) -> Step {
        let answer = EntryIndex(self.record.len() as u32);
        self.planner.advance_without_rewrite(&self.record, answer, now)
    }

    /// The same conversation at its first request, with a planner at its start. What was counted for
    /// it stays known.
    #[must_use]
    pub fn again(mut self, mut planner: Planner) -> Self {
        planner.set_prelude(self.planner.prelude());
        planner.take_counts_of(&mut self.planner);
        Self { planner, ..self }
    }

    /// Takes over what was decided elsewhere for the next request, in place of [`Engine::plan`].
    /// All entries before its answer have to be there.
    pub fn take_over(&mut self, step: &Step) {
        self.planner.take_over(&self.record, step);
    }

    /// Lets everything new pass as it is, in place of [`Engine::plan`]: for requests that were
    /// sent before anything could be decided. What was decided earlier stands.
    /// `backlog`: what was decided about them too late.
    pub fn let_pass(&mut self, now: Option<Timestamp>, backlog: Option<BacklogChange>) -> Step {
        let answer = EntryIndex(self.record.len() as u32);
        self.planner.let_pass(&self.record, answer, now, backlog)
    }

    /// Tells the tokens of what is in every prompt and never shaped: system prompt and schemas
    /// of tools that are no messages of the conversation.
    pub fn set_prelude(&mut self, tokens: Tokens) {
        self.planner.set_prelude(tokens);
    }

    /// Tells how long the next prompts may be; see [`Planner::set_window_limit`].
    pub fn set_window_limit(&mut self, limit: Option<WindowLimit>) {
        self.planner.set_window_limit(limit);
    }

    /// Tells whether the provider can be asked, with the next request, to keep the prompt up to
    /// the latest answer in it; see [`Planner::set_can_keep_answer`].
    pub fn set_can_keep_answer(&mut self, can: bool) {
        self.planner.set_can_keep_answer(can);
    }

    /// The tokens that were told last by [`Engine::set_prelude`].
    pub fn prelude(&self) -> Tokens {
        self.planner.prelude()
    }

    /// Gets ready for a rewrite with the next request, as long as it may `go_on`; see
    /// [`Planner::get_ready`].
    pub fn get_ready(&mut self, go_on: &dyn Fn() -> bool) {
        self.planner.get_ready(&self.record, go_on);
    }

    /// The message that is sent for an entry that was planned.
    pub fn render(&self, index: EntryIndex) -> Cow<'_, Entry> {
        let entry = self.record.entry(index);
        let Some(shape) = self.planner.item(index).decision.shape() else {
            return Cow::Borrowed(entry);
        };
        if entry.result().is_none() {
            return Cow::Owned(projected(entry, shape));
        }
        let mut rendered = entry.clone();
        for block in &mut rendered.blocks {
            if let Block::Result(result) = block {
                result.content = shape.render(&result.content);
            }
        }
        Cow::Owned(rendered)
    }

    /// The entries of the last planned prompt, in order.
    pub fn window(&self) -> &[EntryIndex] {
        self.planner.window()
    }

    /// What was decided about an entry.
    pub fn item(&self, index: EntryIndex) -> &Item {
        self.planner.item(index)
    }

    /// The plan so far.
    pub fn planner(&self) -> &Planner {
        &self.planner
    }

    /// The conversation and its facts.
    pub fn record(&self) -> &Record {
        &self.record
    }

    /// Tokens of the last planned prompt, the prelude included.
    pub fn tokens(&self) -> Tokens {
        self.planner.tokens()
    }

    /// Tokens that the same prompt would have had as recorded, the prelude included.
    pub fn tokens_recorded(&self) -> Tokens {
        let window = self.window().iter().map(|index| self.record.facts(*index).tokens);
        Tokens(self.planner.prelude().0 + window.sum::<Tokens>().0)
    }
}
