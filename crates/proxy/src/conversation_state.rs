//! The state of one live conversation: the engine, and where in the client's messages the texts
//! stand that it may replace.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use foveal_engine::engine::Engine;
use foveal_engine::entry_size::{EntryMeasurer, EntrySize};
use foveal_engine::lines::ExcerptSource;
use foveal_engine::message_shape::{Decision, MessageShape, ShapePiece};
use foveal_engine::overrides::{RequestOverrides, ResultOverride};
use foveal_engine::plan_step::{BacklogChange, EntryState, PlanStep};
use foveal_engine::planner::Planner;
use foveal_engine::tokens::{Tokenizer, Tokens};
use foveal_engine::window_limit::WindowLimit;
use foveal_transcript::{ContentHash, Conversation, EntryIndex, Timestamp};
use foveal_wire::request_body::{BodyError, BreakpointTarget, RequestBody};

use crate::body_replacements::{BodyReplacements, MessageReplacements};
use crate::breakpoint_policy::BreakpointState;
use crate::decoded_messages::{self, DecodedMessage, ReplaceableText, decode_messages};
use crate::fingerprint_chain::FingerprintChain;
use crate::handle_style::HandleStyle;
use crate::message_history::MessageHistory;
use crate::models::ModelTraits;
use crate::prelude_tokens::PreludeTokenCache;
use crate::recorder::{OriginalContent, PlannedStep, Recorder, RecorderError, StepRecord};
use crate::request::ResultReduction;
use crate::scanned_body::ScannedBody;

/// A conversation between two requests.
#[derive(Debug, Clone)]
pub(crate) struct ConversationState {
    engine: Engine,
    tokenizer: Tokenizer,
    prelude: PreludeTokenCache,
    messages: Vec<KnownMessage>,
    /// The indices of those with replaced texts: a few of many.
    replaced_messages: BTreeSet<usize>,
    /// The replacement texts, collected on first use and valid until one changes.
    replacements: OnceCell<MessageReplacements>,
    /// The fingerprint of the empty prefix.
    root: ContentHash,
    /// The fingerprint behind the last planned request.
    planned_fingerprint: ContentHash,
    /// All steps so far, from which an earlier state can be restored.
    steps: Vec<PlannedStep>,
    /// Steps that could not be recorded yet, oldest first.
    unrecorded: Vec<StepRecord>,
    model: ModelTraits,
    /// The messages of the last request, with which the next one is compared.
    history: Option<Arc<MessageHistory>>,
    /// The number of late decisions in a row.
    late_decisions: u32,
    /// The number of requests that still have to pass before old results may be rewritten.
    rewrite_backoff: u32,
    /// Bytes of all messages, from which the memory use is estimated.
    bytes: usize,
    handle_style: HandleStyle,
    token_counter: EntryMeasurer,
    /// The first entry whose content was not passed to [`Recorder::prefetch`].
    first_unprefetched: EntryIndex,
    /// The first entry for which the source of an excerpt was not looked up.
    first_unsourced: EntryIndex,
}

/// The largest number of times that the back-off of rewrites is doubled.
const BACKOFF_DOUBLINGS_MAX: u32 = 6;

/// Bytes of the longest content that is prefetched. A longer one could delay a request.
const PREFETCH_BYTES_MAX: usize = 256 << 10;

/// Returns whether a message of the body has a cache breakpoint.
fn has_breakpoint(body: &RequestBody, message: usize) -> bool {
    body.breakpoints.iter().any(|mark| mark.target == BreakpointTarget::Message(message))
}

/// Returns whether a step was decided about exactly `entries` entries.
fn covers_entries(step: &PlanStep, entries: usize) -> bool {
    let changed = step.changed.iter().map(|(index, _)| index);
    let levels = step.levels.iter().map(|(index, _)| index);
    let mut all = changed.chain(levels);
    step.answer.as_usize() == entries && all.all(|index| index.as_usize() < entries)
}

