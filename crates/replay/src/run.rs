//! Replays one conversation under one profile.

use std::collections::{HashMap, HashSet};

use foveal_context::bill::{Kept, Meter, Priced, Request, Went};
use foveal_context::call_texts::{argument_texts, projected};
use foveal_context::facts::visible_texts;
use foveal_context::prices::PriceCard;
use foveal_context::projector::Projector;
use foveal_context::record::Record;
use foveal_context::step::RewriteReason;
use foveal_context::tokens::{Tokenizer, Tokens};
use foveal_context::warm::{Pause, Pauses};
use foveal_effects::EffectKind;
use foveal_transcript::{Conversation, EntryIndex, Role, Timestamp, Window, WindowChange};
use serde::{Deserialize, Serialize};

use crate::cost::{Cache, Charge, Message};
use crate::laws::{self, Breaches};
use crate::scan::{Scan, each_reference, evidence_line, hash};
use crate::visible::Visible;

/// What every replay of one conversation shares.
#[derive(Debug)]
pub struct Prepared {
    /// The conversation and its facts.
    pub record: Record,
    /// What each entry's original text holds.
    scans: Vec<Scan>,
    /// What the answer of each request uses; empty for other entries.
    uses: Vec<Uses>,
    /// The answers whose requests count in another recording.
    copies: HashSet<EntryIndex>,
    /// The answers whose bills say nothing of the recorded prompt.
    discounted: HashSet<EntryIndex>,
}

#[derive(Debug, Default)]
struct Uses {
    evidence: Vec<u64>,
    references: Vec<u64>,
}

impl Prepared {
    /// Scans a conversation.
    pub fn new(conversation: Conversation, tokenizer: Tokenizer) -> Self {
        let record = Record::of(conversation, tokenizer);
        let scans = record.entries().iter().map(|entry| Scan::of(&visible_texts(entry))).collect();
        let uses = (0u32..)
            .zip(record.entries())
            .map(|(index, entry)| match entry.role {
                Role::Assistant => uses_of(&record, EntryIndex(index)),
                Role::System | Role::User | Role::Tool => Uses::default(),
            })
            .collect();
        Self { record, scans, uses, copies: HashSet::new(), discounted: HashSet::new() }
    }

    /// The same where the requests of these answers count in another recording. They are part of
    /// the conversation, and of no figures.
    #[must_use]
    pub fn with_copies(self, copies: HashSet<EntryIndex>) -> Self {
        Self { copies, ..self }
    }

    /// The same where the bills of these answers are of shorter prompts than the recorded ones:
    /// they are left out.
    #[must_use]
    pub fn with_discounted(self, discounted: HashSet<EntryIndex>) -> Self {
        Self { discounted, ..self }
    }

    /// What the original text of an entry holds.
    pub fn scan(&self, index: EntryIndex) -> &Scan {
        &self.scans[index.at()]
    }

    /// The lines in the edits of a response.
    pub fn evidence(&self, answer: EntryIndex) -> &[u64] {
        &self.uses[answer.at()].evidence
    }

    /// The identifiers and paths in a response.
    pub fn references(&self, answer: EntryIndex) -> &[u64] {
        &self.uses[answer.at()].references
    }
}

/// The first and the latest result of the recorded prompt that show a line.
#[derive(Debug, Default)]
pub struct Sources {
    lines: HashMap<u64, (EntryIndex, EntryIndex)>,
}

impl Sources {
    /// Adds a result; results come in order.
    pub fn add(&mut self, index: EntryIndex, scan: &Scan) {
        for line in &scan.lines {
            self.lines.entry(*line).and_modify(|span| span.1 = index).or_insert((index, index));
        }
    }

    /// Starts anew with the results that stayed in the prompt. Prompts are cut too rarely to
    /// remember more than two results a line for it.
    pub fn rebuild<'s>(&mut self, results: impl Iterator<Item = (EntryIndex, &'s Scan)>) {
        self.lines.clear();
        for (index, scan) in results {
            self.add(index, scan);
        }
    }

    /// The first and the latest result that show a line.
    pub fn span(&self, line: u64) -> Option<(EntryIndex, EntryIndex)> {
        self.lines.get(&line).copied()
    }

    /// The latest result that shows a line.
    pub fn last(&self, line: u64) -> Option<EntryIndex> {
        Some(self.lines.get(&line)?.1)
    }
}

