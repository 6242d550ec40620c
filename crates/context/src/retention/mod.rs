//! Policies that decide anew for every request: the seed profiles and the baselines.
//!
//! One policy a file: a function from the present prompt to what stands in results' places.
//! [`Recomputed`] turns one into a projector and declares every change as a rewrite, so
//! that what moving windows do to the provider's cache is counted.

use std::sync::Arc;

use crate::observed::Observed;
use crate::planner::{Item, Step};
use crate::rewrite::RewriteReason;
use crate::shape::{Decision, Shape};
use crate::tokens::Tokens;
use crate::transcript::{Conversation, EntryIndex, Role, Timestamp, Window, WindowChange};

/// What a policy decides from.
pub struct View<'a> {
    /// The conversation; only entries in `window` are to be looked at.
    pub conversation: &'a Conversation,
    /// Its facts.
    pub observed: &'a Observed,
    /// The entries of the prompt, in order.
    pub window: &'a [EntryIndex],
    /// What was decided for the last request, by entry; policies that only ever add to what
    /// they removed before look here.
    pub before: &'a [Item],
}

impl View<'_> {
    /// The tool results in the prompt, in order.
    pub fn results(&self) -> impl DoubleEndedIterator<Item = EntryIndex> + '_ {
        self.window
            .iter()
            .copied()
            .filter(|index| self.conversation.entry(*index).role == Role::Tool)
    }

    /// Tokens of the prompt as it was recorded.
    pub fn raw_tokens(&self) -> Tokens {
        self.window.iter().map(|index| self.observed.facts(*index).tokens).sum()
    }
}

/// A policy: the results that are not sent as recorded, with what stands in their place.
/// A shape that is larger than the original is ignored.
pub type Policy = fn(&View<'_>) -> Vec<(EntryIndex, Shape)>;

/// Applies a [`Policy`] at every request.
#[derive(Debug, Clone)]
pub struct Recomputed {
    policy: Policy,
    window: Window,
    items: Vec<Item>,
    sent: usize,
}

impl Recomputed {
    /// A projector at the start of a conversation.
    pub fn new(policy: Policy) -> Self {
        Self { policy, window: Window::default(), items: Vec::new(), sent: 0 }
    }

    /// Plans the request that `answer` answers, as [`crate::planner::Planner::advance`] does.
    pub fn advance(
        &mut self,
        conversation: &Conversation,
        observed: &Observed,
        answer: EntryIndex,
        now: Option<Timestamp>,
    ) -> Step {
        let mut kept = self.sent;
        while self.items.len() < answer.at() {
            let index = EntryIndex(self.items.len() as u32);
            self.items.push(Item { tokens: observed.facts(index).tokens, ..Item::default() });
            if let WindowChange::Cut { from } = self.window.push(conversation) {
                kept = kept.min(from);
            }
        }
        let window = self.window.entries().to_vec();
        let view = View { conversation, observed, window: &window, before: self.items.as_slice() };
        let mut shapes = (self.policy)(&view);
        shapes.sort_by_key(|(index, _)| *index);
        let mut changed = Vec::new();
        let mut rewritten = false;
        for (at, index) in window.iter().enumerate() {
            let place = shapes.binary_search_by_key(index, |(shaped, _)| *shaped).ok();
            let (decision, tokens) = match place {
                Some(place) => weigh(conversation, observed, *index, &shapes[place].1),
                None => (Decision::Keep, observed.facts(*index).tokens),
            };
            let item = &mut self.items[index.at()];
            if item.decision != decision {
                rewritten |= at < self.sent;
                kept = kept.min(at);
                changed.push((*index, decision.clone()));
                item.decision = decision;
                item.tokens = tokens;
            }
        }
        self.sent = window.len();
        Step {
            answer,
            time: now,
            changed,
            levels: Vec::new(),
            kept,
            rewrite: rewritten.then_some(RewriteReason::Recomputed),
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
}

fn weigh(
    conversation: &Conversation,
    observed: &Observed,
    index: EntryIndex,
    shape: &Shape,
) -> (Decision, Tokens) {
    let raw = observed.facts(index).tokens;
    let Some(result) = conversation.entry(index).result() else { return (Decision::Keep, raw) };
    let tokens = observed.tokenizer().count(&shape.render(&result.content));
    if tokens < raw {
        (Decision::Replace(Arc::new(shape.clone())), tokens)
    } else {
        (Decision::Keep, raw)
    }
}
