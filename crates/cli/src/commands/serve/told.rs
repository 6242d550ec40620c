//! What is told of each request: a line for who watches, and a record for later.

use std::fs::File;
use std::io::Write as _;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread::JoinHandle;

use foveal_context::tokens::Tokens;
use foveal_gateway::exchange::{End, Exchange, Observer};
use foveal_store::{SessionFacts, Store, StoreError};
use foveal_tools::settings::{COLLECT_EVERY_MS, KEPT};
use foveal_transcript::Timestamp;
use foveal_wire::response::Billed;
use serde_json::{Value, json};

use super::kept;
use crate::environment::Environment;
use crate::numbers;
use crate::output;

/// Requests that wait to be told of, at most. More are not told of: answers never wait for that.
const WAITING_MAX: usize = 4_096;

/// Passes on what it is told to a thread that writes it down.
pub(crate) struct Teller(SyncSender<Exchange>);

/// The thread that writes down.
pub(crate) struct Telling(JoinHandle<()>);

impl Teller {
    /// Begins to write down: in the store, and for who watches.
    pub(crate) fn start(store: Arc<dyn Store>, lines: Lines) -> (Self, Telling) {
        let (teller, told) = sync_channel(WAITING_MAX);
        let writing = std::thread::spawn(move || write_down(&told, &*store, lines));
        (Self(teller), Telling(writing))
    }
}

impl Telling {
    /// Waits until all is written down that its teller was told. That one has to be gone by then.
    pub(crate) fn finish(self) {
        // Where it panicked, nothing more is to be written.
        drop(self.0.join());
    }
}

impl Observer for Teller {
    fn ended(&self, exchange: &Exchange) {
        match self.0.try_send(exchange.clone()) {
            Ok(()) | Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) => {}
        }
    }
}

/// Who watches.
#[derive(Debug)]
pub(crate) enum Lines {
    None,
    Person,
    Json,
    /// Whoever reads a file later: the same as for programs.
    File(File),
}

impl Lines {
    /// On standard output.
    pub(super) fn printed(as_json: bool, environment: &Environment) -> Self {
        match (as_json, environment.terminal.output) {
            (true, _) => Self::Json,
            (false, true) => Self::Person,
            (false, false) => Self::None,
        }
    }
}

/// How often it is looked whether the store holds more than it should, in milliseconds.
const LOOK_EVERY_MS: i64 = COLLECT_EVERY_MS / 2;

fn write_down(told: &Receiver<Exchange>, store: &dyn Store, mut lines: Lines) {
    let mut looked: Option<Timestamp> = None;
    while let Ok(exchange) = told.recv() {
        let value = value(&exchange);
        // Whoever watches has gone where this fails; serving goes on.
        match &mut lines {
            Lines::None => {}
            Lines::Person => drop(output::print(format!("{}\n", line(&exchange)))),
            Lines::Json => drop(output::print_exactly(&format!("{value}\n"))),
            Lines::File(file) => drop(file.write_all(format!("{value}\n").as_bytes())),
        }
        let is_early = |last: Timestamp| (0..LOOK_EVERY_MS).contains(&(exchange.time.0 - last.0));
        if !looked.is_some_and(is_early) {
            looked = Some(exchange.time);
            // What cannot be removed now is removed the next time.
            drop(store.collect_if_due(KEPT, COLLECT_EVERY_MS, exchange.time));
        }
        if let Some(conversation) = &exchange.about.conversation {
            keep(store, conversation, &value, &exchange);
        }
    }
}

/// Keeps what is told in the conversation's log. Where that cannot be, it is not kept: it decides
/// about nothing.
fn keep(store: &dyn Store, conversation: &str, value: &Value, exchange: &Exchange) {
    let (session, time) = (kept::session(conversation), exchange.time);
    let append = || store.append(&session, value, time);
    if let Err(StoreError::UnknownSession { .. }) = append() {
        let opened = store.open_session(&session, &SessionFacts::default(), time);
        drop(opened.and_then(|_| append()));
    }
}

/// One request in a line: which conversation and model, what came and what went, what it took.
fn line(exchange: &Exchange) -> String {
    let about = &exchange.about;
    let model = about.model.as_deref().unwrap_or("-");
    let conversation = about.conversation.as_deref().unwrap_or("-");
    let (asked, sent) = (about.tokens_asked, about.tokens_sent);
    let tokens = if asked == 0 {
        format!("{} bytes", numbers::count(exchange.bytes_asked))
    } else {
        let saved = numbers::change(sent as f64 / asked as f64 - 1.0);
        let [asked, sent] = [asked, sent].map(|count| numbers::tokens(Tokens(count)));
        format!("{asked} -> {sent} ({saved})")
    };
    let cached = exchange.answered.as_ref().and_then(|answered| answered.billed.cache_read);
    let cached = cached
        .map_or_else(String::new, |count| format!(", {} cached", numbers::tokens(Tokens(count))));
    let added = exchange.added.as_secs_f64() * 1e3;
    let mut line = format!(
        "{:>5} {conversation} {model} {tokens}{cached} +{added:.1} ms {}",
        exchange.number, exchange.status
    );
    let end = match exchange.end {
        End::Whole | End::Own => None,
        End::UpstreamBroke => Some("the upstream broke off"),
        End::ClientLeft => Some("the client left"),
        End::Unreached => Some("the upstream was not reached"),
    };
    let failed = exchange.failed_open.map(|failed| failed.words());
    let inactive = about.inactive.as_deref().map(|why| format!("inactive: {why}"));
    let rewrite = about.rewrite.map(|why| format!("rewrite: {why}"));
    let remarks = [end.map(str::to_owned), failed.map(str::to_owned), inactive, rewrite];
    for remark in remarks.into_iter().flatten() {
        line.push_str(" · ");
        line.push_str(&remark);
    }
    line
}

fn billed(billed: &Billed) -> Value {
    json!({
        "uncached": billed.uncached,
        "cache_read": billed.cache_read,
        "cache_write_5m": billed.cache_write_5m,
        "cache_write_1h": billed.cache_write_1h,
        "output": billed.output,
        "reasoning": billed.reasoning,
        "cost": billed.cost,
    })
}

/// The same for programs. Nothing in it was said in the conversation.
fn value(exchange: &Exchange) -> Value {
    let about = &exchange.about;
    let ms = |duration: std::time::Duration| (duration.as_secs_f64() * 1e5).round() / 1e2;
    json!({
        "request": exchange.number,
        "time": exchange.time.0,
        "protocol": exchange.protocol.map(foveal_wire::Protocol::name),
        "upstream": exchange.upstream,
        "conversation": about.conversation,
        "model": about.model,
        "messages": about.messages,
        "tokens_asked": about.tokens_asked,
        "tokens_sent": about.tokens_sent,
        "bytes_asked": exchange.bytes_asked,
        "bytes_sent": exchange.bytes_sent,
        "bytes_answered": exchange.bytes_answered,
        "status": exchange.status,
        "end": format!("{:?}", exchange.end),
        "failed_open": exchange.failed_open.map(|failed| failed.words()),
        "inactive": about.inactive,
        "rewrite": about.rewrite,
        "billed": exchange.answered.as_ref().map(|answered| billed(&answered.billed)),
        "model_answered": exchange.answered.as_ref().and_then(|answered| answered.model.clone()),
        "stop_reason": exchange.answered.as_ref().and_then(|it| it.stop_reason.clone()),
        "error": exchange.answered.as_ref().and_then(|answered| answered.error.clone()),
        "added_ms": ms(exchange.added),
        "head_ms": ms(exchange.head),
        "whole_ms": ms(exchange.whole),
    })
}