/// Returns whether a shape keeps nothing of its original but notes that all point elsewhere.
fn is_pointer_only(shape: &MessageShape, original: &str) -> bool {
    let kept = |range: &std::ops::Range<u32>| {
        original.get(range.start as usize..range.end as usize).unwrap_or_default()
    };
    !shape.referenced_entries().is_empty()
        && shape.pieces.iter().all(|piece| match piece {
            ShapePiece::Keep(range) => kept(range).trim().is_empty(),
            ShapePiece::Break => true,
            ShapePiece::Note(_, note) => !note.refers_to.is_empty(),
        })
}

/// A message that was decoded.
#[derive(Debug, Clone)]
struct KnownMessage {
    /// The fingerprint of the prefix that ends with it.
    fingerprint: ContentHash,
    /// Its length. If length and breakpoints are unchanged, so are the positions of its texts.
    length: usize,
    has_breakpoint: bool,
    /// Its first entry.
    entry: EntryIndex,
    texts: Vec<ReplaceableText>,
}

impl ConversationState {
    /// Creates a conversation without messages.
    pub(crate) fn new(
        planner: Planner,
        model: ModelTraits,
        tokenizer: Tokenizer,
        root: ContentHash,
    ) -> Self {
        Self {
            engine: Engine::new(Conversation::default(), tokenizer, planner),
            tokenizer,
            prelude: PreludeTokenCache::default(),
            messages: Vec::new(),
            replaced_messages: BTreeSet::new(),
            replacements: OnceCell::new(),
            root,
            planned_fingerprint: root,
            steps: Vec::new(),
            unrecorded: Vec::new(),
            model,
            history: None,
            late_decisions: 0,
            rewrite_backoff: 0,
            bytes: 0,
            handle_style: HandleStyle::default(),
            token_counter: EntrySize::measure_all,
            first_unprefetched: EntryIndex(0),
            first_unsourced: EntryIndex(0),
        }
    }

    /// Replaces the function that counts the tokens of entries.
    pub(crate) fn with_token_counter(mut self, weigh: EntryMeasurer) -> Self {
        self.token_counter = weigh;
        self
    }

    /// Sets how notes name the way to the omitted content.
    pub(crate) fn with_handle_style(mut self, way: HandleStyle) -> Self {
        self.handle_style = way;
        self
    }

    /// Returns the fingerprint behind the last planned request.
    pub(crate) fn planned_fingerprint(&self) -> ContentHash {
        self.planned_fingerprint
    }

    /// Returns the model that the last step was decided for.
    pub(crate) fn model(&self) -> &ModelTraits {
        &self.model
    }

    /// Takes the steps that could not be recorded yet, oldest first.
    pub(crate) fn take_unrecorded_steps(&mut self) -> Vec<StepRecord> {
        std::mem::take(&mut self.unrecorded)
    }

    /// Returns whether there are steps that could not be recorded yet.
    pub(crate) fn has_unrecorded_steps(&self) -> bool {
        !self.unrecorded.is_empty()
    }

    /// Discards the last step that could not be recorded.
    pub(crate) fn discard_last_unrecorded_step(&mut self) {
        self.unrecorded.pop();
    }

    /// Adds a step that could not be recorded.
    pub(crate) fn push_unrecorded_step(&mut self, turn: StepRecord) {
        self.unrecorded.push(turn);
    }

    /// Returns the number of decoded messages.
    pub(crate) fn message_count(&self) -> usize {
        self.messages.len()
    }

    /// Returns the bytes of all messages.
    pub(crate) fn message_bytes(&self) -> usize {
        self.bytes
    }

    /// Drops the bytes of the last request's messages.
    pub(crate) fn drop_history(&mut self) {
        self.history = None;
    }

    /// Returns the messages of the last request, with which the next one is compared.
    pub(crate) fn history(&self) -> Option<&Arc<MessageHistory>> {
        self.history.as_ref()
    }

