//! Replays one conversation under one profile.

use std::collections::{HashMap, HashSet};

use foveal_engine::call_texts::argument_texts;
use foveal_engine::conversation_record::ConversationRecord;
use foveal_engine::entry_facts::visible_texts;
use foveal_engine::plan_step::RewriteReason;
use foveal_engine::projector::Projector;
use foveal_pricing::bill::{BilledRequest, CostMeter, RequestCosts, RetainedPrefix, SentPrompt};
use foveal_pricing::keep_alive::{Pause, PauseTracker};
use foveal_pricing::prices::PriceCard;
use foveal_pricing::tokens::{Tokenizer, Tokens};
use foveal_tool_effects::EffectKind;
use foveal_transcript::{
    ClientPrompt, ClientPromptChange, Conversation, EntryIndex, MessageRole, Timestamp,
};
use serde::{Deserialize, Serialize};

use crate::cost::{PromptCacheModel, PromptCharge, PromptMessage};
use crate::laws::{self, LawBreaches};
use crate::scan::{TextScan, evidence_line_hash, for_each_reference, hash_text};
use crate::visible_text::VisibleText;

/// A scanned conversation, shared by all its replays.
#[derive(Debug)]
pub struct PreparedConversation {
    /// The conversation and its facts.
    pub record: ConversationRecord,
    /// The scan of each entry's original text.
    scans: Vec<TextScan>,
    /// The lines and references that each answer uses; empty for other entries.
    answer_uses: Vec<AnswerUses>,
    /// The answers whose requests count in another recording.
    copies: HashSet<EntryIndex>,
    /// The dollars of the bills that do not belong to the recorded prompt, by answer.
    shortened_bills: HashMap<EntryIndex, f64>,
}

#[derive(Debug, Default)]
struct AnswerUses {
    evidence: Vec<u64>,
    references: Vec<u64>,
}

impl PreparedConversation {
    /// Scans a conversation.
    pub fn new(conversation: Conversation, tokenizer: Tokenizer) -> Self {
        let record = ConversationRecord::from_conversation(conversation, tokenizer);
        let scans = record
            .entries()
            .iter()
            .map(|entry| TextScan::from_texts(&visible_texts(entry)))
            .collect();
        let answer_uses = (0u32..)
            .zip(record.entries())
            .map(|(index, entry)| match entry.role {
                MessageRole::Assistant => collect_answer_uses(&record, EntryIndex(index)),
                MessageRole::System | MessageRole::User | MessageRole::Tool => {
                    AnswerUses::default()
                }
            })
            .collect();
        Self { record, scans, answer_uses, copies: HashSet::new(), shortened_bills: HashMap::new() }
    }

    /// Sets the answers whose requests count in another recording. They stay part of the
    /// conversation, but count in no figures.
    #[must_use]
    pub fn with_copies(self, copies: HashSet<EntryIndex>) -> Self {
        Self { copies, ..self }
    }

    /// Sets the answers whose bills belong to shorter prompts than the recorded ones, with the
    /// dollars of each bill. No other prompt is compared with these bills.
    #[must_use]
    pub fn with_shortened_bills(self, dollars: HashMap<EntryIndex, f64>) -> Self {
        Self { shortened_bills: dollars, ..self }
    }

    /// Returns the scan of an entry's original text.
    pub fn scan(&self, index: EntryIndex) -> &TextScan {
        &self.scans[index.as_usize()]
    }

    /// Returns the hashes of the lines in the edits of an answer.
    pub fn evidence_lines(&self, answer: EntryIndex) -> &[u64] {
        &self.answer_uses[answer.as_usize()].evidence
    }

    /// Returns the hashes of the identifiers and paths in an answer.
    pub fn used_references(&self, answer: EntryIndex) -> &[u64] {
        &self.answer_uses[answer.as_usize()].references
    }
}

/// The latest result of the recorded prompt that shows each line.
#[derive(Debug, Default)]
struct LineSources {
    lines: HashMap<u64, EntryIndex>,
}

impl LineSources {
    /// Adds a result; results come in order.
    fn add(&mut self, index: EntryIndex, scan: &TextScan) {
        self.lines.extend(scan.lines.iter().map(|line| (*line, index)));
    }

    /// Clears the sources and adds the results that stayed in the prompt. Prompts are cut too
    /// rarely to store more than one result per line for it.
    fn rebuild<'s>(&mut self, results: impl Iterator<Item = (EntryIndex, &'s TextScan)>) {
        self.lines.clear();
        for (index, scan) in results {
            self.add(index, scan);
        }
    }

    /// Returns the latest result that shows a line.
    fn latest(&self, line: u64) -> Option<EntryIndex> {
        self.lines.get(&line).copied()
    }
}

