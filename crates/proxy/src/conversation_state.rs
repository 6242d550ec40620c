//! The state of one live conversation: the engine, its steps so far, and the texts of the client's
//! messages that they replace.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use foveal_engine::engine::Engine;
use foveal_engine::entry_size::{EntryMeasurer, EntrySize};
use foveal_engine::lines::ExcerptSource;
use foveal_engine::message_shape::{Decision, ShapeKind};
use foveal_engine::overrides::{RequestOverrides, ResultOverride};
use foveal_engine::plan_step::{BacklogChange, EntryState, PlanStep};
use foveal_engine::planner::Planner;
use foveal_pricing::tokens::{Tokenizer, Tokens};
use foveal_protocols::request_body::BodyError;
use foveal_transcript::{ContentHash, Conversation, EntryIndex, Timestamp};

use crate::breakpoint_policy::BreakpointState;
use crate::decoded_messages::{self, DecodedMessage, decode_messages};
use crate::message_history::MessageHistory;
use crate::message_texts::{KnownMessage, MessageTexts};
use crate::models::ModelTraits;
use crate::prelude_tokens::PreludeTokenCache;
use crate::recorder::{OriginalContent, PlannedStep, Recorder, RecorderError, StepRecord};
use crate::request::ResultReduction;
use crate::request_context::RequestContext;
use crate::rewrite_backoff::RewriteBackoff;
use crate::rules::ShapingRules;

/// A conversation between two requests.
#[derive(Debug, Clone)]
pub(crate) struct ConversationState {
    pub(crate) engine: Engine,
    tokenizer: Tokenizer,
    prelude: PreludeTokenCache,
    /// The messages by position, with the texts that may be replaced.
    pub(crate) texts: MessageTexts,
    /// The fingerprint of the empty prefix.
    root: ContentHash,
    /// The fingerprint behind the last planned request.
    planned_fingerprint: ContentHash,
    /// All steps so far, from which an earlier state can be restored.
    steps: Vec<PlannedStep>,
    /// Steps that could not be recorded yet, oldest first.
    pub(crate) unrecorded: Vec<StepRecord>,
    /// The model that the last step was decided for.
    pub(crate) model: ModelTraits,
    /// The messages of the last request, with which the next one is compared.
    pub(crate) history: Option<Arc<MessageHistory>>,
    pub(crate) backoff: RewriteBackoff,
    token_counter: EntryMeasurer,
    /// The first entry whose content was not passed to [`Recorder::prefetch`].
    first_unprefetched: EntryIndex,
    /// The first entry for which the source of an excerpt was not looked up.
    first_unsourced: EntryIndex,
}

/// Bytes of the longest content that is prefetched. A longer one could delay a request.
const PREFETCH_BYTES_MAX: usize = 256 << 10;

/// Returns whether a step was decided about exactly `entries` entries.
fn covers_entries(step: &PlanStep, entries: usize) -> bool {
    let changed = step.changed.iter().map(|(index, _)| index);
    let levels = step.levels.iter().map(|(index, _)| index);
    let mut all = changed.chain(levels);
    step.answer.as_usize() == entries && all.all(|index| index.as_usize() < entries)
}

impl ConversationState {
    /// Creates a conversation without messages, whose empty prefix has the fingerprint `root`.
    pub(crate) fn new(rules: &ShapingRules, model: ModelTraits, root: ContentHash) -> Self {
        let planner = rules.build_planner(&model);
        Self {
            engine: Engine::new(Conversation::default(), rules.tokenizer, planner),
            tokenizer: rules.tokenizer,
            prelude: PreludeTokenCache::default(),
            texts: MessageTexts::new(rules.handle_style),
            root,
            planned_fingerprint: root,
            steps: Vec::new(),
            unrecorded: Vec::new(),
            model,
            history: None,
            backoff: RewriteBackoff::default(),
            token_counter: rules.token_counter,
            first_unprefetched: EntryIndex(0),
            first_unsourced: EntryIndex(0),
        }
    }

    /// Returns the fingerprint behind the last planned request.
    pub(crate) fn planned_fingerprint(&self) -> ContentHash {
        self.planned_fingerprint
    }