    /// Replaces the history by the messages of a request. `known` is the history that it was
    /// compared with, and the number of equal messages. If another reference to that history
    /// exists, it is copied.
    pub(crate) fn update_history(
        &mut self,
        ScannedBody { body, bytes }: ScannedBody<'_>,
        chain: &FingerprintChain,
        known: Option<(*const MessageHistory, usize)>,
    ) {
        let own = self.history.take();
        let alike = known.filter(|(at, _)| own.as_ref().is_some_and(|own| Arc::as_ptr(own) == *at));
        let familiar = match (own, alike) {
            (Some(own), Some((_, alike))) => {
                let mut own = Arc::unwrap_or_clone(own);
                own.advance(body, bytes, chain, alike);
                own
            }
            (_, _) => MessageHistory::from_body(body, bytes, chain),
        };
        self.history = Some(Arc::new(familiar));
    }

    /// Returns whether any text could be replaced.
    pub(crate) fn has_replaceable_texts(&self) -> bool {
        self.messages.iter().any(|message| !message.texts.is_empty())
    }

    /// Updates the positions of the known texts for a request that continues the conversation.
    ///
    /// # Errors
    /// If a message cannot be decoded.
    pub(crate) fn relocate_texts(
        &mut self,
        ScannedBody { body, bytes }: ScannedBody<'_>,
    ) -> Result<(), BodyError> {
        for at in 0..self.messages.len() {
            let (length, is_marked) = (body.messages[at].len(), has_breakpoint(body, at));
            let known = &mut self.messages[at];
            let is_same = (known.length, known.has_breakpoint) == (length, is_marked) && !is_marked;
            // The compress API does not track breakpoints, so positions are always updated there.
            if is_same && self.handle_style != HandleStyle::Hash {
                continue;
            }
            (known.length, known.has_breakpoint) = (length, is_marked);
            if !known.texts.is_empty() {
                let moved = &decode_messages(ScannedBody { body, bytes }, at..at + 1, &[])?;
                let moved = moved.iter().flat_map(|said| &said.slots);
                for (place, slot) in known.texts.iter_mut().zip(moved) {
                    if place.replacement.is_some() && place.slot != *slot {
                        self.replacements.take();
                    }
                    place.slot = slot.clone();
                }
            }
        }
        Ok(())
    }

    /// Decodes the messages of a request up to `until` that are not known yet, and adds them.
    ///
    /// # Errors
    /// If a message cannot be decoded.
    pub(crate) fn add_messages(
        &mut self,
        ScannedBody { body, bytes }: ScannedBody<'_>,
        chain: &FingerprintChain,
        until: usize,
    ) -> Result<(), BodyError> {
        let said = decode_messages(ScannedBody { body, bytes }, self.message_count()..until, &[])?;
        let mut weights = self.entry_weights(&said).into_iter();
        for said in said {
            let is_marked = has_breakpoint(body, self.message_count());
            self.push_message(said, &mut weights, body, chain, is_marked);
        }
        self.set_prelude(ScannedBody { body, bytes });
        Ok(())
    }

    /// Counts the system prompt and the tools of a request.
    pub(crate) fn set_prelude(&mut self, ScannedBody { body, bytes }: ScannedBody<'_>) {
        let prelude = self.prelude.count(body, bytes, self.tokenizer);
        self.engine.set_prelude(prelude);
    }

    /// Brings a conversation without messages to its state after these messages and recorded steps.
    pub(crate) fn replay_steps(
        mut self,
        body: &RequestBody,
        chain: &FingerprintChain,
        said: Vec<DecodedMessage>,
        planned: &[PlannedStep],
    ) -> Self {
        let mut planned = planned.iter().peekable();
        let mut weights = self.entry_weights(&said).into_iter();
        for said in said {
            self.push_message(said, &mut weights, body, chain, true);
            let end = chain.fingerprint_at(self.message_count());
            let Some(planned) = planned.next_if(|planned| planned.fingerprint == end) else {
                continue;
            };
            let step = &planned.step;
            if !covers_entries(step, self.engine.record().len()) {
                // The record is damaged: this step was decided about other entries.
                break;
            }
            self.engine.adopt_step(step);
            self.apply_step(planned.clone());
        }
        self
    }

