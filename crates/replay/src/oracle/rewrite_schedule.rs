//! Chooses the requests at which dropping unused lines pays, given the rest of the conversation.

use std::collections::{BTreeSet, HashMap};

use foveal_engine::plan_step::RewriteReason;
use foveal_pricing::prices::PriceCard;
use foveal_pricing::tokens::Tokens;
use foveal_transcript::{ClientPrompt, ClientPromptChange, EntryIndex, Timestamp};

use super::preset_decisions::PresetRewrite;
use super::retained_lines::{RetainedLines, build_shape, result_content};
use crate::conversation_replay::{PreparedConversation, request_time};
use crate::cost::{PromptCacheModel, PromptMessage, is_cache_expired};

/// The surplus that a rewrite must bring, as a factor of its price. A cheap drop now may save more
/// together with others a few requests later. With infinity, only free rewrites are made.
const SURPLUS_FACTORS: [f64; 6] = [0.0, 0.25, 0.5, 1.0, 2.0, f64::INFINITY];

/// Simulates each factor of [`SURPLUS_FACTORS`] and returns the cheapest rewrites, by the answers
/// to the requests.
pub(super) fn cheapest_rewrites(
    prepared: &PreparedConversation,
    kept: &[RetainedLines],
    stages: &ReductionStages,
    prices: &PriceCard,
) -> HashMap<EntryIndex, PresetRewrite> {
    let requests = schedule_requests(prepared, prices);
    let ends = stages.stage_ends();
    let ways = SURPLUS_FACTORS.map(|surplus| {
        let mut way = ScheduleSimulation::new(prepared, stages, &ends, prices, surplus);
        requests.iter().for_each(|request| way.simulate_request(request));
        way
    });
    let best = ways.into_iter().min_by(|a, b| a.dollars.total_cmp(&b.dollars));
    let mut rewrites = HashMap::new();
    for changed in best.map(|way| way.chosen).unwrap_or_default() {
        let mut shapes = Vec::new();
        for (index, after) in changed.results {
            if let Ok(at) = kept.binary_search_by_key(&index, |kept| kept.index) {
                shapes.push((index, build_shape(prepared, &kept[at], Some(after))));
            }
        }
        rewrites.insert(changed.answer, PresetRewrite { reason: changed.reason, shapes });
    }
    rewrites
}

/// The token counts of each result as fewer of its lines are used.
pub(super) struct ReductionStages {
    /// By entry: the tokens at first, and after each answer that is the last use of some line.
    tokens: Vec<Vec<(Option<EntryIndex>, Tokens)>>,
}

impl ReductionStages {
    /// Returns the stages of results that arrive as their used lines.
    pub(super) fn from_retained(prepared: &PreparedConversation, kept: &[RetainedLines]) -> Self {
        let mut stages = Self::unreduced(prepared);
        for one in kept {
            let mut afters = vec![None];
            afters.extend(one.last_use_answers().into_iter().map(Some));
            let weighed =
                afters.iter().map(|after| (*after, count_reduced_tokens(prepared, one, *after)));
            stages.tokens[one.index.as_usize()] = weighed.collect();
        }
        stages
    }

    /// Returns the stages of results that arrive whole and shrink to their used lines after the
    /// next answer.
    pub(super) fn with_early_reduction(
        prepared: &PreparedConversation,
        kept: &[RetainedLines],
    ) -> Self {
        let mut stages = Self::unreduced(prepared);
        let answers: Vec<_> = prepared.record.conversation().response_indices().collect();
        for one in kept {
            let next = answers.partition_point(|answer| *answer < one.index);
            let Some(first) = answers.get(next) else { continue };
            let mut afters = vec![*first];
            afters.extend(one.last_use_answers().into_iter().filter(|last| last > first));
            let weighed = afters
                .iter()
                .map(|after| (Some(*after), count_reduced_tokens(prepared, one, Some(*after))));
            stages.tokens[one.index.as_usize()].extend(weighed);
        }
        stages
    }

    fn unreduced(prepared: &PreparedConversation) -> Self {
        let all = 0..prepared.record.len() as u32;
        let whole = all.map(|at| vec![(None, prepared.record.facts(EntryIndex(at)).tokens)]);
        Self { tokens: whole.collect() }
    }

