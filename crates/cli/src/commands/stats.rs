//! `foveal stats`: what requests that passed the gateway cost and would have cost without it, and
//! what tools and hooks left out.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use foveal_context::bill::{Bill, words};
use foveal_context::tokens::Tokens;
use foveal_screen::in_one_line;
use foveal_store::Store;
use serde_json::{Map, Value, json};

use super::tool_savings::ToolSavings;
use crate::bill;
use crate::commands::serve::{has_not_paid_before, warm_file};
use crate::environment::Environment;
use crate::numbers::{change, count, dollars, plural, signed_dollars, tokens};
use crate::pager::PrintOptions;
use crate::requests::{self, Beside, Request};
use crate::runs;
use crate::table::{Narrow, Side, Table, wrapped};
use crate::toolbox;

/// The command line of `foveal stats`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Counts requests from then on: so long ago, as 90m, 12h, 7d or 2w, or at a day or time in UTC,
    /// as 2026-11-23 or 2026-11-23T09:00:00Z. If not given, all that are kept.
    #[arg(long, value_name = "WHEN", value_parser = Since::parse)]
    since: Option<Since>,
    #[command(flatten)]
    options: PrintOptions,
}

/// From when on requests are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Since {
    /// So many milliseconds ago.
    Ago(i64),
    /// At this time, in milliseconds since 1970.
    At(i64),
}

impl Since {
    fn parse(text: &str) -> Result<Self, NotATime> {
        let at = foveal_wire::parse_timestamp(text)
            .or_else(|| foveal_wire::parse_timestamp(&format!("{text}T00:00:00Z")));
        if let Some(at) = at {
            return Ok(Self::At(at.0));
        }
        let number = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let minutes: i64 = match &text[number.len()..] {
            "m" => 1,
            "h" => 60,
            "d" => 24 * 60,
            "w" => 7 * 24 * 60,
            _ => return Err(NotATime),
        };
        let number = number.parse::<u32>().map_err(|_| NotATime)?;
        Ok(Self::Ago(i64::from(number) * minutes * 60_000))
    }

