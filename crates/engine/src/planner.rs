//! The planner decides for each request of a conversation in which form results are sent.
//!
//! [`Planner::advance`] ingests the entries since the last request, shapes the new results and
//! freezes their form. Old results are rewritten only at the rare moments when a rewrite pays. The
//! decisions are a pure function of transcript, settings, prices and request times.
//!
//! Stages of a request: add the new entries, find what may change, apply the user's overrides,
//! choose a rewrite, shape the window from the first change on, record the step. A
//! [policy](crate::policies) replaces the choice of a rewrite and the rules of shaping.

mod backlog;
mod cost_history;
mod entry_table;
mod override_planning;
mod planned_request;
mod planner_config;
mod policy_decisions;
pub(crate) mod prompt_window;
mod resumption;
mod rewrite_choice;
mod rewrite_preparation;
mod system_prompt;
mod window_shaping;

use std::sync::Arc;

use foveal_pricing::prices::PriceCard;
use foveal_pricing::tokens::Tokens;
use foveal_transcript::{ClientPromptChange, EntryIndex, Timestamp};

use crate::conversation_record::ConversationRecord;
use crate::entry_costs::EntryCosts;
use crate::file_interest::FileInterestTable;
use crate::ledger::Ledger;
use crate::overrides::{OverrideError, RequestOverrides, ResultOverride};
use crate::placement::base_files::BaseFileLoader;
use crate::plan_step::{BacklogChange, EntryState, PlanStep, RewriteReason};
use crate::policies::Policy;
use crate::provider_constraints::ProviderConstraints;
use crate::reduction_level::ReductionLevel;
use crate::reuse_score::ReusePredictor;
use crate::savings_balance::SentRequest;
use crate::settings::Settings;
use crate::token_cache::TokenCache;
use crate::views::{self, ViewSelectionInputs, ViewSource};
use crate::visible_prompt::VisiblePrompt;
use crate::window_limit::WindowLimit;

use self::backlog::Backlog;
use self::cost_history::CostHistory;
use self::entry_table::EntryTable;
use self::override_planning::OverrideStage;
use self::planned_request::{PlannedRequest, has_reasoning, rewritable_from};
use self::planner_config::PlannerConfig;
use self::policy_decisions::plan_by_policy;
use self::prompt_window::PromptWindow;
use self::rewrite_choice::RewriteChoice;
use self::rewrite_choice::inputs::RewriteInputs;
use self::window_shaping::WindowShaper;

/// Plans one conversation, request by request.
#[derive(Debug, Clone)]
pub struct Planner {
    /// The settings, prices and sources. No request changes them.
    config: PlannerConfig,
    /// The prompt that the client sends: its system prompt, and its messages with their tokens.
    window: PromptWindow,
    /// The decision on each message, and the facts that later decisions on it use.
    entries: EntryTable,
    /// The prompt as the model sees it.
    visible: VisiblePrompt,
    /// Results that passed through whole because their decision came too late.
    backlog: Backlog,
    /// The requests so far, with their costs and savings.
    history: CostHistory,
    /// Token counts of texts, so that a result that is shaped again is not counted again.
    token_cache: TokenCache,
    /// The hash of the last rewrite whose texts were counted in advance.
    prepared_rewrite: Option<u64>,
}

impl Planner {
    /// Creates a planner at the start of a conversation.
    pub fn new(settings: Settings, prices: PriceCard) -> Self {
        Self {
            config: PlannerConfig::new(settings, prices),
            window: PromptWindow::default(),
            entries: EntryTable::default(),
            visible: VisiblePrompt::default(),
            backlog: Backlog::default(),
            history: CostHistory::default(),
            token_cache: TokenCache::default(),
            prepared_rewrite: None,
        }
    }

    /// Replaces the regression by another predictor of reuse.
    #[must_use]
    pub fn with_reuse_predictor(mut self, score: Arc<dyn ReusePredictor>) -> Self {
        self.config.reuse_predictor = Some(score);
        self
    }

    /// Sets the source of views of reads. It is asked only where the settings call for views.
    #[must_use]
    pub fn with_view_source(mut self, views: Arc<dyn ViewSource>) -> Self {
        self.config.view_source = Some(views);
        self
    }

    /// Sets a policy that decides in place of the engine's rules. Of the settings only
    /// `read_bytes_max` applies: longer results that the policy keeps whole are shaped by the
    /// settings.
    #[must_use]
    pub fn with_policy(mut self, policy: Policy) -> Self {
        self.config.policy = Some(policy);
        self
    }

    /// Sets the source of files that a content reset may move to the system prompt.
    #[must_use]
    pub fn with_base_file_loader(mut self, folder: Arc<dyn BaseFileLoader>) -> Self {
        self.window.system.loader = Some(folder);
        self
    }