    /// Returns the tokens that each entry of the messages takes.
    fn entry_weights(&self, said: &[DecodedMessage]) -> Vec<EntrySize> {
        (self.token_counter)(&decoded_messages::entries(said), self.tokenizer)
    }

    /// Adds the next message. `weights` yields the weights of its entries.
    fn push_message(
        &mut self,
        said: DecodedMessage,
        weights: &mut impl Iterator<Item = EntrySize>,
        body: &RequestBody,
        chain: &FingerprintChain,
        is_marked: bool,
    ) {
        let at = self.messages.len();
        let last = self.engine.record().len() as u32;
        // A message that continues a response shares the entry of that response.
        let entry = EntryIndex(if said.continues_response { last.saturating_sub(1) } else { last });
        let places = said.replaceable_texts();
        for ((at, entry), weight) in said.entries.into_iter().enumerate().zip(weights) {
            let is_fixed = entry.tool_result().is_some()
                && !places.iter().any(|place| place.belongs_to_entry(at));
            match is_fixed {
                true => self.engine.push_fixed(entry, weight),
                false => self.engine.push_weighed(entry, weight),
            };
        }
        let (length, end) = (body.messages[at].len(), chain.fingerprint_at(at + 1));
        self.bytes += length;
        self.messages.push(KnownMessage {
            fingerprint: end,
            length,
            has_breakpoint: is_marked,
            entry,
            texts: places,
        });
    }

    /// Returns the conversation in its state after its first `count` steps, planned for `model`.
    /// Messages of later requests stay known, without decisions.
    pub(crate) fn rewind(mut self, planner: Planner, model: ModelTraits, count: usize) -> Self {
        let steps = std::mem::take(&mut self.steps);
        self.replacements.take();
        for at in std::mem::take(&mut self.replaced_messages) {
            self.messages[at].texts.iter_mut().for_each(|place| place.replacement = None);
        }
        self.engine = self.engine.restart_with(planner);
        (self.model, self.planned_fingerprint) = (model, self.root);
        for planned in steps.into_iter().take(count) {
            self.engine.adopt_step(&planned.step);
            self.apply_step(planned);
        }
        self
    }

    /// Returns the conversation in its state before the last step.
    pub(crate) fn rewind_last_step(self, planner: Planner) -> Self {
        let (model, count) = (self.model.clone(), self.steps.len().saturating_sub(1));
        self.rewind(planner, model, count)
    }

    /// Sets the limit on the length of the next prompts.
    pub(crate) fn set_window_limit(&mut self, limit: WindowLimit) {
        self.engine.set_window_limit(Some(limit));
    }

    /// Sets whether the next prompt can be cached up to its latest answer.
    pub(crate) fn set_can_cache_answer(&mut self, can: bool) {
        self.engine.set_can_keep_answer(can);
    }

    pub(crate) fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Returns the fingerprint behind the message of an entry; `None` if there is no such entry.
    pub(crate) fn entry_fingerprint(&self, index: EntryIndex) -> Option<ContentHash> {
        self.message_of_entry(index)
            .filter(|_| index.as_usize() < self.engine.record().len())
            .map(|it| it.fingerprint)
    }

    /// Returns whether an entry has texts that can be replaced.
    pub(crate) fn is_replaceable(&self, index: EntryIndex) -> bool {
        let places = |known: &KnownMessage| {
            let entry = (index.0 - known.entry.0) as usize;
            known.texts.iter().any(|place| place.belongs_to_entry(entry))
        };
        self.message_of_entry(index).is_some_and(places)
    }