    fn from(self, now: i64) -> i64 {
        match self {
            Self::Ago(ms) => now.saturating_sub(ms),
            Self::At(ms) => ms,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected is how long ago, as 90m, 12h, 7d or 2w, or when, as 2026-11-23 (UTC)")]
struct NotATime;

/// Prints what requests cost.
///
/// # Errors
/// If the store cannot be used.
pub(crate) fn run(arguments: &Arguments, environment: &Environment) -> anyhow::Result<ExitCode> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let now = i64::try_from(now.as_millis()).unwrap_or(i64::MAX);
    let since = arguments.since.map(|since| since.from(now));
    let store = toolbox::store_path(environment);
    let warmth_is_off = store.is_some_and(|store| has_not_paid_before(&warm_file(&store)));
    let mut stats = Stats { warmth_is_off, ..Stats::default() };
    if let Some(store) = toolbox::store_to_read(environment)? {
        for session in &store.sessions()? {
            if since.is_some_and(|since| session.used.0 < since) {
                continue;
            }
            if !requests::is_of_gateway(session) {
                if !runs::is_run(session) && !runs::is_agent(session) {
                    stats.tools.add(&store, session, since)?;
                }
                continue;
            }
            let mut is_counted = false;
            requests::each(&store, &session.id, &mut |kept| {
                if since.is_none_or(|since| kept.request.time >= since) {
                    stats.add(&kept.request);
                    let request = &kept.request;
                    is_counted |= request.conversation.is_some() && request.beside.is_none();
                }
            })?;
            stats.conversations += u64::from(is_counted);
        }
    }
    let text = match arguments.options.json {
        true => format!("{:#}\n", stats.json(since)),
        false => stats.text(arguments.since.is_some(), environment.width),
    };
    arguments.options.print(text, environment)?;
    Ok(ExitCode::SUCCESS)
}

/// What requests came to.
#[derive(Debug, Default)]
struct Stats {
    conversations: u64,
    /// What was saved beside the gateway.
    tools: ToolSavings,
    /// Those that ask no model.
    token_counts: u64,
    refused_websockets: u64,
    all: Group,
    models: BTreeMap<String, Group>,
    changed: BTreeMap<String, u64>,
    failed_open: BTreeMap<String, u64>,
    inactive: BTreeMap<String, u64>,
    rewrites: BTreeMap<String, u64>,
    added_ms: Vec<f64>,
    /// Whether keeping caches warm has not paid, and so is off.
    warmth_is_off: bool,
}

/// Requests of one model, or all.
#[derive(Debug, Default)]
struct Group {
    requests: u64,
    /// What foveal itself asked, to keep caches warm.
    refreshes: u64,
    /// Those of which it is known what they cost.
    billed: u64,
    tokens_asked: u64,
    tokens_sent: u64,
    bill: Bill,
    without: Bill,
    prices: Option<String>,
}

impl Group {
    fn add(&mut self, request: &Request) {
        self.refreshes += u64::from(request.refresh.is_some());
        self.requests += u64::from(request.refresh.is_none());
        self.tokens_asked += request.tokens_asked;
        self.tokens_sent += request.tokens_sent;
        if let (Some(bill), Some(without)) = (request.bill, request.without) {
            self.billed += u64::from(request.refresh.is_none());
            self.bill += bill;
            self.without += without;
            self.prices.clone_from(&request.prices);
        }
    }

    fn saved(&self) -> f64 {
        self.without.dollars() - self.bill.dollars()
    }

    /// The change of the cost against that without foveal.
    fn change(&self) -> Option<f64> {
        let without = self.without.dollars();
        (without > 0.0).then(|| self.bill.dollars() / without - 1.0)
    }

    fn json(&self) -> Map<String, Value> {
        let value = json!({
            "requests": self.requests,
            "requests_billed": self.billed,
            "refreshes": self.refreshes,
            "tokens_asked": self.tokens_asked,
            "tokens_sent": self.tokens_sent,
            "bill": bill::json(&self.bill),
            "without": bill::json(&self.without),
            "saved_dollars": self.saved(),
            "cost_change": self.change(),
        });
        match value {
            Value::Object(fields) => fields,
            _ => Map::new(),
        }
    }

    fn row(&self, name: String) -> Vec<String> {
        vec![
            name,
            count(self.requests),
            tokens(Tokens(self.tokens_asked)),
            tokens(Tokens(self.tokens_sent)),
            dollars(self.bill.dollars()),
            dollars(self.without.dollars()),
            signed_dollars(self.saved()),
            self.change().map(change).unwrap_or_default(),
        ]
    }
}

impl Stats {
    fn add(&mut self, request: &Request) {
        match request.beside {
            Some(Beside::TokenCount) => self.token_counts += 1,
            Some(Beside::RefusedWebsocket) => self.refused_websockets += 1,
            None => self.add_question(request),
        }
    }

    /// Adds a request that asks a model.
    fn add_question(&mut self, request: &Request) {
        self.all.add(request);
        let model = request.model_answered.as_ref().or(request.model.as_ref());
        let model = model.map_or("-", String::as_str);
        self.models.entry(model.to_owned()).or_default().add(request);
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

    /// The time that was added to requests, below which so many of a thousand lie.
    fn added(&self, of_thousand: usize) -> Option<f64> {
        let mut all = self.added_ms.clone();
        all.sort_by(f64::total_cmp);
        all.get((all.len() * of_thousand / 1000).min(all.len().saturating_sub(1))).copied()
    }

    fn json(&self, since: Option<i64>) -> Value {
        let models: Vec<Value> = self
            .models
            .iter()
            .map(|(name, group)| {
                let mut fields = group.json();
                fields.insert("model".to_owned(), json!(name));
                fields.insert("prices".to_owned(), json!(group.prices));
                Value::Object(fields)
            })
            .collect();
        let mut fields = self.all.json();
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
            ("keep_warm_is_off", json!(self.warmth_is_off)),
            ("added_ms", json!({ "p50": self.added(500), "p99": self.added(990) })),
        ] {
            fields.insert(name.to_owned(), value);
        }
        Value::Object(fields)
    }

    fn text(&self, is_part: bool, width: Option<usize>) -> String {
        let beside = self.beside();
        if self.all.requests == 0 && beside.is_empty() {
            let since = if is_part { " since then" } else { "" };
            let none = format!("no requests passed a gateway{since}: see `foveal serve --help`\n");
            return none + &self.tools.text();
        }
        let mut text = format!(
            "{} in {}\n{beside}",
            plural(self.all.requests, "request"),
            plural(self.conversations, "conversation")
        );
        text.push_str(&self.tools.text());
        if self.all.requests == 0 {
            return text;
        }
        text.push('\n');
        text.push_str(&self.models(width));
        text.push('\n');
        text.push_str(&bill_table(&self.all.bill, &self.all.without, width));
        let unbilled = self.all.requests - self.all.billed;
        if unbilled > 0 {
            let many = plural(unbilled, "request");
            let _ =
                writeln!(text, "\nof {many} there is no bill: none was told, or no price is known");
        }
        for (what, counts) in [
            ("the client changed what it had sent", &self.changed),
            ("what had been sent was rewritten", &self.rewrites),
            ("nothing new was decided", &self.failed_open),
            ("nothing could be done", &self.inactive),
        ] {
            for (reason, many) in counts {
                let line = format!("{what}, {}: {reason}", plural(*many, "time"));
                let line = in_one_line(&line).into_owned();
                text.push_str(&wrapped(&line, width.unwrap_or(usize::MAX), "  "));
            }
        }
        if self.all.refreshes > 0 {
            let many = plural(self.all.refreshes, "time");
            let _ = writeln!(text, "a cache was kept warm {many}");
        }
        if self.warmth_is_off {
            text.push_str("caches are no longer kept warm: that has not paid\n");
        }
        if let (Some(median), Some(most)) = (self.added(500), self.added(990)) {
            let _ =
                writeln!(text, "added to a request: {median:.1} ms, 1 in 100 over {most:.1} ms");
        }
        text
    }

    /// A line on what asks no model, if there was any.
    fn beside(&self) -> String {
        let counts =
            [(self.token_counts, "token count"), (self.refused_websockets, "refused WebSocket")];
        let counts = counts.into_iter().filter(|(many, _)| *many > 0);
        let counts: Vec<String> = counts.map(|(many, what)| plural(many, what)).collect();
        match counts.is_empty() {
            true => String::new(),
            false => format!("beside these {}, which ask no model\n", counts.join(" and ")),
        }
    }

    fn models(&self, width: Option<usize>) -> String {
        let right = Side::Right;
        let columns = [
            ("model", Side::Left),
            ("requests", right),
            ("asked", right),
            ("sent", right),
            ("cost", right),
            ("without", right),
            ("saved", right),
            ("", right),
        ];
        let mut table = Table::new(columns.to_vec())
            .narrowing(&["asked", "sent"], Narrow::Goes(1))
            .narrowing(&["model"], Narrow::LosesEnd);
        for (name, group) in &self.models {
            table.row(group.row(in_one_line(name).into_owned()));
        }
        if self.models.len() > 1 {
            table.row(self.all.row("all".to_owned()));
        }
        table.render_within(width, "see --json")
    }
}

/// What was billed, split by why, and what would have been without foveal.
pub(super) fn bill_table(bill: &Bill, without: &Bill, width: Option<usize>) -> String {
    let right = Side::Right;
    let columns = [
        ("billed for", Side::Left),
        ("tokens", right),
        ("cost", right),
        ("share", right),
        ("without foveal", right),
    ];
    let mut table = Table::new(columns.to_vec());
    let all = bill.dollars();
    let row = |name: &str, count: String, cost: f64, without: f64| {
        let share = if all > 0.0 { format!("{:.1} %", cost / all * 100.0) } else { String::new() };
        vec![name.to_owned(), count, dollars(cost), share, dollars(without)]
    };
    for ((key, part), (_, without)) in bill.parts().into_iter().zip(without.parts()) {
        if part.tokens > 0 || without.tokens > 0 {
            let count = tokens(Tokens(part.tokens));
            table.row(row(words(key), count, part.dollars, without.dollars));
        }
    }
    table.row(row("all", String::new(), all, without.dollars()));
    table.render_within(width, "see --json")
}

#[cfg(test)]
mod tests {
    use super::{NotATime, Since};

    #[test]
    fn times_are_read() {
        assert_eq!(Since::parse("90m"), Ok(Since::Ago(5_400_000)));
        assert_eq!(Since::parse("7d"), Ok(Since::Ago(604_800_000)));
        assert_eq!(Since::parse("1970-01-02"), Ok(Since::At(86_400_000)));
        assert_eq!(Since::parse("1970-01-01T00:00:01Z"), Ok(Since::At(1_000)));
        for text in ["", "7", "d", "7y", "-1d", "7 d", "yesterday", "99999999999d", "7dd", "ä"] {
            assert_eq!(Since::parse(text), Err(NotATime), "{text}");
        }
    }
}
