//! The events of a run, written as one JSON object a line.

use foveal_engine::views::CurationProgress;
use foveal_screen::numbers::{format_count, format_plural};
use serde::Serialize;
use serde_json::Value;

use crate::limits::LimitKind;
use crate::run_totals::RunTotals;
use crate::side_model::SideModelCharge;
use crate::tool_answer::ToolAnswer;

/// An event of a run. In JSON, `type` names the variant in snake case.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum AgentEvent {
    /// The run begins.
    Start {
        /// The session that holds the run.
        session: String,
        /// Messages that a resumed session has already.
        messages: usize,
        /// The model.
        model: String,
        /// The names of the tools.
        tools: Vec<String>,
    },
    /// A request was sent.
    Sent {
        /// The request's number, from 1.
        number: u64,
        /// Prompt tokens before any reduction.
        tokens_asked: u64,
        /// Prompt tokens as sent.
        tokens_sent: u64,
        /// The reason why results that were sent before change, if any do.
        rewrite: Option<&'static str>,
        /// The reason why the engine could not act, if so.
        inactive: Option<String>,
    },
    /// A request carries less of a tool result than the tool answered, or than an earlier request
    /// carried.
    Reduced {
        /// The id of the answered call.
        id: String,
        /// The form of the reduction in a word: `pointer`, `excerpt`, `curated` and others.
        kind: &'static str,
        /// Whether the call repeats an earlier one, at whose answer the result only points, as for a
        /// file that is read again.
        #[serde(skip_serializing_if = "is_false")]
        cached: bool,
        /// Bytes of the whole result.
        bytes: u64,
        /// Bytes that are sent.
        bytes_sent: u64,
        /// The text that is sent of a curated read.
        #[serde(skip)]
        curated_text: Option<String>,
    },
    /// The progress of a model that describes files for the index during the run.
    Indexing(IndexingProgress),
    /// A piece of the model's text.
    Text {
        /// The piece.
        text: String,
    },
    /// A piece of the model's reasoning.
    Reasoning {
        /// The piece.
        text: String,
    },
    /// The model begins a tool call.
    CallStart {
        /// The id of the call.
        id: String,
        /// The tool.
        name: String,
    },
    /// A piece of a call's arguments, in JSON.
    CallArguments {
        /// The id of the call.
        id: String,
        /// The piece.
        piece: String,
    },
    /// A request is sent again; [`retry_text`] describes it. Observers discard the pieces of its answer so far.
    Again {
        /// The request's number.
        number: u64,
        /// The error.
        why: String,
        /// Milliseconds until the retry.
        wait_ms: u64,
    },
    /// An answer was billed.
    Usage {
        /// The request's number.
        number: u64,
        /// The totals so far.
        spent: RunTotals,
        /// Whether the tokens are estimated from prompt and answer, because the server does not
        /// report them.
        #[serde(skip_serializing_if = "is_false")]
        estimated: bool,
    },
    /// A question to a side model was billed.
    SideUsage {
        /// The charge of the question.
        #[serde(flatten)]
        charge: SideModelCharge,
        /// The totals so far.
        spent: RunTotals,
    },
    /// A call starts.
    Call {
        /// The id of the call.
        id: String,
        /// The tool.
        name: String,
        /// Its arguments.
        arguments: Value,
    },
    /// A running call reports progress.
    Progress {
        /// The id of the call.
        id: String,
        /// The progress message or output; empty where only the model progressed.
        message: String,
        /// The work of a model that helps with the call.
        #[serde(skip_serializing_if = "Option::is_none")]
        model: Option<CurationProgress>,
    },
    /// The sub-agent that runs a call emitted an event. The event is nested, so that observers do
    /// not mistake it for the agent's own.
    Agent {
        /// The id of the call.
        id: String,
        /// The label of the sub-agent.
        label: String,
        /// The event.
        event: Box<AgentEvent>,
    },
    /// A call is answered, including calls that were not run.
    Result {
        /// The id of the call.
        id: String,
        /// The tool.
        name: String,
        /// Whether the call repeats an earlier one, whose answer was reused. Where this is false,
        /// the next request may still turn out to only point at an earlier answer
        /// ([`AgentEvent::Reduced`]).
        #[serde(skip_serializing_if = "is_false")]
        cached: bool,
        /// Whether the call failed.
        is_error: bool,
        /// The tool's answer, of which the model may be sent less.
        text: String,
    },
    /// The model repeats a call and gets the same answer; a note in the answer warns it.
    Repeated {
        /// The tool.
        name: String,
        /// The number of occurrences.
        times: u32,
    },
    /// The turn or the run has ended.
    Done {
        /// The outcome.
        #[serde(flatten)]
        outcome: RunOutcome,
        /// The totals.
        spent: RunTotals,
    },
}

impl AgentEvent {
    /// Creates the event of an answered call.
    pub(crate) fn from_answer(id: String, name: String, answer: ToolAnswer) -> Self {
        let ToolAnswer { text, is_error, cached } = answer;
        Self::Result { id, name, cached, is_error, text }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes what it looks at so")]
fn is_false(estimated: &bool) -> bool {
    !estimated
}

/// The progress of a model that describes files for the index.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct IndexingProgress {
    /// The model, as the user names it.
    pub model: String,
    /// The file in work.
    pub file: Option<String>,
    /// The number of files that wait.
    pub waiting: u64,
    /// The number of described files.
    pub told: u64,
    /// The number of files without a description because of a failure.
    pub failed: u64,
    /// Tokens of all questions and answers.
    pub tokens: u64,
    /// The model's reasoning since the last event.
    #[serde(rename = "thinks", skip_serializing_if = "String::is_empty")]
    pub reasoning: String,
}

impl IndexingProgress {
    /// Returns whether a file is in work or waits.
    pub fn is_active(&self) -> bool {
        self.file.is_some() || self.waiting > 0
    }

    /// Returns a line for the user on the progress since `before`.
    pub fn summary_since(&self, before: &Self, time: &str) -> String {
        let told = self.told.saturating_sub(before.told);
        let failed = self.failed.saturating_sub(before.failed);
        let tokens = self.tokens.saturating_sub(before.tokens);
        let of_no_use = match failed {
            0 => String::new(),
            failed => format!(", {} failed", format_count(failed)),
        };
        let (files, tokens) = (format_plural(told, "file"), format_plural(tokens, "token"));
        format!("{} indexed {files}{of_no_use}: {time}, {tokens}", self.model)
    }
}

/// The outcome of a turn or a run. In JSON, `outcome` names the variant.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum RunOutcome {
    /// The model is done.
    Finished {
        /// The model's last message.
        text: String,
    },
    /// The model's last answer was cut at the output limit.
    Cut {
        /// The model's last message.
        text: String,
    },
    /// The model, or a filter of its provider, refused.
    Refused {
        /// The model's last message.
        text: String,
    },
    /// A limit was reached.
    Limit {
        /// The limit.
        limit: LimitKind,
    },
    /// The model repeated one call too often.
    Repeated {
        /// The tool of the repeated call.
        name: String,
        /// The number of occurrences.
        times: u32,
    },
    /// The conversation exceeds the model's window.
    TooLong {
        /// The server's message.
        message: String,
    },
    /// A request failed.
    Failed {
        /// The error, and advice for the user.
        message: String,
    },
    /// The user stopped it.
    Stopped,
}

/// Returns the message about a retry after `wait_ms` milliseconds.
pub fn retry_text(why: &str, wait_ms: u64) -> String {
    match wait_ms {
        0 => why.to_owned(),
        _ => format!("retrying in {:.1} s: {why}", wait_ms as f64 / 1e3),
    }
}
