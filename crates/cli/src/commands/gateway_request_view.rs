//! `foveal show` for a gateway conversation: all requests, or one of them.

use std::fmt::Write as _;

use anyhow::{Context, bail};
use foveal_gateway::request_record::{self, ConversationTotals, GatewayRequest, StoredRequest};
use foveal_pricing::tokens::Tokens;
use foveal_screen::escape_one_line;
use foveal_store::{Store, StoredSession};
use serde::Serialize;

use super::replaced_results::RequestReplacements;
use super::stats::bill_table;
use crate::numbers::{
    format_count, format_dollars, format_percent_change, format_plural, format_signed_dollars,
    format_tokens,
};
use crate::sessions;
use crate::text_table::{Alignment, ColumnNarrowing, TextTable};

/// Renders the requests of a conversation, or number `number`, counted from 1, as text.
///
/// # Errors
/// If the store cannot be read, or there is no such request.
pub(super) fn render_requests(
    store: &dyn Store,
    session: &StoredSession,
    number: Option<u64>,
    width: Option<usize>,
) -> anyhow::Result<String> {
    let mut all: Vec<StoredRequest> = Vec::new();
    request_record::for_each_request(store, &session.id, &mut |kept| all.push(kept))?;
    let name = escape_one_line(&session.id.0).into_owned();
    let Some(number) = number else { return Ok(requests_table(&name, &all, width)) };
    let at = request_index(number, &name, all.len())?;
    let replacements = RequestReplacements::load(store, &all, at)?;
    Ok(render_request(&name, number, all.len(), &all[at].request, width)
        + &replacements.render_text())
}

/// Returns the index of request `number` of `many`.
///
/// # Errors
/// If there is no such request.
fn request_index(number: u64, name: &str, many: usize) -> anyhow::Result<usize> {
    let found = number.checked_sub(1).and_then(|at| usize::try_from(at).ok());
    match (found.filter(|at| *at < many), many) {
        (Some(at), _) => Ok(at),
        (None, 0) => bail!("no request of `{name}` is stored"),
        (None, many) => bail!("there is no request {number}: `{name}` has requests 1 to {many}"),
    }
}

/// Returns the requests of a conversation, or one of them, as JSON.
///
/// # Errors
/// If the store cannot be read, or there is no such request.
pub(super) fn requests_to_json(
    store: &dyn Store,
    session: &StoredSession,
    number: Option<u64>,
) -> anyhow::Result<String> {
    let mut all: Vec<StoredRequest> = Vec::new();
    request_record::for_each_request(store, &session.id, &mut |kept| {
        let of_conversation = all.len() as u64 + 1;
        all.push(StoredRequest {
            request: GatewayRequest { of_conversation, ..kept.request },
            ..kept
        });
    })?;
    let text = match number {
        Some(number) => {
            let at = request_index(number, &escape_one_line(&session.id.0), all.len())?;
            let replacements = RequestReplacements::load(store, &all, at)?;
            serde_json::to_string_pretty(&RequestWithReplacements {
                request: &all[at].request,
                replacements,
            })
        }
        None => {
            let all: Vec<&GatewayRequest> = all.iter().map(|kept| &kept.request).collect();
            serde_json::to_string_pretty(&all)
        }
    };
    Ok(text.context("a request cannot be written as JSON")? + "\n")
}

/// A request with its replaced results.
#[derive(Serialize)]
struct RequestWithReplacements<'a> {
    #[serde(flatten)]
    request: &'a GatewayRequest,
    #[serde(flatten)]
    replacements: RequestReplacements,
}