    /// Sets the constraints of the provider.
    #[must_use]
    pub fn with_constraints(mut self, constraints: ProviderConstraints) -> Self {
        self.config.constraints = constraints;
        self
    }

    /// Sets the tokens that every prompt holds outside its messages.
    pub fn set_prelude(&mut self, tokens: Tokens) {
        self.window.system.prelude = tokens;
    }

    /// Sets whether the next request can ask the provider to cache the prompt up to its latest
    /// answer. This matters only for providers that cache up to explicit breakpoints.
    pub fn set_can_keep_answer(&mut self, can: bool) {
        self.config.can_keep_answer = can;
    }

    /// Limits the length of the next prompts; `None` removes the limit.
    pub fn set_window_limit(&mut self, limit: Option<WindowLimit>) {
        self.config.set_window_limit(limit);
    }

    /// Plans the request that `answer` answers and ingests the entries before it. `now` is the time
    /// at which the request is sent, if known. All these entries must be in `record`.
    pub fn advance(
        &mut self,
        record: &ConversationRecord,
        answer: EntryIndex,
        now: Option<Timestamp>,
    ) -> PlanStep {
        self.plan_request(record, answer, now, Some(&RequestOverrides::NONE))
    }

    /// Plans a request with the user's overrides. The step lists those that could be carried out.
    pub fn advance_with_overrides(
        &mut self,
        record: &ConversationRecord,
        answer: EntryIndex,
        now: Option<Timestamp>,
        wishes: &RequestOverrides,
    ) -> PlanStep {
        self.plan_request(record, answer, now, Some(wishes))
    }

    /// Plans a request without a rewrite: results keep the form in which they were sent, unless the
    /// client changed something before them.
    pub fn advance_without_rewrite(
        &mut self,
        record: &ConversationRecord,
        answer: EntryIndex,
        now: Option<Timestamp>,
    ) -> PlanStep {
        self.plan_request(record, answer, now, None)
    }

    /// Plans a request with overrides; with `None`, nothing that was sent changes.
    fn plan_request(
        &mut self,
        record: &ConversationRecord,
        answer: EntryIndex,
        now: Option<Timestamp>,
        wishes: Option<&RequestOverrides>,
    ) -> PlanStep {
        let request = PlannedRequest {
            may_rewrite: wishes.is_some(),
            compacts: wishes.is_some_and(|wishes| wishes.compacts),
            ..self.start_request(record, answer, now)
        };
        let mut wished = wishes.map_or(Vec::new(), |wishes| wishes.results.clone());
        let fixed_until = match self.config.policy {
            Some(_) => request.rewritable_from.min(self.window.sent_len),
            None => request.rewritable_from,
        };
        let wished_from = self.override_stage(record).apply(&mut wished, fixed_until);
        let mut step = match self.config.policy {
            Some(policy) => plan_by_policy(policy, &request, wished_from, self.shaper(record)),
            None => self.plan_by_rules(record, &request, &wished, wished_from),
        };
        let first = step.changed.first().map(|(index, _)| *index);
        step.kept = match step.base {
            Some(_) => 0,
            None => self.window.first_changed_position(request.cut, first),
        };
        step.wished = wished;
        self.record_step(&step);
        step
    }

    /// Adds the entries in front of `answer`, and returns the request that it answers.
    fn start_request(
        &mut self,
        record: &ConversationRecord,
        answer: EntryIndex,
        now: Option<Timestamp>,
    ) -> PlannedRequest {
        let known = self.entries.next_index();
        let cut = self.add_entries(record, answer);
        let free_reason = self.free_reason(cut, now);
        let constraints = self.config.constraints;
        PlannedRequest {
            answer,
            now,
            known,
            cut,
            free_reason,
            rewritable_from: rewritable_from(constraints, record, &self.window, free_reason),
            may_rewrite: true,
            compacts: false,
        }
    }

    /// Adds the entries in front of `answer`; returns the window position from which on the client
    /// removed entries.
    fn add_entries(&mut self, record: &ConversationRecord, answer: EntryIndex) -> Option<usize> {
        let Self { config, window, entries, history, .. } = self;
        let mut cut: Option<usize> = None;
        while entries.next_index() < answer {
            let index = entries.push(record, history.request_count());
            let is_reducible =
                |index: &EntryIndex| entries.is_reducible(record, config.rewrite(), *index);
            if let ClientPromptChange::Cut { from } = window.messages.push(record.conversation()) {
                cut = Some(cut.map_or(from, |cut| cut.min(from)));
                entries.reducible = window.entries().iter().copied().filter(is_reducible).collect();
            } else if is_reducible(&index) {
                entries.reducible.push(index);
            }
        }
        let from = cut.map_or(window.sent_len, |cut| cut.min(window.sent_len));
        window.tokens.update(from, window.messages.entries(), &entries.states, record);
        cut
    }

