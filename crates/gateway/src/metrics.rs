//! Counters for `/metrics`, in Prometheus' text format. Names and labels are fixed here: they hold
//! nothing that a client chose, and no content of messages.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use foveal_pricing::bill::Bill;

use crate::exchange::Exchange;
use crate::request_record::RequestCharge;
use crate::traces::ExportStats;

/// Upper bounds of the histogram of added latency, in seconds.
const ADDED_SECONDS_BOUNDS: [f64; 12] =
    [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0];

/// Counters since the start of the gateway.
#[derive(Debug, Default)]
pub(crate) struct Metrics {
    /// By protocol, outcome and the first digit of the status.
    requests: BTreeMap<(&'static str, &'static str, &'static str), u64>,
    tokens_asked: u64,
    tokens_sent: u64,
    billed: Bill,
    bill_without: Bill,
    failed_open: BTreeMap<&'static str, u64>,
    inactive: BTreeMap<&'static str, u64>,
    client_changes: BTreeMap<&'static str, u64>,
    rewrites: u64,
    /// New results that only point at an earlier one.
    repeats: u64,
    marks: u64,
    added_buckets: [u64; ADDED_SECONDS_BOUNDS.len()],
    added_seconds: f64,
    added_count: u64,
    unlogged: u64,
}

impl Metrics {
    /// Counts a request that the log's queue had no space for.
    pub(crate) fn count_unlogged(&mut self) {
        self.unlogged += 1;
    }

    pub(crate) fn count_exchange(&mut self, exchange: &Exchange, charged: Option<&RequestCharge>) {
        let about = &exchange.report;
        let protocol = exchange.protocol.map_or("none", foveal_protocols::Protocol::name);
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
        self.tokens_asked += about.tokens_received;
        self.tokens_sent += about.tokens_sent;
        if let Some(charged) = charged {
            self.billed += charged.priced.billed;
            self.bill_without += charged.priced.otherwise;
        }
        if let Some(failed) = exchange.failed_open {
            *self.failed_open.entry(failed.name()).or_default() += 1;
        }
        if let Some(kind) = about.inactive_kind {
            *self.inactive.entry(kind).or_default() += 1;
        }
        if let Some(departed) = &about.divergence {
            *self.client_changes.entry(departed.changed.label()).or_default() += 1;
        }
        self.rewrites += u64::from(about.rewrite.is_some());
        self.repeats += about.reductions.iter().filter(|reduced| reduced.is_repeat).count() as u64;
        self.marks += about.breakpoints;
        if exchange.protocol.is_some() && !exchange.added_latency.is_zero() {
            let seconds = exchange.added_latency.as_secs_f64();
            for (count, bound) in self.added_buckets.iter_mut().zip(ADDED_SECONDS_BOUNDS) {
                *count += u64::from(seconds <= bound);
            }
            self.added_seconds += seconds;
            self.added_count += 1;
        }
    }

    /// Returns the page in Prometheus' text format.
    pub(crate) fn render(&self, traces: Option<ExportStats>) -> String {
        let mut page = PrometheusPage::default();
        page.begin_metric("foveal_build_info", "gauge", "The running version.");
        page.push_sample("", &[("version", env!("CARGO_PKG_VERSION"))], 1.0);
        page.begin_metric("foveal_requests_total", "counter", "Requests by outcome.");
        for ((protocol, outcome, status), count) in &self.requests {
            let labels = [("protocol", *protocol), ("outcome", *outcome), ("status", *status)];
            page.push_sample("", &labels, *count as f64);
        }
        let help = "Prompt tokens as sent by clients, where counted.";
        page.push_metric(
            "foveal_prompt_tokens_asked_total",
            "counter",
            help,
            self.tokens_asked as f64,
        );
        let help = "Prompt tokens of the same requests, as sent upstream.";
        page.push_metric(
            "foveal_prompt_tokens_sent_total",
            "counter",
            help,
            self.tokens_sent as f64,
        );
        self.render_bill(&mut page);
        let help = "Requests passed through without a new decision, by reason.";
        page.push_labelled_counter("foveal_failed_open_total", help, "reason", &self.failed_open);
        let help = "Requests that could not be reduced, by reason.";
        page.push_labelled_counter("foveal_inactive_total", help, "reason", &self.inactive);
        let help = "Requests in which the client changed earlier content, by what changed.";
        page.push_labelled_counter(
            "foveal_client_changes_total",
            help,
            "what",
            &self.client_changes,
        );
        let help = "Requests that rewrote earlier results.";
        page.push_metric("foveal_rewrites_total", "counter", help, self.rewrites as f64);
        let help = "New results that only point at an earlier one.";
        page.push_metric("foveal_repeated_results_total", "counter", help, self.repeats as f64);
        let help = "Cache breakpoints set by foveal.";
        page.push_metric("foveal_cache_marks_total", "counter", help, self.marks as f64);
        let help = "Requests missing from these metrics because the log queue was full.";
        page.push_metric("foveal_requests_uncounted_total", "counter", help, self.unlogged as f64);
        if let Some(ExportStats { exported: taken, dropped }) = traces {
            let help = "Spans accepted by the trace collector.";
            page.push_metric("foveal_spans_taken_total", "counter", help, taken as f64);
            let help = "Spans that the trace collector rejected, or that could not be sent.";
            page.push_metric("foveal_spans_dropped_total", "counter", help, dropped as f64);
        }
        self.render_added_seconds(&mut page);
        page.0
    }

