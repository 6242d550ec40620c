//! The costs of side agents in a run, and the check of its limits before each question.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use foveal_agent::{AgentInput, LimitKind, ModelPrice, RunLimits, RunTotals, SideModelCharge};
use foveal_proxy::price_overrides::PriceOverrides;

use crate::chosen_model::{ChosenModel, chosen_model_price};

/// Returns the price of a model.
type PriceLookup = dyn Fn(&ChosenModel) -> ModelPrice + Send + Sync;

/// The most events that wait for the run. If there are more, no question is asked until the run has
/// taken them.
const PENDING_EVENTS_MAX: usize = 512;

/// The bill of a run's side agents, shared with the code that drives the run. It checks limits at
/// once: many questions may be asked before the run hears of the first.
pub struct SideBill {
    limits: RunLimits,
    price_lookup: Box<PriceLookup>,
    state: Mutex<SideBillState>,
}

#[derive(Default)]
struct SideBillState {
    /// The costs of the main model.
    main: RunTotals,
    /// The costs of the side agents.
    side: RunTotals,
    /// Unanswered questions, with their least cost.
    open_questions: BTreeMap<u64, SideModelCharge>,
    /// The number of the last question.
    last_number: u64,
    /// Events that the run has not taken yet.
    pending_events: Vec<AgentInput>,
    /// Whether the run has ended.
    is_closed: bool,
}

impl SideBill {
    /// Creates the bill of a run with these limits. The user's own prices (`own`) take precedence
    /// over list prices.
    pub fn with_price_overrides(limits: RunLimits, own: &Arc<PriceOverrides>) -> Arc<Self> {
        let own = Arc::clone(own);
        Self::new(limits, Box::new(move |model| chosen_model_price(model, &own)))
    }

    fn new(limits: RunLimits, price: Box<PriceLookup>) -> Arc<Self> {
        Arc::new(Self { limits, price_lookup: price, state: Mutex::default() })
    }

    /// Returns the price of a model.
    pub(super) fn model_price(&self, model: &ChosenModel) -> ModelPrice {
        (self.price_lookup)(model)
    }

    /// Returns whether a question may be asked now.
    pub(super) fn accepts_questions(&self) -> bool {
        self.lock().accepts_questions(&self.limits)
    }

    /// Returns the limit of the run that is reached, if one is.
    pub(crate) fn reached_limit(&self) -> Option<LimitKind> {
        self.limits.exhausted_limit(&self.lock().total_spent())
    }

    /// Opens a question that costs at least `charge`; `None` if it must not be asked.
    pub(super) fn open_question(self: &Arc<Self>, charge: SideModelCharge) -> Option<OpenQuestion> {
        let mut state = self.lock();
        if !state.accepts_questions(&self.limits) {
            return None;
        }
        state.last_number += 1;
        let number = state.last_number;
        state.open_questions.insert(number, charge.clone());
        state.pending_events.push(AgentInput::SideModelAsked { number, charge });
        drop(state);
        Some(OpenQuestion { bill: Arc::clone(self), number, charge: QuestionCharge::Estimated })
    }

    /// Returns the events since the last call.
    pub(crate) fn take_events(&self) -> Vec<AgentInput> {
        std::mem::take(&mut self.lock().pending_events)
    }

    /// Updates the costs of the main model from the run's costs so far.
    pub(crate) fn set_main_spent(&self, spent: &RunTotals) {
        self.lock().main = spent.without_side_models();
    }

    /// Ends the run: no further question is accepted.
    pub(crate) fn close(&self) {
        self.lock().is_closed = true;
    }

    fn lock(&self) -> MutexGuard<'_, SideBillState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SideBillState {
    /// Returns the costs of all models, open questions included.
    fn total_spent(&self) -> RunTotals {
        let answered = self.main.plus(&RunTotals { time_ms: self.main.time_ms, ..self.side });
        self.open_questions.values().fold(answered, RunTotals::with_side_question)
    }

