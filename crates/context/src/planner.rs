//! The planner: from one request to the next, what stands in each result's place.
//!
//! [`Planner::advance`] takes the entries that came since the last request, shapes what is
//! new and freezes it, and at the rare moments when that pays rewrites what is old. The
//! same transcript, settings, prices and request times give the same decisions.

use std::collections::HashMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::ledger::Ledger;
use crate::observed::{LineHash, Observed};
use crate::prices::PriceCard;
use crate::rewrite::{self, Level, RewriteReason};
use crate::settings::Settings;
use crate::shape::Decision;
use crate::shaping::arrival;
use crate::tokens::Tokens;
use crate::transcript::{Conversation, EntryIndex, Role, Timestamp, Window, WindowChange};

/// What is decided about one entry, and what it weighs.
#[derive(Debug, Clone, Default)]
pub struct Item {
    /// What stands in its place.
    pub decision: Decision,
    /// Tokens of what is sent.
    pub tokens: Tokens,
    /// How far it has been reduced.
    pub level: Level,
}

/// What one request's planning changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// The response the request is answered by.
    pub answer: EntryIndex,
    /// Decisions that are new or differ from what was sent before; all others stand.
    pub changed: Vec<(EntryIndex, Decision)>,
    /// Levels raised by a rewrite.
    pub levels: Vec<(EntryIndex, Level)>,
    /// First window position whose bytes are not those of the last request; the length of
    /// the last request's window if it only grew.
    pub kept: usize,
    /// Why results that were already sent changed, if any did.
    pub rewrite: Option<RewriteReason>,
}

/// Plans one conversation, request by request.
#[derive(Debug, Clone)]
pub struct Planner {
    pub(crate) settings: Arc<Settings>,
    pub(crate) prices: PriceCard,
    pub(crate) window: Window,
    pub(crate) items: Vec<Item>,
    pub(crate) rent: rewrite::Rent,
    ledger: Ledger,
    keys: HashMap<LineHash, EntryIndex>,
    requests: u32,
    sent: usize,
    last_request: Option<Timestamp>,
}

impl Planner {
    /// A planner at the start of a conversation.
    pub fn new(settings: Settings, prices: PriceCard) -> Self {
        Self {
            settings: Arc::new(settings),
            prices,
            window: Window::default(),
            items: Vec::new(),
            rent: rewrite::Rent::default(),
            ledger: Ledger::default(),
            keys: HashMap::new(),
            requests: 0,
            sent: 0,
            last_request: None,
        }
    }

    /// The entries of the prompt, in order.
    pub fn window(&self) -> &[EntryIndex] {
        self.window.entries()
    }

    /// What was decided about an entry.
    pub fn item(&self, index: EntryIndex) -> &Item {
        &self.items[index.at()]
    }

    /// Tokens of the prompt as projected.
    pub fn tokens(&self) -> Tokens {
        self.window.entries().iter().map(|index| self.item(*index).tokens).sum()
    }

    /// Requests planned so far.
    pub fn requests(&self) -> u32 {
        self.requests
    }

    /// Plans the request that `answer` answers: takes the entries before it. `now` is when
    /// the request is sent, as far as known. Entries must have been observed.
    pub fn advance(
        &mut self,
        conversation: &Conversation,
        observed: &Observed,
        answer: EntryIndex,
        now: Option<Timestamp>,
    ) -> Step {
        let cut = self.take_entries(conversation, answer);
        let reason = self.rewrite_reason(cut, now);
        let settings = Arc::clone(&self.settings);
        let levels = settings.rewrite.as_ref().map_or_else(rewrite::Choice::default, |settings| {
            rewrite::choose(self, &rewrite::Ask { conversation, observed, settings, reason })
        });
        for (index, level) in &levels.levels {
            self.items[index.at()].level = *level;
        }
        let from = self.first_position(cut, &levels.levels);
        let changed = self.fold(conversation, observed, from);
        self.requests += 1;
        let kept = from.min(self.sent);
        self.sent = self.window.entries().len();
        self.last_request = now.or(self.last_request);
        Step {
            answer,
            changed,
            rewrite: if levels.levels.is_empty() { None } else { levels.reason },
            levels: levels.levels,
            kept,
        }
    }

