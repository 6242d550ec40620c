//! Sub-agents, each with a conversation, a ledger and a session of its own.

use std::sync::mpsc::sync_channel;
use std::sync::{Mutex, PoisonError};

use foveal_agent::{
    Agent, AgentEvent, AgentInput, RunOutcome, Settings, SubAgentCall, SubAgentTask, ToolAnswer,
    sub_agent_tool_answer,
};
use foveal_store::SessionId;
use foveal_tools::clock::{Clock, SystemClock};
use foveal_transcript::{CancelToken, Timestamp};

use super::agent_loop::{AgentSignals, run_agent};
use super::agent_resources::{AgentResources, EVENTS_MAX};
use super::approval::Approvals;
use super::model_client::session_requester;
use super::tool_executor::ToolExecutor;
use crate::runs::{
    ParentCall, RunLog, RunSettings, latest_sub_agent_number, retain_sub_agents,
    sub_agent_session_id,
};

/// Creates the sub-agents of one agent. They share its resources, but not its conversation and
/// visibility: each has its own sessions in the tools, the store and the engine.
pub(crate) struct SubAgentFactory {
    resources: AgentResources,
    /// The settings of every sub-agent, except for its name and limits.
    settings: Settings,
    /// The session of the parent agent.
    session: SessionId,
    /// The record of the parent's run.
    run: RunSettings,
    approvals: Approvals,
    /// The number of the newest sub-agent.
    last_number: Mutex<u32>,
}

impl SubAgentFactory {
    /// Returns a factory for the agent with the session `session`. Sub-agents get these settings
    /// and this system prompt.
    pub(super) fn new(
        resources: AgentResources,
        settings: Settings,
        system: String,
        session: &SessionId,
        run: &RunSettings,
        approvals: Approvals,
    ) -> Self {
        let (session, run) = (session.clone(), run.clone());
        let settings = Settings { system_prompt: system, waits_for_tasks: false, ..settings };
        Self { resources, settings, session, run, approvals, last_number: Mutex::default() }
    }

    /// Runs a sub-agent on a task and returns its last text as the answer of the call. Events go to
    /// `tell`; the sub-agent ends when `tell` returns false or the call is cancelled.
    pub(super) fn run_sub_agent(
        &self,
        SubAgentTask { task, label }: SubAgentTask,
        start: &SubAgentCall,
        tell: &dyn Fn(AgentEvent) -> bool,
        cancel: &CancelToken<'_>,
    ) -> ToolAnswer {
        let session = self.next_session();
        let (sender, events) = sync_channel(EVENTS_MAX);
        let toolbox = &self.resources.host.toolbox;
        let approvals = self.approvals.for_sub_agent(&label, &session);
        let base = self.resources.base_folder.initial_files();
        let calling =
            ToolExecutor::new(toolbox, &session, approvals, sender.clone()).with_base_files(base);
        let tools = calling.tool_session();
        let (_, asking) = session_requester(&self.resources, &session, &tools, &sender);
        let of = Some(ParentCall { step: start.step, place: start.call_position });
        let run = RunSettings { of, ..self.run.clone() };
        let roots = vec![self.settings.directory.clone()];
        let mut log =
            RunLog::new(&toolbox.store, &session, roots, run, toolbox.user_notifier.clone());
        let settings =
            Settings { session: session.0, limits: start.limits, ..self.settings.clone() };
        let mut said = LastAnswerText::default();
        let mut show = |told: AgentEvent| {
            said.record_event(&told);
            // The agent itself reports the indexing progress.
            let is_own = !matches!(told, AgentEvent::Indexing(_));
            if is_own && !tell(told) { Err(NoListener) } else { Ok(()) }
        };
        let (_, nothing) = sync_channel(0);
        let signals = AgentSignals { events: &events, commands: &nothing, cancel };
        let (agent, first) = (Agent::new(settings), AgentInput::Task(task));
        let ended = run_agent(agent, first, asking, calling, &mut show, &mut log, signals);
        // On an error the sub-agents' sessions are stored as long as other sessions.
        drop(retain_sub_agents(&*toolbox.store, &self.session, SystemClock.now()));
        sub_agent_tool_answer(&ended.unwrap_or(RunOutcome::Stopped), said.text())
    }

    /// Returns a session that no other sub-agent of the agent has, in this run or an earlier one.
    fn next_session(&self) -> SessionId {
        let mut last = self.last_number.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = latest_sub_agent_number(&*self.resources.host.toolbox.store, &self.session).ok();
        *last = next_agent_number(*last, kept, SystemClock.now());
        sub_agent_session_id(&self.session, *last)
    }
}

/// Returns the next number after the last one of this process (`last`) and the stored ones
/// (`kept`). If the stored ones are unknown, the number comes from the clock, so that no two
/// processes choose the same one and store two sub-agents as one.
fn next_agent_number(last: u32, kept: Option<u32>, now: Timestamp) -> u32 {
    let kept = kept.unwrap_or_else(|| u32::try_from(now.0 / 1_000).unwrap_or(u32::MAX / 2));
    kept.max(last).saturating_add(1)
}

/// The receiver of a sub-agent's events is gone.
struct NoListener;

/// The last text of an agent, even if its answer broke off.
#[derive(Default)]
struct LastAnswerText {
    complete: String,
    streaming: String,
}

impl LastAnswerText {
    fn record_event(&mut self, told: &AgentEvent) {
        match told {
            AgentEvent::Text { text } => self.streaming.push_str(text),
            // The answer starts again.
            AgentEvent::Sent { .. } | AgentEvent::Again { .. } => self.streaming.clear(),
            AgentEvent::Usage { .. } if !self.streaming.trim().is_empty() => {
                self.complete = std::mem::take(&mut self.streaming);
            }
            _ => {}
        }
    }

    fn text(&self) -> &str {
        if self.streaming.trim().is_empty() { &self.complete } else { self.streaming.trim_start() }
    }
}

#[cfg(test)]
mod tests {
    use foveal_agent::RunTotals;

    use super::*;

    #[test]
    fn no_two_have_one_number() {
        let now = Timestamp(1_700_000_000_000);
        assert_eq!(next_agent_number(0, Some(0), now), 1);
        assert_eq!(
            (next_agent_number(1, Some(4), now), next_agent_number(4, Some(1), now)),
            (5, 5)
        );
        let unknown = next_agent_number(2, None, now);
        assert!(unknown > 1_700_000_000);
        assert_eq!(next_agent_number(unknown, None, now), unknown + 1);
        assert_eq!(next_agent_number(0, Some(unknown), now), unknown + 1);
    }

    #[test]
    fn what_was_said_last_is_known_also_where_it_was_cut() {
        let mut said = LastAnswerText::default();
        let mut take = |told: &[AgentEvent]| {
            told.iter().for_each(|told| said.record_event(told));
            said.text().to_owned()
        };
        let text = |text: &str| AgentEvent::Text { text: text.to_owned() };
        let again = AgentEvent::Again { number: 1, why: String::new(), wait_ms: 1 };
        let whole = AgentEvent::Usage { number: 1, spent: RunTotals::default(), estimated: false };
        assert_eq!(take(&[]), "");
        assert_eq!(take(&[text("lost"), again, text("I "), text("look.")]), "I look.");
        assert_eq!(take(&[whole.clone(), text(" ")]), "I look.");
        assert_eq!(take(&[whole, text("It is")]), "It is");
    }
}
