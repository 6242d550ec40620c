//! The savings of foveal's own tools and hooks, from the records in the store.

use foveal_agent_setup::hook;
use foveal_pricing::tokens::Tokens;
use foveal_store::{ContentStore, RecordNumber, SessionRecord, Store, StoreError, StoredSession};
use foveal_tools::session::parse_call_record;
use serde::Serialize;

use crate::numbers::{format_percent_change, format_plural, format_tokens};

/// The number of records that are read at once.
const RECORDS_PER_PAGE: usize = 500;

/// Bytes of text that are estimated as one token.
const BYTES_PER_TOKEN: u64 = 4;

/// The sizes of results, before and after their reduction.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
struct ResultSizes {
    calls: u64,
    bytes_whole: u64,
    bytes_sent: u64,
}

/// The savings outside of the gateway.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub(super) struct ToolSavings {
    /// Calls of foveal's own tools (`foveal mcp`).
    tools: ResultSizes,
    /// Results of an agent's tools that a hook reduced.
    hooks: ResultSizes,
}

impl ResultSizes {
    fn add_call(&mut self, whole: u64, sent: u64) {
        self.calls += 1;
        self.bytes_whole += whole;
        self.bytes_sent += sent;
    }

    fn summary_line(&self, name: &str, what: &str) -> Option<String> {
        if self.calls == 0 {
            return None;
        }
        let Self { calls, bytes_whole, bytes_sent } = *self;
        let saved = match bytes_whole {
            0 => String::new(),
            whole => {
                format!(" ({})", format_percent_change(bytes_sent as f64 / whole as f64 - 1.0))
            }
        };
        let [whole, sent] =
            [bytes_whole, bytes_sent].map(|bytes| format_tokens(Tokens(bytes / BYTES_PER_TOKEN)));
        let calls = format_plural(calls, what);
        Some(format!("{name}: {calls}, about {whole} -> {sent} tokens{saved}\n"))
    }
}

impl ToolSavings {
    /// Adds the records of a tool or hook session from `since` on, in milliseconds since 1970.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub(super) fn add_session(
        &mut self,
        store: &dyn Store,
        session: &StoredSession,
        since: Option<i64>,
    ) -> Result<(), StoreError> {
        let mut from = RecordNumber(1);
        loop {
            let records = store.records(&session.id, from, RECORDS_PER_PAGE)?;
            let Some(last) = records.last() else { return Ok(()) };
            from = RecordNumber(last.number.0 + 1);
            let in_time = |time: i64| since.is_none_or(|since| time >= since);
            for record in records.iter().filter(|record| in_time(record.time.0)) {
                if let Some((whole, sent)) = parse_call_record(record).and_then(|call| call.bytes) {
                    self.tools.add_call(whole, sent);
                } else if let Some((whole, sent)) = hook_sizes(store, record)? {
                    self.hooks.add_call(whole, sent);
                }
            }
            if records.len() < RECORDS_PER_PAGE {
                return Ok(());
            }
        }
    }

    /// Renders one line for tools and one for hooks.
    pub(super) fn render_text(&self) -> String {
        let tools = self.tools.summary_line("foveal's own tools", "call");
        let hooks = self.hooks.summary_line("hooks", "shortened result");
        tools.into_iter().chain(hooks).collect()
    }
}

/// Returns the bytes of a result that a hook reduced, and of the result that it sent; `None` if the
/// record is no such result, or the original is no longer stored.
fn hook_sizes(
    store: &dyn ContentStore,
    record: &SessionRecord,
) -> Result<Option<(u64, u64)>, StoreError> {
    let Some((_, sent)) = hook::recorded_replacement(&record.payload) else { return Ok(None) };
    let Some(whole) = sent.original else { return Ok(None) };
    let whole = store.content(whole)?;
    Ok(whole.map(|whole| (whole.bytes.len() as u64, sent.text.len() as u64)))
}
