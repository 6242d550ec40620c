//! The inputs of the agent's state machine, and the actions that it returns.

use foveal_engine::message_shape::ShapeKind;
use foveal_engine::views::CurationProgress;
use foveal_protocols::response::{DecodedAnswer, DecodedEvent};
use foveal_transcript::ToolCall;

use crate::agent_event::{AgentEvent, RunOutcome};
use crate::limits::LimitKind;
use crate::run_log_entry::RunLogEntry;
use crate::side_model::SideModelCharge;
use crate::sub_agent::SubAgentCall;
use crate::tool_answer::ToolAnswer;

/// An input to the agent. Requests and calls have numbers; inputs about one that is not in flight
/// any more are ignored.
#[derive(Debug, Clone, PartialEq)]
pub enum AgentInput {
    /// The user's task or next message, sent while the agent is idle: its first input, and for an
    /// agent that waits for tasks any later one.
    Task(String),
    /// Continues the conversation without a new message, sent while the agent is idle: after a
    /// resumption, or after a turn that ended before the model was done.
    Continue,
    /// A request is sent, in the form that the engine gave it.
    RequestSent {
        /// The request's number.
        number: u64,
        /// Prompt tokens before any reduction.
        tokens_asked: u64,
        /// Prompt tokens as sent.
        tokens_sent: u64,
        /// The reason why results that were sent before change, if any do.
        rewrite_reason: Option<&'static str>,
        /// The reason why the engine could not act, if so.
        inactive_reason: Option<String>,
    },
    /// A request carries less of a tool result than the tool answered, or than an earlier request
    /// carried.
    ResultReduced {
        /// The request's number.
        number: u64,
        /// The id of the answered call.
        id: String,
        /// The form of the reduction.
        kind: ShapeKind,
        /// Whether the result only points at content that the model was given before.
        cached: bool,
        /// Bytes of the whole result.
        bytes: u64,
        /// Bytes that are sent.
        bytes_sent: u64,
        /// The text that is sent of a curated read.
        curated_text: Option<String>,
    },
    /// A piece of an answer.
    AnswerDelta {
        /// The request's number.
        number: u64,
        /// The piece.
        event: DecodedEvent,
    },
    /// A request is sent again. The pieces of its answer so far are void.
    RequestRetried {
        /// The request's number.
        number: u64,
        /// The error.
        reason: String,
        /// Milliseconds until the retry.
        wait_ms: u64,
    },
    /// An answer is complete.
    AnswerCompleted {
        /// The request's number.
        number: u64,
        /// The answer.
        answer: DecodedAnswer,
    },
    /// A request failed and is not retried.
    RequestFailed {
        /// The request's number.
        number: u64,
        /// The error, and advice for the user.
        message: String,
        /// Whether the prompt exceeds the model's window.
        is_too_long: bool,
    },
    /// A request is not sent, because side models that help to shape it reached a limit.
    RequestOverLimit {
        /// The request's number.
        number: u64,
        /// The limit.
        limit: LimitKind,
    },
    /// Removes a message of the user and all later ones from the conversation, sent while the agent
    /// is idle. The log keeps them.
    Rewind {
        /// The index of the message in the conversation.
        to: usize,
    },
    /// All approvals of a call with effects were given. The call waits for
    /// [`AgentAction::BeginCall`].
    CallApproved {
        /// The call's number.
        number: u64,
    },
    /// A running call reports progress.
    CallProgressed {
        /// The call's number.
        number: u64,
        /// The progress message, or output of the call.
        message: String,
        /// The work of a model that helps with the call.
        model: Option<CurationProgress>,
    },
    /// The sub-agent that runs a call emitted an event.
    SubAgentReported {
        /// The call's number.
        number: u64,
        /// The event.
        event: Box<AgentEvent>,
    },
    /// A model curates the result of a call before the request that carries it is sent.
    CurationProgressed {
        /// The number of the request that waits for it.
        number: u64,
        /// The id of the call.
        id: String,
        /// The progress message; empty where the last one still holds.
        message: String,
        /// The work of the model.
        model: CurationProgress,
    },
    /// A call is answered.
    CallAnswered {
        /// The call's number.
        number: u64,
        /// The answer.
        answer: ToolAnswer,
    },
    /// A question is sent to a side model.
    SideModelAsked {
        /// The question's unique number.
        number: u64,
        /// The least that it costs, by estimate.
        charge: SideModelCharge,
    },
    /// A question to a side model is answered or has failed.
    SideModelAnswered {
        /// The question's number.
        number: u64,
        /// The cost; `None` where the server did not accept the question.
        charge: Option<SideModelCharge>,
    },
    /// Time has passed.
    Tick,
    /// The user stops the turn. A second stop does not wait for running calls.
    Stop,
    /// The user ends the agent for good, in any state. A second one does not wait for running
    /// calls.
    ShutDown,
}

/// An action that the agent's driver performs.
#[derive(Debug, Clone, PartialEq)]
pub enum AgentAction {
    /// Append this to the run log before performing the actions that follow.
    AppendLog(RunLogEntry),
    /// Send a request to the model; only one is in flight at a time.
    SendRequest {
        /// The request's number, repeated in all inputs about it.
        number: u64,
        /// The request body, with the whole conversation.
        body: Vec<u8>,
    },
    /// Cancel the request that is in flight.
    CancelRequest,
    /// Run a call in parallel with those that run already. Each call is to be answered, even if it
    /// is cancelled. A call with effects first obtains its approvals, reports
    /// [`AgentInput::CallApproved`], and then waits for [`AgentAction::BeginCall`].
    RunCall {
        /// The call's number, repeated in all inputs about it.
        number: u64,
        /// The call.
        call: ToolCall,
    },
    /// Run a call by a sub-agent, which does nothing before [`AgentAction::BeginCall`]. The call is
    /// to be answered like others.
    StartSubAgent(SubAgentCall),
    /// Begin an approved call; the log holds the fact that it began.
    BeginCall {
        /// The call's number.
        number: u64,
    },
    /// Cancel the running calls.
    CancelCalls,
    /// Pass an event to the observers of the run.
    Emit(AgentEvent),
    /// The last action: the agent has ended. For an agent that waits for tasks, this is the outcome
    /// of its last turn.
    End(RunOutcome),
}