    fn message_of_entry(&self, index: EntryIndex) -> Option<&KnownMessage> {
        let at = self.messages.partition_point(|known| known.entry <= index);
        at.checked_sub(1).map(|at| &self.messages[at])
    }

    /// Returns the override that describes an entry's current state.
    pub(crate) fn current_override(&self, index: EntryIndex) -> ResultOverride {
        let planned = self.steps.last().map_or(0, |last| last.step.answer.as_usize());
        match index.as_usize() < planned {
            true => self.engine.entry_state(index).current_override(index),
            false => EntryState::default().current_override(index),
        }
    }

    /// Plans the next step, with the user's overrides. After late decisions, old results stay
    /// unchanged for some requests, because rewrites take the longest.
    pub(crate) fn plan(&mut self, now: Timestamp, wishes: &RequestOverrides) -> Arc<PlanStep> {
        let step = match self.rewrite_backoff {
            0 => self.engine.plan_with_overrides(Some(now), wishes),
            _ => self.engine.plan_without_rewrite(Some(now)),
        };
        self.apply_new_step(step)
    }

    /// Finds the sources of new results that are excerpts made by foveal's own tools and hooks. The
    /// note in place of such a result names the source itself, so that the model gets it back in
    /// one step.
    pub(crate) fn find_excerpt_sources(&mut self, recorder: &dyn Recorder) {
        let end = EntryIndex(self.engine.record().len() as u32);
        for index in (self.first_unsourced.0..end.0).map(EntryIndex) {
            if let Some(source) = self.excerpt_source(index, recorder) {
                self.engine.set_excerpt_source(index, source);
            }
        }
        self.first_unsourced = end;
    }

    fn excerpt_source(&self, index: EntryIndex, recorder: &dyn Recorder) -> Option<ExcerptSource> {
        let (entry, facts) = (self.engine.record().entry(index), self.engine.record().facts(index));
        let result = entry.tool_result().filter(|_| facts.has_foveal_notes())?;
        let handle = ExcerptSource::find_handle(&result.content)?;
        // If the recorder fails, the result's own handle serves as well.
        let content = recorder.content(handle).ok()?.filter(|content| content.is_whole)?;
        let source = ExcerptSource::verify(&result.content, &content.text)?;
        (source.hash.handle() == handle).then_some(source)
    }

    /// Prepares a rewrite at the next request, as long as `go_on` returns true. The contents that
    /// it would omit come first, because they are recorded before it is sent.
    pub(crate) fn prefetch(&mut self, recorder: &dyn Recorder, go_on: &dyn Fn() -> bool) {
        let results = self.engine.planner().unreduced_entries();
        let unready: Vec<EntryIndex> =
            results.filter(|index| *index >= self.first_unprefetched).collect();
        for index in unready {
            if !go_on() {
                return;
            }
            let original = self.original_content(index);
            if let Some(original) = original.filter(|it| it.text.len() <= PREFETCH_BYTES_MAX) {
                recorder.prefetch(&[original]);
            }
            self.first_unprefetched = EntryIndex(index.0 + 1);
        }
        // Otherwise the next two requests leave old results unchanged.
        if self.rewrite_backoff <= 1 {
            self.engine.prepare_rewrite(go_on);
        }
    }

    /// Returns whether the next step may change results that were already sent.
    pub(crate) fn can_rewrite(&self) -> bool {
        self.rewrite_backoff == 0
    }

    /// Notes that a decision was in time.
    pub(crate) fn note_in_time(&mut self) {
        match self.rewrite_backoff {
            0 => self.late_decisions = 0,
            _ => self.rewrite_backoff -= 1,
        }
    }

    /// Returns whether the last prompt has expired in the provider's cache.
    pub(crate) fn is_cache_expired(&self, now: Timestamp) -> bool {
        self.engine.planner().is_expired(Some(now))
    }