fn collect_answer_uses(record: &ConversationRecord, answer: EntryIndex) -> AnswerUses {
    let entry = record.entry(answer);
    let mut uses = AnswerUses::default();
    for (call, facts) in entry.tool_calls().zip(&record.facts(answer).calls) {
        let edits = matches!(facts.effect.kind, EffectKind::Edit | EffectKind::Write)
            || !facts.effect.writes.is_empty();
        if edits {
            let lines = argument_texts(call).into_iter().flat_map(|text| text.split('\n'));
            uses.evidence.extend(lines.filter_map(evidence_line_hash));
        }
    }
    for text in visible_texts(entry) {
        for_each_reference(text, |reference| uses.references.push(hash_text(reference)));
    }
    for hashes in [&mut uses.evidence, &mut uses.references] {
        hashes.sort_unstable();
        hashes.dedup();
    }
    uses
}

/// The visible part of the used lines or references.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct VisibleShare {
    /// Uses of something that the recorded prompt showed before.
    pub used: u64,
    /// The uses that were also visible in the projection.
    pub visible: u64,
}

impl VisibleShare {
    /// Returns the share as a number; 1 if nothing was used.
    pub fn ratio(&self) -> f64 {
        if self.used == 0 { 1.0 } else { self.visible as f64 / self.used as f64 }
    }
}

impl std::ops::AddAssign for VisibleShare {
    fn add_assign(&mut self, other: Self) {
        self.used += other.used;
        self.visible += other.visible;
    }
}

/// The figures of one request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RequestFigures {
    /// The answer to the request.
    pub answer: EntryIndex,
    /// The time of the request, if recorded.
    pub time: Option<Timestamp>,
    /// The prompt as recorded.
    pub raw: PromptCharge,
    /// The prompt as projected.
    pub projected: PromptCharge,
    /// The share of visible lines of edits.
    pub evidence: VisibleShare,
    /// The share of visible identifiers and paths.
    pub references: VisibleShare,
    /// The number of repairs: 1 if the answer needed a line that was not visible.
    pub repairs: u32,
    /// US dollars for the repairs.
    pub repair_dollars: f64,
    /// The reason for changes of already sent results.
    pub rewrite: Option<RewriteReason>,
    /// The recorded bill and the calculated one for the projected prompt, where the usage is
    /// recorded.
    pub bill: Option<RequestCosts>,
    /// US dollars for the repairs by the bill, whose prompts are longer than the recorded texts.
    pub bill_repair_dollars: f64,
    /// US dollars for request and answer, if the recorded bill belongs to a shorter prompt.
    pub shortened_bill_dollars: Option<f64>,
}

/// The figures of one conversation under one profile.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ConversationReplay {
    /// One for each request that counts in this recording, in order.
    pub requests: Vec<RequestFigures>,
    /// The number of broken laws.
    pub breaches: LawBreaches,
    /// The recorded pauses between requests with recorded usage.
    pub pauses: Vec<Pause>,
}

impl ConversationReplay {
    /// Returns the cost of the recorded prompts in US dollars.
    pub fn raw_dollars(&self) -> f64 {
        self.requests.iter().map(|request| request.raw.dollars).sum()
    }

    /// Returns the cost of the projected prompts in US dollars, repairs included.
    pub fn net_dollars(&self) -> f64 {
        self.requests.iter().map(|request| request.projected.dollars + request.repair_dollars).sum()
    }
}

/// A callback that gets the projector and its step after each request.
pub type ReplayObserver<'o> = dyn FnMut(&Projector, &foveal_engine::plan_step::PlanStep) + 'o;

/// Replays `prepared` under the profile of `projector`.
pub fn replay(
    prepared: &PreparedConversation,
    projector: &mut Projector,
    prices: &PriceCard,
    observer: &mut ReplayObserver<'_>,
) -> ConversationReplay {
    let mut state = ReplayState::new(prepared, prices);
    let answers: Vec<_> = prepared.record.conversation().response_indices().collect();
    for answer in answers {
        let time = request_time(prepared.record.conversation(), answer);
        let step = projector.advance(&prepared.record, answer, time);
        state.replay_request(projector, &step, time);
        observer(projector, &step);
    }
    state.replay.pauses.extend(state.pauses.current());
    state.replay
}

