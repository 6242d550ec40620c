//! What stands in the prompt of a conversation, message by message, with what each part takes and
//! costs and why it is sent as it is: for who shows that to a person.

use std::collections::HashMap;
use std::sync::Arc;

use foveal_context::balance::Sent;
use foveal_context::engine::Engine;
use foveal_context::facts::CallFacts;
use foveal_context::level::Level;
use foveal_context::prices::PriceCard;
use foveal_context::shape::ShapeKind;
use foveal_context::step::{Item, RewriteReason};
use foveal_context::tokens::Tokens;
use foveal_context::wish::{Standing, Unwishable, Wish};
use foveal_transcript::{EntryIndex, Role, Timestamp};

use crate::models::Model;
use crate::recorder::Planned;

/// What stands in the prompt of a conversation.
#[derive(Debug, Clone, PartialEq)]
pub struct Overview {
    /// Tokens in front of the messages: system prompt and tools, where these are no messages.
    pub prelude: Tokens,
    /// US dollars that it came to so far.
    pub prelude_cost: f64,
    /// The messages, in order.
    pub entries: Vec<Stands>,
    /// How each request so far was sent.
    pub requests: Vec<Sent>,
    /// Tokens that the model can hold.
    pub window: Tokens,
    /// What the model charges.
    pub prices: PriceCard,
}

/// How one message stands in the prompt. What the person wanted since the last request counts as
/// done.
#[derive(Debug, Clone, PartialEq)]
pub struct Stands {
    /// Its place in the record of the conversation.
    pub index: EntryIndex,
    /// Who says it.
    pub role: Role,
    /// The call that it is the result of.
    pub call: Option<Arc<CallFacts>>,
    /// The file that the call is about, where it is one.
    pub path: Option<String>,
    /// Tokens of all of it.
    pub whole: Tokens,
    /// Tokens of what is sent.
    pub sent: Tokens,
    /// US dollars that it came to so far; see [`Carried`](foveal_context::carried::Carried).
    pub cost: f64,
    /// How it stands by the wish of the person.
    pub standing: Standing,
    /// Whether less than all of it is sent.
    pub is_reduced: bool,
    /// Why it is sent so.
    pub why: &'static str,
    /// US dollars that the next request costs more if all of it is sent again; `None` where all of
    /// it is sent, or that cannot be done.
    pub restore_cost: Option<f64>,
    /// The same if a note stands in its place; less than zero where that pays at once.
    pub drop_cost: Option<f64>,
}

/// What an overview is made of.
pub(crate) struct Seen<'a> {
    pub(crate) engine: &'a Engine,
    pub(crate) steps: &'a [Planned],
    pub(crate) model: &'a Model,
    /// Tokens that the model can hold.
    pub(crate) window: Tokens,
    pub(crate) now: Timestamp,
    /// What the person wanted since the last request.
    pub(crate) wanted: &'a [Wish],
}

