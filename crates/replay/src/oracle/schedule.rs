//! At which requests it pays to drop what is not used any more, with all that follows known.

use std::collections::{BTreeSet, HashMap};

use foveal_context::prices::PriceCard;
use foveal_context::retention::fixed::Rewrite;
use foveal_context::step::RewriteReason;
use foveal_context::tokens::Tokens;
use foveal_transcript::{EntryIndex, Timestamp, Window, WindowChange};

use super::lines::{Kept, content, shape};
use crate::cost::{Cache, Message, has_expired};
use crate::run::{Prepared, request_time};

/// How much more than its price a rewrite has to spare: what is dropped now for little may be
/// dropped with more a few requests later. Without end, only what costs nothing is done.
const SURPLUSES: [f64; 6] = [0.0, 0.25, 0.5, 1.0, 2.0, f64::INFINITY];

/// The cheapest of a few ways to choose, by the responses that answer the requests.
pub(super) fn cheapest(
    prepared: &Prepared,
    kept: &[Kept],
    stages: &Stages,
    prices: &PriceCard,
) -> HashMap<EntryIndex, Rewrite> {
    let requests = requests(prepared, prices);
    let ends = stages.ends();
    let ways = SURPLUSES.map(|surplus| {
        let mut way = Way::new(prepared, (stages, &ends), prices, surplus);
        requests.iter().for_each(|request| way.request(request));
        way
    });
    let best = ways.into_iter().min_by(|a, b| a.dollars.total_cmp(&b.dollars));
    let mut rewrites = HashMap::new();
    for changed in best.map(|way| way.chosen).unwrap_or_default() {
        let mut shapes = Vec::new();
        for (index, after) in changed.results {
            if let Ok(at) = kept.binary_search_by_key(&index, |kept| kept.index) {
                shapes.push((index, shape(prepared, &kept[at], Some(after))));
            }
        }
        rewrites.insert(changed.answer, Rewrite { reason: changed.reason, shapes });
    }
    rewrites
}

/// What each result weighs as less of it is used.
pub(super) struct Stages {
    /// By entry: at first, and after each response that uses some of it for the last time.
    tokens: Vec<Vec<(Option<EntryIndex>, Tokens)>>,
}

impl Stages {
    /// Of results that come as all that is ever used of them.
    pub(super) fn of(prepared: &Prepared, kept: &[Kept]) -> Self {
        let mut stages = Self::as_recorded(prepared);
        for one in kept {
            let mut afters = vec![None];
            afters.extend(one.last_uses().into_iter().map(Some));
            let weighed = afters.iter().map(|after| (*after, weigh(prepared, one, *after)));
            stages.tokens[one.index.at()] = weighed.collect();
        }
        stages
    }

    /// Of results that come whole, and are what is used of them after the first response.
    pub(super) fn after_one_look(prepared: &Prepared, kept: &[Kept]) -> Self {
        let mut stages = Self::as_recorded(prepared);
        let answers: Vec<_> = prepared.record.conversation().responses().collect();
        for one in kept {
            let next = answers.partition_point(|answer| *answer < one.index);
            let Some(first) = answers.get(next) else { continue };
            let mut afters = vec![*first];
            afters.extend(one.last_uses().into_iter().filter(|last| last > first));
            let weighed =
                afters.iter().map(|after| (Some(*after), weigh(prepared, one, Some(*after))));
            stages.tokens[one.index.at()].extend(weighed);
        }
        stages
    }

    fn as_recorded(prepared: &Prepared) -> Self {
        let all = 0..prepared.record.len() as u32;
        let whole = all.map(|at| vec![(None, prepared.record.facts(EntryIndex(at)).tokens)]);
        Self { tokens: whole.collect() }
    }

    /// The last stage of an entry that is reached when `answer` is still to come.
    fn reached(&self, index: EntryIndex, answer: EntryIndex) -> usize {
        let stages = &self.tokens[index.at()];
        stages.partition_point(|(after, _)| after.is_none_or(|after| after < answer)) - 1
    }

    /// The responses after which less of a result is used, in order, with the result.
    fn ends(&self) -> Vec<(EntryIndex, EntryIndex)> {
        let results = (0u32..).zip(&self.tokens);
        let ends = results.flat_map(|(at, stages)| {
            stages.iter().filter_map(move |(after, _)| Some(((*after)?, EntryIndex(at))))
        });
        let mut ends: Vec<_> = ends.collect();
        ends.sort_unstable();
        ends
    }

    fn tokens(&self, index: EntryIndex, stage: usize) -> Tokens {
        self.tokens[index.at()][stage].1
    }
}

/// Tokens of what is left of a result, if that is less than all.
fn weigh(prepared: &Prepared, kept: &Kept, after: Option<EntryIndex>) -> Tokens {
    let record = &prepared.record;
    let left = shape(prepared, kept, after).render(content(prepared, kept.index));
    record.tokenizer().count(&left).min(record.facts(kept.index).tokens)
}

/// A request.
struct Request {
    answer: EntryIndex,
    time: Option<Timestamp>,
    /// Whether it finds nothing cached.
    is_cold: bool,
    /// Requests from this one on until one finds nothing cached, or the last.
    ahead: u32,
}

fn requests(prepared: &Prepared, prices: &PriceCard) -> Vec<Request> {
    let conversation = prepared.record.conversation();
    let mut last = None;
    let mut requests: Vec<Request> = Vec::new();
    for answer in conversation.responses() {
        let time = request_time(conversation, answer);
        let is_cold = has_expired(last, time, prices);
        last = time.or(last);
        requests.push(Request { answer, time, is_cold, ahead: 1 });
    }
    for at in (1..requests.len()).rev() {
        if !requests[at].is_cold {
            requests[at - 1].ahead = requests[at].ahead + 1;
        }
    }
    requests
}

