//! What foveal's own tools and its hooks left out of results, as the store tells.

use foveal_context::tokens::Tokens;
use foveal_store::{Record, RecordNumber, Session, Store, StoreError};
use foveal_tools::session::kept_call;
use serde::Serialize;

use crate::hook;
use crate::numbers::{change, plural, tokens};

/// Records that are read at a time.
const PAGE: usize = 500;

/// Bytes of text that are counted as one token.
const TOKEN_BYTES: u64 = 4;

/// Results of calls: how large they were, and how large what was sent in their place.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
struct ResultSizes {
    calls: u64,
    bytes_whole: u64,
    bytes_sent: u64,
}

/// What was saved beside the gateway.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub(super) struct ToolSavings {
    /// Calls of foveal's own tools (`foveal mcp`).
    tools: ResultSizes,
    /// Results of an agent's tools that a hook shortened.
    hooks: ResultSizes,
}

impl ResultSizes {
    fn add(&mut self, (whole, sent): (u64, u64)) {
        self.calls += 1;
        self.bytes_whole += whole;
        self.bytes_sent += sent;
    }

    fn line(&self, name: &str, what: &str) -> Option<String> {
        if self.calls == 0 {
            return None;
        }
        let Self { calls, bytes_whole, bytes_sent } = *self;
        let saved = match bytes_whole {
            0 => String::new(),
            whole => format!(" ({})", change(bytes_sent as f64 / whole as f64 - 1.0)),
        };
        let [whole, sent] =
            [bytes_whole, bytes_sent].map(|bytes| tokens(Tokens(bytes / TOKEN_BYTES)));
        let calls = plural(calls, what);
        Some(format!("{name}: {calls}, about {whole} -> {sent} tokens{saved}\n"))
    }
}

impl ToolSavings {
    /// Adds what a session of tools or of a hook tells since `since`, in milliseconds since 1970.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub(super) fn add(
        &mut self,
        store: &dyn Store,
        session: &Session,
        since: Option<i64>,
    ) -> Result<(), StoreError> {
        let mut from = RecordNumber(1);
        loop {
            let records = store.records(&session.id, from, PAGE)?;
            let Some(last) = records.last() else { return Ok(()) };
            from = RecordNumber(last.number.0 + 1);
            let in_time = |time: i64| since.is_none_or(|since| time >= since);
            for record in records.iter().filter(|record| in_time(record.time.0)) {
                if let Some(sizes) = kept_call(record).and_then(|call| call.bytes) {
                    self.tools.add(sizes);
                } else if let Some(sizes) = hook_sizes(store, record)? {
                    self.hooks.add(sizes);
                }
            }
            if records.len() < PAGE {
                return Ok(());
            }
        }
    }

    /// A line for each.
    pub(super) fn text(&self) -> String {
        let tools = self.tools.line("foveal's own tools", "call");
        let hooks = self.hooks.line("hooks", "shortened result");
        tools.into_iter().chain(hooks).collect()
    }
}

/// The bytes of a result that a record of a hook tells of, and those of what was sent in its place.
/// `None` where it tells of none, or the result is kept no more.
fn hook_sizes(store: &dyn Store, record: &Record) -> Result<Option<(u64, u64)>, StoreError> {
    let Some((_, sent)) = hook::sent_result(&record.payload) else { return Ok(None) };
    let Some(whole) = sent.whole else { return Ok(None) };
    let whole = store.get(whole)?;
    Ok(whole.map(|whole| (whole.bytes.len() as u64, sent.text.len() as u64)))
}
