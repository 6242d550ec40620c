//! The activity of the sub-agent that runs a call.

use std::collections::VecDeque;

use foveal_agent::{AgentEvent, RunTotals};
use foveal_screen::{escape_one_line, numbers};

use super::call_subject::{call_subject, is_edit_tool, paths_of_call};
use crate::session_status::format_duration;

/// The number of the sub-agent's latest calls that are held.
const CALLS_MAX: usize = 200;

/// Characters of a call's line that are held.
const CALL_CHARS_MAX: usize = 300;

/// The activity and totals of a sub-agent.
#[derive(Debug, Default)]
pub(crate) struct SubAgentActivity {
    /// The current activity.
    pub(crate) current_activity: String,
    totals: RunTotals,
    /// The number of all calls.
    call_count: u64,
    /// The latest calls.
    latest_calls: VecDeque<SubAgentCallLine>,
}

#[derive(Debug)]
struct SubAgentCallLine {
    id: String,
    line: String,
    /// The files that the call names, each with whether it is changed.
    files: Vec<(bool, String)>,
    is_failed: bool,
}

impl SubAgentActivity {
    /// Applies an event of the sub-agent.
    pub(crate) fn apply_event(&mut self, told: &AgentEvent) {
        match told {
            AgentEvent::Start { .. } => {
                *self = Self { current_activity: "starting".to_owned(), ..Self::default() }
            }
            AgentEvent::Sent { .. } => self.set_activity("waiting for the model"),
            AgentEvent::Reasoning { .. } => self.set_activity("thinking"),
            AgentEvent::Text { .. } => self.set_activity("answering"),
            AgentEvent::Again { wait_ms, .. } => {
                self.set_activity(&format!("retrying in {}", format_duration(*wait_ms)));
            }
            AgentEvent::Call { id, name, arguments } => {
                let line = format!("{} {}", escape_one_line(name), call_subject(arguments));
                let line: String = line.trim_end().chars().take(CALL_CHARS_MAX).collect();
                self.set_activity(&line);
                self.call_count += 1;
                if self.latest_calls.len() == CALLS_MAX {
                    self.latest_calls.pop_front();
                }
                let files = paths_of_call(arguments)
                    .into_iter()
                    .map(|path| (is_edit_tool(name), path))
                    .collect();
                self.latest_calls.push_back(SubAgentCallLine {
                    id: id.clone(),
                    line,
                    files,
                    is_failed: false,
                });
            }
            AgentEvent::Result { id, is_error, .. } => {
                let call = self.latest_calls.iter_mut().rev().find(|call| call.id == *id);
                call.into_iter().for_each(|call| call.is_failed = *is_error);
            }
            AgentEvent::Usage { spent, .. } | AgentEvent::Done { spent, .. } => {
                self.totals = *spent;
            }
            AgentEvent::CallStart { .. }
            | AgentEvent::CallArguments { .. }
            | AgentEvent::Reduced { .. }
            | AgentEvent::Indexing(_)
            | AgentEvent::SideUsage { .. }
            | AgentEvent::Agent { .. }
            | AgentEvent::Progress { .. }
            | AgentEvent::Repeated { .. } => {}
        }
    }

    fn set_activity(&mut self, what: &str) {
        if self.current_activity != what {
            what.clone_into(&mut self.current_activity);
        }
    }

    /// Returns the totals in a few words.
    pub(crate) fn format_totals(&self) -> String {
        let turns = numbers::format_plural(self.totals.turns.into(), "request");
        let calls = numbers::format_plural(self.call_count, "call");
        format!("{turns}, {calls}, {} tokens", numbers::format_tokens(self.totals.total_tokens()))
    }

    /// Returns the files that the latest calls named, each with whether it is changed.
    pub(crate) fn files(&self) -> impl Iterator<Item = (bool, String)> {
        self.latest_calls.iter().flat_map(|call| call.files.iter().cloned())
    }

    /// Returns the latest calls, one line each.
    pub(crate) fn call_lines(&self) -> Vec<String> {
        let over = self.call_count - self.latest_calls.len() as u64;
        let before =
            (over > 0).then(|| format!("… {} earlier", numbers::format_plural(over, "call")));
        let lines = self.latest_calls.iter().map(|call| {
            let mark = if call.is_failed { "✗" } else { "·" };
            format!("{mark} {}", call.line)
        });
        before.into_iter().chain(lines).collect()
    }
}
