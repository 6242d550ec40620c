//! The answers of tools in one conversation, as the model read them.

use std::collections::HashSet;

use crate::model::{Call, Files, call_at};
use crate::run::Run;

/// An answer at the time when the model read it first.
#[derive(Debug)]
pub(crate) struct Answer<'a> {
    /// The id of the call.
    pub(crate) id: &'a str,
    /// The call that it answers.
    pub(crate) call: &'a Call,
    /// The step of the plan in which it was made, and its place there.
    pub(crate) at: (usize, usize),
    /// What the model read, the agent's own frame left out.
    pub(crate) text: String,
    /// What the agent sent.
    pub(crate) raw: &'a str,
    /// Whether the agent marked it as an error.
    pub(crate) is_error: bool,
    /// What the files held then.
    pub(crate) files: &'a Files,
}

/// The answers in the conversation of a plan, in the order in which the model read them.
pub(crate) fn answers(run: &Run, plan: usize) -> Vec<Answer<'_>> {
    let mut answers = Vec::new();
    let mut seen = HashSet::new();
    for arrival in run.arrivals.iter().filter(|arrival| arrival.plan == plan) {
        for result in &arrival.results {
            let Some((of, step, n)) = call_at(&result.id).filter(|_| seen.insert(&result.id))
            else {
                continue;
            };
            let call = run.plans[of].steps.get(step).and_then(|step| step.get(n));
            answers.extend(call.map(|call| Answer {
                id: &result.id,
                call,
                at: (step, n),
                text: (run.agent.unwrap)(&result.text),
                raw: &result.text,
                is_error: result.is_error,
                files: &arrival.files,
            }));
        }
    }
    answers
}
