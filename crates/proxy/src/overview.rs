//! An overview of a conversation's prompt for the user: for each message its size, its cost, and
//! the reason for its current form.

use std::collections::HashMap;
use std::sync::Arc;

use foveal_engine::engine::Engine;
use foveal_engine::entry_facts::CallFacts;
use foveal_engine::message_shape::ShapeKind;
use foveal_engine::overrides::{OverrideError, OverrideState, ResultOverride};
use foveal_engine::plan_step::{EntryState, RewriteReason};
use foveal_engine::reduction_level::ReductionLevel;
use foveal_engine::savings_balance::SentRequest;
use foveal_engine::shaping::pipeline::clear_result;
use foveal_pricing::prices::PriceCard;
use foveal_pricing::tokens::Tokens;
use foveal_transcript::{EntryIndex, MessageRole, Timestamp};

use crate::models::ModelTraits;
use crate::recorder::PlannedStep;

/// The prompt of a conversation.
#[derive(Debug, Clone, PartialEq)]
pub struct PromptOverview {
    /// Tokens in front of the messages: system prompt and tools, unless these are messages.
    pub prelude: Tokens,
    /// The cost of the prelude so far, in US dollars.
    pub prelude_cost: f64,
    /// The messages, in order.
    pub entries: Vec<PromptEntry>,
    /// The sizes of all requests so far.
    pub requests: Vec<SentRequest>,
    /// The model's window, in tokens.
    pub window: Tokens,
    /// The model's prices.
    pub prices: PriceCard,
}

/// One message of the prompt. Overrides since the last request count as applied.
#[derive(Debug, Clone, PartialEq)]
pub struct PromptEntry {
    /// Its index in the record of the conversation.
    pub index: EntryIndex,
    /// Its role.
    pub role: MessageRole,
    /// The call that it is the result of.
    pub call: Option<Arc<CallFacts>>,
    /// The file that the call is about, if it is exactly one.
    pub path: Option<String>,
    /// Tokens of the whole message.
    pub whole: Tokens,
    /// Tokens that are sent of it.
    pub sent: Tokens,
    /// Its cost so far, in US dollars; see [`EntryCosts`](foveal_engine::entry_costs::EntryCosts).
    pub cost: f64,
    /// Its state by the user's overrides.
    pub pinning: OverrideState,
    /// Whether only a part of it is sent.
    pub is_reduced: bool,
    /// The reason for its current form.
    pub reason: &'static str,
    /// The additional cost of the next request if all of it is sent again, in US dollars; `None` if
    /// all of it is sent, or if it cannot be restored.
    pub restore_cost: Option<f64>,
    /// The additional cost of the next request if a note replaces it; negative if that pays at
    /// once.
    pub drop_cost: Option<f64>,
}

/// The state from which an overview is made.
pub(crate) struct OverviewInputs<'a> {
    pub(crate) engine: &'a Engine,
    pub(crate) steps: &'a [PlannedStep],
    pub(crate) model: &'a ModelTraits,
    /// The model's window, in tokens.
    pub(crate) window: Tokens,
    pub(crate) now: Timestamp,
    /// The user's overrides since the last request.
    pub(crate) overrides: &'a [ResultOverride],
}