fn uses_of(record: &Record, answer: EntryIndex) -> Uses {
    let entry = record.entry(answer);
    let mut uses = Uses::default();
    for (call, facts) in entry.calls().zip(&record.facts(answer).calls) {
        let edits = matches!(facts.effect.kind, EffectKind::Edit | EffectKind::Write)
            || !facts.effect.writes.is_empty();
        if edits {
            let lines = argument_texts(call).into_iter().flat_map(|text| text.split('\n'));
            uses.evidence.extend(lines.filter_map(evidence_line));
        }
    }
    for text in visible_texts(entry) {
        each_reference(text, |reference| uses.references.push(hash(reference)));
    }
    for hashes in [&mut uses.evidence, &mut uses.references] {
        hashes.sort_unstable();
        hashes.dedup();
    }
    uses
}

/// A share: how many of how many.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Share {
    /// Uses of something seen before.
    pub used: u64,
    /// Those that were visible in the projection.
    pub visible: u64,
}

impl Share {
    /// The share as a number; 1 where nothing was used.
    pub fn ratio(&self) -> f64 {
        if self.used == 0 { 1.0 } else { self.visible as f64 / self.used as f64 }
    }
}

impl std::ops::AddAssign for Share {
    fn add_assign(&mut self, other: Self) {
        self.used += other.used;
        self.visible += other.visible;
    }
}

/// The figures of one request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RequestFigures {
    /// The response that answered it.
    pub answer: EntryIndex,
    /// When it was sent, as far as recorded.
    pub time: Option<Timestamp>,
    /// The prompt as recorded.
    pub raw: Charge,
    /// The prompt as projected.
    pub projected: Charge,
    /// Lines of edits.
    pub evidence: Share,
    /// Identifiers and paths.
    pub references: Share,
    /// Whether the answer needed something that was not visible.
    pub repairs: u32,
    /// US dollars for the repairs.
    pub repair_dollars: f64,
    /// Why results already sent were changed.
    pub rewrite: Option<RewriteReason>,
    /// What the provider billed for it, and what it would have for the prompt as projected, where
    /// the recording tells.
    pub bill: Option<Priced>,
    /// US dollars for the repairs by the bill, whose prompts are longer than what is recorded.
    pub bill_repair_dollars: f64,
}

/// The figures of one conversation under one profile.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Replay {
    /// One for each request that counts in this recording, in order.
    pub requests: Vec<RequestFigures>,
    /// Laws broken.
    pub breaches: Breaches,
    /// The pauses between requests whose usage is recorded, as they were.
    pub pauses: Vec<Pause>,
}

impl Replay {
    /// US dollars for the recorded prompts.
    pub fn raw_dollars(&self) -> f64 {
        self.requests.iter().map(|request| request.raw.dollars).sum()
    }

    /// US dollars for the projected prompts, repairs included.
    pub fn net_dollars(&self) -> f64 {
        self.requests.iter().map(|request| request.projected.dollars + request.repair_dollars).sum()
    }
}

/// Called once a request with the projector as it stands.
pub type Observer<'o> = dyn FnMut(&Projector, &foveal_context::step::Step) + 'o;

/// Replays `prepared` under the profile that `projector` was made for.
pub fn replay(
    prepared: &Prepared,
    projector: &mut Projector,
    prices: &PriceCard,
    observer: &mut Observer<'_>,
) -> Replay {
    let mut state = State::new(prepared, prices);
    let answers: Vec<_> = prepared.record.conversation().responses().collect();
    for answer in answers {
        let time = request_time(prepared.record.conversation(), answer);
        let step = projector.advance(&prepared.record, answer, time);
        state.request(projector, &step, time);
        observer(projector, &step);
    }
    state.replay.pauses.extend(state.pauses.now());
    state.replay
}

/// When a request was sent: the time of the last entry before its answer, or, where that is
/// not recorded, of the answer.
pub fn request_time(conversation: &Conversation, answer: EntryIndex) -> Option<Timestamp> {
    let before = answer.at().checked_sub(1).and_then(|at| conversation.entries()[at].time);
    before.or(conversation.entry(answer).time)
}

