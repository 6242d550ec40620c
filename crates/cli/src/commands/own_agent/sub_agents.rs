//! Sub-agents at work: each with a conversation, a ledger and a session of its own.

use std::sync::mpsc::sync_channel;
use std::sync::{Mutex, PoisonError};

use foveal_agent::{
    Agent, Event, Outcome, Settings, StartAgent, SubTask, Told, ToolAnswer, answer_of_agent,
};
use foveal_cancel::Cancel;
use foveal_store::SessionId;
use foveal_tools::clock::{Clock, SystemClock};
use foveal_transcript::Timestamp;

use super::approval::Approvals;
use super::calling::Calling;
use super::drive::drive;
use super::means::{EVENTS_MAX, Means};
use crate::runs::{OfCall, Run, RunLog, keep_agents, latest_agent, of_agent};

/// What sub-agents are made of: what the agent is that starts them, but for its conversation and
/// what it was shown. Each has sessions of its own in the tools, the store and the engine.
pub(crate) struct SubAgents {
    means: Means,
    /// What each of them is, but for its name and limits.
    settings: Settings,
    /// The session of the agent that starts them, and how it is gone on with.
    session: SessionId,
    run: Run,
    approvals: Approvals,
    /// The number of the last one.
    last: Mutex<u32>,
}

impl SubAgents {
    /// Those of the agent with these settings and this system prompt, which is kept in `session`.
    pub(super) fn new(
        means: Means,
        (settings, system): (Settings, String),
        (session, run): (&SessionId, &Run),
        approvals: Approvals,
    ) -> Self {
        let (session, run) = (session.clone(), run.clone());
        let settings = Settings { system, stays: false, ..settings };
        Self { means, settings, session, run, approvals, last: Mutex::default() }
    }

    /// Has a sub-agent do a task, and answers what it says last. What happens is told; where nobody
    /// listens any more, or it is cancelled, it ends.
    pub(super) fn work(
        &self,
        SubTask { task, label }: SubTask,
        start: &StartAgent,
        tell: &dyn Fn(Told) -> bool,
        cancel: &Cancel<'_>,
    ) -> ToolAnswer {
        let session = self.next_session();
        let (sender, events) = sync_channel(EVENTS_MAX);
        let toolbox = &self.means.toolbox;
        let (_, asking) = self.means.asking(&session, &sender);
        let approvals = self.approvals.of_agent(&label, &session);
        let calling = Calling::new(toolbox, &session, approvals, sender);
        let of = Some(OfCall { step: start.step, place: start.place });
        let run = Run { of, ..self.run.clone() };
        let roots = vec![self.settings.directory.clone()];
        let mut log = RunLog::new(&toolbox.store, &session, roots, run);
        let settings =
            Settings { session: session.0, limits: start.limits, ..self.settings.clone() };
        let mut said = LastSaid::default();
        let mut show = |told: Told| {
            said.take(&told);
            // How far the index is, the agent tells itself.
            let is_own = !matches!(told, Told::Indexing(_));
            anyhow::ensure!(!is_own || tell(told), "nobody listens");
            Ok(())
        };
        let (_, nothing) = sync_channel(0);
        let (how, heard) = ((asking, calling), (&events, &nothing, cancel));
        let first = Event::Task(task);
        let ended = drive(Agent::new(settings), first, how, (&mut show, &mut log), heard);
        // Where that cannot be done it is kept as long as other sessions.
        drop(keep_agents(&*toolbox.store, &self.session, SystemClock.now()));
        answer_of_agent(&ended.unwrap_or(Outcome::Stopped), said.text())
    }

    /// A session that no other sub-agent of the agent has, also none of an earlier run.
    fn next_session(&self) -> SessionId {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = latest_agent(&*self.means.toolbox.store, &self.session).ok();
        *last = next_number(*last, kept, SystemClock.now());
        of_agent(&self.session, *last)
    }
}

/// The number of the next sub-agent, after this last one of the process and these that are kept. Where
/// it is not known which are, it is one that no other process took: two would be kept as one.
fn next_number(last: u32, kept: Option<u32>, now: Timestamp) -> u32 {
    let kept = kept.unwrap_or_else(|| u32::try_from(now.0 / 1_000).unwrap_or(u32::MAX / 2));
    kept.max(last).saturating_add(1)
}

/// What an agent said last, also where the rest of it never came.
#[derive(Default)]
struct LastSaid {
    whole: String,
    coming: String,
}

impl LastSaid {
    fn take(&mut self, told: &Told) {
        match told {
            Told::Text { text } => self.coming.push_str(text),
            // It is said anew.
            Told::Sent { .. } | Told::Again { .. } => self.coming.clear(),
            Told::Usage { .. } if !self.coming.trim().is_empty() => {
                self.whole = std::mem::take(&mut self.coming);
            }
            _ => {}
        }
    }

    fn text(&self) -> &str {
        if self.coming.trim().is_empty() { &self.whole } else { self.coming.trim_start() }
    }
}

#[cfg(test)]
mod tests {
    use foveal_agent::Spent;

    use super::*;

    #[test]
    fn no_two_have_one_number() {
        let now = Timestamp(1_700_000_000_000);
        assert_eq!(next_number(0, Some(0), now), 1);
        assert_eq!((next_number(1, Some(4), now), next_number(4, Some(1), now)), (5, 5));
        let unknown = next_number(2, None, now);
        assert!(unknown > 1_700_000_000);
        assert_eq!(next_number(unknown, None, now), unknown + 1);
        assert_eq!(next_number(0, Some(unknown), now), unknown + 1);
    }

    #[test]
    fn what_was_said_last_is_known_also_where_it_was_cut() {
        let mut said = LastSaid::default();
        let mut take = |told: &[Told]| {
            told.iter().for_each(|told| said.take(told));
            said.text().to_owned()
        };
        let text = |text: &str| Told::Text { text: text.to_owned() };
        let again = Told::Again { number: 1, why: String::new(), wait_ms: 1 };
        let whole = Told::Usage { number: 1, spent: Spent::default(), estimated: false };
        assert_eq!(take(&[]), "");
        assert_eq!(take(&[text("lost"), again, text("I "), text("look.")]), "I look.");
        assert_eq!(take(&[whole.clone(), text(" ")]), "I look.");
        assert_eq!(take(&[whole, text("It is")]), "It is");
    }
}