    /// Returns the reason for which a rewrite would be free, if any.
    fn free_reason(&self, cut: Option<usize>, now: Option<Timestamp>) -> Option<RewriteReason> {
        let (sent_len, prelude) = (self.window.sent_len, self.window.system.prelude);
        if cut.is_some_and(|from| from < sent_len) {
            return Some(RewriteReason::ClientRewrote);
        }
        // Too short for the provider's cache. Without a known prelude the length is unknown.
        let is_short = prelude > Tokens(0)
            && prelude + self.window.sent_tokens() < self.config.prices.cache_minimum;
        // Without a cached prompt a rewrite loses nothing.
        (sent_len > 0 && (is_short || self.is_expired(now))).then_some(RewriteReason::CacheCold)
    }

    /// Returns the parts that carry out overrides.
    fn override_stage<'a>(&'a mut self, record: &'a ConversationRecord) -> OverrideStage<'a> {
        let Self { config, window, entries, history, .. } = self;
        let (rewrite, request) = (config.rewrite(), history.request_count());
        OverrideStage { record, rewrite, window, entries, request }
    }

    /// Decides a request by the engine's rules. `wished_from` is the first entry that an override
    /// of `wished` changes.
    fn plan_by_rules(
        &mut self,
        record: &ConversationRecord,
        request: &PlannedRequest,
        wished: &[ResultOverride],
        wished_from: Option<EntryIndex>,
    ) -> PlanStep {
        let PlannedRequest { answer, now, known, cut, .. } = *request;
        let mut choice = self.choose_rewrite(record, request, wished);
        let can_wait =
            matches!(choice.reason, Some(RewriteReason::SkiRental | RewriteReason::LookedOnce));
        if !request.may_rewrite || (can_wait && !wished.is_empty()) {
            choice.levels.clear();
        }
        let levels = choice.levels;
        self.entries.set_levels(&levels);
        let chosen = self.config.view_source.as_ref().map_or(Vec::new(), |views| {
            views::choose_views(&**views, &self.view_inputs(record, known, &levels, answer))
        });
        self.entries.chosen_views.insert(&chosen);
        let shaped = match request.may_rewrite {
            true => self.backlog.due(request, &self.config, &self.window, &self.history),
            false => None,
        };
        let shaped_from = shaped.map(|(from, _)| from);
        let changed = levels.iter().map(|(index, _)| *index).chain(wished_from).chain(shaped_from);
        let from = self.window.first_changed_position(cut, changed);
        let changed = self.shaper(record).shape_window(from, WindowShaper::decide_entry);
        let first = changed.first().map(|(index, _)| *index);
        let changes_old = first.is_some_and(|first| first < known);
        // Changes in front of the override follow from a client's cut.
        let is_wished = wished_from.zip(first).is_some_and(|(from, first)| from <= first);
        let rewrite = match levels.is_empty() {
            false if changes_old => choice.reason,
            true if changes_old && is_wished => Some(RewriteReason::Wished),
            true if changes_old && shaped.is_some() => shaped.map(|(_, reason)| reason),
            true if first.is_some_and(|first| self.window.is_before_cut(first, cut)) => {
                Some(RewriteReason::ClientRewrote)
            }
            true | false => None,
        };
        let keeps_answer = self.config.can_keep_answer
            && self.config.prices.cache_lookback_blocks.is_some()
            && self.config.settings.has_early_reduction();
        let backlog = shaped_from.map(|from| BacklogChange::Shaped { from });
        let unchanged = PlanStep::unchanged(answer, now, self.window.sent_len);
        PlanStep { changed, rewrite, levels, chosen, keeps_answer, backlog, ..unchanged }
    }

    /// Chooses the reductions of a rewrite now, if it pays or is free, and updates which results
    /// are dead weight.
    fn choose_rewrite(
        &mut self,
        record: &ConversationRecord,
        request: &PlannedRequest,
        wished: &[ResultOverride],
    ) -> RewriteChoice {
        let Some(inputs) = self.rewrite_inputs(record, request, wished) else {
            return RewriteChoice::default();
        };
        let choice = rewrite_choice::choose_rewrite(&inputs);
        self.entries.mark_dead_weight(&choice.dead_weight, self.history.request_count());
        choice
    }

