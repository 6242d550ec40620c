//! The planner: from one request to the next, what stands in each result's place.
//!
//! [`Planner::advance`] takes the entries that came since the last request, shapes what is
//! new and freezes it, and at the rare moments when that pays rewrites what is old. The
//! same transcript, settings, prices and request times give the same decisions.

mod backlog;
mod choosing;
mod folding;
mod late_results;
mod ready;
mod reset;
mod resuming;
mod strategic;
mod wishing;

use std::sync::Arc;

use crate::balance::{Balance, Sent};
use crate::budget::WindowLimit;
use crate::carried::{Carried, Priced};
use crate::interest::Interest;
use crate::ledger::Ledger;
use crate::level::{Level, Life};
use crate::placement::base_files::{BaseFile, BaseFolder};
use crate::prices::{Constraints, PriceCard};
use crate::record::Record;
use crate::retention::strategy::{ResetMarks, Strategy};
use crate::score::Score;
use crate::settings::{OldReads, RewriteSettings, Settings};
use crate::shaping::arrival::ShapeInputs;
use crate::shaping::edits::{LastTold, Runs};
use crate::step::{BacklogChange, Item, RewriteReason, Step};
use crate::tokens::{TokenCache, Tokens};
use crate::views::{self, Choices, Chosen, Views};
use crate::visible::Visible;
use crate::window_tokens::WindowTokens;
use crate::wish::Wishes;
use foveal_transcript::{Block, EntryIndex, Role, Timestamp, Window, WindowChange};

use self::late_results::LateResults;

/// Plans one conversation, request by request.
#[derive(Debug, Clone)]
pub struct Planner {
    settings: Arc<Settings>,
    /// What decides in place of the rules; these are for what it leaves whole and no prompt holds.
    strategy: Option<Strategy>,
    /// Whose files may move to the system prompt at a reset.
    folder: Option<Arc<dyn BaseFolder>>,
    /// The files that stand there since the last one.
    base: Option<Vec<BaseFile>>,
    /// Tokens that they have more than those that stood there first.
    base_tokens: Tokens,
    prices: PriceCard,
    /// How long a prompt may be for the model, and the marks without that.
    window_limit: Option<WindowLimit>,
    profile_marks: Option<ResetMarks>,
    window: Window,
    window_tokens: WindowTokens,
    /// The entries of the window that a rewrite may be worth while for, in order.
    movable: Vec<EntryIndex>,
    /// All entries with reasoning.
    reasoning: Vec<EntryIndex>,
    items: Vec<Item>,
    lives: Vec<Option<Life>>,
    visible: Visible,
    interest: Interest,
    runs: Runs,
    last_told: LastTold,
    /// What each decision on a result rests on, where it was made here.
    inputs: Vec<Option<ShapeInputs>>,
    cache: TokenCache,
    views: Option<Arc<dyn Views>>,
    score: Option<Arc<dyn Score>>,
    choices: Choices,
    /// The rewrite that was got ready for last, by its hash.
    foreseen: Option<u64>,
    requests: u32,
    sent: usize,
    prelude: Tokens,
    /// Results that passed whole because they were decided about too late.
    backlog: Vec<LateResults>,
    constraints: Constraints,
    last_request: Option<Timestamp>,
    /// How each request was sent.
    requests_sent: Vec<Sent>,
    can_keep_answer: bool,
    balance: Balance,
    carried: Carried,
}

impl Planner {
    /// A planner at the start of a conversation.
    pub fn new(settings: Settings, prices: PriceCard) -> Self {
        Self {
            settings: Arc::new(settings),
            strategy: None,
            folder: None,
            base: None,
            base_tokens: Tokens(0),
            prices,
            window_limit: None,
            profile_marks: None,
            window: Window::default(),
            window_tokens: WindowTokens::default(),
            movable: Vec::new(),
            reasoning: Vec::new(),
            items: Vec::new(),
            lives: Vec::new(),
            visible: Visible::default(),
            interest: Interest::default(),
            runs: Runs::default(),
            last_told: LastTold::default(),
            inputs: Vec::new(),
            cache: TokenCache::default(),
            views: None,
            score: None,
            choices: Choices::default(),
            foreseen: None,
            requests: 0,
            sent: 0,
            prelude: Tokens(0),
            backlog: Vec::new(),
            constraints: Constraints::default(),
            last_request: None,
            requests_sent: Vec::new(),
            can_keep_answer: true,
            balance: Balance::default(),
            carried: Carried::default(),
        }
    }

