//! Totals of all requests of one gateway run, for the line that it prints when it ends.

use foveal_screen::numbers;

use crate::exchange::Exchange;
use crate::request_record::GatewayRequest;

/// The totals of all requests of one gateway run.
#[derive(Debug, Default, Clone, Copy)]
pub struct GatewayTotals {
    requests: u64,
    tokens_asked: u64,
    tokens_sent: u64,
    failed: u64,
    inactive: u64,
    refused: u64,
    /// The number of requests with a known cost.
    priced: u64,
    /// US dollars.
    cost: f64,
    /// US dollars, estimated for the same requests without foveal.
    cost_without: f64,
}

impl GatewayTotals {
    /// Adds an exchange, if it asked a model. A keep-alive request adds its cost and is not counted
    /// as a request.
    pub fn add_exchange(&mut self, exchange: &Exchange, request: &GatewayRequest) {
        if !exchange.asks_model() {
            return;
        }
        if let Some((cost, without)) = request.billed_and_baseline_dollars() {
            self.cost += cost;
            self.cost_without += without;
            self.priced += 1;
        }
        if exchange.refresh.is_some() {
            return;
        }
        self.requests += 1;
        self.tokens_asked += exchange.report.tokens_received;
        self.tokens_sent += exchange.report.tokens_sent;
        self.failed += u64::from(exchange.failed_open.is_some());
        self.inactive += u64::from(exchange.report.inactive_reason.is_some());
    }

    /// Adds a request that the gateway refused.
    pub fn add_refused(&mut self) {
        self.refused += 1;
    }

    /// Returns whether there was no request at all.
    pub fn is_empty(&self) -> bool {
        self.requests == 0 && self.refused == 0
    }

    /// Returns the totals in one line.
    pub fn summary_line(&self) -> String {
        let mut line = numbers::format_plural(self.requests, "request");
        if self.tokens_asked > 0 {
            let saved = numbers::format_percent_change(
                self.tokens_sent as f64 / self.tokens_asked as f64 - 1.0,
            );
            let [asked, sent] = [self.tokens_asked, self.tokens_sent].map(numbers::format_tokens);
            line.push_str(&format!(", {asked} -> {sent} tokens ({saved})"));
        }
        if self.priced > 0 {
            let saved = self.cost_without - self.cost;
            let what = if saved < -0.000_05 { "more than without foveal" } else { "saved" };
            let [cost, saved] = [self.cost, saved.abs()].map(numbers::format_dollars);
            line.push_str(&format!(", {cost} ({saved} {what})"));
        }
        for (count, what) in [
            (self.failed, "passed through unchanged"),
            (self.inactive, "inactive"),
            (self.refused, "refused"),
        ] {
            if count > 0 {
                line.push_str(&format!(", {} {what}", numbers::format_count(count)));
            }
        }
        line
    }
}

#[cfg(test)]
mod tests {
    use super::GatewayTotals;

    #[test]
    fn a_line_says_what_was_saved() {
        let totals = GatewayTotals {
            requests: 12,
            tokens_asked: 200_000,
            tokens_sent: 150_000,
            inactive: 1,
            priced: 11,
            cost: 0.42,
            cost_without: 0.55,
            ..GatewayTotals::default()
        };
        assert_eq!(
            totals.summary_line(),
            "12 requests, 200.0k -> 150.0k tokens (-25.0 %), $0.42 ($0.13 saved), 1 inactive"
        );
        let dearer = GatewayTotals { cost_without: 0.40, ..totals };
        assert_eq!(
            dearer.summary_line(),
            "12 requests, 200.0k -> 150.0k tokens (-25.0 %), $0.42 ($0.0200 more than without \
             foveal), 1 inactive"
        );
        let refused = GatewayTotals { refused: 2, ..GatewayTotals::default() };
        assert_eq!(refused.summary_line(), "0 requests, 2 refused");
        assert!(GatewayTotals::default().is_empty() && !refused.is_empty());
    }
}
