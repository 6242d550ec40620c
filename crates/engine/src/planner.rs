//! The planner decides for each request of a conversation in which form results are sent.
//!
//! [`Planner::advance`] ingests the entries since the last request, shapes the new results and
//! freezes their form. Old results are rewritten only at the rare moments when a rewrite pays. The
//! decisions are a pure function of transcript, settings, prices and request times.

mod backlog;
mod base_file_reset;
mod late_results;
mod override_planning;
mod policy_decisions;
mod resumption;
mod rewrite_choice;
mod rewrite_preparation;
mod window_shaping;

use std::collections::HashMap;
use std::sync::Arc;

use foveal_pricing::prices::PriceCard;
use foveal_pricing::tokens::Tokens;
use foveal_transcript::{
    ClientPrompt, ClientPromptChange, ContentBlock, EntryIndex, MessageRole, Timestamp,
};

use crate::conversation_record::ConversationRecord;
use crate::entry_costs::{EntryCosts, RequestPricing};
use crate::file_interest::FileInterestTable;
use crate::ledger::Ledger;
use crate::overrides::{RequestOverrides, ResultOverride};
use crate::placement::base_files::{BaseFile, BaseFileLoader};
use crate::plan_step::{BacklogChange, EntryState, PlanStep, RewriteReason};
use crate::policies::Policy;
use crate::policies::content_reset::ResetMarks;
use crate::provider_constraints::ProviderConstraints;
use crate::reduction_level::{ReductionLevel, ResultAge};
use crate::reuse_score::ReusePredictor;
use crate::savings_balance::{SavingsBalance, SentRequest};
use crate::settings::{OldReadSettings, RewriteSettings, Settings};
use crate::shaping::pipeline::ShapeDependencies;
use crate::token_cache::TokenCache;
use crate::views::{self, ChosenView, ChosenViews, ViewSource};
use crate::visible_prompt::VisiblePrompt;
use crate::window_limit::WindowLimit;
use crate::window_tokens::WindowTokens;

use self::late_results::LateResults;

/// The request to plan. Its entries are ingested.
#[derive(Clone, Copy)]
struct PlannedRequest {
    /// The entry of its answer.
    answer: EntryIndex,
    now: Option<Timestamp>,
    /// The first new entry.
    known: EntryIndex,
    /// The window position from which on the client removed entries.
    cut: Option<usize>,
    /// The reason for which a rewrite would be free.
    free_reason: Option<RewriteReason>,
    /// The first window position that may change; see [`Planner::rewritable_from`].
    bound: usize,
    /// Whether results may change that were sent before.
    may_rewrite: bool,
    /// Whether the user asks for a shorter prompt.
    compacts: bool,
}

/// Plans one conversation, request by request.
#[derive(Debug, Clone)]
pub struct Planner {
    settings: Arc<Settings>,
    /// Decides in place of the rules. The rules then apply only to results that the policy keeps
    /// whole and that exceed `read_bytes_max`.
    policy: Option<Policy>,
    /// The source of files that a content reset may move to the system prompt.
    base_file_loader: Option<Arc<dyn BaseFileLoader>>,
    /// The base files in the system prompt since the last reset.
    base_files: Option<Vec<BaseFile>>,
    /// Tokens of `base_files` beyond those of the first ones.
    base_tokens: Tokens,
    prices: PriceCard,
    /// The limit of the model's window, and the profile's own marks without it.
    window_limit: Option<WindowLimit>,
    profile_marks: Option<ResetMarks>,
    window: ClientPrompt,
    window_tokens: WindowTokens,
    /// The entries of the window that a rewrite may reduce, in order.
    reducible: Vec<EntryIndex>,
    /// All entries with reasoning.
    reasoning: Vec<EntryIndex>,
    entry_states: Vec<EntryState>,
    result_ages: Vec<Option<ResultAge>>,
    visible: VisiblePrompt,
    interest: FileInterestTable,
    /// The inputs of each decision on a result that this planner made.
    inputs: Vec<Option<ShapeDependencies>>,
    cache: TokenCache,
    view_source: Option<Arc<dyn ViewSource>>,
    reuse_predictor: Option<Arc<dyn ReusePredictor>>,
    chosen_views: ChosenViews,
    /// The hash of the rewrite that was prepared last.
    prepared_rewrite: Option<u64>,
    requests: u32,
    sent_len: usize,
    prelude: Tokens,
    /// Results that passed through whole because their decision came too late.
    backlog: Vec<LateResults>,
    constraints: ProviderConstraints,
    last_request: Option<Timestamp>,
    /// Each request as it was sent.
    requests_sent: Vec<SentRequest>,
    can_keep_answer: bool,
    balance: SavingsBalance,
    entry_costs: EntryCosts,
}