/// Returns the time of a request: that of the last entry before its answer, or, if that is not
/// recorded, that of the answer.
pub fn request_time(conversation: &Conversation, answer: EntryIndex) -> Option<Timestamp> {
    let before = answer.as_usize().checked_sub(1).and_then(|at| conversation.entries()[at].time);
    before.or(conversation.entry(answer).time)
}

struct ReplayState<'a> {
    prepared: &'a PreparedConversation,
    prices: &'a PriceCard,
    raw: RawPrompt,
    cache: PromptCacheModel,
    /// The version and scan of each replaced entry; scans of originals are shared.
    versions: Vec<u32>,
    replaced_scans: HashMap<u32, TextScan>,
    visible: VisibleText,
    repaired: HashSet<EntryIndex>,
    meter: CostMeter,
    pauses: PauseTracker,
    replay: ConversationReplay,
}

/// The recorded prompt: its window and the references and lines of its tool results.
#[derive(Default)]
struct RawPrompt {
    window: ClientPrompt,
    next: u32,
    cache: PromptCacheModel,
    references: VisibleText,
    sources: LineSources,
}

impl RawPrompt {
    fn advance_to(&mut self, prepared: &PreparedConversation, answer: EntryIndex) {
        while self.next < answer.0 {
            let index = EntryIndex(self.next);
            self.next += 1;
            match self.window.push(prepared.record.conversation()) {
                ClientPromptChange::Cut { .. } => self.rebuild(prepared),
                ClientPromptChange::Appended => {
                    self.cache.push(recorded_message(prepared, index));
                    if prepared.record.entry(index).role == MessageRole::Tool {
                        let scan = prepared.scan(index);
                        self.references.add_references(scan);
                        self.sources.add(index, scan);
                    }
                }
                ClientPromptChange::Skipped => {}
            }
        }
    }

    /// Rebuilds references and sources from the results that stayed in the prompt.
    fn rebuild(&mut self, prepared: &PreparedConversation) {
        let results = || {
            let window = self.window.entries().iter();
            let tools = window.filter(|i| prepared.record.entry(**i).role == MessageRole::Tool);
            tools.map(|index| (*index, prepared.scan(*index)))
        };
        drop(self.cache.truncate(0));
        for index in self.window.entries() {
            self.cache.push(recorded_message(prepared, *index));
        }
        self.references = VisibleText::default();
        results().for_each(|(_, scan)| self.references.add_references(scan));
        self.sources.rebuild(results());
    }
}

/// Returns an entry as a message of the recorded prompt.
fn recorded_message(prepared: &PreparedConversation, index: EntryIndex) -> PromptMessage {
    PromptMessage { entry: index.0, version: 0, tokens: prepared.record.facts(index).tokens }
}

impl<'a> ReplayState<'a> {
    fn new(prepared: &'a PreparedConversation, prices: &'a PriceCard) -> Self {
        Self {
            prepared,
            prices,
            raw: RawPrompt::default(),
            cache: PromptCacheModel::default(),
            versions: vec![0; prepared.record.len()],
            replaced_scans: HashMap::new(),
            visible: VisibleText::default(),
            repaired: HashSet::new(),
            meter: CostMeter::new(SentPrompt::Raw),
            pauses: PauseTracker::default(),
            replay: ConversationReplay::default(),
        }
    }

