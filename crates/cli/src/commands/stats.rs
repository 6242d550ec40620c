//! `foveal stats`: the costs of requests that passed the gateway, with and without foveal, and the
//! tokens that tools and hooks left out.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use foveal_agent_runtime::runs;
use foveal_gateway::adaptive_keep_alive::{keep_alive_verdict_path, was_judged_unprofitable};
use foveal_gateway::request_record::{self, GatewayRequest, NonModelRequest};
use foveal_pricing::bill::{Bill, part_label};
use foveal_pricing::tokens::Tokens;
use foveal_screen::escape_one_line;
use foveal_store::SessionStore;
use serde_json::{Map, Value, json};

use super::tool_savings::ToolSavings;
use crate::bill_json;
use crate::environment::Environment;
use crate::numbers::{
    format_count, format_dollars, format_percent_change, format_plural, format_signed_dollars,
    format_tokens,
};
use crate::pager::PrintOptions;
use crate::text_table::{Alignment, ColumnNarrowing, TextTable, wrap_text};
use crate::toolbox;

/// The command line of `foveal stats`.
#[derive(Debug, clap::Args)]
pub(crate) struct StatsArguments {
    /// Counts only requests since then: a duration such as 90m, 12h, 7d or 2w, or a date or time in
    /// UTC such as 2026-11-23 or 2026-11-23T09:00:00Z. If not given, all stored requests.
    #[arg(long, value_name = "WHEN", value_parser = PeriodStart::parse)]
    since: Option<PeriodStart>,
    #[command(flatten)]
    options: PrintOptions,
}

/// The start of the counted period.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PeriodStart {
    /// Milliseconds before now.
    Ago(i64),
    /// Milliseconds since 1970.
    At(i64),
}

impl PeriodStart {
    fn parse(text: &str) -> Result<Self, InvalidStartTime> {
        let at = foveal_session_readers::parse_timestamp(text)
            .or_else(|| foveal_session_readers::parse_timestamp(&format!("{text}T00:00:00Z")));
        if let Some(at) = at {
            return Ok(Self::At(at.0));
        }
        let number = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let minutes: i64 = match &text[number.len()..] {
            "m" => 1,
            "h" => 60,
            "d" => 24 * 60,
            "w" => 7 * 24 * 60,
            _ => return Err(InvalidStartTime),
        };
        let number = number.parse::<u32>().map_err(|_| InvalidStartTime)?;
        Ok(Self::Ago(i64::from(number) * minutes * 60_000))
    }