    /// The same with another judge of what is needed again than the regression.
    #[must_use]
    pub fn with_score(mut self, score: Arc<dyn Score>) -> Self {
        self.score = Some(score);
        self
    }

    /// The same with someone to ask for views of reads, as far as the settings want any.
    #[must_use]
    pub fn with_views(mut self, views: Arc<dyn Views>) -> Self {
        self.views = Some(views);
        self
    }

    /// The same, with a strategy that decides in place of the engine's rules. Of the settings only
    /// `read_bytes_max` counts: what the strategy leaves whole and is longer is shaped by them.
    #[must_use]
    pub fn by_strategy(mut self, strategy: Strategy) -> Self {
        self.strategy = Some(strategy);
        self
    }

    /// The same, with files that a reset may move to the system prompt.
    #[must_use]
    pub fn with_folder(mut self, folder: Arc<dyn BaseFolder>) -> Self {
        self.folder = Some(folder);
        self
    }

    /// The same for a provider that allows less.
    #[must_use]
    pub fn with_constraints(mut self, constraints: Constraints) -> Self {
        self.constraints = constraints;
        self
    }

    /// Tells the tokens of what is in every prompt and never shaped.
    pub fn set_prelude(&mut self, tokens: Tokens) {
        self.prelude = tokens;
    }

    /// Tells whether the provider can be asked, with the next request, to keep the prompt up to
    /// the latest answer in it. That matters only where it keeps prompts up to marks.
    pub fn set_can_keep_answer(&mut self, can: bool) {
        self.can_keep_answer = can;
    }

    /// Tells how long the next prompts may be; `None`: as long as they get.
    pub fn set_window_limit(&mut self, limit: Option<WindowLimit>) {
        if self.window_limit == limit {
            return;
        }
        self.window_limit = limit;
        let Some(marks) = self.marks() else { return };
        let ResetMarks { high, low } = *self.profile_marks.get_or_insert(marks);
        let (high, low) = limit.map_or((high, low), |limit| limit.lower(high, low));
        if let Some(Strategy::ContentReset(marks)) = &mut self.strategy {
            *marks = ResetMarks { high, low };
        } else if let Some(rewrite) = &mut Arc::make_mut(&mut self.settings).rewrite {
            (rewrite.high, rewrite.low) = (high, low);
        }
    }

    /// Tokens of what is in every prompt and never shaped.
    pub fn prelude(&self) -> Tokens {
        self.prelude
    }

    /// The same with the files that moved to the system prompt, as far as these are more than those
    /// that stood there first.
    pub fn front(&self) -> Tokens {
        self.prelude + self.base_tokens
    }

    /// The entries of the prompt, in order.
    pub fn window(&self) -> &[EntryIndex] {
        self.window.entries()
    }

    /// What was decided about an entry.
    pub fn item(&self, index: EntryIndex) -> &Item {
        &self.items[index.at()]
    }

    /// Tokens of the prompt as projected, the prelude included.
    pub fn tokens(&self) -> Tokens {
        self.front() + self.window_tokens.all()
    }

    /// Requests planned so far.
    pub fn requests(&self) -> u32 {
        self.requests
    }

    /// Plans the request that `answer` answers: takes the entries before it. `now` is when
    /// the request is sent, as far as known. Entries must have been record.
    pub fn advance(&mut self, record: &Record, answer: EntryIndex, now: Option<Timestamp>) -> Step {
        self.plan(record, answer, now, Some(&Wishes::NONE))
    }

    /// The same with what the person wants beside. What cannot be carried out is not; the step says
    /// what was.
    pub fn advance_with(
        &mut self,
        record: &Record,
        answer: EntryIndex,
        now: Option<Timestamp>,
        wishes: &Wishes,
    ) -> Step {
        self.plan(record, answer, now, Some(wishes))
    }

    /// The same, but what was sent stays as it was sent, unless the client changed what stands
    /// before it.
    pub fn advance_without_rewrite(
        &mut self,
        record: &Record,
        answer: EntryIndex,
        now: Option<Timestamp>,
    ) -> Step {
        self.plan(record, answer, now, None)
    }

