//! The planner: from one request to the next, what stands in each result's place.
//!
//! [`Planner::advance`] takes the entries that came since the last request, shapes what is
//! new and freezes it, and at the rare moments when that pays rewrites what is old. The
//! same transcript, settings, prices and request times give the same decisions.

mod reset;
mod strategic;
mod telling;
mod told;
mod wishing;

use std::sync::Arc;

use crate::balance::{Balance, Sent};
use crate::carried::{Carried, Priced};
use crate::interest::Interest;
use crate::ledger::Ledger;
use crate::level::{Level, Life};
use crate::placement::base_files::{BaseFile, BaseFolder};
use crate::prices::{Constraints, PriceCard};
use crate::record::Record;
use crate::retention::strategy::Strategy;
use crate::rewrite;
use crate::score::Score;
use crate::settings::{OldReads, RewriteSettings, Settings};
use crate::shape::{Decision, Shape};
use crate::shaping::arrival::{self, Outcome, ShapeInputs};
use crate::shaping::edits::{self, LastTold, Runs};
use crate::step::{Item, RewriteReason, Step};
use crate::tokens::{TokenCache, Tokens};
use crate::views::{self, Choices, Chosen, Views};
use crate::visible::Visible;
use crate::window_tokens::WindowTokens;
use crate::wish::{Standing, Wish, Wishes};
use foveal_transcript::{Block, EntryIndex, Role, Timestamp, Window, WindowChange};