fn requests_table(name: &str, all: &[StoredRequest], width: Option<usize>) -> String {
    let right = Alignment::Right;
    let columns = [
        ("", right),
        ("model", Alignment::Left),
        ("received", right),
        ("sent", right),
        ("cached", right),
        ("cost", right),
        ("saved", right),
        ("status", right),
        ("remarks", Alignment::Left),
    ];
    let mut table = TextTable::new(columns.to_vec())
        .with_narrowing(&["status", "cached"], ColumnNarrowing::Dropped(1))
        .with_narrowing(&["remarks"], ColumnNarrowing::CutEnd)
        .with_narrowing(&["model"], ColumnNarrowing::CutEnd);
    let mut sum = ConversationTotals::default();
    for (number, StoredRequest { request, .. }) in (1u64..).zip(all) {
        sum.add(request);
        let read = request.billed.as_ref().and_then(|billed| billed.cache_read);
        let paid = request.billed_and_baseline_dollars();
        table.push_row(vec![
            format_count(number),
            escape_one_line(request.model.as_deref().unwrap_or("-")).into_owned(),
            format_tokens(Tokens(request.tokens_asked)),
            format_tokens(Tokens(request.tokens_sent)),
            read.map(|read| format_tokens(Tokens(read))).unwrap_or_default(),
            paid.map(|(cost, _)| format_dollars(cost)).unwrap_or_default(),
            paid.map(|(cost, without)| format_signed_dollars(without - cost)).unwrap_or_default(),
            request.status.to_string(),
            request_remarks(request),
        ]);
    }
    let mut many = format_plural(sum.requests, "request");
    let beside = all.len() as u64 - sum.requests;
    if beside > 0 {
        let _ = write!(many, " and {} without a model call", format_count(beside));
    }
    let is_priced = all.last().is_some_and(|last| last.request.bill.is_some());
    let cost = sessions::describe_conversation_cost(&sum, is_priced);
    let heading = format!("{name}: {many}, {cost}\n");
    heading + &table.render(width, "see --json")
}

/// Returns the remarks on a request: errors, changes by the client, rewrites.
fn request_remarks(request: &GatewayRequest) -> String {
    let changed =
        request.changed.as_ref().map(|it| format!("the client changed: {}", it.describe()));
    let rewrite = request.rewrite.as_ref().map(|why| format!("rewrite: {why}"));
    let inactive = request.inactive.as_ref().map(|why| format!("inactive: {why}"));
    let beside = request.beside.map(|beside| beside.list_label().to_owned());
    let failed = request.failed_open.clone();
    let all = [beside, failed, inactive, rewrite, changed, request.error.clone()];
    let all: Vec<String> = all.into_iter().flatten().collect();
    escape_one_line(&all.join("; ")).into_owned()
}

fn render_request(
    name: &str,
    number: u64,
    many: usize,
    request: &GatewayRequest,
    width: Option<usize>,
) -> String {
    let mut text = format!("request {number} of {many} of {name}\n");
    let mut say = |what: &str, value: Option<String>| {
        if let Some(value) = value {
            let _ = writeln!(text, "  {what}: {}", escape_one_line(&value));
        }
    };
    let (asked, sent) = (request.tokens_asked, request.tokens_sent);
    say("no model call", request.beside.map(|beside| beside.list_label().to_owned()));
    say("model", request.model_answered.clone().or_else(|| request.model.clone()));
    say("upstream", Some(request.upstream.clone()));
    say("messages", Some(format_count(request.messages)));
    say(
        "tokens",
        (asked > 0).then(|| {
            let saved = format_percent_change(sent as f64 / asked as f64 - 1.0);
            format!("{} received, {} sent ({saved})", format_count(asked), format_count(sent))
        }),
    );
    let (asked, sent) = (format_count(request.bytes_asked), format_count(request.bytes_sent));
    say("bytes", Some(format!("{asked} received, {sent} sent")));
    say(
        "answered",
        Some(format!("{}, {} bytes", request.status, format_count(request.bytes_answered))),
    );
    say("stopped", request.stop_reason.clone());
    say("error", request.error.clone());
    say("no new reductions", request.failed_open.clone());
    say("not reduced", request.inactive.clone());
    say("rewrite", request.rewrite.clone());
    say("the client changed", request.changed.as_ref().map(request_record::ClientChange::describe));
    let times = [request.added_ms, request.head_ms, request.whole_ms].map(|ms| format!("{ms:.1}"));
    let [added, head, whole] = times;
    say(
        "time",
        Some(format!("{added} ms added, {head} ms until the answer began, {whole} ms in total")),
    );
    say("prices", request.prices.clone());
    if let (Some(bill), Some(without)) = (&request.bill, &request.without) {
        text.push('\n');
        text.push_str(&bill_table(bill, without, width));
    }
    text
}
