//! The calls of one answer, until each has a result.

use foveal_transcript::Call;
use serde_json::Value;

use crate::past::OpenCall;
use crate::tool_answer::ToolAnswer;

/// Calls that run side by side, at most. The others wait.
pub(crate) const SIDE_BY_SIDE_MAX: usize = 8;

/// What a call is answered that was not carried out because the run ended.
const NOT_MADE: &str = "stopped: the run ended before this call was made";

/// What a call is answered that ran when nobody waited any longer.
const LEFT: &str = "stopped: the run ended while this call ran; it may have done its work";

/// What a call is answered that ran when an earlier run broke off.
const UNKNOWN: &str = "the run broke off while this call ran, and its answer is not known: it may \
have done all of its work, a part of it, or nothing. Look what there is before you make it again";

/// What a call is answered that had not begun, as far as is known, when an earlier run broke off.
const NOT_BEGUN: &str = "not made: the run broke off before this call began, as far as is known. \
Make it again if it is still needed";

/// The calls of one answer, in its order.
#[derive(Debug, Default)]
pub(crate) struct Calls {
    all: Vec<Made>,
}

#[derive(Debug)]
struct Made {
    /// Its number among all calls of the agent, once it runs: ids may come again in later answers.
    number: u64,
    call: Call,
    only_looks: bool,
    /// Whether it was allowed, where it does more than look.
    has_begun: bool,
    state: State,
    /// Whether its answer was told.
    is_told: bool,
}

#[derive(Debug)]
enum State {
    Waits,
    Runs,
    Answered(ToolAnswer),
}

impl Calls {
    /// Calls that are still to be made. `only_looks` says of a tool whether its calls may run side
    /// by side. Calls whose arguments are no object are answered at once.
    pub(crate) fn new(calls: Vec<Call>, only_looks: impl Fn(&str) -> bool) -> Self {
        let made = |call: Call| {
            let state = match &call.arguments {
                Value::Object(_) => State::Waits,
                other => State::Answered(not_an_object(other)),
            };
            let only_looks = only_looks(&call.name);
            Made { number: 0, call, only_looks, has_begun: only_looks, state, is_told: false }
        };
        Self { all: calls.into_iter().map(made).collect() }
    }

    /// Calls of a run that broke off. What is known of them is their answer; those that only look
    /// are made again, and no others: those may have done their work.
    pub(crate) fn resumed(calls: Vec<OpenCall>, only_looks: impl Fn(&str) -> bool) -> Self {
        let all = Self::new(calls.iter().map(|open| open.call.clone()).collect(), only_looks).all;
        let known = |(made, open): (Made, OpenCall)| {
            let failed = |text: &str| State::Answered(ToolAnswer::failed(text.to_owned()));
            let state = match (made.state, open.answer) {
                (_, Some(answer)) => State::Answered(answer),
                (State::Waits, None) if !made.only_looks => match open.has_begun {
                    true => failed(UNKNOWN),
                    false => failed(NOT_BEGUN),
                },
                (state, None) => state,
            };
            Made { state, ..made }
        };
        Self { all: all.into_iter().zip(calls).map(known).collect() }
    }

    /// The calls that are to be made now: those that only look, up to the first that does more;
    /// that one alone. `last` is the number of the last call that was made, and counts on.
    pub(crate) fn start(&mut self, last: &mut u64) -> Vec<(u64, Call)> {
        let mut started = Vec::new();
        let mut running = 0;
        let mut start = |made: &mut Made| {
            *last += 1;
            (made.number, made.state) = (*last, State::Runs);
            started.push((*last, made.call.clone()));
        };
        for made in &mut self.all {
            match made.state {
                State::Answered(_) => continue,
                State::Runs if made.only_looks => running += 1,
                State::Waits if made.only_looks && running < SIDE_BY_SIDE_MAX => {
                    running += 1;
                    start(made);
                }
                State::Waits if !made.only_looks && running == 0 => {
                    start(made);
                    break;
                }
                State::Runs | State::Waits => break,
            }
        }
        started
    }

    /// Notes that a running call is allowed, the first time.
    pub(crate) fn begin(&mut self, number: u64) -> Option<&Call> {
        let made = self.all.iter_mut().find(|made| made.runs_as(number))?;
        (!std::mem::replace(&mut made.has_begun, true)).then_some(&made.call)
    }

    /// Takes the answer of a running call, which is told; `None` where no such call runs.
    pub(crate) fn answer(&mut self, number: u64, answer: ToolAnswer) -> Option<&Call> {
        let made = self.all.iter_mut().find(|made| made.runs_as(number))?;
        (made.state, made.is_told) = (State::Answered(answer), true);
        Some(&made.call)
    }

    /// The calls whose answers were not told: nobody carried them out, or nobody waited for that.
    /// They count as told then.
    pub(crate) fn untold(&mut self) -> Vec<(Call, ToolAnswer)> {
        let untold = self.all.iter_mut().filter(|made| !made.is_told);
        untold
            .filter_map(|made| {
                let State::Answered(answer) = &made.state else { return None };
                made.is_told = true;
                Some((made.call.clone(), answer.clone()))
            })
            .collect()
    }

    /// Answers what waits: no further call is made.
    pub(crate) fn give_up(&mut self) {
        self.answer_all(NOT_MADE, |made| matches!(made.state, State::Waits));
    }

    /// Answers what runs: nobody waits for it any longer.
    pub(crate) fn leave(&mut self) {
        let runs = |made: &Made| matches!(made.state, State::Runs);
        self.answer_all(NOT_MADE, |made| runs(made) && !made.has_begun);
        self.answer_all(LEFT, runs);
    }

    fn answer_all(&mut self, text: &str, is_it: impl Fn(&Made) -> bool) {
        for made in self.all.iter_mut().filter(|made| is_it(made)) {
            made.state = State::Answered(ToolAnswer::failed(text.to_owned()));
        }
    }

    /// Whether calls run.
    pub(crate) fn run(&self) -> bool {
        self.all.iter().any(|made| matches!(made.state, State::Runs))
    }

    /// The call of this number, if it runs.
    pub(crate) fn running(&self, number: u64) -> Option<&Call> {
        self.all.iter().find(|made| made.runs_as(number)).map(|made| &made.call)
    }

    /// The place of the call of this number among those of its answer.
    pub(crate) fn place(&self, number: u64) -> Option<usize> {
        self.all.iter().position(|made| made.number == number)
    }

    /// Whether each call has its answer.
    pub(crate) fn are_answered(&self) -> bool {
        self.all.iter().all(|made| matches!(made.state, State::Answered(_)))
    }

    /// The calls with their answers, in the order of the calls.
    pub(crate) fn take(&mut self) -> Vec<(Call, ToolAnswer)> {
        let answered = std::mem::take(&mut self.all).into_iter();
        answered
            .filter_map(|made| match made.state {
                State::Answered(answer) => Some((made.call, answer)),
                State::Waits | State::Runs => None,
            })
            .collect()
    }
}

impl Made {
    fn runs_as(&self, number: u64) -> bool {
        self.number == number && matches!(self.state, State::Runs)
    }
}

/// The answer to a call whose arguments mean nothing that could be carried out.
fn not_an_object(arguments: &Value) -> ToolAnswer {
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
    ToolAnswer::failed(text)
}