impl Planner {
    /// Creates a planner at the start of a conversation.
    pub fn new(settings: Settings, prices: PriceCard) -> Self {
        Self {
            settings: Arc::new(settings),
            policy: None,
            base_file_loader: None,
            base_files: None,
            base_tokens: Tokens(0),
            prices,
            window_limit: None,
            profile_marks: None,
            window: ClientPrompt::default(),
            window_tokens: WindowTokens::default(),
            reducible: Vec::new(),
            reasoning: Vec::new(),
            entry_states: Vec::new(),
            result_ages: Vec::new(),
            visible: VisiblePrompt::default(),
            interest: FileInterestTable::default(),
            inputs: Vec::new(),
            cache: TokenCache::default(),
            view_source: None,
            reuse_predictor: None,
            chosen_views: ChosenViews::default(),
            prepared_rewrite: None,
            requests: 0,
            sent_len: 0,
            prelude: Tokens(0),
            backlog: Vec::new(),
            constraints: ProviderConstraints::default(),
            last_request: None,
            requests_sent: Vec::new(),
            can_keep_answer: true,
            balance: SavingsBalance::default(),
            entry_costs: EntryCosts::default(),
        }
    }

    /// Replaces the regression by another predictor of reuse.
    #[must_use]
    pub fn with_reuse_predictor(mut self, score: Arc<dyn ReusePredictor>) -> Self {
        self.reuse_predictor = Some(score);
        self
    }

    /// Sets the source of views of reads. It is asked only where the settings call for views.
    #[must_use]
    pub fn with_view_source(mut self, views: Arc<dyn ViewSource>) -> Self {
        self.view_source = Some(views);
        self
    }

    /// Sets a policy that decides in place of the engine's rules. Of the settings only
    /// `read_bytes_max` applies: longer results that the policy keeps whole are shaped by the
    /// settings.
    #[must_use]
    pub fn with_policy(mut self, policy: Policy) -> Self {
        self.policy = Some(policy);
        self
    }

    /// Sets the source of files that a content reset may move to the system prompt.
    #[must_use]
    pub fn with_base_file_loader(mut self, folder: Arc<dyn BaseFileLoader>) -> Self {
        self.base_file_loader = Some(folder);
        self
    }

    /// Sets the constraints of the provider.
    #[must_use]
    pub fn with_constraints(mut self, constraints: ProviderConstraints) -> Self {
        self.constraints = constraints;
        self
    }

    /// Sets the tokens that every prompt holds outside its messages.
    pub fn set_prelude(&mut self, tokens: Tokens) {
        self.prelude = tokens;
    }

    /// Sets whether the next request can ask the provider to cache the prompt up to its latest
    /// answer. This matters only for providers that cache up to explicit breakpoints.
    pub fn set_can_keep_answer(&mut self, can: bool) {
        self.can_keep_answer = can;
    }

    /// Limits the length of the next prompts; `None` removes the limit.
    pub fn set_window_limit(&mut self, limit: Option<WindowLimit>) {
        if self.window_limit == limit {
            return;
        }
        self.window_limit = limit;
        let Some(marks) = self.budget_marks() else { return };
        let ResetMarks { high, low } = *self.profile_marks.get_or_insert(marks);
        let (high, low) = limit.map_or((high, low), |limit| limit.clamp_marks(high, low));
        if let Some(Policy::ContentReset(marks)) = &mut self.policy {
            *marks = ResetMarks { high, low };
        } else if let Some(rewrite) = &mut Arc::make_mut(&mut self.settings).rewrite {
            (rewrite.high, rewrite.low) = (high, low);
        }
    }

    /// Returns the tokens that every prompt holds outside its messages.
    pub fn prelude(&self) -> Tokens {
        self.prelude
    }

    /// Returns the prelude plus the tokens of the base files beyond those of the first ones.
    pub fn prelude_with_base_files(&self) -> Tokens {
        self.prelude + self.base_tokens
    }

    /// Returns the entries of the prompt, in order.
    pub fn window(&self) -> &[EntryIndex] {
        self.window.entries()
    }

    /// Returns the decision on an entry and its state.
    pub fn entry_state(&self, index: EntryIndex) -> &EntryState {
        &self.entry_states[index.as_usize()]
    }

    /// Returns the tokens of the projected prompt, including the prelude.
    pub fn tokens(&self) -> Tokens {
        self.prelude_with_base_files() + self.window_tokens.total()
    }