    fn to_unix_ms(self, now: i64) -> i64 {
        match self {
            Self::Ago(ms) => now.saturating_sub(ms),
            Self::At(ms) => ms,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected a duration such as 90m, 12h, 7d or 2w, or a date such as 2026-11-23 (UTC)")]
struct InvalidStartTime;

/// Prints the costs of requests.
///
/// # Errors
/// If the store cannot be read.
pub(crate) fn run(
    arguments: &StatsArguments,
    environment: &Environment,
) -> anyhow::Result<ExitCode> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let now = i64::try_from(now.as_millis()).unwrap_or(i64::MAX);
    let since = arguments.since.map(|since| since.to_unix_ms(now));
    let store = toolbox::store_path(environment);
    let warmth_is_off =
        store.is_some_and(|store| was_judged_unprofitable(&keep_alive_verdict_path(&store)));
    let mut stats = GatewayStats { is_keep_alive_off: warmth_is_off, ..GatewayStats::default() };
    if let Some(store) = toolbox::open_store_for_reading(environment)? {
        for session in &store.sessions()? {
            if since.is_some_and(|since| session.last_used.0 < since) {
                continue;
            }
            if !request_record::is_gateway_session(session) {
                if !runs::is_main_run(session) && !runs::is_sub_agent_run(session) {
                    stats.tools.add_session(&store, session, since)?;
                }
                continue;
            }
            let mut is_counted = false;
            request_record::for_each_request(&store, &session.id, &mut |kept| {
                if since.is_none_or(|since| kept.request.time >= since) {
                    stats.add_request(&kept.request);
                    let request = &kept.request;
                    is_counted |= request.conversation.is_some() && request.beside.is_none();
                }
            })?;
            stats.conversations += u64::from(is_counted);
        }
    }
    let text = match arguments.options.json {
        true => format!("{:#}\n", stats.to_json(since)),
        false => stats.render_text(arguments.since.is_some(), environment.stdout_columns),
    };
    arguments.options.print(text, environment)?;
    Ok(ExitCode::SUCCESS)
}

/// The totals of all counted requests.
#[derive(Debug, Default)]
struct GatewayStats {
    conversations: u64,
    /// The savings of tools and hooks, outside of the gateway.
    tools: ToolSavings,
    /// Requests for token counts, which ask no model.
    token_counts: u64,
    refused_websockets: u64,
    all: ModelStats,
    models: BTreeMap<String, ModelStats>,
    changed: BTreeMap<String, u64>,
    failed_open: BTreeMap<String, u64>,
    inactive: BTreeMap<String, u64>,
    rewrites: BTreeMap<String, u64>,
    added_ms: Vec<f64>,
    /// True if keep-alives did not pay off and are therefore disabled.
    is_keep_alive_off: bool,
}

/// The lowest HTTP status of a failed request.
const FAILURE_STATUS_MIN: u16 = 400;

/// The totals of one model, or of all.
#[derive(Debug, Default)]
struct ModelStats {
    requests: u64,
    /// The number of keep-alives by foveal.
    refreshes: u64,
    /// The number of requests with known costs.
    billed_requests: u64,
    /// The number of requests that an error answered. Their tokens are not counted.
    failed_requests: u64,
    tokens_asked: u64,
    tokens_sent: u64,
    bill: Bill,
    bill_without_foveal: Bill,
    prices: Option<String>,
}

impl ModelStats {
    fn add_request(&mut self, request: &GatewayRequest) {
        self.refreshes += u64::from(request.refresh.is_some());
        self.requests += u64::from(request.refresh.is_none());
        if request.status >= FAILURE_STATUS_MIN {
            self.failed_requests += u64::from(request.refresh.is_none());
            return;
        }
        self.tokens_asked += request.tokens_asked;
        self.tokens_sent += request.tokens_sent;
        if let (Some(bill), Some(without)) = (request.bill, request.without) {
            self.billed_requests += u64::from(request.refresh.is_none());
            self.bill += bill;
            self.bill_without_foveal += without;
            self.prices.clone_from(&request.prices);
        }
    }

    fn saved_dollars(&self) -> f64 {
        self.bill_without_foveal.dollars() - self.bill.dollars()
    }

    /// Returns the relative change of the costs by foveal; `None` if there are none.
    fn cost_change(&self) -> Option<f64> {
        let without = self.bill_without_foveal.dollars();
        (without > 0.0).then(|| self.bill.dollars() / without - 1.0)
    }

    fn to_json(&self) -> Map<String, Value> {
        let value = json!({
            "requests": self.requests,
            "requests_billed": self.billed_requests,
            "requests_failed": self.failed_requests,
            "refreshes": self.refreshes,
            "tokens_asked": self.tokens_asked,
            "tokens_sent": self.tokens_sent,
            "bill": bill_json::bill_to_json(&self.bill),
            "without": bill_json::bill_to_json(&self.bill_without_foveal),
            "saved_dollars": self.saved_dollars(),
            "cost_change": self.cost_change(),
        });
        match value {
            Value::Object(fields) => fields,
            _ => Map::new(),
        }
    }

    fn has_known_cost(&self) -> bool {
        self.billed_requests > 0
    }

    fn table_row(&self, name: String) -> Vec<String> {
        let dollars = match self.has_known_cost() {
            true => [
                format_dollars(self.bill.dollars()),
                format_dollars(self.bill_without_foveal.dollars()),
                format_signed_dollars(self.saved_dollars()),
            ],
            false if self.failed_requests == self.requests => Default::default(),
            false => ["unknown".to_owned(), String::new(), String::new()],
        };
        let mut row = vec![
            name,
            format_count(self.requests),
            format_tokens(Tokens(self.tokens_asked)),
            format_tokens(Tokens(self.tokens_sent)),
        ];
        row.extend(dollars);
        row.push(self.cost_change().map(format_percent_change).unwrap_or_default());
        row
    }
}

impl GatewayStats {
    fn add_request(&mut self, request: &GatewayRequest) {
        match request.beside {
            Some(NonModelRequest::TokenCount) => self.token_counts += 1,
            Some(NonModelRequest::RefusedWebsocket) => self.refused_websockets += 1,
            None => self.add_model_request(request),
        }
    }

    /// Adds a request that asks a model.
    fn add_model_request(&mut self, request: &GatewayRequest) {
        self.all.add_request(request);
        let model = request.model_answered.as_ref().or(request.model.as_ref());
        let model = model.map_or("-", String::as_str);
        self.models.entry(model.to_owned()).or_default().add_request(request);
        let changed = request.changed.as_ref().map(|changed| &changed.what);
        for (counts, reason) in [
            (&mut self.changed, changed),
            (&mut self.failed_open, request.failed_open.as_ref()),
            (&mut self.inactive, request.inactive.as_ref()),
            (&mut self.rewrites, request.rewrite.as_ref()),
        ] {
            if let Some(reason) = reason {
                *counts.entry(reason.clone()).or_default() += 1;
            }
        }
        if request.refresh.is_none() {
            self.added_ms.push(request.added_ms);
        }
    }

    /// Returns a quantile, in thousandths, of the time that foveal added to requests, in
    /// milliseconds.
    fn added_ms_quantile(&self, of_thousand: usize) -> Option<f64> {
        let mut all = self.added_ms.clone();
        all.sort_by(f64::total_cmp);
        all.get((all.len() * of_thousand / 1000).min(all.len().saturating_sub(1))).copied()
    }

    fn to_json(&self, since: Option<i64>) -> Value {
        let models: Vec<Value> = self
            .models
            .iter()
            .map(|(name, group)| {
                let mut fields = group.to_json();
                fields.insert("model".to_owned(), json!(name));
                fields.insert("prices".to_owned(), json!(group.prices));
                Value::Object(fields)
            })
            .collect();
        let mut fields = self.all.to_json();
        for (name, value) in [
            ("since_ms", json!(since)),
            ("conversations", json!(self.conversations)),
            ("beside_gateway", json!(self.tools)),
            (
                "beside",
                json!({
                    "token_counts": self.token_counts,
                    "refused_websockets": self.refused_websockets,
                }),
            ),
            ("models", Value::Array(models)),
            ("client_changes", json!(self.changed)),
            ("failed_open", json!(self.failed_open)),
            ("inactive", json!(self.inactive)),
            ("rewrites", json!(self.rewrites)),
            ("keep_warm_is_off", json!(self.is_keep_alive_off)),
            (
                "added_ms",
                json!({ "p50": self.added_ms_quantile(500), "p99": self.added_ms_quantile(990) }),
            ),
        ] {
            fields.insert(name.to_owned(), value);
        }
        Value::Object(fields)
    }

    fn render_text(&self, is_part: bool, width: Option<usize>) -> String {
        let beside = self.describe_non_model_requests();
        if self.all.requests == 0 && beside.is_empty() {
            let since = if is_part { " since then" } else { "" };
            let none = format!("no requests passed a gateway{since}: see `foveal serve --help`\n");
            return none + &self.tools.render_text();
        }
        let mut text = format!(
            "{} in {}\n{beside}",
            format_plural(self.all.requests, "request"),
            format_plural(self.conversations, "conversation")
        );
        text.push_str(&self.tools.render_text());
        if self.all.requests == 0 {
            return text;
        }
        text.push('\n');
        text.push_str(&self.models_table(width));
        if self.all.has_known_cost() {
            text.push('\n');
            text.push_str(&bill_table(&self.all.bill, &self.all.bill_without_foveal, width));
        }
        let failed = self.all.failed_requests;
        if failed > 0 {
            let many = format_plural(failed, "request");
            let _ = writeln!(text, "\n{many} failed: their tokens are not counted");
        }
        let unbilled = self.all.requests - self.all.billed_requests - failed;
        if unbilled > 0 {
            let many = format_plural(unbilled, "request");
            let _ = writeln!(
                text,
                "\nno bill for {many}: the usage was not reported, or the price is unknown"
            );
        }
        for (what, counts) in [
            ("the client changed earlier messages", &self.changed),
            ("earlier results were rewritten", &self.rewrites),
            ("no new reductions", &self.failed_open),
            ("not reduced", &self.inactive),
        ] {
            for (reason, many) in counts {
                let line = format!("{what}, {}: {reason}", format_plural(*many, "time"));
                let line = escape_one_line(&line).into_owned();
                text.push_str(&wrap_text(&line, width.unwrap_or(usize::MAX), "  "));
            }
        }
        if self.all.refreshes > 0 {
            let many = format_plural(self.all.refreshes, "time");
            let _ = writeln!(text, "a cache was kept warm {many}");
        }
        if self.is_keep_alive_off {
            text.push_str("caches are no longer kept warm: it cost more than it saved\n");
        }
        if let (Some(median), Some(most)) =
            (self.added_ms_quantile(500), self.added_ms_quantile(990))
        {
            let _ = writeln!(
                text,
                "added latency: median {median:.1} ms, 99th percentile {most:.1} ms"
            );
        }
        text
    }

    /// Returns a line about requests that ask no model; empty if there are none.
    fn describe_non_model_requests(&self) -> String {
        let counts = [
            (self.token_counts, "token-count request"),
            (self.refused_websockets, "refused WebSocket"),
        ];
        let counts = counts.into_iter().filter(|(many, _)| *many > 0);
        let counts: Vec<String> = counts.map(|(many, what)| format_plural(many, what)).collect();
        match counts.is_empty() {
            true => String::new(),
            false => format!("plus {}, which are free\n", counts.join(" and ")),
        }
    }

    fn models_table(&self, width: Option<usize>) -> String {
        let right = Alignment::Right;
        let columns = [
            ("model", Alignment::Left),
            ("requests", right),
            ("received", right),
            ("sent", right),
            ("cost", right),
            ("without", right),
            ("saved", right),
            ("", right),
        ];
        let mut table = TextTable::new(columns.to_vec())
            .with_narrowing(&["received", "sent"], ColumnNarrowing::Dropped(1))
            .with_narrowing(&["model"], ColumnNarrowing::CutEnd);
        for (name, group) in &self.models {
            table.push_row(group.table_row(escape_one_line(name).into_owned()));
        }
        if self.models.len() > 1 {
            table.push_row(self.all.table_row("all".to_owned()));
        }
        table.render(width, "see --json")
    }
}

/// Renders a bill by cause beside the bill without foveal.
pub(super) fn bill_table(bill: &Bill, without: &Bill, width: Option<usize>) -> String {
    let right = Alignment::Right;
    let columns = [
        ("billed for", Alignment::Left),
        ("tokens", right),
        ("cost", right),
        ("share", right),
        ("without foveal", right),
    ];
    let mut table = TextTable::new(columns.to_vec());
    let all = bill.dollars();
    let row = |name: &str, count: String, cost: f64, without: f64| {
        let share = if all > 0.0 { format!("{:.1} %", cost / all * 100.0) } else { String::new() };
        vec![name.to_owned(), count, format_dollars(cost), share, format_dollars(without)]
    };
    for ((key, part), (_, without)) in bill.parts().into_iter().zip(without.parts()) {
        if part.tokens > 0 || without.tokens > 0 {
            let count = format_tokens(Tokens(part.tokens));
            table.push_row(row(part_label(key), count, part.dollars, without.dollars));
        }
    }
    table.push_row(row("all", String::new(), all, without.dollars()));
    table.render(width, "see --json")
}

#[cfg(test)]
mod tests {
    use super::{InvalidStartTime, PeriodStart};

    #[test]
    fn times_are_read() {
        assert_eq!(PeriodStart::parse("90m"), Ok(PeriodStart::Ago(5_400_000)));
        assert_eq!(PeriodStart::parse("7d"), Ok(PeriodStart::Ago(604_800_000)));
        assert_eq!(PeriodStart::parse("1970-01-02"), Ok(PeriodStart::At(86_400_000)));
        assert_eq!(PeriodStart::parse("1970-01-01T00:00:01Z"), Ok(PeriodStart::At(1_000)));
        for text in ["", "7", "d", "7y", "-1d", "7 d", "yesterday", "99999999999d", "7dd", "ä"] {
            assert_eq!(PeriodStart::parse(text), Err(InvalidStartTime), "{text}");
        }
    }
}