struct State<'a> {
    prepared: &'a Prepared,
    prices: &'a PriceCard,
    raw: RawPrompt,
    cache: Cache,
    /// Version and scan of each replaced entry; scans of originals are shared.
    versions: Vec<u32>,
    replaced: HashMap<u32, Scan>,
    visible: Visible,
    mended: HashSet<EntryIndex>,
    meter: Meter,
    pauses: Pauses,
    replay: Replay,
}

/// The recorded prompt: its window and what its tool results hold.
#[derive(Default)]
struct RawPrompt {
    window: Window,
    next: u32,
    cache: Cache,
    references: Visible,
    sources: Sources,
}

impl RawPrompt {
    fn take(&mut self, prepared: &Prepared, answer: EntryIndex) {
        while self.next < answer.0 {
            let index = EntryIndex(self.next);
            self.next += 1;
            match self.window.push(prepared.record.conversation()) {
                WindowChange::Cut { .. } => self.rebuild(prepared),
                WindowChange::Appended => {
                    self.cache.push(as_recorded(prepared, index));
                    if prepared.record.entry(index).role == Role::Tool {
                        let scan = prepared.scan(index);
                        self.references.add_references(scan);
                        self.sources.add(index, scan);
                    }
                }
                WindowChange::Skipped => {}
            }
        }
    }

    /// Starts anew with the results that stayed in the prompt.
    fn rebuild(&mut self, prepared: &Prepared) {
        let results = || {
            let window = self.window.entries().iter();
            let tools = window.filter(|i| prepared.record.entry(**i).role == Role::Tool);
            tools.map(|index| (*index, prepared.scan(*index)))
        };
        drop(self.cache.keep(0));
        for index in self.window.entries() {
            self.cache.push(as_recorded(prepared, *index));
        }
        self.references = Visible::default();
        results().for_each(|(_, scan)| self.references.add_references(scan));
        self.sources.rebuild(results());
    }
}

/// An entry as a message of the recorded prompt.
fn as_recorded(prepared: &Prepared, index: EntryIndex) -> Message {
    Message { entry: index.0, version: 0, tokens: prepared.record.facts(index).tokens }
}

impl<'a> State<'a> {
    fn new(prepared: &'a Prepared, prices: &'a PriceCard) -> Self {
        Self {
            prepared,
            prices,
            raw: RawPrompt::default(),
            cache: Cache::default(),
            versions: vec![0; prepared.record.len()],
            replaced: HashMap::new(),
            visible: Visible::default(),
            mended: HashSet::new(),
            meter: Meter::new(Went::Raw),
            pauses: Pauses::default(),
            replay: Replay::default(),
        }
    }

    fn request(
        &mut self,
        projector: &Projector,
        step: &foveal_context::step::Step,
        time: Option<Timestamp>,
    ) {
        self.raw.take(self.prepared, step.answer);
        let raw = self.raw.cache.charge(time, self.prices);
        self.take_projection(projector, step);
        let projected = self.cache.charge(time, self.prices);
        let uses = &self.prepared.uses[step.answer.at()];
        let (evidence, lost) = self.evidence(uses);
        let references = self.references(uses);
        let (repairs, repair_dollars) = self.repair(projector, &lost, projected);
        let bill = self.bill(step, time, raw, projected);
        if self.prepared.copies.contains(&step.answer) {
            return;
        }
        // A repair reads all of the prompt once more, also what is not recorded of it.
        let billed = bill.filter(|_| repairs > 0).map_or(0, |it| it.otherwise.input().tokens);
        let unrecorded = billed.saturating_sub(projected.prompt.0) as f64;
        let bill_repair_dollars = repair_dollars + unrecorded * self.prices.cache_read / 1e6;
        self.replay.requests.push(RequestFigures {
            answer: step.answer,
            time,
            raw,
            projected,
            evidence,
            references,
            repairs,
            repair_dollars,
            rewrite: step.rewrite,
            bill,
            bill_repair_dollars,
        });
    }