    /// Returns the number of decoded messages.
    pub(crate) fn message_count(&self) -> usize {
        self.texts.message_count()
    }

    /// Replaces the history by the messages of a request. The history that the request was compared
    /// with is copied if another reference to it exists.
    pub(crate) fn update_history(&mut self, request: &mut RequestContext<'_>) {
        let own = self.history.take();
        let is_own = |history: &Arc<MessageHistory>| {
            own.as_ref().is_some_and(|own| Arc::ptr_eq(own, history))
        };
        let shared = request.shared_prefix.take().filter(|shared| is_own(&shared.history));
        // Dropping its reference here spares the copy.
        let shared = shared.map(|shared| shared.messages);
        let (body, bytes, chain) = (&request.body, request.bytes(), &request.chain);
        let history = match (own, shared) {
            (Some(own), Some(shared)) => {
                let mut own = Arc::unwrap_or_clone(own);
                own.advance(body, bytes, chain, shared);
                own
            }
            (_, _) => MessageHistory::from_body(body, bytes, chain),
        };
        self.history = Some(Arc::new(history));
    }

    /// Decodes the messages of a request up to `until` that are not known yet, and adds them.
    ///
    /// # Errors
    /// If a message cannot be decoded.
    pub(crate) fn add_messages(
        &mut self,
        request: &RequestContext<'_>,
        until: usize,
    ) -> Result<(), BodyError> {
        let known = self.message_count();
        let decoded = decode_messages(&request.body, request.bytes(), known..until, &[])?;
        let mut weights = self.entry_weights(&decoded).into_iter();
        for message in decoded {
            let is_marked = request.has_breakpoint(self.message_count());
            self.push_message(message, &mut weights, request, is_marked);
        }
        self.set_prelude(request);
        Ok(())
    }

    /// Returns the state of a request's conversation, without messages.
    pub(crate) fn from_request(request: &RequestContext<'_>) -> Self {
        let mut state = Self::new(request.rules, request.model.clone(), request.chain.root);
        state.set_prelude(request);
        state
    }

    /// Counts the system prompt and the tools of a request.
    pub(crate) fn set_prelude(&mut self, request: &RequestContext<'_>) {
        let prelude = self.prelude.count(request, self.tokenizer);
        self.engine.set_prelude(prelude);
    }