    /// Returns the inputs of the choice of a rewrite; `None` if the settings call for none.
    fn rewrite_inputs<'a>(
        &'a self,
        record: &'a ConversationRecord,
        request: &'a PlannedRequest,
        overrides: &'a [ResultOverride],
    ) -> Option<RewriteInputs<'a>> {
        let Self { config, window, entries, history, .. } = self;
        let settings = config.rewrite()?;
        Some(RewriteInputs {
            record,
            config,
            settings,
            window,
            entries,
            history,
            request,
            overrides,
        })
    }

    /// Returns the inputs of the choice of views for reads that arrived from `known` on or whose level
    /// rises.
    fn view_inputs<'a>(
        &'a self,
        record: &'a ConversationRecord,
        known: EntryIndex,
        levels: &'a [(EntryIndex, ReductionLevel)],
        answer: EntryIndex,
    ) -> ViewSelectionInputs<'a> {
        let (settings, window) = (&*self.config.settings, self.window.entries());
        let (items, new_from) = (&*self.entries.states, self.window.position(known));
        ViewSelectionInputs { record, settings, window, new_from, levels, items, answer }
    }

    /// Returns the parts that shape the window.
    fn shaper<'a>(&'a mut self, record: &'a ConversationRecord) -> WindowShaper<'a> {
        let Self { config, window, entries, visible, token_cache, .. } = self;
        WindowShaper { record, config, window, entries, visible, token_cache }
    }

    /// Records the step of a request that is sent.
    fn record_step(&mut self, step: &PlanStep) {
        if let Some(base) = &step.base {
            self.window.system.set_base_files(base);
        }
        let Self { config, window, entries, history, .. } = self;
        self.backlog.add_step(step, window, history.request_count());
        history.add_request(step, window, &entries.states, &config.prices);
        window.sent_len = window.entries().len();
    }

    /// Checks whether the next request can carry out an override, as far as known before it.
    ///
    /// # Errors
    /// The reason why it cannot.
    pub fn check_override(
        &self,
        record: &ConversationRecord,
        wish: &ResultOverride,
    ) -> Result<(), OverrideError> {
        let Self { config, window, entries, .. } = self;
        // Entries since the last request may hold reasoning.
        let mut new = (entries.next_index().0..record.len() as u32).map(EntryIndex);
        let is_bound = config.constraints.reasoning_is_bound;
        if is_bound && new.any(|index| wish.entry < index && has_reasoning(record, index)) {
            return Err(OverrideError::Bound);
        }
        let fixed_until = rewritable_from(config.constraints, record, window, None);
        override_planning::check_override(record, window, entries, wish, fixed_until)
    }

    /// Takes over the token cache of another planner of the same conversation.
    pub(crate) fn take_token_cache(&mut self, other: &mut Self) {
        self.token_cache = std::mem::take(&mut other.token_cache);
    }

    /// Returns the tokens that every prompt holds outside its messages.
    pub fn prelude(&self) -> Tokens {
        self.window.system.prelude
    }

    /// Returns the prelude plus the tokens of the base files beyond those of the first ones.
    pub fn prelude_with_base_files(&self) -> Tokens {
        self.window.system.tokens()
    }

    /// Returns the entries of the prompt, in order.
    pub fn window(&self) -> &[EntryIndex] {
        self.window.entries()
    }

    /// Returns the tokens of the projected prompt, including the prelude.
    pub fn tokens(&self) -> Tokens {
        self.window.system.tokens() + self.window.tokens.total()
    }

    /// Returns the tokens behind an entry of the last prompt.
    pub fn tokens_behind(&self, index: EntryIndex) -> Tokens {
        let behind = self.window.position(EntryIndex(index.0 + 1));
        self.window.tokens.suffix_tokens(behind)
    }

    /// Returns the lines that the model can see.
    pub fn ledger(&self) -> &Ledger {
        self.visible.ledger()
    }

    /// Returns the decision on an entry and its state.
    pub fn entry_state(&self, index: EntryIndex) -> &EntryState {
        self.entries.state(index)
    }

    /// Returns the entries that a rewrite may reduce for the first time, in order.
    pub fn unreduced_entries(&self) -> impl Iterator<Item = EntryIndex> {
        let reducible = self.entries.reducible.iter().copied();
        reducible.filter(|index| self.entry_state(*index).level == ReductionLevel::Arrival)
    }

    /// Returns the files that the conversation mentioned, read or edited.
    pub fn interest(&self) -> &FileInterestTable {
        &self.entries.interest
    }

    /// Returns the number of requests planned so far.
    pub fn request_count(&self) -> u32 {
        self.history.request_count()
    }

    /// Returns each request as it was sent.
    pub fn sent_requests(&self) -> &[SentRequest] {
        &self.history.sent
    }

    /// Returns the cost of each part of the prompts so far.
    pub fn entry_costs(&self) -> &EntryCosts {
        &self.history.entry_costs
    }

    /// Returns whether nothing of the last prompt is cached any longer, by its age.
    pub fn is_expired(&self, now: Option<Timestamp>) -> bool {
        self.history.is_expired(&self.config.prices, now)
    }
}
