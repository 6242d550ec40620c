//! The one loop: events in, actions out.

use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

use foveal_agent::{Action, Agent, Event, Outcome};
use foveal_tools::clock::{Clock, SystemClock};

use super::asking::Asking;
use super::calling::Calling;
use super::show::Show;
use crate::interrupt;

/// How often it is looked whether the person, or a limit, wants it to end.
const LOOK_UP_TIME: Duration = Duration::from_millis(50);

/// Drives an agent on a task until it ends.
///
/// # Errors
/// If what happens cannot be shown any more. It is ended then.
pub(super) fn drive(
    mut agent: Agent,
    task: String,
    (mut asking, calling): (Asking, Calling),
    mut show: Show,
    events: &Receiver<Event>,
) -> anyhow::Result<Outcome> {
    let cancel = interrupt::listen();
    let mut is_stopped = false;
    let mut next = Event::Task(task);
    let mut shown = Ok(());
    loop {
        for action in agent.step(next, SystemClock.now()) {
            match action {
                Action::Ask { number, body } => asking.ask(number, body),
                Action::StopAsking => asking.stop(),
                Action::Call(call) => calling.call(call),
                Action::StopCalls => calling.stop(),
                Action::Tell(told) if shown.is_ok() => shown = show.tell(&told),
                Action::Tell(_) => {}
                Action::End(outcome) => {
                    shown?;
                    return Ok(outcome);
                }
            }
        }
        // Nobody reads what is done: it is not done any longer.
        if (cancel.is_cancelled() || shown.is_err()) && !is_stopped {
            is_stopped = true;
            next = Event::Stop;
            continue;
        }
        next = match events.recv_timeout(LOOK_UP_TIME) {
            Ok(event) => event,
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => Event::Tick,
        };
    }
}