    fn accepts_questions(&self, limits: &RunLimits) -> bool {
        !self.is_closed
            && self.pending_events.len() < PENDING_EVENTS_MAX
            && limits.exhausted_limit(&self.total_spent()).is_none()
    }
}

/// An open question. If it is dropped unsettled, its estimated charge is billed.
pub(super) struct OpenQuestion {
    bill: Arc<SideBill>,
    number: u64,
    charge: QuestionCharge,
}

enum QuestionCharge {
    Estimated,
    Actual(Option<SideModelCharge>),
}

impl OpenQuestion {
    /// Settles the question; `None` if it cost nothing.
    pub(super) fn settle_charge(mut self, charge: Option<SideModelCharge>) {
        self.charge = QuestionCharge::Actual(charge);
    }
}

impl Drop for OpenQuestion {
    fn drop(&mut self) {
        let number = self.number;
        let mut state = self.bill.lock();
        let asked = state.open_questions.remove(&number);
        let charge = match std::mem::replace(&mut self.charge, QuestionCharge::Estimated) {
            QuestionCharge::Estimated => asked,
            QuestionCharge::Actual(charge) => charge,
        };
        if let Some(charge) = &charge {
            state.side = state.side.with_side_question(charge);
        }
        state.pending_events.push(AgentInput::SideModelAnswered { number, charge });
    }
}

impl fmt::Debug for SideBill {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SideBill").field("limits", &self.limits).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use foveal_agent::{SideModelRole, UsageCharge};

    use super::*;

    const LIMITS: RunLimits =
        RunLimits { turns: None, tokens: Some(100), cost: Some(1.0), time_ms: None };

    fn charge(uncached: u64, cost: f64) -> SideModelCharge {
        let priced = SideModelCharge::from_estimated_tokens(
            SideModelRole::Curator,
            "small",
            uncached,
            0,
            &ModelPrice::Free,
        );
        SideModelCharge { charge: UsageCharge { cost, ..priced.charge }, ..priced }
    }

    fn bill() -> Arc<SideBill> {
        SideBill::new(LIMITS, Box::new(|_| ModelPrice::Free))
    }

    /// A question counts as soon as it is asked: before its answer, and before the run takes the
    /// event.
    #[test]
    fn questions_count_as_soon_as_they_are_asked() {
        let bill = bill();
        let first = bill.open_question(charge(60, 0.0)).expect("nothing was spent");
        let second = bill.open_question(charge(60, 0.0)).expect("60 were spent");
        assert!(!bill.accepts_questions() && bill.open_question(charge(1, 0.0)).is_none());
        // The first costs nothing in the end, and the second less than estimated.
        first.settle_charge(None);
        second.settle_charge(Some(charge(30, 0.5)));
        assert!(bill.accepts_questions());
        let told = bill.take_events();
        let ends = |event: &AgentInput| matches!(event, AgentInput::SideModelAnswered { .. });
        assert_eq!((told.len(), told.iter().filter(|event| ends(event)).count()), (4, 2));
        assert!(bill.take_events().is_empty());
        // Together with the main model's costs, the limit is reached.
        let half = UsageCharge { cost: 0.5, ..UsageCharge::default() };
        bill.set_main_spent(&RunTotals { charge: half, ..RunTotals::default() });
        assert!(!bill.accepts_questions());
    }

    #[test]
    fn a_question_that_breaks_off_costs_what_was_asked() {
        let bill = bill();
        drop(bill.open_question(charge(60, 0.0)));
        assert!(bill.accepts_questions());
        drop(bill.open_question(charge(60, 0.0)));
        assert!(!bill.accepts_questions());
    }

    #[test]
    fn nothing_is_asked_after_the_end_nor_by_who_is_not_heard() {
        let closed = bill();
        closed.close();
        assert!(!closed.accepts_questions());
        let unheard = bill();
        while let Some(question) = unheard.open_question(charge(0, 0.0)) {
            question.settle_charge(None);
        }
        assert!(
            unheard.take_events().len() <= PENDING_EVENTS_MAX + 1 && unheard.accepts_questions()
        );
    }
}