use self::told::Telling;

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
    telling: Telling,
    /// What each decision on a result rests on, where it was made here.
    inputs: Vec<Option<ShapeInputs>>,
    cache: TokenCache,
    views: Option<Arc<dyn Views>>,
    score: Option<Arc<dyn Score>>,
    choices: Choices,
    requests: u32,
    sent: usize,
    prelude: Tokens,
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
            telling: Telling::default(),
            inputs: Vec::new(),
            cache: TokenCache::default(),
            views: None,
            score: None,
            choices: Choices::default(),
            requests: 0,
            sent: 0,
            prelude: Tokens(0),
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
        let fixed_until = self.fixed_until(self.rewrite_reason(cut, now));
        let results = wishes.map_or(&[][..], |wishes| &wishes.results);
        let (wished, wished_from) = self.apply(record, results, fixed_until);
        let compacts = wishes.is_some_and(|wishes| wishes.compacts);
        let untold = self.untell();
        let gists = wishes.map_or(&[][..], |wishes| &wishes.gists);
        let (told, saved) = self.can_tell(record, gists, fixed_until);
        let mut levels = self.choose(record, cut, (now, &wished, compacts), saved);
        let can_wait =
            matches!(levels.reason, Some(RewriteReason::SkiRental | RewriteReason::LookedOnce));
        if wishes.is_none() || (can_wait && !wished.is_empty()) {
            levels.levels.clear();
        }
        let told = if levels.tells { told } else { Vec::new() };
        levels.raise(self.results_told(record, &told, &wished));
        let told_from = self.tell(record, &told);
        for (index, level) in &levels.levels {
            self.items[index.at()].level = *level;
        }
        let chosen = self.ask_views(record, known, &levels.levels, answer);
        self.choices.insert(&chosen);
        let from = self.first_position(cut, &levels.levels, [wished_from, untold, told_from]);
        let changed = self.fold(record, from);
        let changes_old = changed.first().is_some_and(|(index, _)| *index < known);
        let first = changed.first().map_or(self.sent, |(index, _)| self.position(*index));
        let kept = [Some(first), cut, Some(self.sent)].into_iter().flatten().min().unwrap_or(0);
        // What changed before it follows from a client's cut.
        let first_changed = changed.first().map(|(index, _)| *index);
        let is_wished = wished_from.zip(first_changed).is_some_and(|(from, first)| from <= first);
        // What changed behind a client's cut, the client has declared.
        let known = cut.map_or(self.sent, |cut| cut.min(self.sent));
        let rewrite = match levels.levels.is_empty() && told.is_empty() {
            false if changes_old => levels.reason,
            true if changes_old && is_wished => Some(RewriteReason::Wished),
            true if first < known => Some(RewriteReason::ClientRewrote),
            true | false => None,
        };
        let keeps_answer = self.can_keep_answer
            && self.prices.cache_lookback_blocks.is_some()
            && self.settings.looks_once();
        let (levels, time, base) = (levels.levels, now, None);
        #[rustfmt::skip]
        let step =
            Step { answer, time, changed, rewrite, levels, wished, told, chosen, kept, keeps_answer, base };
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
        let (settings, window) = (&*self.settings, self.window.entries());
        let (items, new_from) = (&*self.items, self.position(known));
        let ask = views::Ask { record, settings, window, new_from, levels, items, answer };
        views::choose(&**views, &ask)
    }

    /// The window position of an entry, or where it would stand.
    fn position(&self, index: EntryIndex) -> usize {
        self.window.entries().partition_point(|at| *at < index)
    }

    /// A planner that stands where `recorded` left one: the decisions are taken over, none
    /// is made anew.
    pub fn resume(
        settings: Settings,
        prices: PriceCard,
        record: &Record,
        recorded: &[Step],
    ) -> Self {
        Self::new(settings, prices).resumed(record, recorded)
    }

    /// The same, of a planner at its start.
    #[must_use]
    pub fn resumed(mut self, record: &Record, recorded: &[Step]) -> Self {
        recorded.iter().for_each(|step| self.take_over(record, step));
        self
    }

    /// Takes over what was decided elsewhere for the next request, in place of
    /// [`Planner::advance`].
    pub fn take_over(&mut self, record: &Record, step: &Step) {
        let cut = self.ingest_entries(record, step.answer);
        let wished_from = self.put_all(record, &step.wished);
        // Since when a result is dead weight follows from the steps; what to do about it was
        // decided then.
        self.choose(record, cut, (step.time, &step.wished, false), Tokens(0));
        let untold = self.untell();
        let told_from = self.tell(record, &step.told);
        for (index, level) in &step.levels {
            self.items[index.at()].level = *level;
        }
        self.choices.insert(&step.chosen);
        let mut changed = step.changed.iter().peekable();
        // What was forgotten then, whether it changed or not, decides what is known since.
        let from = self.first_position(cut, &step.levels, [wished_from, untold, told_from]);
        // A strategy changes results without a level.
        let changed_from = step.changed.first().map(|(index, _)| self.position(*index));
        let from = changed_from.map_or(from, |first| from.min(first));
        for index in self.forget_from(record, from) {
            let decision = match changed.next_if(|(at, _)| *at == index) {
                Some((_, decision)) => decision.clone(),
                None => self.items[index.at()].decision.clone(),
            };
            let tokens = self.weight(record, index, &decision);
            self.settle(record, index, decision, tokens);
        }
        self.count_from(record, from);
        self.finish(step);
    }

    /// Lets everything new pass as it is at the request that `answer` answers, in place of
    /// [`Planner::advance`]: for requests that were sent before anything could be decided.
    pub fn let_pass(
        &mut self,
        record: &Record,
        answer: EntryIndex,
        now: Option<Timestamp>,
    ) -> Step {
        let step = Step {
            answer,
            time: now,
            changed: Vec::new(),
            levels: Vec::new(),
            wished: Vec::new(),
            told: Vec::new(),
            chosen: Vec::new(),
            kept: self.sent,
            rewrite: None,
            keeps_answer: false,
            base: None,
        };
        self.take_over(record, &step);
        step
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
        self.requests += 1;
        self.sent = self.window.entries().len();
        self.last_request = step.time.or(self.last_request);
        let (answer, tokens) = (step.answer, self.window_tokens.all());
        let Step { time, keeps_answer, .. } = *step;
        self.requests_sent.push(Sent { time, keeps_answer, answer, tokens });
        self.note_shortfall(step);
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

    /// Notes which results are dead weight now, in window order; all others are not.
    fn mark_dead(&mut self, dead: impl Iterator<Item = EntryIndex>) {
        let mut dead = dead.peekable();
        for index in &self.movable {
            let is_dead = dead.next_if_eq(index).is_some();
            if let Some(life) = self.lives[index.at()].as_mut() {
                life.dead_since =
                    if is_dead { life.dead_since.or(Some(self.requests)) } else { None };
            }
        }
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

    fn choose(
        &mut self,
        record: &Record,
        cut: Option<usize>,
        (now, wished, compacts): (Option<Timestamp>, &[Wish], bool),
        told: Tokens,
    ) -> rewrite::Choice {
        let Some(settings) = &self.settings.rewrite else { return rewrite::Choice::default() };
        let reason = self.rewrite_reason(cut, now);
        let free_from = if reason == Some(RewriteReason::ClientRewrote) { cut } else { None };
        let choice = rewrite::choose(&rewrite::ask::Ask {
            record,
            settings,
            prices: &self.prices,
            window: self.window.entries(),
            window_tokens: &self.window_tokens,
            movable: &self.movable,
            items: &self.items,
            lives: &self.lives,
            interest: &self.interest,
            score: self.score.as_deref(),
            requests: self.requests,
            requests_sent: &self.requests_sent,
            now,
            compacts,
            wished,
            told,
            sent: self.sent,
            balance: &self.balance,
            old_reads: self.old_reads(),
            prelude: self.prelude,
            fixed_until: self.fixed_until(reason),
            reason,
            free_from: free_from.unwrap_or(0),
        });
        self.mark_dead(choice.dead.iter().copied());
        // No level is below a note: of a long conversation most entries come to stand there.
        self.movable.retain(|index| self.items[index.at()].level != Level::Note);
        choice
    }

    /// The window position before which nothing may be rewritten: reasoning that is bound to
    /// its prefix would be refused behind a change, unless the client changed it.
    fn fixed_until(&self, reason: Option<RewriteReason>) -> usize {
        if !self.constraints.reasoning_is_bound || reason == Some(RewriteReason::ClientRewrote) {
            return 0;
        }
        let window = self.window.entries();
        let mut latest = self.reasoning.iter().rev();
        latest.find_map(|index| window.binary_search(index).ok()).map_or(0, |last| last + 1)
    }

    fn rewrite_reason(&self, cut: Option<usize>, now: Option<Timestamp>) -> Option<RewriteReason> {
        if cut.is_some_and(|from| from < self.sent) {
            return Some(RewriteReason::ClientRewrote);
        }
        // Where nothing is cached, nothing is lost.
        let is_cold = self.was_short() || self.is_expired(now);
        (self.sent > 0 && is_cold).then_some(RewriteReason::CacheCold)
    }

    /// Whether nothing of the last prompt is cached any longer.
    pub fn is_expired(&self, now: Option<Timestamp>) -> bool {
        let expires = |lifetime| match (self.last_request, now) {
            (Some(last), Some(now)) => now.since_ms(last) > lifetime,
            (None, _) | (_, None) => false,
        };
        self.prices.cache_lifetime_ms.is_none_or(expires)
    }

    /// Whether the last prompt, of which nothing was cut, was too short to be cached. Without the
    /// prelude nobody knows how long it was.
    fn was_short(&self) -> bool {
        let minimum = self.prices.cache_minimum;
        let messages = self.window_tokens.before(self.sent);
        self.prelude > Tokens(0) && self.prelude.0 + messages.0 < minimum.0
    }

    /// Where folding has to start: the first position that is new, cut or rewritten.
    fn first_position(
        &self,
        cut: Option<usize>,
        levels: &[(EntryIndex, Level)],
        others: [Option<EntryIndex>; 3],
    ) -> usize {
        let place = |first| self.position(first);
        let others = others.into_iter().flatten();
        let rewritten = levels.iter().map(|(index, _)| *index).chain(others).min().map(place);
        // A note must not tell of edits that the client took back.
        let stale = cut.and_then(|_| self.runs.first_stale(self.window.entries())).map(place);
        [Some(self.sent), cut, rewritten, stale].into_iter().flatten().min().unwrap_or(0)
    }

    /// Shapes the window from position `from` on, in order, against what stands before.
    fn fold(&mut self, record: &Record, from: usize) -> Vec<(EntryIndex, Decision)> {
        let mut changed = Vec::new();
        for index in self.forget_from(record, from) {
            let (decision, tokens) = self.decide(record, index);
            if decision != self.items[index.at()].decision {
                changed.push((index, decision.clone()));
            }
            self.settle(record, index, decision, tokens);
        }
        self.count_from(record, from);
        changed
    }

    /// Forgets what stood from window position `from` on; returns what stands there now.
    fn forget_from(&mut self, record: &Record, from: usize) -> Vec<EntryIndex> {
        if from < self.sent {
            self.find_last_told(record);
        }
        let (stay, go) = self.window.entries().split_at(from.min(self.window.entries().len()));
        // What is known is about entries that were sent; while those all stay, so does it.
        if stay.len() < self.sent {
            self.visible.forget_all_but(stay);
            self.runs.retain(|entry| stay.binary_search(&entry).is_ok());
        }
        go.to_vec()
    }

    /// What is to stand in a message's place, and its tokens.
    fn decide(&mut self, record: &Record, index: EntryIndex) -> (Decision, Tokens) {
        if let Some(shape) = self.telling.shape(index) {
            let decision = Decision::Replace(Arc::clone(shape));
            let tokens = self.weight(record, index, &decision);
            return (decision, tokens);
        }
        let shaped = match record.entry(index).role {
            Role::Assistant => {
                let mut cache = std::mem::take(&mut self.cache);
                let ask = self.edits_of(record, index);
                let shaped = edits::shape(&ask, &mut cache);
                self.cache = cache;
                shaped
            }
            Role::Tool if self.items[index.at()].is_whole_by_wish() => None,
            Role::Tool => match self.shape_result(record, index) {
                Outcome::Same => {
                    let item = &self.items[index.at()];
                    return (item.decision.clone(), item.tokens);
                }
                Outcome::Shaped(shaped, inputs) => {
                    self.inputs[index.at()] = Some(inputs);
                    shaped
                }
            },
            Role::System | Role::User => None,
        };
        let before = &self.items[index.at()].decision;
        match shaped {
            Some((shape, _)) if before.shape().is_some_and(|old| old.sends_the_same_as(&shape)) => {
                (before.clone(), self.items[index.at()].tokens)
            }
            Some((shape, tokens)) => (Decision::Replace(Arc::new(shape)), tokens),
            None => (Decision::Keep, record.facts(index).tokens),
        }
    }

    /// Shapes a result for its level, or, where that would be larger than what stands so far,
    /// for the level below that takes the fewest tokens.
    fn shape_result(&mut self, record: &Record, index: EntryIndex) -> Outcome {
        let Item { level, tokens: stands, standing, .. } = self.items[index.at()];
        let mut outcome = self.shape_for(record, index, level);
        if standing == Standing::Dropped {
            return outcome;
        }
        for lower in level.below() {
            let Some(tokens) = outcome.tokens(record.facts(index)) else { break };
            if tokens <= stands {
                break;
            }
            let other = self.shape_for(record, index, *lower);
            if other.tokens(record.facts(index)).is_none_or(|less| less < tokens) {
                outcome = other;
            }
        }
        outcome
    }

    fn shape_for(&mut self, record: &Record, index: EntryIndex, level: Level) -> Outcome {
        let before = &self.items[index.at()];
        let ask = arrival::Ask {
            record,
            ledger: self.visible.ledger(),
            settings: &self.settings,
            index,
            level,
            asked_again: self.visible.asked_again(record, index),
            before,
            inputs: self.inputs[index.at()].as_ref(),
            outlined_later: self.settings.rewrite.is_some() && self.old_reads().is_none(),
            chosen: self.choices.of(index, level),
            first: self.choices.of(index, Level::Arrival),
        };
        arrival::shape(&ask, &mut self.cache)
    }

    /// What is to be decided about the edits of the response at `index`.
    fn edits_of<'a>(&'a self, record: &'a Record, index: EntryIndex) -> edits::Ask<'a> {
        let window = self.window.entries();
        edits::Ask {
            record,
            index,
            level: self.items[index.at()].level,
            runs: &self.runs,
            window: &window[self.position(index)..],
            last: &self.last_told,
        }
    }

    /// Notes in which responses of the prompt edits are to be told.
    fn find_last_told(&mut self, record: &Record) {
        self.last_told.clear();
        for index in self.window.entries() {
            let facts = record.facts(*index);
            if self.items[index.at()].level == Level::Note && !facts.edits.is_empty() {
                edits::insert_last(&mut self.last_told, facts, *index);
            }
        }
    }

    /// Takes a decision as final: records its weight and what it shows.
    fn settle(&mut self, record: &Record, index: EntryIndex, decision: Decision, tokens: Tokens) {
        self.visible.show(record, index, &decision);
        // Who points at a message shows that it still matters.
        let shape = decision.shape();
        let arrived = self.lives[index.at()].map_or(0, |life| life.arrived);
        for target in shape.map(Shape::refers_to).unwrap_or_default() {
            if let Some(life) = self.lives[target.at()].as_mut() {
                life.last_use = life.last_use.max(arrived);
            }
        }
        let tells = record.entry(index).role == Role::Assistant && shape.is_some();
        let item = &mut self.items[index.at()];
        (item.decision, item.tokens) = (decision, tokens);
        if tells && item.level == Level::Note {
            let mut runs = std::mem::take(&mut self.runs);
            runs.tell(&self.edits_of(record, index));
            self.runs = runs;
        }
    }

    /// Tokens of what is sent of an entry under `decision`.
    fn weight(&mut self, record: &Record, index: EntryIndex, decision: &Decision) -> Tokens {
        let Some(shape) = decision.shape() else { return record.facts(index).tokens };
        let entry = record.entry(index);
        let text = match entry.result() {
            Some(result) => shape.render(&result.content),
            None => shape.render(&entry.prompt_text()),
        };
        self.cache.count(record.tokenizer(), &text)
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
