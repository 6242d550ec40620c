//! The agent's event loop: events in, actions out.

use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use foveal_agent::{Agent, AgentAction, AgentEvent, AgentInput, RunOutcome};
use foveal_tools::clock::{Clock, SystemClock};
use foveal_transcript::CancelToken;

use super::indexing_progress::IndexingMonitor;
use super::model_client::ModelRequester;
use super::tool_executor::ToolExecutor;
use crate::runs::RunLog;
use crate::side_agents::SideBill;

/// The interval at which the loop checks for cancellation and time limits.
const EVENT_POLL_INTERVAL: Duration = Duration::from_millis(50);

/// A command of the user to the agent other than a message. Returns the event that follows from it,
/// if any.
pub type AgentCommand = Box<dyn FnOnce(&Agent) -> Option<AgentInput> + Send>;

/// The inputs of a running agent.
#[derive(Clone, Copy)]
pub struct AgentSignals<'a> {
    /// The answers of the model, of tools and of side models.
    pub events: &'a Receiver<AgentInput>,
    /// Commands of the user.
    pub commands: &'a Receiver<AgentCommand>,
    /// Ends the agent.
    pub cancel: &'a CancelToken<'a>,
}

/// Runs an agent, from the event `first`, until it ends or is cancelled.
///
/// # Errors
/// If its output cannot be shown any more; the agent is ended before.
pub fn run_agent<E>(
    mut agent: Agent,
    first: AgentInput,
    mut requester: ModelRequester,
    mut executor: ToolExecutor,
    show: &mut dyn FnMut(AgentEvent) -> Result<(), E>,
    log: &mut RunLog,
    AgentSignals { events, commands, cancel }: AgentSignals<'_>,
) -> Result<RunOutcome, E> {
    let mut indexing = IndexingMonitor::new(executor.tool_session().toolbox());
    let bill = requester.counted_bill();
    let mut is_stopped = false;
    let mut next = first;
    let mut shown = Ok(());
    let mut looked = Instant::now();
    loop {
        let mut keeps = Vec::new();
        for action in step_with_side_bill(&mut agent, next, bill.as_deref()) {
            // Consecutive log entries are written together, and before any later action.
            if !matches!(action, AgentAction::AppendLog(_)) && !keeps.is_empty() {
                log.append_records(std::mem::take(&mut keeps));
            }
            match action {
                AgentAction::AppendLog(keep) => keeps.push(keep),
                AgentAction::SendRequest { number, body } => requester.send_request(number, body),
                AgentAction::CancelRequest => requester.cancel_request(),
                AgentAction::RunCall { number, call } => executor.start_call(number, call),
                AgentAction::StartSubAgent(start) => executor.start_sub_agent(start),
                AgentAction::BeginCall { number } => executor.begin_call(number),
                AgentAction::CancelCalls => executor.cancel_calls(),
                AgentAction::Emit(told) if shown.is_ok() => shown = show(told),
                AgentAction::Emit(_) => {}
                AgentAction::End(outcome) => {
                    shown?;
                    return Ok(outcome);
                }
            }
        }
        if !keeps.is_empty() {
            log.append_records(keeps);
        }
        // Without a reader of the output the agent must not go on.
        if (cancel.is_cancelled() || shown.is_err()) && !is_stopped {
            is_stopped = true;
            next = AgentInput::ShutDown;
            continue;
        }
        if let Ok(control) = commands.try_recv() {
            next = control(&agent).unwrap_or(AgentInput::Tick);
            continue;
        }
        // A steady flow of events must not keep the agent from checking the time.
        let event = match looked.elapsed() < EVENT_POLL_INTERVAL {
            true => events.recv_timeout(EVENT_POLL_INTERVAL).ok(),
            false => None,
        };
        next = event.unwrap_or_else(|| {
            looked = Instant::now();
            AgentInput::Tick
        });
        if let Some(told) = indexing.poll_change().filter(|_| shown.is_ok()) {
            shown = show(AgentEvent::Indexing(told));
        }
    }
}

/// Returns the agent's actions for an event, after it has counted new costs of side models.
fn step_with_side_bill(
    agent: &mut Agent,
    next: AgentInput,
    bill: Option<&SideBill>,
) -> Vec<AgentAction> {
    let now = SystemClock.now();
    let Some(bill) = bill else { return agent.step(next, now) };
    let events = bill.take_events().into_iter().chain([next]);
    let actions = events.flat_map(|event| agent.step(event, now)).collect();
    bill.set_main_spent(agent.totals());
    if agent.is_terminated() {
        bill.close();
    }
    actions
}