    /// Returns the last stage of an entry that is reached before `answer`.
    fn stage_before(&self, index: EntryIndex, answer: EntryIndex) -> usize {
        let stages = &self.tokens[index.as_usize()];
        stages.partition_point(|(after, _)| after.is_none_or(|after| after < answer)) - 1
    }

    /// Returns the answers after which fewer lines of a result are used, in order, with the result.
    fn stage_ends(&self) -> Vec<(EntryIndex, EntryIndex)> {
        let results = (0u32..).zip(&self.tokens);
        let ends = results.flat_map(|(at, stages)| {
            stages.iter().filter_map(move |(after, _)| Some(((*after)?, EntryIndex(at))))
        });
        let mut ends: Vec<_> = ends.collect();
        ends.sort_unstable();
        ends
    }

    fn stage_tokens(&self, index: EntryIndex, stage: usize) -> Tokens {
        self.tokens[index.as_usize()][stage].1
    }
}

/// Returns the tokens of a result reduced after an answer, at most those of the original.
fn count_reduced_tokens(
    prepared: &PreparedConversation,
    kept: &RetainedLines,
    after: Option<EntryIndex>,
) -> Tokens {
    let record = &prepared.record;
    let left = build_shape(prepared, kept, after).render(result_content(prepared, kept.index));
    record.tokenizer().count(&left).min(record.facts(kept.index).tokens)
}

/// A request of the simulated conversation.
struct ScheduledRequest {
    answer: EntryIndex,
    time: Option<Timestamp>,
    /// Whether the cache has expired.
    is_cold: bool,
    /// The number of requests from this one on until the cache expires or the conversation ends.
    cached_requests: u32,
}

fn schedule_requests(prepared: &PreparedConversation, prices: &PriceCard) -> Vec<ScheduledRequest> {
    let conversation = prepared.record.conversation();
    let mut last = None;
    let mut requests: Vec<ScheduledRequest> = Vec::new();
    for answer in conversation.response_indices() {
        let time = request_time(conversation, answer);
        let is_cold = is_cache_expired(last, time, prices);
        last = time.or(last);
        requests.push(ScheduledRequest { answer, time, is_cold, cached_requests: 1 });
    }
    for at in (1..requests.len()).rev() {
        if !requests[at].is_cold {
            requests[at - 1].cached_requests = requests[at].cached_requests + 1;
        }
    }
    requests
}

/// A rewrite at one request: the results, each with the last answer whose lines go.
struct ScheduledRewrite {
    answer: EntryIndex,
    reason: RewriteReason,
    results: Vec<(EntryIndex, EntryIndex)>,
}

/// A simulation of the conversation with one surplus factor.
struct ScheduleSimulation<'a> {
    prepared: &'a PreparedConversation,
    stages: &'a ReductionStages,
    prices: &'a PriceCard,
    surplus: f64,
    window: ClientPrompt,
    /// The number of entries pushed so far.
    pushed: u32,
    cache: PromptCacheModel,
    /// The stage in which each entry is sent.
    stage: Vec<usize>,
    /// The coming stage ends, in order.
    ends: &'a [(EntryIndex, EntryIndex)],
    /// Results of which more lines are sent than are still used.
    pending: BTreeSet<EntryIndex>,
    dollars: f64,
    chosen: Vec<ScheduledRewrite>,
}

/// The most results examined before a request, the latest first. Without a limit the time would be
/// quadratic in the length of the conversation.
const EXAMINED_MAX: usize = 1_000;

impl<'a> ScheduleSimulation<'a> {
    fn new(
        prepared: &'a PreparedConversation,
        stages: &'a ReductionStages,
        ends: &'a [(EntryIndex, EntryIndex)],
        prices: &'a PriceCard,
        surplus: f64,
    ) -> Self {
        Self {
            prepared,
            stages,
            prices,
            surplus,
            window: ClientPrompt::default(),
            pushed: 0,
            cache: PromptCacheModel::default(),
            stage: vec![0; prepared.record.len()],
            ends,
            pending: BTreeSet::new(),
            dollars: 0.0,
            chosen: Vec::new(),
        }
    }

