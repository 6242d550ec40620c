//! What all requests of a run come to.

use std::sync::{Arc, Mutex, PoisonError};

use foveal_context::tokens::Tokens;
use foveal_gateway::exchange::{Exchange, Observer};

use crate::commands::serve::Teller;
use crate::numbers;

/// Requests of a run, added up.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Totals {
    requests: u64,
    asked: u64,
    sent: u64,
    failed: u64,
    inactive: u64,
}

/// Adds up, and passes on what it is told.
pub(super) struct Adding {
    teller: Teller,
    totals: Arc<Mutex<Totals>>,
}

impl Adding {
    pub(super) fn new(teller: Teller) -> (Self, Arc<Mutex<Totals>>) {
        let totals = Arc::<Mutex<Totals>>::default();
        (Self { teller, totals: Arc::clone(&totals) }, totals)
    }
}

impl Observer for Adding {
    fn ended(&self, exchange: &Exchange) {
        if exchange.asks_model() {
            let mut totals = self.totals.lock().unwrap_or_else(PoisonError::into_inner);
            totals.add(exchange);
        }
        self.teller.ended(exchange);
    }

    fn metrics(&self) -> Option<String> {
        self.teller.metrics()
    }
}

impl Totals {
    fn add(&mut self, exchange: &Exchange) {
        if exchange.refresh.is_some() {
            return;
        }
        self.requests += 1;
        self.asked += exchange.about.tokens_asked;
        self.sent += exchange.about.tokens_sent;
        self.failed += u64::from(exchange.failed_open.is_some());
        self.inactive += u64::from(exchange.about.inactive.is_some());
    }

    /// In one line.
    pub(super) fn line(&self) -> String {
        let requests = numbers::plural(self.requests, "request");
        if self.requests == 0 {
            return "foveal: no request came: the agent asked elsewhere, or nothing".to_owned();
        }
        let mut line = format!("foveal: {requests}");
        if self.asked > 0 {
            let saved = numbers::change(self.sent as f64 / self.asked as f64 - 1.0);
            let [asked, sent] = [self.asked, self.sent].map(|count| numbers::tokens(Tokens(count)));
            line.push_str(&format!(", {asked} -> {sent} tokens ({saved})"));
        }
        for (count, what) in [(self.failed, "passed undecided"), (self.inactive, "inactive")] {
            if count > 0 {
                line.push_str(&format!(", {} {what}", numbers::count(count)));
            }
        }
        line
    }
}

#[cfg(test)]
mod tests {
    use super::Totals;

    #[test]
    fn a_line_says_what_was_saved() {
        let totals = Totals { requests: 12, asked: 200_000, sent: 150_000, failed: 0, inactive: 1 };
        let line = totals.line();
        assert_eq!(line, "foveal: 12 requests, 200.0k -> 150.0k tokens (-25.0 %), 1 inactive");
        assert!(Totals::default().line().contains("no request came"));
    }
}