    /// Returns the number of requests planned so far.
    pub fn request_count(&self) -> u32 {
        self.requests
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
        let known = EntryIndex(self.entry_states.len() as u32);
        let cut = self.ingest_entries(record, answer);
        let free_reason = self.rewrite_reason(cut, now);
        let request = PlannedRequest {
            answer,
            now,
            known,
            cut,
            free_reason,
            bound: self.rewritable_from(free_reason),
            may_rewrite: wishes.is_some(),
            compacts: wishes.is_some_and(|wishes| wishes.compacts),
        };
        let results = wishes.map_or(&[][..], |wishes| &wishes.results);
        let fixed = self.policy.map_or(request.bound, |_| request.bound.min(self.sent_len));
        let (wished, wished_from) = self.apply_overrides(record, results, fixed);
        let mut step = match self.policy {
            Some(policy) => self.plan_by_policy(record, policy, &request, wished_from),
            None => self.plan_by_rules(record, &request, &wished, wished_from),
        };
        let first =
            step.changed.first().map_or(self.sent_len, |(index, _)| self.window_position(*index));
        step.kept = match step.base {
            Some(_) => 0,
            None => [first, self.sent_len].into_iter().chain(cut).min().unwrap_or(0),
        };
        step.wished = wished;
        self.finish_step(&step);
        step
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
        let mut choice = self.choose_rewrite(record, cut, now, wished, request.compacts);
        let can_wait =
            matches!(choice.reason, Some(RewriteReason::SkiRental | RewriteReason::LookedOnce));
        if !request.may_rewrite || (can_wait && !wished.is_empty()) {
            choice.levels.clear();
        }
        let levels = choice.levels;
        for (index, level) in &levels {
            self.entry_states[index.as_usize()].level = *level;
        }
        let chosen = self.choose_views(record, known, &levels, answer);
        self.chosen_views.insert(&chosen);
        let shaped = match request.may_rewrite {
            true => self.due_backlog(request.free_reason, cut, request.bound),
            false => None,
        };
        let shaped_from = shaped.map(|(from, _)| from);
        let from = self.first_changed_position(cut, &levels, [wished_from, shaped_from]);
        let changed = self.shape_window(record, from, &HashMap::new());
        let first = changed.first().map(|(index, _)| *index);
        let changes_old = first.is_some_and(|first| first < known);
        // Changes in front of the override follow from a client's cut.
        let is_wished = wished_from.zip(first).is_some_and(|(from, first)| from <= first);
        let rewrite = match levels.is_empty() {
            false if changes_old => choice.reason,
            true if changes_old && is_wished => Some(RewriteReason::Wished),
            true if changes_old && shaped.is_some() => shaped.map(|(_, reason)| reason),
            true if first.is_some_and(|first| self.is_before_cut(first, cut)) => {
                Some(RewriteReason::ClientRewrote)
            }
            true | false => None,
        };
        let keeps_answer = self.can_keep_answer
            && self.prices.cache_lookback_blocks.is_some()
            && self.settings.has_early_reduction();
        let backlog = shaped_from.map(|from| BacklogChange::Shaped { from });
        let unchanged = PlanStep::unchanged(answer, now, self.sent_len);
        PlanStep { changed, rewrite, levels, chosen, keeps_answer, backlog, ..unchanged }
    }

    /// Returns whether an entry is one of the last prompt in front of the client's cut. Changes
    /// behind the cut were caused by the client.
    fn is_before_cut(&self, entry: EntryIndex, cut: Option<usize>) -> bool {
        self.window_position(entry) < cut.map_or(self.sent_len, |cut| cut.min(self.sent_len))
    }

    /// Returns the settings for rewritten reads; `None`: they become outlines.
    fn old_read_settings(&self) -> Option<&OldReadSettings> {
        self.view_source.as_ref().and(self.settings.rewrite.as_ref()?.old_reads.as_ref())
    }

    /// Chooses views for reads that arrived from `known` on or whose level rises.
    fn choose_views(
        &self,
        record: &ConversationRecord,
        known: EntryIndex,
        levels: &[(EntryIndex, ReductionLevel)],
        answer: EntryIndex,
    ) -> Vec<ChosenView> {
        let Some(views) = &self.view_source else { return Vec::new() };
        views::choose_views(&**views, &self.view_inputs(record, known, levels, answer))
    }