    /// Plans a request with what the person wants; without (`None`), nothing that was sent changes.
    fn plan(
        &mut self,
        record: &Record,
        answer: EntryIndex,
        now: Option<Timestamp>,
        wishes: Option<&Wishes>,
    ) -> Step {
        let known = EntryIndex(self.items.len() as u32);
        let cut = self.ingest_entries(record, answer);
        if let Some(strategy) = self.strategy {
            let (request, arrived) = ((answer, now), (known, cut));
            return self.plan_by_strategy(record, strategy, request, arrived, wishes);
        }
        let free = self.rewrite_reason(cut, now);
        let fixed_until = self.fixed_until(free);
        let results = wishes.map_or(&[][..], |wishes| &wishes.results);
        let (wished, wished_from) = self.apply(record, results, fixed_until);
        let compacts = wishes.is_some_and(|wishes| wishes.compacts);
        let mut levels = self.choose(record, cut, (now, &wished, compacts));
        let can_wait =
            matches!(levels.reason, Some(RewriteReason::SkiRental | RewriteReason::LookedOnce));
        if wishes.is_none() || (can_wait && !wished.is_empty()) {
            levels.levels.clear();
        }
        for (index, level) in &levels.levels {
            self.items[index.at()].level = *level;
        }
        let chosen = self.ask_views(record, known, &levels.levels, answer);
        self.choices.insert(&chosen);
        let shaped = wishes.and_then(|_| self.due_backlog(free, cut, fixed_until));
        let shaped_from = shaped.map(|(from, _)| from);
        let from = self.first_position(cut, &levels.levels, [wished_from, shaped_from]);
        let changed = self.fold(record, from);
        let changes_old = changed.first().is_some_and(|(index, _)| *index < known);
        let first = changed.first().map_or(self.sent, |(index, _)| self.position(*index));
        let kept = [Some(first), cut, Some(self.sent)].into_iter().flatten().min().unwrap_or(0);
        // What changed before it follows from a client's cut.
        let first_changed = changed.first().map(|(index, _)| *index);
        let is_wished = wished_from.zip(first_changed).is_some_and(|(from, first)| from <= first);
        // What changed behind a client's cut, the client has declared.
        let known = cut.map_or(self.sent, |cut| cut.min(self.sent));
        let rewrite = match levels.levels.is_empty() {
            false if changes_old => levels.reason,
            true if changes_old && is_wished => Some(RewriteReason::Wished),
            true if changes_old && shaped.is_some() => shaped.map(|(_, reason)| reason),
            true if first < known => Some(RewriteReason::ClientRewrote),
            true | false => None,
        };
        let keeps_answer = self.can_keep_answer
            && self.prices.cache_lookback_blocks.is_some()
            && self.settings.looks_once();
        let (levels, time, base) = (levels.levels, now, None);
        let backlog = shaped_from.map(|from| BacklogChange::Shaped { from });
        #[rustfmt::skip]
        let step =
            Step { answer, time, changed, rewrite, levels, wished, chosen, kept, keeps_answer, base, backlog };
        self.finish(&step);
        step
    }

    /// What old reads are rewritten to; `None`: to outlines.
    fn old_reads(&self) -> Option<&OldReads> {
        self.views.as_ref().and(self.settings.rewrite.as_ref()?.old_reads.as_ref())
    }

    /// What is chosen of reads that came after `known` or whose levels are raised.
    fn ask_views(
        &self,
        record: &Record,
        known: EntryIndex,
        levels: &[(EntryIndex, Level)],
        answer: EntryIndex,
    ) -> Vec<Chosen> {
        let Some(views) = &self.views else { return Vec::new() };
        views::choose(&**views, &self.about_views(record, known, levels, answer))
    }

