//! The one loop: events in, actions out.

use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use foveal_agent::{Action, Agent, Event, Outcome, Told};
use foveal_cancel::Cancel;
use foveal_tools::clock::{Clock, SystemClock};

use super::asking::Asking;
use super::calling::Calling;
use super::indexing::IndexingWatch;
use crate::runs::RunLog;
use crate::side_agents::SideBill;

/// How often it is looked whether the person, or a limit, wants it to end.
const LOOK_UP_TIME: Duration = Duration::from_millis(50);

/// Something that a person wants of an agent beside talking; what happens by it, if something does.
pub(crate) type Control = Box<dyn FnOnce(&Agent) -> Option<Event> + Send>;

/// Drives an agent, beginning with `first`, until it ends or is asked to.
///
/// # Errors
/// If what happens cannot be shown any more. It is ended then.
pub(crate) fn drive(
    mut agent: Agent,
    first: Event,
    (mut asking, mut calling): (Asking, Calling),
    (show, log): (&mut dyn FnMut(Told) -> anyhow::Result<()>, &mut RunLog),
    (events, controls, cancel): (&Receiver<Event>, &Receiver<Control>, &Cancel<'_>),
) -> anyhow::Result<Outcome> {
    let mut indexing = IndexingWatch::new(calling.session().toolbox());
    let bill = asking.bill();
    let mut is_stopped = false;
    let mut next = first;
    let mut shown = Ok(());
    let mut looked = Instant::now();
    loop {
        let mut keeps = Vec::new();
        for action in stepped(&mut agent, next, bill.as_deref()) {
            // What is said one after the other is kept at once, before anything else is done.
            if !matches!(action, Action::Keep(_)) && !keeps.is_empty() {
                log.keep(std::mem::take(&mut keeps));
            }
            match action {
                Action::Keep(keep) => keeps.push(keep),
                Action::Ask { number, body } => asking.ask(number, body),
                Action::StopAsking => asking.stop(),
                Action::Call { number, call } => calling.call(number, call),
                Action::StartAgent(start) => calling.start_agent(start),
                Action::Begin { number } => calling.begin(number),
                Action::StopCalls => calling.stop(),
                Action::Tell(told) if shown.is_ok() => shown = show(told),
                Action::Tell(_) => {}
                Action::End(outcome) => {
                    shown?;
                    return Ok(outcome);
                }
            }
        }
        if !keeps.is_empty() {
            log.keep(keeps);
        }
        // Nobody reads what is done: it is not done any longer.
        if (cancel.is_cancelled() || shown.is_err()) && !is_stopped {
            is_stopped = true;
            next = Event::Leave;
            continue;
        }
        if let Ok(control) = controls.try_recv() {
            next = control(&agent).unwrap_or(Event::Tick);
            continue;
        }
        // Events that come without a pause do not keep it from looking at the time.
        let event = match looked.elapsed() < LOOK_UP_TIME {
            true => events.recv_timeout(LOOK_UP_TIME).ok(),
            false => None,
        };
        next = event.unwrap_or_else(|| {
            looked = Instant::now();
            Event::Tick
        });
        if let Some(told) = indexing.changed().filter(|_| shown.is_ok()) {
            shown = show(Told::Indexing(told));
        }
    }
}

/// What is to be done where this happens, with what models beside the main one cost counted before.
fn stepped(agent: &mut Agent, next: Event, bill: Option<&SideBill>) -> Vec<Action> {
    let now = SystemClock.now();
    let Some(bill) = bill else { return agent.step(next, now) };
    let events = bill.news().into_iter().chain([next]);
    let actions = events.flat_map(|event| agent.step(event, now)).collect();
    bill.know(agent.spent());
    if agent.has_ended() {
        bill.close();
    }
    actions
}