    fn render_bill(&self, page: &mut PrometheusPage) {
        let help = "Billed tokens, by part of the bill.";
        page.begin_metric("foveal_billed_tokens_total", "counter", help);
        for (part, amount) in self.billed.parts() {
            page.push_sample("", &[("part", part)], amount.tokens as f64);
        }
        let help = "Billed US dollars at list prices, by part of the bill.";
        page.begin_metric("foveal_cost_dollars_total", "counter", help);
        for (part, amount) in self.billed.parts() {
            page.push_sample("", &[("part", part)], amount.dollars);
        }
        let help = "US dollars that the same requests would have cost without foveal.";
        let without = self.bill_without.dollars();
        page.push_metric("foveal_cost_without_dollars_total", "counter", help, without);
        let saved = without - self.billed.dollars();
        page.push_metric(
            "foveal_saved_dollars",
            "gauge",
            "US dollars saved; negative if foveal cost more.",
            saved,
        );
    }

    fn render_added_seconds(&self, page: &mut PrometheusPage) {
        let help = "Seconds from the complete request to the first byte sent upstream.";
        page.begin_metric("foveal_added_seconds", "histogram", help);
        for (count, bound) in self.added_buckets.iter().zip(ADDED_SECONDS_BOUNDS) {
            page.push_sample("_bucket", &[("le", &bound.to_string())], *count as f64);
        }
        page.push_sample("_bucket", &[("le", "+Inf")], self.added_count as f64);
        page.push_sample("_sum", &[], self.added_seconds);
        page.push_sample("_count", &[], self.added_count as f64);
    }
}

/// A page under construction, and the name of its current metric.
#[derive(Default)]
struct PrometheusPage(String, &'static str);

impl PrometheusPage {
    fn begin_metric(&mut self, name: &'static str, kind: &str, help: &str) {
        self.1 = name;
        let _ = write!(self.0, "# HELP {name} {help}\n# TYPE {name} {kind}\n");
    }

    fn push_sample(&mut self, suffix: &str, labels: &[(&str, &str)], value: f64) {
        let _ = write!(self.0, "{}{suffix}", self.1);
        for (at, (label, text)) in labels.iter().enumerate() {
            let before = if at == 0 { '{' } else { ',' };
            let _ = write!(self.0, "{before}{label}=\"{text}\"");
        }
        let after = if labels.is_empty() { "" } else { "}" };
        let _ = writeln!(self.0, "{after} {value}");
    }

    fn push_metric(&mut self, name: &'static str, kind: &str, help: &str, value: f64) {
        self.begin_metric(name, kind, help);
        self.push_sample("", &[], value);
    }

    fn push_labelled_counter(
        &mut self,
        name: &'static str,
        help: &str,
        label: &str,
        counts: &BTreeMap<&'static str, u64>,
    ) {
        self.begin_metric(name, "counter", help);
        for (text, count) in counts {
            self.push_sample("", &[(label, text)], *count as f64);
        }
    }
}

#[cfg(test)]
mod tests;