    /// What was billed for the recorded prompt, and what would have been for the projected one.
    fn bill(
        &mut self,
        step: &foveal_context::step::Step,
        time: Option<Timestamp>,
        raw: Charge,
        projected: Charge,
    ) -> Option<Priced> {
        let rewrites = step.rewrite.is_some_and(|why| why != RewriteReason::ClientRewrote);
        let foveal = if rewrites || raw.kept == Kept::All { projected.kept } else { Kept::All };
        let usage = self.prepared.record.entry(step.answer).usage;
        let is_discounted = self.prepared.discounted.contains(&step.answer);
        let Some(usage) = usage.filter(|usage| usage.prompt() > 0 && !is_discounted) else {
            self.meter.skip(raw.kept, foveal);
            return None;
        };
        let request = Request {
            time,
            usage: &usage,
            charged: None,
            raw: raw.prompt,
            shaped: projected.prompt,
            client: raw.kept,
            foveal,
            is_unmarked: false,
        };
        let priced = self.meter.take(&request, self.prices);
        if let Some(time) = time {
            let expired = priced.billed.expired;
            let pause = self.pauses.request(time, &usage, expired, self.prices);
            let is_copy = self.prepared.copies.contains(&step.answer);
            self.replay.pauses.extend(pause.filter(|_| !is_copy));
        }
        Some(priced)
    }

    /// Brings the projected prompt and what it shows up to date.
    fn take_projection(&mut self, projector: &Projector, step: &foveal_context::step::Step) {
        let record = &self.prepared.record;
        let kept = step.kept.min(self.cache.messages().len());
        for message in self.cache.keep(kept) {
            let index = EntryIndex(message.entry);
            let scan = self.replaced.remove(&message.entry);
            self.visible.remove(scan.as_ref().unwrap_or(&self.prepared.scans[index.at()]));
        }
        for (index, _) in &step.changed {
            self.versions[index.at()] += 1;
            if projector.window().binary_search(index).is_ok_and(|at| at < kept) {
                self.replay.breaches.unfrozen += 1;
            }
        }
        for index in &projector.window()[kept..] {
            let item = projector.item(*index);
            if let Some(shape) = item.decision.shape() {
                let entry = record.entry(*index);
                let scan = match entry.result() {
                    Some(result) => Scan::of(&[&shape.render(&result.content)]),
                    None => Scan::of(&visible_texts(&projected(entry, shape))),
                };
                self.visible.add(&scan);
                self.replaced.insert(index.0, scan);
            } else {
                self.visible.add(&self.prepared.scans[index.at()]);
            }
            let version = self.versions[index.at()];
            self.cache.push(Message { entry: index.0, version, tokens: item.tokens });
        }
        self.replay.breaches += laws::check(record, projector, kept);
    }

    fn evidence(&self, uses: &Uses) -> (Share, Vec<u64>) {
        let mut share = Share::default();
        let mut lost = Vec::new();
        for line in uses.evidence.iter().filter(|line| self.raw.sources.last(**line).is_some()) {
            share.used += 1;
            if self.visible.has_line(*line) {
                share.visible += 1;
            } else {
                lost.push(*line);
            }
        }
        (share, lost)
    }

    fn references(&self, uses: &Uses) -> Share {
        let mut share = Share::default();
        for reference in &uses.references {
            if self.raw.references.has_reference(*reference) {
                share.used += 1;
                share.visible += u64::from(self.visible.has_reference(*reference));
            }
        }
        share
    }

    /// One more request for each answer with lost lines that no earlier repair brought back:
    /// the cached prompt, a short output, and what was left out of the results that held them.
    fn repair(&mut self, projector: &Projector, lost: &[u64], charge: Charge) -> (u32, f64) {
        let mut sources: Vec<EntryIndex> = lost
            .iter()
            .filter_map(|line| self.raw.sources.last(*line))
            .filter(|source| !self.mended.contains(source))
            .collect();
        sources.sort_unstable();
        sources.dedup();
        if sources.is_empty() {
            return (0, 0.0);
        }
        let region: Tokens = sources
            .iter()
            .map(|source| {
                self.prepared.record.facts(*source).tokens - projector.item(*source).tokens
            })
            .sum();
        self.mended.extend(sources);
        let dollars = charge.prompt.0 as f64 * self.prices.cache_read
            + REPAIR_OUTPUT_TOKENS * self.prices.output
            + region.0 as f64 * self.prices.cache_write;
        (1, dollars / 1e6)
    }
}

/// Output tokens of the call that fetches something again.
const REPAIR_OUTPUT_TOKENS: f64 = 150.0;
