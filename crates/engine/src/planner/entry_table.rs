//! The decision on each entry, and the facts that later decisions on it use.

use foveal_pricing::tokens::Tokens;
use foveal_transcript::{EntryIndex, MessageRole};

use crate::conversation_record::ConversationRecord;
use crate::file_interest::FileInterestTable;
use crate::message_shape::{Decision, MessageShape};
use crate::overrides::ResultOverride;
use crate::plan_step::EntryState;
use crate::reduction_level::{ReductionLevel, ResultAge};
use crate::settings::RewriteSettings;
use crate::shaping::pipeline::ShapeDependencies;
use crate::views::ChosenViews;

/// The entries of a conversation as planned so far. The lists have an element for each entry.
#[derive(Debug, Clone, Default)]
pub(crate) struct EntryTable {
    /// The decisions.
    pub(crate) states: Vec<EntryState>,
    /// The dependencies of each shape that this planner made.
    pub(crate) dependencies: Vec<Option<ShapeDependencies>>,
    /// The entries of the window that a rewrite may reduce, in order.
    pub(crate) reducible: Vec<EntryIndex>,
    /// The views chosen for reads.
    pub(crate) chosen_views: ChosenViews,
    /// The files that the conversation mentioned, read or edited.
    pub(crate) interest: FileInterestTable,
}

impl EntryTable {
    /// Returns the index of the next entry.
    pub(crate) fn next_index(&self) -> EntryIndex {
        EntryIndex(self.states.len() as u32)
    }

    /// Adds the next entry, which arrives with request `request`.
    pub(crate) fn push(&mut self, record: &ConversationRecord, request: u32) -> EntryIndex {
        let index = self.next_index();
        let (entry, facts) = (record.entry(index), record.facts(index));
        let has_uses = entry.role == MessageRole::Tool || facts.has_long_edit;
        let age = ResultAge { arrived: request, last_use: request, dead_since: None };
        let age = has_uses.then_some(age);
        // Counted as recorded until it is shaped.
        self.states.push(EntryState { tokens: facts.tokens, age, ..EntryState::default() });
        self.dependencies.push(None);
        self.interest.ingest(entry, facts, request);
        index
    }

    /// Returns the state of an entry.
    pub(crate) fn state(&self, index: EntryIndex) -> &EntryState {
        &self.states[index.as_usize()]
    }

    /// Returns the decision on an entry with its tokens.
    pub(crate) fn decision(&self, index: EntryIndex) -> (Decision, Tokens) {
        let state = self.state(index);
        (state.decision.clone(), state.tokens)
    }

    /// Sets the decision on an entry.
    pub(crate) fn set_decision(&mut self, index: EntryIndex, decision: Decision, tokens: Tokens) {
        // A pointer to a message shows that it still matters.
        let shape = decision.shape();
        let arrived = self.state(index).age.map_or(0, |age| age.arrived);
        for target in shape.map(MessageShape::referenced_entries).unwrap_or_default() {
            if let Some(age) = &mut self.states[target.as_usize()].age {
                age.last_use = age.last_use.max(arrived);
            }
        }
        let state = &mut self.states[index.as_usize()];
        (state.decision, state.tokens) = (decision, tokens);
    }

    /// Sets the levels of a rewrite.
    pub(crate) fn set_levels(&mut self, levels: &[(EntryIndex, ReductionLevel)]) {
        for (index, level) in levels {
            self.states[index.as_usize()].level = *level;
        }
    }

    /// Sets an override before request `request`; returns whether it changes what is sent.
    pub(crate) fn set_override(&mut self, wish: &ResultOverride, request: u32) -> bool {
        let at = wish.entry.as_usize();
        let state = &mut self.states[at];
        let changes = state.is_changed_by(wish);
        (state.override_state, state.level) = (wish.standing, wish.level);
        if let Some(age) = &mut state.age {
            age.last_use = request;
        }
        if changes {
            self.dependencies[at] = None;
        }
        changes
    }

    /// Returns whether a rewrite may ever reduce the entry. No level makes an entry larger, so
    /// small ones are excluded.
    pub(crate) fn is_reducible(
        &self,
        record: &ConversationRecord,
        rewrite: Option<&RewriteSettings>,
        index: EntryIndex,
    ) -> bool {
        self.state(index).age.is_some()
            && rewrite.is_some_and(|rewrite| record.facts(index).tokens >= rewrite.tokens_min)
    }

    /// Marks the results in `dead` (in window order) as dead weight before request `request`, and
    /// clears all others.
    pub(crate) fn mark_dead_weight(&mut self, dead: &[EntryIndex], request: u32) {
        let mut dead = dead.iter().peekable();
        for index in &self.reducible {
            let is_dead = dead.next_if_eq(&index).is_some();
            if let Some(age) = &mut self.states[index.as_usize()].age {
                age.dead_since = is_dead.then(|| age.dead_since.unwrap_or(request));
            }
        }
        // No level is below a note, and in a long conversation most entries end there.
        let states = &self.states;
        self.reducible.retain(|index| states[index.as_usize()].level != ReductionLevel::Note);
    }
}
