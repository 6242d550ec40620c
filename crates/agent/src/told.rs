//! What is told of a run: one JSON object a line.

use foveal_context::views::ModelWork;
use serde::Serialize;
use serde_json::Value;

use crate::limits::Limit;
use crate::side::SideCharge;
use crate::spent::Spent;

/// One line of what is told. In JSON, `type` says which, in snake case.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Told {
    /// It begins.
    Start {
        /// The session in which it is kept.
        session: String,
        /// Messages that were there before, where a session is taken up again.
        messages: usize,
        /// The model.
        model: String,
        /// The names of its tools.
        tools: Vec<String>,
    },
    /// What was sent to the model.
    Sent {
        /// The request, from 1.
        number: u64,
        /// Tokens of the prompt with everything in it.
        tokens_asked: u64,
        /// Tokens of the prompt as it goes.
        tokens_sent: u64,
        /// Why results changed that had been sent before, if any did.
        rewrite: Option<&'static str>,
        /// Why nothing was left out, where nothing could be.
        inactive: Option<String>,
    },
    /// Less of a result goes to the model than the tool answered, or than went before.
    Reduced {
        /// The call that it answers.
        id: String,
        /// What stands in its place, in a word: `pointer`, `excerpt`, `curated` and others.
        kind: &'static str,
        /// Whether that only points at what the model was given before, as for a file that is read
        /// again.
        cached: bool,
        /// Bytes of the result.
        bytes: u64,
        /// Bytes that go.
        bytes_sent: u64,
    },
    /// How far a model is that reads files into the index beside the run.
    Indexing(ToldIndexing),
    /// More text of the model.
    Text {
        /// The piece.
        text: String,
    },
    /// More reasoning of the model.
    Reasoning {
        /// The piece.
        text: String,
    },
    /// A call begins to come.
    CallStart {
        /// The call.
        id: String,
        /// The tool.
        name: String,
    },
    /// More of a call's arguments, a piece of JSON.
    CallArguments {
        /// The call.
        id: String,
        /// The piece.
        piece: String,
    },
    /// A request is sent again: forget what was told since it was sent.
    Again {
        /// The request.
        number: u64,
        /// What went wrong.
        why: String,
        /// Milliseconds until then.
        wait_ms: u64,
    },
    /// What an answer was billed for, and all so far.
    Usage {
        /// The request.
        number: u64,
        /// All so far.
        spent: Spent,
        /// Whether the server did not tell what it came to: it is counted here, of what was asked and
        /// heard.
        #[serde(skip_serializing_if = "is_not")]
        estimated: bool,
    },
    /// What a question to a model beside the main one cost, and all so far.
    SideUsage {
        /// The question.
        #[serde(flatten)]
        charge: SideCharge,
        /// All so far.
        spent: Spent,
    },
    /// A call is carried out.
    Call {
        /// The call.
        id: String,
        /// The tool.
        name: String,
        /// Its arguments.
        arguments: Value,
    },
    /// A call goes on.
    Progress {
        /// The call.
        id: String,
        /// How far it is, or what it prints; empty where only the model went on.
        message: String,
        /// What a model does that helps with it.
        #[serde(skip_serializing_if = "Option::is_none")]
        model: Option<ModelWork>,
    },
    /// Something happened to the sub-agent that carries a call out. What it tells stands apart, so
    /// that nobody takes its words for those of the agent.
    Agent {
        /// The call.
        id: String,
        /// What the sub-agent is called.
        label: String,
        /// What it tells.
        event: Box<Told>,
    },
    /// A call is answered, also one that was not carried out.
    Result {
        /// The call.
        id: String,
        /// The tool.
        name: String,
        /// Whether an earlier answer was used.
        cached: bool,
        /// Whether it failed.
        is_error: bool,
        /// What the tool answers. Of that the model may be sent less.
        text: String,
    },
    /// The same call with the same answer, again and again. The model is told so.
    Repeated {
        /// The tool.
        name: String,
        /// How often.
        times: u32,
    },
    /// It is over.
    Done {
        /// How.
        #[serde(flatten)]
        outcome: Outcome,
        /// What it came to.
        spent: Spent,
    },
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes what it looks at so")]
fn is_not(estimated: &bool) -> bool {
    !estimated
}

/// How far a model is that reads files into the index.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ToldIndexing {
    /// The model, as the user names it.
    pub model: String,
    /// The file that it reads.
    pub file: Option<String>,
    /// Files that wait for it.
    pub waiting: u64,
    /// Files that it has told of.
    pub told: u64,
    /// Files about which nothing came.
    pub failed: u64,
    /// Tokens of all questions and answers.
    pub tokens: u64,
}

impl ToldIndexing {
    /// Whether it reads, or is about to.
    pub fn is_at_work(&self) -> bool {
        self.file.is_some() || self.waiting > 0
    }

    /// The line for a person on what it did since it was as far as `before`, with numbers as `count`
    /// writes them.
    pub fn line_since(&self, before: &Self, time: &str, count: impl Fn(u64) -> String) -> String {
        let told = self.told.saturating_sub(before.told);
        let failed = self.failed.saturating_sub(before.failed);
        let tokens = self.tokens.saturating_sub(before.tokens);
        let files = if told == 1 { "file" } else { "files" };
        let of_no_use = match failed {
            0 => String::new(),
            failed => format!(", of {} nothing came", count(failed)),
        };
        let (model, told, tokens) = (&self.model, count(told), count(tokens));
        format!("{model} read {told} {files} into the index{of_no_use}: {time}, {tokens} tokens")
    }
}

/// How a run ends. In JSON, `outcome` says which.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum Outcome {
    /// The model says that it is done.
    Finished {
        /// What it said last.
        text: String,
    },
    /// The model's last answer was cut: it was too long.
    Cut {
        /// What it said last.
        text: String,
    },
    /// The model, or a filter of its provider, refuses.
    Refused {
        /// What it said last.
        text: String,
    },
    /// A limit is reached.
    Limit {
        /// Which.
        limit: Limit,
    },
    /// It went round in circles.
    Repeated {
        /// The tool that it called again and again.
        name: String,
        /// How often.
        times: u32,
    },
    /// The conversation is longer than the model can hold.
    TooLong {
        /// What the server says.
        message: String,
    },
    /// The model could not be asked.
    Failed {
        /// Why, and what to do.
        message: String,
    },
    /// The person stopped it.
    Stopped,
}
