//! What models beside the main one cost a run, and whether they may be asked for it any more.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use foveal_agent::{Event, Limit, Limits, SideCharge, Spent};
use foveal_context::prices::PriceCard;

use crate::models::Chosen;

/// What a model costs; `None`: nothing.
pub(crate) type PriceOf = dyn Fn(&Chosen) -> Option<PriceCard> + Send + Sync;

/// Questions that the run was not told of yet. Where there are more, none is asked until it was.
const NEWS_MAX: usize = 512;

/// Shared by the models beside a run and by who drives it. Whether one is asked is decided here at
/// once: many questions go before the run hears of the first.
pub(crate) struct SideBill {
    limits: Limits,
    price: Box<PriceOf>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// What the main model came to.
    main: Spent,
    /// What those beside it came to.
    side: Spent,
    /// Questions that are not answered, with what they cost at least.
    asked: BTreeMap<u64, SideCharge>,
    /// The number of the last question.
    number: u64,
    /// What the run is to be told.
    news: Vec<Event>,
    /// Whether the run has ended.
    is_closed: bool,
}

impl SideBill {
    /// Of a run with these limits.
    pub(crate) fn new(limits: Limits, price: Box<PriceOf>) -> Arc<Self> {
        Arc::new(Self { limits, price, state: Mutex::default() })
    }

    /// What a model costs.
    pub(super) fn price(&self, model: &Chosen) -> Option<PriceCard> {
        (self.price)(model)
    }

    /// Whether a model may be asked.
    pub(super) fn may_ask(&self) -> bool {
        self.lock().may_ask(&self.limits)
    }

    /// Which limit of the run is reached, if one is.
    pub(crate) fn limit(&self) -> Option<Limit> {
        self.limits.used_up(&self.lock().spent())
    }

    /// A question is asked that costs at least this; `None`: it may not be asked.
    pub(super) fn ask(self: &Arc<Self>, charge: SideCharge) -> Option<Question> {
        let mut state = self.lock();
        if !state.may_ask(&self.limits) {
            return None;
        }
        state.number += 1;
        let number = state.number;
        state.asked.insert(number, charge.clone());
        state.news.push(Event::SideAsked { number, charge });
        drop(state);
        Some(Question { bill: Arc::clone(self), number, charge: Charge::AsAsked })
    }

    /// What the run is to be told since this was asked last.
    pub(crate) fn news(&self) -> Vec<Event> {
        std::mem::take(&mut self.lock().news)
    }

    /// What the run came to so far.
    pub(crate) fn know(&self, spent: &Spent) {
        self.lock().main = spent.main();
    }

    /// The run has ended.
    pub(crate) fn close(&self) {
        self.lock().is_closed = true;
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// What all came to, with what is asked.
    fn spent(&self) -> Spent {
        let answered = self.main.and(&Spent { time_ms: self.main.time_ms, ..self.side });
        self.asked.values().fold(answered, Spent::with_side)
    }

    fn may_ask(&self, limits: &Limits) -> bool {
        !self.is_closed && self.news.len() < NEWS_MAX && limits.used_up(&self.spent()).is_none()
    }
}

/// A question that is asked. Dropped, it costs what it was said to cost.
pub(super) struct Question {
    bill: Arc<SideBill>,
    number: u64,
    charge: Charge,
}

enum Charge {
    AsAsked,
    Told(Option<SideCharge>),
}

impl Question {
    /// It is over; `None`: it cost nothing.
    pub(super) fn costs(mut self, charge: Option<SideCharge>) {
        self.charge = Charge::Told(charge);
    }
}

impl Drop for Question {
    fn drop(&mut self) {
        let number = self.number;
        let mut state = self.bill.lock();
        let asked = state.asked.remove(&number);
        let charge = match std::mem::replace(&mut self.charge, Charge::AsAsked) {
            Charge::AsAsked => asked,
            Charge::Told(charge) => charge,
        };
        if let Some(charge) = &charge {
            state.side = state.side.with_side(charge);
        }
        state.news.push(Event::SideAnswered { number, charge });
    }
}

impl fmt::Debug for SideBill {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SideBill").field("limits", &self.limits).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use foveal_agent::{Charge, SideKind};

    use super::*;

    const LIMITS: Limits =
        Limits { turns: None, tokens: Some(100), cost: Some(1.0), time_ms: None };

    fn charge(uncached: u64, cost: f64) -> SideCharge {
        let priced = SideCharge::estimated((SideKind::Curator, "small"), (uncached, 0), None);
        SideCharge { charge: Charge { cost, ..priced.charge }, ..priced }
    }

    fn bill() -> Arc<SideBill> {
        SideBill::new(LIMITS, Box::new(|_| None))
    }

    /// What is asked at once counts before it is answered, and before the run has heard of it.
    #[test]
    fn questions_count_as_soon_as_they_are_asked() {
        let bill = bill();
        let first = bill.ask(charge(60, 0.0)).expect("nothing was spent");
        let second = bill.ask(charge(60, 0.0)).expect("60 were spent");
        assert!(!bill.may_ask() && bill.ask(charge(1, 0.0)).is_none());
        // The first costs nothing after all, the second less than was thought.
        first.costs(None);
        second.costs(Some(charge(30, 0.5)));
        assert!(bill.may_ask());
        let told = bill.news();
        let ends = |event: &Event| matches!(event, Event::SideAnswered { .. });
        assert_eq!((told.len(), told.iter().filter(|event| ends(event)).count()), (4, 2));
        assert!(bill.news().is_empty());
        // With what the main model came to, the money is used up.
        let half = Charge { cost: 0.5, ..Charge::default() };
        bill.know(&Spent { charge: half, ..Spent::default() });
        assert!(!bill.may_ask());
    }

    #[test]
    fn a_question_that_breaks_off_costs_what_was_asked() {
        let bill = bill();
        drop(bill.ask(charge(60, 0.0)));
        assert!(bill.may_ask());
        drop(bill.ask(charge(60, 0.0)));
        assert!(!bill.may_ask());
    }

    #[test]
    fn nothing_is_asked_after_the_end_nor_by_who_is_not_heard() {
        let closed = bill();
        closed.close();
        assert!(!closed.may_ask());
        let unheard = bill();
        while let Some(question) = unheard.ask(charge(0, 0.0)) {
            question.costs(None);
        }
        assert!(unheard.news().len() <= NEWS_MAX + 1 && unheard.may_ask());
    }
}