    /// Notes that a decision was late, which doubles the back-off of rewrites.
    pub(crate) fn note_late(&mut self) {
        if self.rewrite_backoff > 0 {
            // No rewrite was tried, so the delay has another cause.
            return;
        }
        self.late_decisions = (self.late_decisions + 1).min(BACKOFF_DOUBLINGS_MAX);
        self.rewrite_backoff = (1 << self.late_decisions) - 1;
    }

    /// Returns the last step's decisions about new results, for a step that comes too late for
    /// them.
    pub(crate) fn backlog(&self) -> Option<BacklogChange> {
        let (last, before) = self.steps.split_last()?;
        let known = before.last().map_or(EntryIndex(0), |planned| planned.step.answer);
        let new = last.step.changed.iter().map(|(index, _)| *index).filter(|it| *it >= known);
        let saved = |index: EntryIndex| {
            self.engine.record().facts(index).tokens - self.engine.entry_state(index).tokens
        };
        let saving = new.clone().map(saved).sum::<Tokens>().0;
        let from = new.min().filter(|_| saving > 0)?;
        Some(BacklogChange::Added { from, saving })
    }

    /// Plans a step that leaves new results unchanged. `backlog` holds the late decisions about
    /// them.
    pub(crate) fn plan_without_changes(
        &mut self,
        now: Timestamp,
        backlog: Option<BacklogChange>,
    ) -> Arc<PlanStep> {
        let step = self.engine.plan_passthrough(Some(now), backlog);
        self.apply_new_step(step)
    }

    /// Returns the breakpoint state after the last planned request.
    pub(crate) fn breakpoint_state(&self) -> Option<&BreakpointState> {
        self.steps.last()?.breakpoints.as_ref()
    }

    /// Returns the breakpoint state after the request before the last planned one.
    pub(crate) fn previous_breakpoint_state(&self) -> Option<&BreakpointState> {
        self.steps.iter().rev().nth(1)?.breakpoints.as_ref()
    }

    /// Sets the breakpoint state of the last planned request.
    pub(crate) fn set_breakpoint_state(&mut self, caching: Option<BreakpointState>) {
        if let Some(planned) = self.steps.last_mut() {
            planned.breakpoints = caching;
        }
    }

    /// Returns all steps so far, oldest first.
    pub(crate) fn steps(&self) -> &[PlannedStep] {
        &self.steps
    }

    /// Returns the replacement texts with their positions in a body with the known messages.
    pub(crate) fn replacements(&self, body: &RequestBody) -> BodyReplacements {
        let standing = || {
            let messages = self.replaced_messages.iter().map(|at| (*at, &self.messages[*at].texts));
            let texts = messages.flat_map(|(at, places)| {
                let text = move |place: &ReplaceableText| {
                    Some((at, place.slot.string.clone(), place.replacement.clone()?))
                };
                places.iter().filter_map(text)
            });
            texts.collect()
        };
        self.replacements.get_or_init(standing).locate_in(body)
    }

