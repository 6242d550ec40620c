//! A report of the calls of a session, as Markdown and JSON.

use std::collections::BTreeMap;
use std::fmt::Write;

use foveal_pricing::tokens::{Tokenizer, Tokens};
use foveal_tools::code_index::IndexerState;
use foveal_tools::duplicate_calls::CallStatistics;
use foveal_tools::{ToolCallAnswer, tool_table};
use serde::Serialize;

/// The calls of a session by tool.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct CallCounts {
    tools: BTreeMap<&'static str, CallTotals>,
}

/// Totals over calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub(crate) struct CallTotals {
    calls: u64,
    /// Answered from an earlier call.
    cached: u64,
    failed: u64,
    /// Answers that omit something.
    shaped: u64,
    /// Bytes of text sent.
    bytes_sent: u64,
    /// Bytes that shaping omitted.
    bytes_left_out: u64,
    /// Estimated tokens sent.
    tokens_sent: u64,
    /// Estimated tokens that shaping omitted.
    tokens_left_out: u64,
}

impl CallTotals {
    fn add(&mut self, other: Self) {
        self.calls += other.calls;
        self.cached += other.cached;
        self.failed += other.failed;
        self.shaped += other.shaped;
        self.bytes_sent += other.bytes_sent;
        self.bytes_left_out += other.bytes_left_out;
        self.tokens_sent += other.tokens_sent;
        self.tokens_left_out += other.tokens_left_out;
    }
}

impl CallCounts {
    /// Counts a call. `whole` is the content behind the handle of a shaped answer.
    pub(crate) fn record_call(&mut self, tool: &str, answer: &ToolCallAnswer, whole: Option<&str>) {
        let tool = tool_table::find_tool(tool).map_or("(unknown)", |tool| tool.name);
        let tokens = |text: &str| Tokenizer::Bytes.count(text);
        let sent = tokens(&answer.text);
        let left_out = whole.map_or(Tokens(0), |whole| tokens(whole) - sent);
        let bytes = answer.text.len();
        let bytes_left_out = whole.map_or(0, |whole| whole.len().saturating_sub(bytes));
        self.tools.entry(tool).or_default().add(CallTotals {
            calls: 1,
            cached: u64::from(answer.cached),
            failed: u64::from(answer.is_error),
            shaped: u64::from(answer.reduction.is_some()),
            bytes_sent: bytes as u64,
            bytes_left_out: bytes_left_out as u64,
            tokens_sent: sent.0,
            tokens_left_out: left_out.0,
        });
    }

    fn total(&self) -> CallTotals {
        let mut all = CallTotals::default();
        self.tools.values().for_each(|count| all.add(*count));
        all
    }
}

/// How duplicate calls were answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub(crate) struct DuplicateCallReport {
    /// Calls of this session that can answer later ones.
    pub(crate) remembered: usize,
    /// Statistics of all sessions in the same folders since the server started.
    pub(crate) all_sessions: CallStatistics,
}

/// The report of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct SessionReport {
    session: String,
    roots: Vec<String>,
    all: CallTotals,
    tools: BTreeMap<&'static str, CallTotals>,
    /// How often each file was read since it was last written here.
    files_read: BTreeMap<String, u32>,
    duplicates: DuplicateCallReport,
    /// The state of the model that reads files into the index, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    indexer: Option<IndexerState>,
}

impl SessionReport {
    pub(crate) fn new(
        session: String,
        roots: Vec<String>,
        counts: &CallCounts,
        files_read: BTreeMap<String, u32>,
        duplicates: DuplicateCallReport,
    ) -> Self {
        let (all, tools) = (counts.total(), counts.tools.clone());
        Self { session, roots, all, tools, files_read, duplicates, indexer: None }
    }

    /// Adds the state of the model that reads files into the index.
    pub(crate) fn with_indexer(self, indexer: Option<IndexerState>) -> Self {
        Self { indexer, ..self }
    }

    pub(crate) fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("all keys are text")
    }

    pub(crate) fn to_markdown(&self) -> String {
        let mut page = String::from("# This session\n\n");
        let mut line = |line: std::fmt::Arguments<'_>| {
            page.write_fmt(line).expect("text takes whatever is written");
            page.push('\n');
        };
        line(format_args!("Session `{}` on {}.\n", self.session, self.roots.join(", ")));
        let CallTotals { calls, cached, bytes_sent, bytes_left_out, .. } = self.all;
        let CallTotals { tokens_sent, tokens_left_out, .. } = self.all;
        line(format_args!(
            "Calls: {calls}, {cached} of them answered from an earlier one. Bytes sent: \
             {bytes_sent} (tokens: about {tokens_sent}); bytes left out: {bytes_left_out} (tokens: \
             about {tokens_left_out}).\n"
        ));
        if !self.tools.is_empty() {
            line(format_args!("| tool | calls | cached | failed | shortened | bytes | left out |"));
            line(format_args!("|---|---|---|---|---|---|---|"));
        }
        for (tool, count) in &self.tools {
            let CallTotals { calls, cached, failed, shaped, .. } = count;
            let CallTotals { bytes_sent, bytes_left_out, .. } = count;
            line(format_args!(
                "| {tool} | {calls} | {cached} | {failed} | {shaped} | {bytes_sent} | \
                 {bytes_left_out} |"
            ));
        }
        let DuplicateCallReport { remembered, all_sessions } = self.duplicates;
        let CallStatistics { sessions, calls, repeats, looked_up, hits, misses, .. } = all_sessions;
        let CallStatistics { asked_again, too_old, refused, skipped, bytes_saved, .. } =
            all_sessions;
        line(format_args!(
            "\nRepeated calls: remembered of this session: {remembered}. In all sessions ({sessions}) \
             since the server was started: repeated an earlier one, reads included: {repeats}; \
             remembered: {calls}; looked up: {looked_up}; answered from an earlier one: {hits} \
             (bytes: {bytes_saved}); new: {misses} (asked again at once: {asked_again}, too old: \
             {too_old}); refused since something had changed: {refused}; not looked up: {skipped}."
        ));
        if !self.files_read.is_empty() {
            line(format_args!("\nFiles read since they were last written here:\n"));
        }
        for (path, count) in &self.files_read {
            line(format_args!("- {path} ({count})"));
        }
        if let Some(indexer) = &self.indexer {
            let IndexerState { model, waiting, running, told, failed, tokens, tokens_max } =
                indexer;
            let running = running.as_deref().unwrap_or("no file");
            let over = if indexer.is_budget_spent() { "; this budget is used up" } else { "" };
            line(format_args!(
                "\nThe model `{model}` indexes files: {running} is in progress, {waiting} are \
                 waiting, {told} are indexed, {failed} failed; {tokens} of {tokens_max} \
                 tokens used{over}."
            ));
        }
        page
    }
}

#[cfg(test)]
mod tests;
