//! What all requests of one gateway come to, for a line at its end.

use foveal_context::tokens::Tokens;
use foveal_gateway::exchange::Exchange;

use crate::numbers;
use crate::requests::Request;

/// Requests of one gateway, added up.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Totals {
    requests: u64,
    asked: u64,
    sent: u64,
    failed: u64,
    inactive: u64,
    refused: u64,
    /// Of how many requests it is known what they cost.
    billed: u64,
    /// US dollars.
    cost: f64,
    /// US dollars that it would have cost without foveal.
    without: f64,
}

impl Totals {
    /// Adds a request that asks a model. What keeps caches warm costs too, and is no request.
    pub(super) fn add(&mut self, exchange: &Exchange, request: &Request) {
        if !exchange.asks_model() {
            return;
        }
        if let Some((cost, without)) = request.dollars() {
            self.cost += cost;
            self.without += without;
            self.billed += 1;
        }
        if exchange.refresh.is_some() {
            return;
        }
        self.requests += 1;
        self.asked += exchange.about.tokens_asked;
        self.sent += exchange.about.tokens_sent;
        self.failed += u64::from(exchange.failed_open.is_some());
        self.inactive += u64::from(exchange.about.inactive.is_some());
    }

    /// Adds a request that went nowhere.
    pub(super) fn add_refused(&mut self) {
        self.refused += 1;
    }

    /// Whether no request came at all.
    pub(crate) fn is_empty(&self) -> bool {
        self.requests == 0 && self.refused == 0
    }

    /// In one line.
    pub(crate) fn line(&self) -> String {
        let mut line = numbers::plural(self.requests, "request");
        if self.asked > 0 {
            let saved = numbers::change(self.sent as f64 / self.asked as f64 - 1.0);
            let [asked, sent] = [self.asked, self.sent].map(|count| numbers::tokens(Tokens(count)));
            line.push_str(&format!(", {asked} -> {sent} tokens ({saved})"));
        }
        if self.billed > 0 {
            let saved = numbers::signed_dollars(self.without - self.cost);
            line.push_str(&format!(", {} ({saved} saved)", numbers::dollars(self.cost)));
        }
        for (count, what) in [
            (self.failed, "passed undecided"),
            (self.inactive, "inactive"),
            (self.refused, "refused"),
        ] {
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
        let totals = Totals {
            requests: 12,
            asked: 200_000,
            sent: 150_000,
            inactive: 1,
            billed: 11,
            cost: 0.42,
            without: 0.55,
            ..Totals::default()
        };
        assert_eq!(
            totals.line(),
            "12 requests, 200.0k -> 150.0k tokens (-25.0 %), $0.42 ($0.13 saved), 1 inactive"
        );
        let refused = Totals { refused: 2, ..Totals::default() };
        assert_eq!(refused.line(), "0 requests, 2 refused");
        assert!(Totals::default().is_empty() && !refused.is_empty());
    }
}
