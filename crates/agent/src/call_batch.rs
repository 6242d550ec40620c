//! The calls of one answer, from the model's request to the last result.

use foveal_transcript::ToolCall;
use serde_json::Value;

use crate::resume_state::ResumedCall;
use crate::tool_answer::ToolAnswer;

/// The number of calls that run in parallel at most; the others wait.
pub(crate) const PARALLEL_CALLS_MAX: usize = 8;

/// The result of a call that had not started when the run ended.
const STOPPED_BEFORE_START: &str = "stopped: the run ended before this call was made";

/// The result of a call that still ran when the run ended.
const STOPPED_WHILE_RUNNING: &str =
    "stopped: the run ended while this call ran; it may have done its work";

/// The result of a call that ran when an earlier run broke off.
const INTERRUPTED_WHILE_RUNNING: &str = "the run broke off while this call ran, and its answer is not known: it may \
have done all of its work, a part of it, or nothing. Look what there is before you make it again";

/// The result of a call that, by the log, had not begun when an earlier run broke off.
const INTERRUPTED_BEFORE_START: &str = "not made: the run broke off before this call began, as far as is known. \
Make it again if it is still needed";

/// The calls of one answer, in its order.
#[derive(Debug, Default)]
pub(crate) struct CallBatch {
    calls: Vec<TrackedCall>,
}

#[derive(Debug)]
struct TrackedCall {
    /// The call's number among all calls of the agent, once it runs. Its id may occur again in
    /// later answers.
    number: u64,
    call: ToolCall,
    is_read_only: bool,
    /// Whether the call was approved; always true for read-only calls.
    is_approved: bool,
    state: CallState,
    /// Whether an event with the answer was emitted.
    is_reported: bool,
}

#[derive(Debug)]
enum CallState {
    Waiting,
    Running,
    Answered(ToolAnswer),
}

impl CallBatch {
    /// Returns a batch of calls that have not started. `only_looks` says of a tool whether its
    /// calls are read-only and may run in parallel. Calls whose arguments are not an object are
    /// answered with an error at once.
    pub(crate) fn new(calls: Vec<ToolCall>, only_looks: impl Fn(&str) -> bool) -> Self {
        let made = |call: ToolCall| {
            let state = match &call.arguments {
                Value::Object(_) => CallState::Waiting,
                other => CallState::Answered(invalid_arguments_answer(other)),
            };
            let only_looks = only_looks(&call.name);
            TrackedCall {
                number: 0,
                call,
                is_read_only: only_looks,
                is_approved: only_looks,
                state,
                is_reported: false,
            }
        };
        Self { calls: calls.into_iter().map(made).collect() }
    }

    /// Returns a batch of calls of a run that broke off. Logged answers are reused. Read-only calls
    /// run again; all others are answered with an error, since they may have done their work.
    pub(crate) fn from_unanswered(
        calls: Vec<ResumedCall>,
        only_looks: impl Fn(&str) -> bool,
    ) -> Self {
        let all = Self::new(calls.iter().map(|open| open.call.clone()).collect(), only_looks).calls;
        let known = |(made, open): (TrackedCall, ResumedCall)| {
            let failed = |text: &str| CallState::Answered(ToolAnswer::from_error(text.to_owned()));
            let state = match (made.state, open.answer) {
                (_, Some(answer)) => CallState::Answered(answer),
                (CallState::Waiting, None) if !made.is_read_only => match open.has_begun {
                    true => failed(INTERRUPTED_WHILE_RUNNING),
                    false => failed(INTERRUPTED_BEFORE_START),
                },
                (state, None) => state,
            };
            TrackedCall { state, ..made }
        };
        Self { calls: all.into_iter().zip(calls).map(known).collect() }
    }

    /// Starts and returns the calls that can run now: read-only calls up to the first call with
    /// effects, or that call alone. `last` is the number of the last started call, and is advanced.
    pub(crate) fn start_runnable(&mut self, last: &mut u64) -> Vec<(u64, ToolCall)> {
        let mut started = Vec::new();
        let mut running = 0;
        let mut start = |made: &mut TrackedCall| {
            *last += 1;
            (made.number, made.state) = (*last, CallState::Running);
            started.push((*last, made.call.clone()));
        };
        for made in &mut self.calls {
            match made.state {
                CallState::Answered(_) => continue,
                CallState::Running if made.is_read_only => running += 1,
                CallState::Waiting if made.is_read_only && running < PARALLEL_CALLS_MAX => {
                    running += 1;
                    start(made);
                }
                CallState::Waiting if !made.is_read_only && running == 0 => {
                    start(made);
                    break;
                }
                CallState::Running | CallState::Waiting => break,
            }
        }
        started
    }

