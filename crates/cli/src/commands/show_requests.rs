//! `foveal show` of a conversation that passed the gateway: its requests, or one of them.

use std::fmt::Write as _;

use anyhow::{Context, bail};
use foveal_context::tokens::Tokens;
use foveal_screen::in_one_line;
use foveal_store::{Session, Store};
use serde::Serialize;

use super::replacements::Replacements;
use super::stats::bill_table;
use crate::numbers::{change, count, dollars, plural, signed_dollars, tokens};
use crate::requests::{self, Kept, Request, Sum};
use crate::table::{Narrow, Side, Table};

/// The requests of a conversation, or the `number`-th, counted from 1.
///
/// # Errors
/// If the store cannot be read, or there is no such request.
pub(super) fn text(
    store: &dyn Store,
    session: &Session,
    number: Option<u64>,
    width: Option<usize>,
) -> anyhow::Result<String> {
    let mut all: Vec<Kept> = Vec::new();
    requests::each(store, &session.id, &mut |kept| all.push(kept))?;
    let name = in_one_line(&session.id.0).into_owned();
    let Some(number) = number else { return Ok(table(&name, &all, width)) };
    let at = place(number, &name, all.len())?;
    let replacements = Replacements::read(store, &all, at)?;
    Ok(one(&name, number, all.len(), &all[at].request, width) + &replacements.text())
}

/// The place of the `number`-th of so many requests.
///
/// # Errors
/// If there is no such request.
fn place(number: u64, name: &str, many: usize) -> anyhow::Result<usize> {
    let found = number.checked_sub(1).and_then(|at| usize::try_from(at).ok());
    match (found.filter(|at| *at < many), many) {
        (Some(at), _) => Ok(at),
        (None, 0) => bail!("no request of `{name}` is kept"),
        (None, many) => bail!("there is no request {number}: `{name}` has requests 1 to {many}"),
    }
}

/// The requests of a conversation as JSON, or one of them.
///
/// # Errors
/// If the store cannot be read, or there is no such request.
pub(super) fn json(
    store: &dyn Store,
    session: &Session,
    number: Option<u64>,
) -> anyhow::Result<String> {
    let mut all: Vec<Kept> = Vec::new();
    requests::each(store, &session.id, &mut |kept| {
        let of_conversation = all.len() as u64 + 1;
        all.push(Kept { request: Request { of_conversation, ..kept.request }, ..kept });
    })?;
    let text = match number {
        Some(number) => {
            let at = place(number, &in_one_line(&session.id.0), all.len())?;
            let replacements = Replacements::read(store, &all, at)?;
            serde_json::to_string_pretty(&OneRequest { request: &all[at].request, replacements })
        }
        None => {
            let all: Vec<&Request> = all.iter().map(|kept| &kept.request).collect();
            serde_json::to_string_pretty(&all)
        }
    };
    Ok(text.context("a request cannot be written as JSON")? + "\n")
}

/// A request with what it sent in place of results.
#[derive(Serialize)]
struct OneRequest<'a> {
    #[serde(flatten)]
    request: &'a Request,
    #[serde(flatten)]
    replacements: Replacements,
}

fn table(name: &str, all: &[Kept], width: Option<usize>) -> String {
    let right = Side::Right;
    let columns = [
        ("", right),
        ("model", Side::Left),
        ("asked", right),
        ("sent", right),
        ("cached", right),
        ("cost", right),
        ("saved", right),
        ("status", right),
        ("remarks", Side::Left),
    ];
    let mut table = Table::new(columns.to_vec())
        .narrowing(&["status", "cached"], Narrow::Goes(1))
        .narrowing(&["remarks"], Narrow::LosesEnd)
        .narrowing(&["model"], Narrow::LosesEnd);
    let mut sum = Sum::default();
    for (number, Kept { request, .. }) in (1u64..).zip(all) {
        sum.add(request);
        let read = request.billed.as_ref().and_then(|billed| billed.cache_read);
        let paid = request.dollars();
        table.row(vec![
            count(number),
            in_one_line(request.model.as_deref().unwrap_or("-")).into_owned(),
            tokens(Tokens(request.tokens_asked)),
            tokens(Tokens(request.tokens_sent)),
            read.map(|read| tokens(Tokens(read))).unwrap_or_default(),
            paid.map(|(cost, _)| dollars(cost)).unwrap_or_default(),
            paid.map(|(cost, without)| signed_dollars(without - cost)).unwrap_or_default(),
            request.status.to_string(),
            remarks(request),
        ]);
    }
    let mut many = plural(sum.requests, "request");
    let beside = all.len() as u64 - sum.requests;
    if beside > 0 {
        let _ = write!(many, " and {} that ask no model", count(beside));
    }
    let saved = signed_dollars(sum.without - sum.cost);
    let heading = format!("{name}: {many}, {} ({saved} saved)\n", dollars(sum.cost));
    heading + &table.render_within(width, "see --json")
}

/// What is out of the ordinary in a request.
fn remarks(request: &Request) -> String {
    let changed = request.changed.as_ref().map(|it| format!("the client changed: {}", it.words()));
    let rewrite = request.rewrite.as_ref().map(|why| format!("rewrite: {why}"));
    let inactive = request.inactive.as_ref().map(|why| format!("inactive: {why}"));
    let beside = request.beside.map(|beside| beside.words().to_owned());
    let failed = request.failed_open.clone();
    let all = [beside, failed, inactive, rewrite, changed, request.error.clone()];
    let all: Vec<String> = all.into_iter().flatten().collect();
    in_one_line(&all.join("; ")).into_owned()
}

fn one(name: &str, number: u64, many: usize, request: &Request, width: Option<usize>) -> String {
    let mut text = format!("request {number} of {many} of {name}\n");
    let mut say = |what: &str, value: Option<String>| {
        if let Some(value) = value {
            let _ = writeln!(text, "  {what}: {}", in_one_line(&value));
        }
    };
    let (asked, sent) = (request.tokens_asked, request.tokens_sent);
    say("no question", request.beside.map(|beside| beside.words().to_owned()));
    say("model", request.model_answered.clone().or_else(|| request.model.clone()));
    say("upstream", Some(request.upstream.clone()));
    say("messages", Some(count(request.messages)));
    say(
        "tokens",
        (asked > 0).then(|| {
            let saved = change(sent as f64 / asked as f64 - 1.0);
            format!("{} as the client sent it, {} as it went ({saved})", count(asked), count(sent))
        }),
    );
    let (asked, sent) = (count(request.bytes_asked), count(request.bytes_sent));
    say("bytes", Some(format!("{asked} as the client sent it, {sent} as it went")));
    say("answered", Some(format!("{}, {} bytes", request.status, count(request.bytes_answered))));
    say("stopped", request.stop_reason.clone());
    say("error", request.error.clone());
    say("nothing new was decided", request.failed_open.clone());
    say("nothing could be done", request.inactive.clone());
    say("rewrite", request.rewrite.clone());
    say("the client changed", request.changed.as_ref().map(requests::Change::words));
    let times = [request.added_ms, request.head_ms, request.whole_ms].map(|ms| format!("{ms:.1}"));
    let [added, head, whole] = times;
    say("time", Some(format!("{added} ms added, {head} ms to the answer, {whole} ms in all")));
    say("prices", request.prices.clone());
    if let (Some(bill), Some(without)) = (&request.bill, &request.without) {
        text.push('\n');
        text.push_str(&bill_table(bill, without, width));
    }
    text
}