    fn replay_request(
        &mut self,
        projector: &Projector,
        step: &foveal_engine::plan_step::PlanStep,
        time: Option<Timestamp>,
    ) {
        self.raw.advance_to(self.prepared, step.answer);
        let raw = self.raw.cache.charge(time, self.prices);
        self.update_projection(projector, step);
        let projected = self.cache.charge(time, self.prices);
        let uses = &self.prepared.answer_uses[step.answer.as_usize()];
        let (evidence, lost) = self.evidence_share(uses);
        let references = self.reference_share(uses);
        let (repairs, repair_dollars) = self.charge_repair(projector, &lost, projected);
        let bill = self.bill_request(step, time, raw, projected);
        if self.prepared.copies.contains(&step.answer) {
            return;
        }
        // A repair reads the whole prompt once more, including its unrecorded part.
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
            shortened_bill_dollars: self.prepared.shortened_bills.get(&step.answer).copied(),
        });
    }

    /// Returns the recorded bill and the calculated one for the projected prompt.
    fn bill_request(
        &mut self,
        step: &foveal_engine::plan_step::PlanStep,
        time: Option<Timestamp>,
        raw: PromptCharge,
        projected: PromptCharge,
    ) -> Option<RequestCosts> {
        let rewrites = step.rewrite.is_some_and(|why| why != RewriteReason::ClientRewrote);
        let foveal = if rewrites || raw.kept == RetainedPrefix::All {
            projected.kept
        } else {
            RetainedPrefix::All
        };
        let usage = self.prepared.record.entry(step.answer).usage;
        let is_discounted = self.prepared.shortened_bills.contains_key(&step.answer);
        let Some(usage) = usage.filter(|usage| usage.prompt_tokens() > 0 && !is_discounted) else {
            self.meter.skip_unbilled(raw.kept, foveal);
            return None;
        };
        let request = BilledRequest {
            time,
            usage: &usage,
            charged: None,
            raw: raw.prompt,
            shaped: projected.prompt,
            client: raw.kept,
            foveal,
            has_no_client_breakpoints: false,
        };
        let priced = self.meter.add_request(&request, self.prices);
        if let Some(time) = time {
            let expired = priced.billed.expired;
            let pause = self.pauses.add_request(time, &usage, expired, self.prices);
            let is_copy = self.prepared.copies.contains(&step.answer);
            self.replay.pauses.extend(pause.filter(|_| !is_copy));
        }
        Some(priced)
    }

    /// Updates the projected prompt and its visible text.
    fn update_projection(
        &mut self,
        projector: &Projector,
        step: &foveal_engine::plan_step::PlanStep,
    ) {
        let record = &self.prepared.record;
        let kept = step.kept.min(self.cache.messages().len());
        for message in self.cache.truncate(kept) {
            let index = EntryIndex(message.entry);
            let scan = self.replaced_scans.remove(&message.entry);
            self.visible.remove(scan.as_ref().unwrap_or(&self.prepared.scans[index.as_usize()]));
        }
        for (index, _) in &step.changed {
            self.versions[index.as_usize()] += 1;
            if projector.window().binary_search(index).is_ok_and(|at| at < kept) {
                self.replay.breaches.unfrozen += 1;
            }
        }
        for index in &projector.window()[kept..] {
            let item = projector.entry_state(*index);
            let shape = item.decision.shape();
            if let Some((shape, result)) = shape.zip(record.entry(*index).tool_result()) {
                let scan = TextScan::from_texts(&[&shape.render(&result.content)]);
                self.visible.add(&scan);
                self.replaced_scans.insert(index.0, scan);
            } else {
                self.visible.add(&self.prepared.scans[index.as_usize()]);
            }
            let version = self.versions[index.as_usize()];
            self.cache.push(PromptMessage { entry: index.0, version, tokens: item.tokens });
        }
        self.replay.breaches += laws::check_decisions(record, projector, kept);
    }

    fn evidence_share(&self, uses: &AnswerUses) -> (VisibleShare, Vec<u64>) {
        let mut share = VisibleShare::default();
        let mut lost = Vec::new();
        for line in uses.evidence.iter().filter(|line| self.raw.sources.latest(**line).is_some()) {
            share.used += 1;
            if self.visible.contains_line(*line) {
                share.visible += 1;
            } else {
                lost.push(*line);
            }
        }
        (share, lost)
    }

    fn reference_share(&self, uses: &AnswerUses) -> VisibleShare {
        let mut share = VisibleShare::default();
        for reference in &uses.references {
            if self.raw.references.contains_reference(*reference) {
                share.used += 1;
                share.visible += u64::from(self.visible.contains_reference(*reference));
            }
        }
        share
    }

    /// Charges one more request for each answer with lost lines that no earlier repair fetched: the
    /// cached prompt, a short output, and the omitted part of the results that held them.
    fn charge_repair(
        &mut self,
        projector: &Projector,
        lost: &[u64],
        charge: PromptCharge,
    ) -> (u32, f64) {
        let mut sources: Vec<EntryIndex> = lost
            .iter()
            .filter_map(|line| self.raw.sources.latest(*line))
            .filter(|source| !self.repaired.contains(source))
            .collect();
        sources.sort_unstable();
        sources.dedup();
        if sources.is_empty() {
            return (0, 0.0);
        }
        let region: Tokens = sources
            .iter()
            .map(|source| {
                self.prepared.record.facts(*source).tokens - projector.entry_state(*source).tokens
            })
            .sum();
        self.repaired.extend(sources);
        let dollars = charge.prompt.0 as f64 * self.prices.cache_read
            + REPAIR_OUTPUT_TOKENS * self.prices.output
            + region.0 as f64 * self.prices.cache_write;
        (1, dollars / 1e6)
    }
}

/// Output tokens of the call that fetches omitted content.
const REPAIR_OUTPUT_TOKENS: f64 = 150.0;