    /// What views of reads are asked by that came after `known` or whose levels are raised.
    fn about_views<'a>(
        &'a self,
        record: &'a Record,
        known: EntryIndex,
        levels: &'a [(EntryIndex, Level)],
        answer: EntryIndex,
    ) -> views::Ask<'a> {
        let (settings, window) = (&*self.settings, self.window.entries());
        let (items, new_from) = (&*self.items, self.position(known));
        views::Ask { record, settings, window, new_from, levels, items, answer }
    }

    /// The window position of an entry, or where it would stand.
    fn position(&self, index: EntryIndex) -> usize {
        self.window.entries().partition_point(|at| *at < index)
    }

    /// Returns where a rewrite for size begins and ends.
    fn marks(&self) -> Option<ResetMarks> {
        match (self.strategy, &self.settings.rewrite) {
            (Some(Strategy::ContentReset(marks)), _) => Some(marks),
            (Some(Strategy::FirstLastSampled(_)), _) | (None, None) => None,
            (None, Some(rewrite)) => Some(ResetMarks { high: rewrite.high, low: rewrite.low }),
        }
    }

    fn finish(&mut self, step: &Step) {
        if let Some(base) = &step.base {
            self.base_tokens = self.tokens_of(base);
            self.base = Some(base.clone());
        }
        self.balance.settle(step, self.sent, &self.window_tokens, &self.prices);
        let priced = Priced {
            prices: &self.prices,
            prelude: self.front(),
            step,
            is_expired: self.sent == 0 || self.is_expired(step.time),
        };
        self.carried.add(self.window.entries(), &self.items, &priced);
        self.settle_backlog(step);
        self.requests += 1;
        self.sent = self.window.entries().len();
        self.last_request = step.time.or(self.last_request);
        let (answer, tokens) = (step.answer, self.window_tokens.all());
        let Step { time, keeps_answer, .. } = *step;
        self.requests_sent.push(Sent { time, keeps_answer, answer, tokens });
    }

    fn ingest_entries(&mut self, record: &Record, answer: EntryIndex) -> Option<usize> {
        let mut cut: Option<usize> = None;
        while self.items.len() < answer.at() {
            let index = EntryIndex(self.items.len() as u32);
            // Weighed as recorded until it is shaped.
            let tokens = record.facts(index).tokens;
            self.items.push(Item { tokens, ..Item::default() });
            self.inputs.push(None);
            let (entry, facts) = (record.entry(index), record.facts(index));
            let may_change = entry.role == Role::Tool || !facts.edits.is_empty();
            let born = Life { arrived: self.requests, last_use: self.requests, dead_since: None };
            self.lives.push(may_change.then_some(born));
            if entry.blocks.iter().any(|block| matches!(block, Block::Reasoning(_))) {
                self.reasoning.push(index);
            }
            if let WindowChange::Cut { from } = self.window.push(record.conversation()) {
                cut = Some(cut.map_or(from, |cut| cut.min(from)));
                self.movable = self.window.entries().to_vec();
                self.movable
                    .retain(|index| is_movable(&self.settings, &self.lives, record, *index));
            } else if is_movable(&self.settings, &self.lives, record, index) {
                self.movable.push(index);
            }
            self.interest.ingest(entry, facts, self.requests);
        }
        self.count_from(record, cut.unwrap_or(self.sent).min(self.sent));
        cut
    }

    /// Counts the tokens of the prompt anew from window position `from` on.
    fn count_from(&mut self, record: &Record, from: usize) {
        self.window_tokens.update(from, self.window.entries(), &self.items, record);
    }

    /// What it may do.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The prices rewrites are weighed with.
    pub fn prices(&self) -> &PriceCard {
        &self.prices
    }

    /// What the model can see.
    pub fn ledger(&self) -> &Ledger {
        self.visible.ledger()
    }

    /// The files the conversation showed interest in.
    pub fn interest(&self) -> &Interest {
        &self.interest
    }

    /// How each request was sent.
    pub fn requests_sent(&self) -> &[Sent] {
        &self.requests_sent
    }

    /// What the parts of the prompts came to so far.
    pub fn carried(&self) -> &Carried {
        &self.carried
    }

    /// Tokens that stand behind an entry of the last prompt.
    pub fn tokens_behind(&self, index: EntryIndex) -> Tokens {
        self.window_tokens.behind(self.position(EntryIndex(index.0 + 1)))
    }

    /// When a tool result came and was last used.
    pub fn life(&self, index: EntryIndex) -> Option<&Life> {
        self.lives[index.at()].as_ref()
    }
}

/// Whether a rewrite of the entry may ever be worth while: no level makes an entry larger.
fn is_movable(
    settings: &Settings,
    lives: &[Option<Life>],
    record: &Record,
    index: EntryIndex,
) -> bool {
    let enough = |rewrite: &RewriteSettings| record.facts(index).tokens >= rewrite.tokens_min;
    lives[index.at()].is_some() && settings.rewrite.as_ref().is_some_and(enough)
}