    /// Brings a conversation without messages to its state after these messages and recorded steps.
    pub(crate) fn replay_steps(
        mut self,
        request: &RequestContext<'_>,
        decoded: Vec<DecodedMessage>,
        planned: &[PlannedStep],
    ) -> Self {
        let mut planned = planned.iter().peekable();
        let mut weights = self.entry_weights(&decoded).into_iter();
        for message in decoded {
            self.push_message(message, &mut weights, request, true);
            let end = request.chain.fingerprint_at(self.message_count());
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
    fn entry_weights(&self, decoded: &[DecodedMessage]) -> Vec<EntrySize> {
        (self.token_counter)(&decoded_messages::entries(decoded), self.tokenizer)
    }

    /// Adds the next message. `weights` yields the weights of its entries.
    fn push_message(
        &mut self,
        message: DecodedMessage,
        weights: &mut impl Iterator<Item = EntrySize>,
        request: &RequestContext<'_>,
        has_breakpoint: bool,
    ) {
        let at = self.message_count();
        let last = self.engine.record().len() as u32;
        // A message that continues a response shares the entry of that response.
        let first = if message.continues_response { last.saturating_sub(1) } else { last };
        let texts = message.replaceable_texts();
        for ((position, entry), weight) in message.entries.into_iter().enumerate().zip(weights) {
            let is_fixed = entry.tool_result().is_some()
                && !texts.iter().any(|text| text.belongs_to_entry(position));
            match is_fixed {
                true => self.engine.push_fixed(entry, weight),
                false => self.engine.push_weighed(entry, weight),
            };
        }
        self.texts.push(KnownMessage {
            fingerprint: request.chain.fingerprint_at(at + 1),
            length: request.body.messages[at].len(),
            has_breakpoint,
            entry: EntryIndex(first),
            texts,
        });
    }

    /// Returns the conversation in its state after its first `count` steps, planned for `model`.
    /// Messages of later requests stay known, without decisions.
    pub(crate) fn rewind(mut self, planner: Planner, model: ModelTraits, count: usize) -> Self {
        let steps = std::mem::take(&mut self.steps);
        self.texts.clear_replacements();
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

    /// Returns the fingerprint behind the message of an entry; `None` if there is no such entry.
    pub(crate) fn entry_fingerprint(&self, index: EntryIndex) -> Option<ContentHash> {
        let is_known = index.as_usize() < self.engine.record().len();
        self.texts.entry_fingerprint(index).filter(|_| is_known)
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
        let step = match self.backoff.allows_rewrite() {
            true => self.engine.plan_with_overrides(Some(now), wishes),
            false => self.engine.plan_without_rewrite(Some(now)),
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
        if self.backoff.allows_next_rewrite() {
            self.engine.prepare_rewrite(go_on);
        }
    }

    /// Returns whether the last prompt has expired in the provider's cache.
    pub(crate) fn is_cache_expired(&self, now: Timestamp) -> bool {
        self.engine.planner().is_expired(Some(now))
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
            let text = text
                .ok_or_else(|| RecorderError(format!("{} is no longer stored", hash.handle())))?;
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

    /// Returns the results that the last step reduces.
    pub(crate) fn reductions(&self, step: &PlanStep) -> Vec<ResultReduction> {
        let record = self.engine.record();
        let first_new = self.steps.iter().rev().nth(1).map(|planned| planned.step.answer);
        let reduced = step.changed.iter().filter_map(|(index, decision)| {
            let (shape, result) = (decision.shape()?, record.entry(*index).tool_result()?);
            Some(ResultReduction {
                call: result.call.clone(),
                kind: shape.kind,
                is_repeat: shape.is_repeat() && first_new.is_none_or(|first| *index >= first),
                bytes: result.content.len() as u64,
                bytes_sent: shape.projected_len() as u64,
                entry: *index,
                message: self.texts.message_number(*index) as u64,
                tool: record.facts(*index).call.as_ref().map(|call| call.tool.clone()),
                tokens: record.facts(*index).tokens,
                tokens_sent: self.engine.entry_state(*index).tokens,
                curated_text: (shape.kind == ShapeKind::Curated)
                    .then(|| shape.render(&result.content)),
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
        let entries = self.texts.first_entry(messages).map_or(record.len() as u32, |it| it.0);
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
            let number = self.texts.message_number(*index);
            if let Some(sum) = number.checked_sub(1).and_then(|at| tokens.get_mut(at)) {
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
        let until = self.texts.first_entry(messages).map_or(record.len() as u32, |it| it.0);
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
        let end = self.texts.last_fingerprint().unwrap_or(self.planned_fingerprint);
        self.apply_step(PlannedStep {
            fingerprint: end,
            step: Arc::clone(&step),
            breakpoints: None,
        });
        step
    }

    fn apply_step(&mut self, planned: PlannedStep) {
        for (index, decision) in &planned.step.changed {
            let result = self.engine.record().entry(*index).tool_result();
            let content = result.map_or("", |result| &result.content);
            self.texts.apply_decision(*index, content, decision);
        }
        self.planned_fingerprint = planned.fingerprint;
        self.steps.push(planned);
    }

    /// Returns the replaced texts of results, each with its replacement.
    pub(crate) fn replaced_texts(&self) -> impl Iterator<Item = (&str, String)> {
        self.texts.texts_of_replaced_messages().filter_map(|(index, text)| {
            // Texts of the model are skipped here, because they belong to no result.
            let result = self.engine.record().entry(index).tool_result()?;
            Some((&result.content[text.slot.content.clone()], text.replacement.as_ref()?.decode()))
        })
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
            .filter(|(index, decision)| has_handle(decision) && self.texts.is_replaced(**index))
            .filter_map(|(index, _)| Some(&*record.entry(*index).tool_result()?.content))
            .collect();
        let mut seen = HashSet::new();
        contents.retain(|content| seen.insert(*content));
        contents
    }
}
