//! What happens to an agent, and what it wants done.

use foveal_context::shape::ShapeKind;
use foveal_context::views::ModelWork;
use foveal_transcript::Call;
use foveal_wire::response::{Said, SaidEvent};

use crate::keep::Keep;
use crate::limits::Limit;
use crate::side::SideCharge;
use crate::sub_agent::StartAgent;
use crate::told::{Outcome, Told};
use crate::tool_answer::ToolAnswer;

/// What happened. Requests and calls are known by their numbers: what comes of one that is no longer
/// waited for is passed over.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// The person gives a task, where none is worked on: the first event, and of an agent that stays
    /// any later one. In a conversation that goes on, it is the next message.
    Task(String),
    /// The conversation goes on where it is, where no task is worked on: one that is taken up again,
    /// or one whose turn ended before the model was done.
    GoOn,
    /// What the engine made of a request that is sent now.
    Sent {
        /// The request.
        number: u64,
        /// Tokens of the prompt with everything in it.
        tokens_asked: u64,
        /// Tokens of the prompt as it goes.
        tokens_sent: u64,
        /// Why results changed that had been sent before, if any did.
        rewrite: Option<&'static str>,
        /// Why nothing was done, where nothing could be.
        inactive: Option<String>,
    },
    /// Less of a result goes with a request than the tool answered, or than went before.
    Reduced {
        /// The request.
        number: u64,
        /// The call that it answers.
        id: String,
        /// What stands in its place.
        kind: ShapeKind,
        /// Whether that only points at what was given before.
        cached: bool,
        /// Bytes of the result.
        bytes: u64,
        /// Bytes that go.
        bytes_sent: u64,
    },
    /// More of an answer.
    Streamed {
        /// The request.
        number: u64,
        /// What came.
        event: SaidEvent,
    },
    /// A request is sent again; what was told of its answer does not count.
    Again {
        /// The request.
        number: u64,
        /// What went wrong.
        why: String,
        /// Milliseconds until then.
        wait_ms: u64,
    },
    /// An answer is complete.
    Said {
        /// The request.
        number: u64,
        /// The answer.
        said: Said,
    },
    /// A request has no answer, and nothing helps any more.
    Failed {
        /// The request.
        number: u64,
        /// What went wrong, and what to do.
        message: String,
        /// Whether the prompt is longer than the model can hold.
        is_too_long: bool,
    },
    /// A request is not sent: models that help to decide what of it goes reached a limit.
    OverLimit {
        /// The request.
        number: u64,
        /// Which limit.
        limit: Limit,
    },
    /// The conversation goes back to just before this message of the person's, where no task is
    /// worked on. What was said since is kept, and the model is not told of it any more.
    Rewind {
        /// The message, by its place in the conversation.
        to: usize,
    },
    /// Whoever has to allow a call that does more than look has done so. It waits until it is told to
    /// begin.
    Allowed {
        /// The call.
        number: u64,
    },
    /// A call goes on.
    Progress {
        /// The call.
        number: u64,
        /// How far it is, or what it prints.
        message: String,
        /// What a model does that helps with it.
        model: Option<ModelWork>,
    },
    /// Something happened to the sub-agent that carries a call out.
    OfAgent {
        /// The call.
        number: u64,
        /// What it tells.
        told: Box<Told>,
    },
    /// A model helps with the result of a call, on its way to the model that made it.
    Helped {
        /// The request that waits for it.
        number: u64,
        /// The call.
        id: String,
        /// How far it is; empty where what was said before still holds.
        message: String,
        /// What it does.
        model: ModelWork,
    },
    /// A call is answered.
    Answered {
        /// The call.
        number: u64,
        /// The answer.
        answer: ToolAnswer,
    },
    /// A model beside the main one is asked.
    SideAsked {
        /// The question: another number for each.
        number: u64,
        /// What it costs at least, by estimate.
        charge: SideCharge,
    },
    /// A question to such a model is over.
    SideAnswered {
        /// The question.
        number: u64,
        /// What it cost; `None`: nothing, since its server did not take it.
        charge: Option<SideCharge>,
    },
    /// Time has passed, and nothing else.
    Tick,
    /// The person wants what it does to end. The second time it does not wait for running calls.
    Stop,
    /// The person wants it to end for good, whatever it is at. The second time it does not wait for
    /// running calls.
    Leave,
}

/// What is to be done.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// Keep this, before what follows is done.
    Keep(Keep),
    /// Ask the model; one request at a time.
    Ask {
        /// The request: it stands in all events about it.
        number: u64,
        /// Its body, with the whole conversation.
        body: Vec<u8>,
    },
    /// Ask no longer.
    StopAsking,
    /// Carry a call out, beside those that run already. Each is to be answered, also when it is
    /// stopped. One that does more than look does nothing before [`Action::Begin`]: it says
    /// [`Event::Allowed`] once it may, and waits.
    Call {
        /// The call: it stands in all events about it.
        number: u64,
        /// What is to be done.
        call: Call,
    },
    /// Have a sub-agent carry a call out, which does nothing before [`Action::Begin`]. It is to be
    /// answered as other calls are.
    StartAgent(StartAgent),
    /// A call that is allowed begins: that it did is kept.
    Begin {
        /// The call.
        number: u64,
    },
    /// Stop the calls that run.
    StopCalls,
    /// Tell whoever watches.
    Tell(Told),
    /// It is over: the last action. Of an agent that stays, this is how its last turn ended.
    End(Outcome),
}
