//! Decisions taken beforehand, one for each entry, that never change: for measuring what a
//! choice made with knowledge of the whole conversation would have been worth.

use std::collections::HashMap;

use super::weigh;
use crate::record::Record;
use crate::shape::Shape;
use crate::step::{Item, RewriteReason, Step};
use foveal_transcript::{EntryIndex, Timestamp, Window, WindowChange};

/// Sends every result in the shape that was chosen for it before the conversation began, and from
/// requests on that were chosen too, in another.
#[derive(Debug, Clone)]
pub struct Fixed {
    window: Window,
    items: Vec<Item>,
    /// What changes at the request that a response answers.
    rewrites: HashMap<EntryIndex, Rewrite>,
    /// Entries taken so far.
    taken: usize,
    sent: usize,
}

/// Results that were sent before and change at one request.
#[derive(Debug, Clone)]
pub struct Rewrite {
    /// Why.
    pub reason: RewriteReason,
    /// What they become. A shape that makes its result no smaller is ignored.
    pub shapes: Vec<(EntryIndex, Shape)>,
}

impl Fixed {
    /// A projector at the start of a conversation, all of which is recorded.
    /// `shapes` are the results not sent as recorded; one that does not make its result
    /// smaller is ignored.
    pub fn new(record: &Record, shapes: &[(EntryIndex, Shape)]) -> Self {
        let count = record.len() as u32;
        let mut items: Vec<Item> = (0..count)
            .map(|at| Item { tokens: record.facts(EntryIndex(at)).tokens, ..Item::default() })
            .collect();
        for (index, shape) in shapes {
            let (decision, tokens) = weigh(record, *index, shape);
            let item = &mut items[index.at()];
            (item.decision, item.tokens) = (decision, tokens);
        }
        Self { window: Window::default(), items, rewrites: HashMap::new(), taken: 0, sent: 0 }
    }

    /// The same with results that change later, by the response before which they do. They have to
    /// be in the prompt then.
    #[must_use]
    pub fn with_rewrites(self, rewrites: HashMap<EntryIndex, Rewrite>) -> Self {
        Self { rewrites, ..self }
    }

    /// Plans the request that `answer` answers, as [`crate::planner::Planner::advance`] does.
    pub fn advance(&mut self, record: &Record, answer: EntryIndex, now: Option<Timestamp>) -> Step {
        let mut kept = self.sent;
        let mut changed = Vec::new();
        while self.taken < answer.at() {
            let index = EntryIndex(self.taken as u32);
            self.taken += 1;
            if let WindowChange::Cut { from } = self.window.push(record.conversation()) {
                kept = kept.min(from);
            }
            let decision = &self.items[index.at()].decision;
            if decision.shape().is_some() {
                changed.push((index, decision.clone()));
            }
        }
        self.sent = self.window.entries().len();
        let rewrite = self.rewrites.remove(&answer);
        for (index, shape) in rewrite.iter().flat_map(|rewrite| &rewrite.shapes) {
            let (decision, tokens) = weigh(record, *index, shape);
            let position = self.window.entries().binary_search(index);
            kept = kept.min(position.unwrap_or(kept));
            let item = &mut self.items[index.at()];
            (item.decision, item.tokens) = (decision.clone(), tokens);
            changed.push((*index, decision));
        }
        Step {
            answer,
            time: now,
            changed,
            levels: Vec::new(),
            wished: Vec::new(),
            chosen: Vec::new(),
            kept,
            rewrite: rewrite.map(|rewrite| rewrite.reason),
            keeps_answer: false,
            base: None,
            backlog: None,
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