    /// Returns the contents of the results that a step replaces, and the sources that its notes
    /// name instead of them.
    ///
    /// # Errors
    /// [`RecorderError`] if the recorder does not have a source that a note names.
    pub(crate) fn omitted_contents(
        &self,
        step: &PlanStep,
        recorder: &dyn Recorder,
    ) -> Result<Vec<OriginalContent<'_>>, RecorderError> {
        let replaced = step.changed.iter().filter(|(_, decision)| decision.shape().is_some());
        let results = replaced.filter_map(|(index, _)| self.original_content(*index));
        let mut contents: Vec<OriginalContent<'_>> = results.collect();
        for hash in self.named_source_hashes(step) {
            let content = recorder.content(hash.handle())?.filter(|content| content.is_whole);
            let text = content.map(|content| content.text.into());
            let text = text.ok_or_else(|| RecorderError(format!("{} is gone", hash.handle())))?;
            contents.push(OriginalContent { hash, text });
        }
        Ok(contents)
    }

    /// Returns the hashes of the sources that the step's notes name instead of the results
    /// themselves.
    fn named_source_hashes(&self, step: &PlanStep) -> impl Iterator<Item = ContentHash> {
        step.changed.iter().filter_map(|(index, decision)| {
            let hash = self.engine.record().facts(*index).excerpt_source?.hash;
            let mut notes = decision.shape()?.notes();
            notes.any(|note| note.handle == Some(hash.handle())).then_some(hash)
        })
    }

    fn original_content(&self, index: EntryIndex) -> Option<OriginalContent<'_>> {
        let record = self.engine.record();
        let (result, hash) =
            (record.entry(index).tool_result()?, record.facts(index).content_hash?);
        Some(OriginalContent { hash, text: Cow::Borrowed(&result.content) })
    }

    /// Returns the results that a step reduces.
    pub(crate) fn reductions(&self, step: &PlanStep) -> Vec<ResultReduction> {
        let record = self.engine.record();
        let reduced = step.changed.iter().filter_map(|(index, decision)| {
            let (shape, result) = (decision.shape()?, record.entry(*index).tool_result()?);
            Some(ResultReduction {
                call: result.call.clone(),
                kind: shape.kind,
                is_pointer_only: is_pointer_only(shape, &result.content),
                bytes: result.content.len() as u64,
                bytes_sent: shape.projected_len() as u64,
                entry: *index,
                message: self.messages.partition_point(|known| known.entry <= *index) as u64,
                tool: record.facts(*index).call.as_ref().map(|call| call.tool.clone()),
                tokens: record.facts(*index).tokens,
                tokens_sent: self.engine.entry_state(*index).tokens,
            })
        });
        reduced.collect()
    }

    /// Returns the tokens of the prompt as the client sent it, and as it is sent upstream.
    pub(crate) fn prompt_tokens(&self) -> (Tokens, Tokens) {
        (self.engine.tokens_recorded(), self.engine.tokens())
    }

    /// Returns the tokens of the prelude and of the first `messages` messages, as the client sent
    /// them.
    pub(crate) fn received_tokens_up_to(&self, messages: usize) -> Tokens {
        let record = self.engine.record();
        let entries = self.messages.get(messages).map_or(record.len() as u32, |it| it.entry.0);
        let tokens = (0..entries).map(|at| record.facts(EntryIndex(at)).tokens);
        self.engine.prelude() + tokens.sum()
    }

    /// Returns the tokens of the prelude.
    pub(crate) fn prelude_tokens(&self) -> Tokens {
        self.engine.planner().prelude_with_base_files()
    }

    /// Returns the tokens of each of the first `messages` messages, as they are sent upstream.
    pub(crate) fn tokens_by_message(&self, messages: usize) -> Vec<Tokens> {
        let mut tokens = vec![Tokens(0); messages];
        for index in self.engine.window() {
            let at = self.messages.partition_point(|known| known.entry <= *index);
            if let Some(sum) = at.checked_sub(1).and_then(|at| tokens.get_mut(at)) {
                sum.0 += self.engine.entry_state(*index).tokens.0;
            }
        }
        tokens
    }

    /// Returns the tokens of the prelude and of the first `messages` messages: sent ones as they
    /// were last sent, new ones as the client sent them.
    pub(crate) fn tokens_up_to(&self, messages: usize) -> Tokens {
        let record = self.engine.record();
        let sent = self.steps.last().map_or(0, |last| last.step.answer.0);
        let until = self.messages.get(messages).map_or(record.len() as u32, |it| it.entry.0);
        let new = (sent.min(until)..until).map(|at| record.facts(EntryIndex(at)).tokens);
        let of_messages = self.tokens_by_message(messages).into_iter();
        self.engine.planner().prelude_with_base_files() + of_messages.sum() + new.sum()
    }

    /// Returns the tokens of the prelude and of the first `entries` entries, as they are sent
    /// upstream.
    pub(crate) fn sent_tokens_up_to(&self, entries: usize) -> Tokens {
        let window = self.engine.window().iter().take(entries);
        self.engine.planner().prelude_with_base_files()
            + window.map(|index| self.engine.entry_state(*index).tokens).sum()
    }

    /// Applies a step that covers all messages.
    fn apply_new_step(&mut self, step: PlanStep) -> Arc<PlanStep> {
        let step = Arc::new(step);
        let end = self.messages.last().map_or(self.planned_fingerprint, |known| known.fingerprint);
        self.apply_step(PlannedStep {
            fingerprint: end,
            step: Arc::clone(&step),
            breakpoints: None,
        });
        step
    }

    fn apply_step(&mut self, planned: PlannedStep) {
        for (index, decision) in &planned.step.changed {
            self.apply_decision(*index, decision);
        }
        self.planned_fingerprint = planned.fingerprint;
        self.steps.push(planned);
    }

    fn apply_decision(&mut self, index: EntryIndex, decision: &Decision) {
        let at = self.messages.partition_point(|known| known.entry <= index);
        let Some(last) = at.checked_sub(1) else { return };
        let known = &mut self.messages[last];
        let entry = (index.0 - known.entry.0) as usize;
        let result = self.engine.record().entry(index).tool_result();
        let content = result.map_or("", |result| &result.content);
        decoded_messages::apply_decision(
            &mut known.texts,
            entry,
            content,
            self.handle_style,
            decision,
        );
        let is_replaced = if known.texts.iter().any(|place| place.replacement.is_some()) {
            self.replaced_messages.insert(last);
            true
        } else {
            self.replaced_messages.remove(&last)
        };
        if is_replaced {
            self.replacements.take();
        }
    }

    /// Returns the replaced texts of results, each with its replacement.
    pub(crate) fn replaced_texts(&self) -> impl Iterator<Item = (&str, String)> {
        self.replaced_messages.iter().map(|at| &self.messages[*at]).flat_map(|known| {
            known.texts.iter().filter_map(|place| {
                let index = EntryIndex(known.entry.0 + place.slot.entry as u32);
                // Texts of the model are skipped here, because they belong to no result.
                let result = self.engine.record().entry(index).tool_result()?;
                Some((
                    &result.content[place.slot.content.clone()],
                    place.replacement.as_ref()?.decode(),
                ))
            })
        })
    }

    /// Returns whether any text of an entry is replaced.
    fn is_replaced(&self, index: EntryIndex) -> bool {
        let at = self.messages.partition_point(|known| known.entry <= index);
        let Some(known) = at.checked_sub(1).map(|at| &self.messages[at]) else { return false };
        let entry = (index.0 - known.entry.0) as usize;
        known.texts.iter().any(|place| place.slot.entry == entry && place.replacement.is_some())
    }

    /// Returns the distinct contents with omissions whose notes name a handle.
    pub(crate) fn retrievable_contents(&self) -> Vec<&str> {
        let changed = self.steps.iter().flat_map(|planned| &planned.step.changed);
        let mut last: BTreeMap<EntryIndex, &Decision> = BTreeMap::new();
        last.extend(changed.map(|(at, decision)| (*at, decision)));
        let has_handle = |decision: &Decision| {
            decision.shape().is_some_and(|shape| shape.notes().any(|note| note.handle.is_some()))
        };
        let record = self.engine.record();
        let mut contents: Vec<&str> = last
            .iter()
            .filter(|(index, decision)| has_handle(decision) && self.is_replaced(**index))
            .filter_map(|(index, _)| Some(&*record.entry(*index).tool_result()?.content))
            .collect();
        let mut seen = HashSet::new();
        contents.retain(|content| seen.insert(*content));
        contents
    }
}