impl Seen<'_> {
    pub(crate) fn overview(&self) -> Overview {
        let (record, planner) = (self.engine.record(), self.engine.planner());
        let reasons = self.reasons();
        // What came since the last request stands behind what was sent.
        let known = planner.requests_sent().last().map_or(0, |last| last.answer.at());
        let new = (known..record.len()).map(|at| EntryIndex(at as u32));
        let window: Vec<EntryIndex> = self.engine.window().iter().copied().chain(new).collect();
        Overview {
            prelude: self.engine.prelude(),
            prelude_cost: planner.carried().prelude(),
            entries: window.iter().map(|index| self.stands(*index, known, &reasons)).collect(),
            requests: planner.requests_sent().to_vec(),
            window: self.window,
            prices: self.model.prices.clone(),
        }
    }

    /// Why each result was rewritten last, where one was.
    fn reasons(&self) -> HashMap<EntryIndex, RewriteReason> {
        let mut reasons = HashMap::new();
        for planned in self.steps {
            let Some(reason) = planned.step.rewrite else { continue };
            reasons.extend(planned.step.levels.iter().map(|(index, _)| (*index, reason)));
        }
        reasons
    }

    fn stands(
        &self,
        index: EntryIndex,
        known: usize,
        reasons: &HashMap<EntryIndex, RewriteReason>,
    ) -> Stands {
        let (record, planner) = (self.engine.record(), self.engine.planner());
        let (entry, facts) = (record.entry(index), record.facts(index));
        let is_sent = index.at() < known;
        let new = Item { tokens: facts.tokens, ..Item::default() };
        let item = if is_sent { self.engine.item(index) } else { &new };
        let wanted = self.wanted.iter().rev().find(|wish| wish.entry == index);
        let standing = wanted.map_or(item.standing, |wish| wish.standing);
        let note = || planner.note_tokens(record, index).unwrap_or(facts.tokens);
        let sent = match wanted {
            Some(wish) if wish.is_whole => facts.tokens,
            Some(wish) if wish.level == Level::Note => note(),
            Some(_) | None => item.tokens,
        };
        let allows = |wish: Wish| match planner.check_wish(record, &wish) {
            Ok(()) => true,
            // What the person wanted since may be wanted otherwise.
            Err(Unwishable::IsSo | Unwishable::NoShorter) => wanted.is_some(),
            Err(_) => false,
        };
        let costs = |tokens: Tokens| self.costs(index, (item.tokens, is_sent), tokens);
        let less = sent < facts.tokens;
        let restore_cost = (less && allows(Wish::restored(index))).then(|| costs(facts.tokens));
        let can_drop = standing != Standing::Dropped && entry.role == Role::Tool;
        let drop_cost = (can_drop && allows(Wish::dropped(index))).then(|| costs(note()));
        Stands {
            index,
            role: entry.role,
            path: facts.call.as_deref().and_then(path_of),
            call: facts.call.clone(),
            whole: facts.tokens,
            sent,
            cost: planner.carried().entry(index),
            standing,
            is_reduced: wanted.map_or(item.decision.shape().is_some(), |wish| !wish.is_whole),
            why: why(item, standing, reasons.get(&index).copied()),
            restore_cost,
            drop_cost,
        }
    }

    /// What the next request costs more if an entry takes so many tokens in it: the entry is written
    /// in place of being read, and so is all that stands behind it.
    fn costs(&self, index: EntryIndex, (before, is_sent): (Tokens, bool), after: Tokens) -> f64 {
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

/// The one file that a call is about.
fn path_of(call: &CallFacts) -> Option<String> {
    let reads = call.effect.reads.iter().map(|read| &read.path);
    let mut paths = reads.chain(call.effect.writes.iter().map(|write| &write.path));
    let first = paths.next()?;
    paths.all(|path| path == first).then(|| first.clone())
}

/// Why an entry is sent as it is.
fn why(item: &Item, standing: Standing, rewritten: Option<RewriteReason>) -> &'static str {
    match standing {
        Standing::Pinned => return "you pinned it",
        Standing::Dropped => return "you dropped it",
        Standing::Whole if item.level == Level::Arrival => return "you had it sent again",
        Standing::Whole | Standing::Free => {}
    }
    let Some(shape) = item.decision.shape() else { return "all of it is sent" };
    if item.level != Level::Arrival {
        return rewritten.map_or("it was reduced later", RewriteReason::words);
    }
    arrival_reason(shape.kind)
}

/// Returns why a result is sent in this form from its arrival on, in words.
pub fn arrival_reason(kind: ShapeKind) -> &'static str {
    match kind {
        ShapeKind::Pointer => "the same stands above already",
        ShapeKind::Delta => "the rest stands above already",
        ShapeKind::Compacted => "it is spelled shorter, and nothing is missing",
        ShapeKind::Excerpt => "it is long: its ends and what tells of failures are sent",
        ShapeKind::Curated => "the lines that matter to the conversation are sent",
        ShapeKind::Summary | ShapeKind::Outline => "its structure is sent",
        ShapeKind::Note => "a note is sent",
        ShapeKind::Folded => "its edits are told in a few words",
    }
}