/// What changes at one request: the results, and after which last use.
struct Changed {
    answer: EntryIndex,
    reason: RewriteReason,
    results: Vec<(EntryIndex, EntryIndex)>,
}

/// One way through a conversation.
struct Way<'a> {
    prepared: &'a Prepared,
    stages: &'a Stages,
    prices: &'a PriceCard,
    surplus: f64,
    window: Window,
    /// Entries taken so far.
    taken: u32,
    cache: Cache,
    /// The stage in which each entry is sent.
    stage: Vec<usize>,
    /// When less of a result is used, from the next on.
    ends: &'a [(EntryIndex, EntryIndex)],
    /// Results of which less is used than is sent.
    pending: BTreeSet<EntryIndex>,
    dollars: f64,
    chosen: Vec<Changed>,
}

/// Results that are looked at before a request, the latest first: with more, a long conversation
/// would take the square of its length.
const LOOKED_AT_MAX: usize = 1_000;

impl<'a> Way<'a> {
    fn new(
        prepared: &'a Prepared,
        (stages, ends): (&'a Stages, &'a [(EntryIndex, EntryIndex)]),
        prices: &'a PriceCard,
        surplus: f64,
    ) -> Self {
        Self {
            prepared,
            stages,
            prices,
            surplus,
            window: Window::default(),
            taken: 0,
            cache: Cache::default(),
            stage: vec![0; prepared.record.len()],
            ends,
            pending: BTreeSet::new(),
            dollars: 0.0,
            chosen: Vec::new(),
        }
    }

    fn request(&mut self, request: &Request) {
        let mut sent = self.cache.messages().len();
        while self.taken < request.answer.0 {
            self.taken += 1;
            if let WindowChange::Cut { from } =
                self.window.push(self.prepared.record.conversation())
            {
                sent = sent.min(from);
            }
        }
        let ended = self.ends.partition_point(|(after, _)| *after < request.answer);
        let (ended, later) = self.ends.split_at(ended);
        self.pending.extend(ended.iter().map(|(_, index)| *index));
        self.ends = later;
        // What stands behind a cut is written in any case.
        let behind_cut = self.window.entries().get(sent).copied();
        let from = match request.is_cold {
            true => Some(EntryIndex(0)),
            false => self.pays_from(request, sent).or(behind_cut),
        };
        let first = from.and_then(|from| self.reduce(request, from, sent));
        drop(self.cache.keep(first.unwrap_or(sent).min(sent)));
        for index in &self.window.entries()[self.cache.messages().len()..] {
            let stage = self.stage[index.at()];
            let tokens = self.stages.tokens(*index, stage);
            self.cache.push(Message { entry: index.0, version: stage as u32, tokens });
        }
        self.dollars += self.cache.charge(request.time, self.prices).dollars;
    }

    /// The position of a result in the prompt, if it is there.
    fn position(&self, index: EntryIndex) -> Option<usize> {
        self.window.entries().binary_search(&index).ok()
    }

    /// Tokens that a result loses when what is not used any more goes.
    fn saving(&self, index: EntryIndex, answer: EntryIndex) -> u64 {
        let now = self.stages.tokens(index, self.stage[index.at()]);
        let then = self.stages.tokens(index, self.stages.reached(index, answer));
        now.0.saturating_sub(then.0)
    }

    /// The result from which to rewrite so that it pays by the most: what goes is not read until
    /// nothing is cached, what stays behind it is written once instead of read.
    fn pays_from(&self, request: &Request, sent: usize) -> Option<EntryIndex> {
        let (read, premium) = (self.prices.read_ratio(), self.prices.premium());
        let all = self.cache.tokens(sent).0;
        let (mut gone, mut best) = (0u64, (0.0, None));
        for index in self.pending.iter().rev().take(LOOKED_AT_MAX) {
            let Some(position) = self.position(*index).filter(|at| *at < sent) else { continue };
            gone += self.saving(*index, request.answer);
            let left = (all - self.cache.tokens(position).0).saturating_sub(gone);
            let costs = premium * left as f64;
            let surplus = gone as f64 * read * f64::from(request.ahead) - costs;
            if surplus > best.0 && surplus >= self.surplus * costs {
                best = (surplus, Some(*index));
            }
        }
        best.1
    }

    /// Takes what is not used any more out of the results from one on; the position of the first
    /// that changes.
    fn reduce(&mut self, request: &Request, from: EntryIndex, sent: usize) -> Option<usize> {
        let (mut first, mut results) = (None, Vec::new());
        for index in self.pending.split_off(&from) {
            let saving = self.saving(index, request.answer);
            let Some(position) = self.position(index).filter(|_| saving > 0) else {
                continue;
            };
            let reached = self.stages.reached(index, request.answer);
            let Some(after) = self.stages.tokens[index.at()][reached].0 else { continue };
            self.stage[index.at()] = reached;
            first = first.or(Some(position));
            results.push((index, after));
        }
        if let Some(first) = first {
            let reason = match request.is_cold {
                true => RewriteReason::CacheCold,
                false if first < sent => RewriteReason::Foreseen,
                false => RewriteReason::ClientRewrote,
            };
            self.chosen.push(Changed { answer: request.answer, reason, results });
        }
        first
    }
}