impl OverviewInputs<'_> {
    pub(crate) fn build_overview(&self) -> PromptOverview {
        let (record, planner) = (self.engine.record(), self.engine.planner());
        let reasons = self.reasons();
        // Messages since the last request stand behind the sent ones.
        let known = planner.sent_requests().last().map_or(0, |last| last.answer.as_usize());
        let new = (known..record.len()).map(|at| EntryIndex(at as u32));
        let window: Vec<EntryIndex> = self.engine.window().iter().copied().chain(new).collect();
        PromptOverview {
            prelude: self.engine.prelude(),
            prelude_cost: planner.entry_costs().prelude(),
            entries: window
                .iter()
                .map(|index| self.prompt_entry(*index, known, &reasons))
                .collect(),
            requests: planner.sent_requests().to_vec(),
            window: self.window,
            prices: self.model.prices.clone(),
        }
    }

    /// Returns the reason of each result's last rewrite.
    fn reasons(&self) -> HashMap<EntryIndex, RewriteReason> {
        let mut reasons = HashMap::new();
        for planned in self.steps {
            let Some(reason) = planned.step.rewrite else { continue };
            reasons.extend(planned.step.levels.iter().map(|(index, _)| (*index, reason)));
        }
        reasons
    }

    fn prompt_entry(
        &self,
        index: EntryIndex,
        known: usize,
        reasons: &HashMap<EntryIndex, RewriteReason>,
    ) -> PromptEntry {
        let (record, planner) = (self.engine.record(), self.engine.planner());
        let (entry, facts) = (record.entry(index), record.facts(index));
        let is_sent = index.as_usize() < known;
        let new = EntryState { tokens: facts.tokens, ..EntryState::default() };
        let item = if is_sent { self.engine.entry_state(index) } else { &new };
        let wanted = self.overrides.iter().rev().find(|wish| wish.entry == index);
        let standing = wanted.map_or(item.override_state, |wish| wish.standing);
        let note = || clear_result(record, index).map_or(facts.tokens, |(_, tokens)| tokens);
        let sent = match wanted {
            Some(wish) if wish.is_whole => facts.tokens,
            Some(wish) if wish.level == ReductionLevel::Note => note(),
            Some(_) | None => item.tokens,
        };
        let allows = |wish: ResultOverride| match planner.check_override(record, &wish) {
            Ok(()) => true,
            // An override since the last request may be replaced by another one.
            Err(OverrideError::IsSo | OverrideError::NoShorter) => wanted.is_some(),
            Err(_) => false,
        };
        let costs = |tokens: Tokens| self.added_cost(index, is_sent, item.tokens, tokens);
        let less = sent < facts.tokens;
        let restore_cost =
            (less && allows(ResultOverride::restored(index))).then(|| costs(facts.tokens));
        let can_drop = standing != OverrideState::Dropped && entry.role == MessageRole::Tool;
        let drop_cost = (can_drop && allows(ResultOverride::dropped(index))).then(|| costs(note()));
        PromptEntry {
            index,
            role: entry.role,
            path: facts.call.as_deref().and_then(single_path),
            call: facts.call.clone(),
            whole: facts.tokens,
            sent,
            cost: planner.entry_costs().entry(index),
            pinning: standing,
            is_reduced: wanted.map_or(item.decision.shape().is_some(), |wish| !wish.is_whole),
            reason: explain_form(item, standing, reasons.get(&index).copied()),
            restore_cost,
            drop_cost,
        }
    }

    /// Returns the additional cost of the next request if an entry takes `after` tokens in it, in
    /// US dollars: the entry, and everything behind it, is written instead of read.
    fn added_cost(&self, index: EntryIndex, is_sent: bool, before: Tokens, after: Tokens) -> f64 {
        let PriceCard { input, cache_read, cache_write, .. } = self.model.prices;
        let planner = self.engine.planner();
        let is_cached = self.model.prices.cache_lifetime_ms.is_some();
        let is_warm = is_cached && is_sent && !planner.is_expired(Some(self.now));
        let write = if is_cached { cache_write } else { input };
        let read = if is_warm { cache_read } else { write };
        let behind = if is_sent { planner.tokens_behind(index).0 } else { 0 };
        let (before, after, behind) = (before.0 as f64, after.0 as f64, behind as f64);
        (after * write - before * read + behind * (write - read)) / 1e6
    }
}

/// Returns the path of a call that is about exactly one file.
fn single_path(call: &CallFacts) -> Option<String> {
    let reads = call.effect.reads.iter().map(|read| &read.path);
    let mut paths = reads.chain(call.effect.writes.iter().map(|write| &write.path));
    let first = paths.next()?;
    paths.all(|path| path == first).then(|| first.clone())
}

/// Returns the reason for the current form of an entry.
fn explain_form(
    item: &EntryState,
    standing: OverrideState,
    rewritten: Option<RewriteReason>,
) -> &'static str {
    match standing {
        OverrideState::Pinned => return "you pinned it",
        OverrideState::Dropped => return "you dropped it",
        OverrideState::Whole if item.level == ReductionLevel::Arrival => {
            return "you restored it";
        }
        OverrideState::Whole | OverrideState::Free => {}
    }
    let Some(shape) = item.decision.shape() else { return "not reduced" };
    if item.level != ReductionLevel::Arrival {
        return rewritten.map_or("reduced in a later request", RewriteReason::description);
    }
    arrival_reason(shape.kind)
}

/// Returns the reason for the form that a result has had since its arrival.
pub fn arrival_reason(kind: ShapeKind) -> &'static str {
    match kind {
        ShapeKind::Pointer => "the same content is already above",
        ShapeKind::Delta => "the rest is already above",
        ShapeKind::Compacted => "written more compactly, with nothing missing",
        ShapeKind::Excerpt => "long: only its beginning, its end and failures are sent",
        ShapeKind::Curated => "only the lines that matter to the conversation are sent",
        ShapeKind::Summary | ShapeKind::Outline => "only its structure is sent",
        ShapeKind::Note => "only a note is sent",
    }
}