    fn take_entries(&mut self, conversation: &Conversation, answer: EntryIndex) -> Option<usize> {
        let mut cut: Option<usize> = None;
        while self.items.len() < answer.at() {
            self.items.push(Item::default());
            if let WindowChange::Cut { from } = self.window.push(conversation) {
                cut = Some(cut.map_or(from, |cut| cut.min(from)));
            }
        }
        cut
    }

    fn rewrite_reason(&self, cut: Option<usize>, now: Option<Timestamp>) -> Option<RewriteReason> {
        if cut.is_some_and(|from| from < self.sent) {
            return Some(RewriteReason::ClientRewrote);
        }
        let lifetime = self.prices.cache_lifetime_ms;
        match (self.last_request, now, lifetime) {
            (Some(last), Some(now), Some(lifetime)) if now.since_ms(last) > lifetime => {
                Some(RewriteReason::CacheCold)
            }
            _ => None,
        }
    }

    /// Where folding has to start: the first position that is new, cut or rewritten.
    fn first_position(&self, cut: Option<usize>, levels: &[(EntryIndex, Level)]) -> usize {
        let first = levels.iter().map(|(index, _)| *index).min();
        let rewritten = first.map(|first| self.window.entries().partition_point(|i| *i < first));
        [Some(self.sent), cut, rewritten].into_iter().flatten().min().unwrap_or(0)
    }

    /// Shapes the window from position `from` on, in order, against what stands before.
    fn fold(
        &mut self,
        conversation: &Conversation,
        observed: &Observed,
        from: usize,
    ) -> Vec<(EntryIndex, Decision)> {
        let window = self.window.entries().to_vec();
        let stay = &window[..from.min(window.len())];
        self.ledger.retain(|entry| stay.binary_search(&entry).is_ok());
        self.keys.retain(|_, entry| stay.binary_search(entry).is_ok());
        let mut changed = Vec::new();
        for index in &window[stay.len()..] {
            let decision = self.decide(conversation, observed, *index);
            let item = &mut self.items[index.at()];
            if decision != item.decision {
                changed.push((*index, decision.clone()));
            }
            item.decision = decision;
        }
        changed
    }

    fn decide(
        &mut self,
        conversation: &Conversation,
        observed: &Observed,
        index: EntryIndex,
    ) -> Decision {
        let entry = conversation.entry(index);
        let facts = observed.facts(index);
        let mut decision = Decision::Keep;
        let mut tokens = facts.tokens;
        let mut shown: Vec<_> = (0u32..).zip(facts.hashes.iter().copied()).collect();
        let mut whole = None;
        if let (Role::Tool, Some(result)) = (entry.role, entry.result()) {
            let key = facts.call.as_ref().map(|call| LineHash::of(&call.key));
            let ask = arrival::Ask {
                conversation,
                observed,
                ledger: &self.ledger,
                settings: &self.settings,
                index,
                level: self.items[index.at()].level,
                asked_again: self.asked_again(conversation, index, key),
            };
            if let Some(shaped) = arrival::shape(&ask) {
                let text = shaped.shape.render(&result.content);
                let count = observed.tokenizer().count(&text);
                if count < tokens {
                    tokens = count;
                    shown = shaped.shown;
                    decision = Decision::Replace(Arc::new(shaped.shape));
                }
            }
            if decision == Decision::Keep {
                whole = Some(LineHash::of(&result.content));
            }
            if let Some(key) = key {
                self.keys.insert(key, index);
            }
        }
        self.ledger.show(index, shown, whole);
        self.items[index.at()].tokens = tokens;
        decision
    }

    /// Whether the same call was answered by a replacement in the last response's results:
    /// who asks again at once needs the content.
    fn asked_again(
        &self,
        conversation: &Conversation,
        index: EntryIndex,
        key: Option<LineHash>,
    ) -> bool {
        let Some(earlier) = key.and_then(|key| self.keys.get(&key)) else { return false };
        let step = conversation.entry(index).source.step;
        let responses_between = conversation.entries[earlier.at()..index.at()]
            .iter()
            .filter(|entry| entry.role == Role::Assistant)
            .count();
        let near = responses_between <= 1 && conversation.entry(*earlier).source.step != step;
        near && self.items[earlier.at()].decision.shape().is_some()
    }
}