    fn simulate_request(&mut self, request: &ScheduledRequest) {
        let mut sent = self.cache.messages().len();
        while self.pushed < request.answer.0 {
            self.pushed += 1;
            if let ClientPromptChange::Cut { from } =
                self.window.push(self.prepared.record.conversation())
            {
                sent = sent.min(from);
            }
        }
        let ended = self.ends.partition_point(|(after, _)| *after < request.answer);
        let (ended, later) = self.ends.split_at(ended);
        self.pending.extend(ended.iter().map(|(_, index)| *index));
        self.ends = later;
        // The entries behind a cut are written in any case.
        let behind_cut = self.window.entries().get(sent).copied();
        let from = match request.is_cold {
            true => Some(EntryIndex(0)),
            false => self.best_rewrite_start(request, sent).or(behind_cut),
        };
        let first = from.and_then(|from| self.reduce_results(request, from, sent));
        drop(self.cache.truncate(first.unwrap_or(sent).min(sent)));
        for index in &self.window.entries()[self.cache.messages().len()..] {
            let stage = self.stage[index.as_usize()];
            let tokens = self.stages.stage_tokens(*index, stage);
            self.cache.push(PromptMessage { entry: index.0, version: stage as u32, tokens });
        }
        self.dollars += self.cache.charge(request.time, self.prices).dollars;
    }

    /// Returns the position of a result in the prompt, if it is there.
    fn position(&self, index: EntryIndex) -> Option<usize> {
        self.window.entries().binary_search(&index).ok()
    }

    /// Returns the tokens that a result loses when its unused lines go.
    fn saved_tokens(&self, index: EntryIndex, answer: EntryIndex) -> u64 {
        let now = self.stages.stage_tokens(index, self.stage[index.as_usize()]);
        let then = self.stages.stage_tokens(index, self.stages.stage_before(index, answer));
        now.0.saturating_sub(then.0)
    }

    /// Returns the result from which a rewrite pays most. The dropped tokens are not read until the
    /// cache expires; the rest behind the result is written once instead of read.
    fn best_rewrite_start(&self, request: &ScheduledRequest, sent: usize) -> Option<EntryIndex> {
        let (read, premium) = (self.prices.read_ratio(), self.prices.write_premium());
        let all = self.cache.prefix_tokens(sent).0;
        let (mut gone, mut best) = (0u64, (0.0, None));
        for index in self.pending.iter().rev().take(EXAMINED_MAX) {
            let Some(position) = self.position(*index).filter(|at| *at < sent) else { continue };
            gone += self.saved_tokens(*index, request.answer);
            let left = (all - self.cache.prefix_tokens(position).0).saturating_sub(gone);
            let costs = premium * left as f64;
            let surplus = gone as f64 * read * f64::from(request.cached_requests) - costs;
            if surplus > best.0 && surplus >= self.surplus * costs {
                best = (surplus, Some(*index));
            }
        }
        best.1
    }

    /// Drops the unused lines of the results from `from` on. Returns the position of the first
    /// changed one.
    fn reduce_results(
        &mut self,
        request: &ScheduledRequest,
        from: EntryIndex,
        sent: usize,
    ) -> Option<usize> {
        let (mut first, mut results) = (None, Vec::new());
        for index in self.pending.split_off(&from) {
            let saving = self.saved_tokens(index, request.answer);
            let Some(position) = self.position(index).filter(|_| saving > 0) else {
                continue;
            };
            let reached = self.stages.stage_before(index, request.answer);
            let Some(after) = self.stages.tokens[index.as_usize()][reached].0 else { continue };
            self.stage[index.as_usize()] = reached;
            first = first.or(Some(position));
            results.push((index, after));
        }
        if let Some(first) = first {
            let reason = match request.is_cold {
                true => RewriteReason::CacheCold,
                false if first < sent => RewriteReason::Foreseen,
                false => RewriteReason::ClientRewrote,
            };
            self.chosen.push(ScheduledRewrite { answer: request.answer, reason, results });
        }
        first
    }
}