    /// Approves a running call. Returns the call the first time, `None` afterwards.
    pub(crate) fn approve(&mut self, number: u64) -> Option<&ToolCall> {
        let made = self.calls.iter_mut().find(|made| made.is_running_as(number))?;
        (!std::mem::replace(&mut made.is_approved, true)).then_some(&made.call)
    }

    /// Records the answer of a running call, which the caller reports. Returns `None` where no such
    /// call runs.
    pub(crate) fn record_answer(&mut self, number: u64, answer: ToolAnswer) -> Option<&ToolCall> {
        let made = self.calls.iter_mut().find(|made| made.is_running_as(number))?;
        (made.state, made.is_reported) = (CallState::Answered(answer), true);
        Some(&made.call)
    }

    /// Returns the answered calls whose answers were not reported, such as calls that never ran or
    /// were abandoned, and marks them as reported.
    pub(crate) fn take_unreported(&mut self) -> Vec<(ToolCall, ToolAnswer)> {
        let untold = self.calls.iter_mut().filter(|made| !made.is_reported);
        untold
            .filter_map(|made| {
                let CallState::Answered(answer) = &made.state else { return None };
                made.is_reported = true;
                Some((made.call.clone(), answer.clone()))
            })
            .collect()
    }

    /// Answers the waiting calls with an error; no further call starts.
    pub(crate) fn cancel_waiting(&mut self) {
        self.answer_matching(STOPPED_BEFORE_START, |made| matches!(made.state, CallState::Waiting));
    }

    /// Answers the running calls with an error, without waiting for them.
    pub(crate) fn abandon_running(&mut self) {
        let runs = |made: &TrackedCall| matches!(made.state, CallState::Running);
        self.answer_matching(STOPPED_BEFORE_START, |made| runs(made) && !made.is_approved);
        self.answer_matching(STOPPED_WHILE_RUNNING, runs);
    }

    fn answer_matching(&mut self, text: &str, is_it: impl Fn(&TrackedCall) -> bool) {
        for made in self.calls.iter_mut().filter(|made| is_it(made)) {
            made.state = CallState::Answered(ToolAnswer::from_error(text.to_owned()));
        }
    }

    /// Returns whether a call runs.
    pub(crate) fn has_running(&self) -> bool {
        self.calls.iter().any(|made| matches!(made.state, CallState::Running))
    }

    /// Returns the call of this number, if it runs.
    pub(crate) fn running_call(&self, number: u64) -> Option<&ToolCall> {
        self.calls.iter().find(|made| made.is_running_as(number)).map(|made| &made.call)
    }

    /// Returns the position of the call of this number in its answer.
    pub(crate) fn call_position(&self, number: u64) -> Option<usize> {
        self.calls.iter().position(|made| made.number == number)
    }

    /// Returns whether each call has an answer.
    pub(crate) fn is_complete(&self) -> bool {
        self.calls.iter().all(|made| matches!(made.state, CallState::Answered(_)))
    }

    /// Removes and returns the calls with their answers, in the order of the calls.
    pub(crate) fn take_answers(&mut self) -> Vec<(ToolCall, ToolAnswer)> {
        let answered = std::mem::take(&mut self.calls).into_iter();
        answered
            .filter_map(|made| match made.state {
                CallState::Answered(answer) => Some((made.call, answer)),
                CallState::Waiting | CallState::Running => None,
            })
            .collect()
    }
}

impl TrackedCall {
    fn is_running_as(&self, number: u64) -> bool {
        self.number == number && matches!(self.state, CallState::Running)
    }
}

/// Returns the answer to a call whose arguments are not a JSON object.
fn invalid_arguments_answer(arguments: &Value) -> ToolAnswer {
    let what = match arguments {
        Value::String(text) => match serde_json::from_str::<Value>(text) {
            Err(error) => format!("are no JSON ({error})"),
            Ok(_) => "are JSON, but no object".to_owned(),
        },
        _ => "are no object".to_owned(),
    };
    let text = format!(
        "the call was not made: its arguments {what}. Make it again with one JSON object of names \
         and values, such as {{\"path\": \"src/a.rs\"}}, with quotes and line breaks in strings \
         escaped"
    );
    ToolAnswer::from_error(text)
}
