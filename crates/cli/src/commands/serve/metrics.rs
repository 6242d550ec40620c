//! Counts for `/metrics`, in Prometheus' text format. Names and labels are fixed here: nothing that
//! a client chose, and nothing that was said, is in them.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use foveal_context::bill::Bill;
use foveal_gateway::exchange::Exchange;
use foveal_gateway::traces::Sent;

use super::books::Charged;

/// Upper bounds of the time that is added to a request, in seconds.
const ADDED_BOUNDS: [f64; 12] =
    [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0];

/// What was counted since the start.
#[derive(Debug, Default)]
pub(super) struct Metrics {
    /// By protocol, outcome and the first digit of the status.
    requests: BTreeMap<(&'static str, &'static str, &'static str), u64>,
    asked: u64,
    sent: u64,
    billed: Bill,
    without: Bill,
    failed_open: BTreeMap<&'static str, u64>,
    inactive: BTreeMap<&'static str, u64>,
    changed: BTreeMap<&'static str, u64>,
    rewrites: u64,
    marks: u64,
    added: [u64; ADDED_BOUNDS.len()],
    added_seconds: f64,
    added_count: u64,
    lost: u64,
}

impl Metrics {
    /// A request was not told of.
    pub(super) fn lost(&mut self) {
        self.lost += 1;
    }

    pub(super) fn count(&mut self, exchange: &Exchange, charged: Option<&Charged>) {
        let about = &exchange.about;
        let protocol = exchange.protocol.map_or("none", foveal_wire::Protocol::name);
        let status = match exchange.status {
            200..300 => "2xx",
            300..400 => "3xx",
            400..500 => "4xx",
            500..600 => "5xx",
            _ => "other",
        };
        if exchange.refresh.is_none() {
            *self.requests.entry((protocol, exchange.end.name(), status)).or_default() += 1;
        }
        self.asked += about.tokens_asked;
        self.sent += about.tokens_sent;
        if let Some(charged) = charged {
            self.billed += charged.priced.billed;
            self.without += charged.priced.otherwise;
        }
        if let Some(failed) = exchange.failed_open {
            *self.failed_open.entry(failed.name()).or_default() += 1;
        }
        if let Some(kind) = about.inactive_kind {
            *self.inactive.entry(kind).or_default() += 1;
        }
        if let Some(departed) = &about.departed {
            *self.changed.entry(departed.changed.words()).or_default() += 1;
        }
        self.rewrites += u64::from(about.rewrite.is_some());
        self.marks += about.marks;
        if exchange.protocol.is_some() && !exchange.added.is_zero() {
            let seconds = exchange.added.as_secs_f64();
            for (count, bound) in self.added.iter_mut().zip(ADDED_BOUNDS) {
                *count += u64::from(seconds <= bound);
            }
            self.added_seconds += seconds;
            self.added_count += 1;
        }
    }

    /// All of it as text.
    pub(super) fn render(&self, traces: Option<Sent>) -> String {
        let mut page = Page::default();
        page.begin("foveal_build_info", "gauge", "The version that runs.");
        page.sample("", &[("version", env!("CARGO_PKG_VERSION"))], 1.0);
        page.begin("foveal_requests_total", "counter", "Requests, by how their answers ended.");
        for ((protocol, outcome, status), count) in &self.requests {
            let labels = [("protocol", *protocol), ("outcome", *outcome), ("status", *status)];
            page.sample("", &labels, *count as f64);
        }
        let help = "Tokens of prompts as clients sent them, as far as counted.";
        page.one("foveal_prompt_tokens_asked_total", "counter", help, self.asked as f64);
        let help = "Tokens of the same prompts as they went.";
        page.one("foveal_prompt_tokens_sent_total", "counter", help, self.sent as f64);
        self.bill(&mut page);
        let help = "Requests for which nothing new was decided, by reason.";
        page.by("foveal_failed_open_total", help, "reason", &self.failed_open);
        let help = "Requests for which nothing could be done, by reason.";
        page.by("foveal_inactive_total", help, "reason", &self.inactive);
        let help = "Requests in which a client changed what it had sent before, by what changed.";
        page.by("foveal_client_changes_total", help, "what", &self.changed);
        let help = "Requests in which results changed that had been sent before.";
        page.one("foveal_rewrites_total", "counter", help, self.rewrites as f64);
        let help = "Marks for the provider's cache that foveal set.";
        page.one("foveal_cache_marks_total", "counter", help, self.marks as f64);
        let help = "Requests that were not counted here because too many waited.";
        page.one("foveal_requests_uncounted_total", "counter", help, self.lost as f64);
        if let Some(Sent { taken, dropped }) = traces {
            let help = "Spans that the collector of traces took.";
            page.one("foveal_spans_taken_total", "counter", help, taken as f64);
            let help = "Spans that it did not take, or that could not be sent to it.";
            page.one("foveal_spans_dropped_total", "counter", help, dropped as f64);
        }
        self.added(&mut page);
        page.0
    }

    fn bill(&self, page: &mut Page) {
        let help = "Tokens as billed, by why they were paid for.";
        page.begin("foveal_billed_tokens_total", "counter", help);
        for (part, amount) in self.billed.parts() {
            page.sample("", &[("part", part)], amount.tokens as f64);
        }
        let help = "US dollars as billed, by why they were paid, at list prices.";
        page.begin("foveal_cost_dollars_total", "counter", help);
        for (part, amount) in self.billed.parts() {
            page.sample("", &[("part", part)], amount.dollars);
        }
        let help = "US dollars that the same requests would have cost without foveal.";
        let without = self.without.dollars();
        page.one("foveal_cost_without_dollars_total", "counter", help, without);
        let saved = without - self.billed.dollars();
        page.one("foveal_saved_dollars", "gauge", "US dollars that were saved.", saved);
    }

    fn added(&self, page: &mut Page) {
        let help = "From the whole request to the first byte towards the upstream.";
        page.begin("foveal_added_seconds", "histogram", help);
        for (count, bound) in self.added.iter().zip(ADDED_BOUNDS) {
            page.sample("_bucket", &[("le", &bound.to_string())], *count as f64);
        }
        page.sample("_bucket", &[("le", "+Inf")], self.added_count as f64);
        page.sample("_sum", &[], self.added_seconds);
        page.sample("_count", &[], self.added_count as f64);
    }
}

/// A page under construction, and the metric that is written.
#[derive(Default)]
struct Page(String, &'static str);

impl Page {
    fn begin(&mut self, name: &'static str, kind: &str, help: &str) {
        self.1 = name;
        let _ = write!(self.0, "# HELP {name} {help}\n# TYPE {name} {kind}\n");
    }

    fn sample(&mut self, suffix: &str, labels: &[(&str, &str)], value: f64) {
        let _ = write!(self.0, "{}{suffix}", self.1);
        for (at, (label, text)) in labels.iter().enumerate() {
            let before = if at == 0 { '{' } else { ',' };
            let _ = write!(self.0, "{before}{label}=\"{text}\"");
        }
        let after = if labels.is_empty() { "" } else { "}" };
        let _ = writeln!(self.0, "{after} {value}");
    }

    fn one(&mut self, name: &'static str, kind: &str, help: &str, value: f64) {
        self.begin(name, kind, help);
        self.sample("", &[], value);
    }

    fn by(
        &mut self,
        name: &'static str,
        help: &str,
        label: &str,
        counts: &BTreeMap<&'static str, u64>,
    ) {
        self.begin(name, "counter", help);
        for (text, count) in counts {
            self.sample("", &[(label, text)], *count as f64);
        }
    }
}

#[cfg(test)]
mod tests;