    /// Returns the inputs for that choice.
    fn view_inputs<'a>(
        &'a self,
        record: &'a ConversationRecord,
        known: EntryIndex,
        levels: &'a [(EntryIndex, ReductionLevel)],
        answer: EntryIndex,
    ) -> views::ViewSelectionInputs<'a> {
        let (settings, window) = (&*self.settings, self.window.entries());
        let (items, new_from) = (&*self.entry_states, self.window_position(known));
        views::ViewSelectionInputs { record, settings, window, new_from, levels, items, answer }
    }

    /// Returns the window position of an entry, or the one where it would be inserted.
    fn window_position(&self, index: EntryIndex) -> usize {
        self.window.entries().partition_point(|at| *at < index)
    }

    /// Returns the high and the low mark of a rewrite for size.
    fn budget_marks(&self) -> Option<ResetMarks> {
        match (self.policy, &self.settings.rewrite) {
            (Some(Policy::ContentReset(marks)), _) => Some(marks),
            (Some(Policy::FirstLastSampled(_)), _) | (None, None) => None,
            (None, Some(rewrite)) => Some(ResetMarks { high: rewrite.high, low: rewrite.low }),
        }
    }

    fn finish_step(&mut self, step: &PlanStep) {
        if let Some(base) = &step.base {
            self.base_tokens = self.additional_base_tokens(base);
            self.base_files = Some(base.clone());
        }
        self.balance.add_step(step, self.sent_len, &self.window_tokens, &self.prices);
        let priced = RequestPricing {
            prices: &self.prices,
            prelude: self.prelude_with_base_files(),
            step,
            is_expired: self.sent_len == 0 || self.is_expired(step.time),
        };
        self.entry_costs.add_request(self.window.entries(), &self.entry_states, &priced);
        self.update_backlog(step);
        self.requests += 1;
        self.sent_len = self.window.entries().len();
        self.last_request = step.time.or(self.last_request);
        let (answer, tokens) = (step.answer, self.window_tokens.total());
        let PlanStep { time, keeps_answer, .. } = *step;
        self.requests_sent.push(SentRequest { time, keeps_answer, answer, tokens });
    }

    fn ingest_entries(&mut self, record: &ConversationRecord, answer: EntryIndex) -> Option<usize> {
        let mut cut: Option<usize> = None;
        while self.entry_states.len() < answer.as_usize() {
            let index = EntryIndex(self.entry_states.len() as u32);
            // Counted as recorded until it is shaped.
            let tokens = record.facts(index).tokens;
            self.entry_states.push(EntryState { tokens, ..EntryState::default() });
            self.inputs.push(None);
            let (entry, facts) = (record.entry(index), record.facts(index));
            let has_uses = entry.role == MessageRole::Tool || facts.has_long_edit;
            let born =
                ResultAge { arrived: self.requests, last_use: self.requests, dead_since: None };
            self.result_ages.push(has_uses.then_some(born));
            if entry.blocks.iter().any(|block| matches!(block, ContentBlock::Reasoning(_))) {
                self.reasoning.push(index);
            }
            if let ClientPromptChange::Cut { from } = self.window.push(record.conversation()) {
                cut = Some(cut.map_or(from, |cut| cut.min(from)));
                self.reducible = self.window.entries().to_vec();
                self.reducible.retain(|index| {
                    is_reducible(&self.settings, &self.result_ages, record, *index)
                });
            } else if is_reducible(&self.settings, &self.result_ages, record, index) {
                self.reducible.push(index);
            }
            self.interest.ingest(entry, facts, self.requests);
        }
        self.recount_tokens(record, cut.unwrap_or(self.sent_len).min(self.sent_len));
        cut
    }

    /// Recounts the tokens of the prompt from window position `from` on.
    fn recount_tokens(&mut self, record: &ConversationRecord, from: usize) {
        self.window_tokens.update(from, self.window.entries(), &self.entry_states, record);
    }

    /// Returns the settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Returns the prices that rewrites are weighed with.
    pub fn prices(&self) -> &PriceCard {
        &self.prices
    }

    /// Returns the lines that the model can see.
    pub fn ledger(&self) -> &Ledger {
        self.visible.ledger()
    }

    /// Returns the files that the conversation mentioned, read or edited.
    pub fn interest(&self) -> &FileInterestTable {
        &self.interest
    }

    /// Returns each request as it was sent.
    pub fn sent_requests(&self) -> &[SentRequest] {
        &self.requests_sent
    }

    /// Returns the cost of each part of the prompts so far.
    pub fn entry_costs(&self) -> &EntryCosts {
        &self.entry_costs
    }

    /// Returns the tokens behind an entry of the last prompt.
    pub fn tokens_behind(&self, index: EntryIndex) -> Tokens {
        self.window_tokens.suffix_tokens(self.window_position(EntryIndex(index.0 + 1)))
    }

    /// Returns the request numbers at which a tool result arrived and was last used.
    pub fn result_age(&self, index: EntryIndex) -> Option<&ResultAge> {
        self.result_ages[index.as_usize()].as_ref()
    }
}

/// Returns whether a rewrite may ever reduce the entry. No level makes an entry larger, so small
/// ones are excluded.
fn is_reducible(
    settings: &Settings,
    lives: &[Option<ResultAge>],
    record: &ConversationRecord,
    index: EntryIndex,
) -> bool {
    let enough = |rewrite: &RewriteSettings| record.facts(index).tokens >= rewrite.tokens_min;
    lives[index.as_usize()].is_some() && settings.rewrite.as_ref().is_some_and(enough)
}
