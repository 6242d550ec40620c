//! What a sub-agent does that carries a call out.

use std::collections::VecDeque;

use foveal_agent::{Spent, Told};
use foveal_screen::{in_one_line, numbers};

use super::subject::{changes, paths, subject};
use crate::status::seconds;

/// Calls of a sub-agent that are held, the last ones.
const CALLS_MAX: usize = 200;

/// Characters of what a call is about that are held.
const CALL_CHARS_MAX: usize = 300;

/// What a sub-agent does, and what it came to.
#[derive(Debug, Default)]
pub(crate) struct AgentWork {
    /// What it does at the moment.
    pub(crate) doing: String,
    spent: Spent,
    /// How many calls it made, and the last ones.
    count: u64,
    calls: VecDeque<AgentCall>,
}

#[derive(Debug)]
struct AgentCall {
    id: String,
    line: String,
    /// The files that it names, each with whether it is changed.
    files: Vec<(bool, String)>,
    is_failed: bool,
}

impl AgentWork {
    /// Takes what it tells.
    pub(crate) fn take(&mut self, told: &Told) {
        match told {
            Told::Start { .. } => *self = Self { doing: "begins".to_owned(), ..Self::default() },
            Told::Sent { .. } => self.does("waits for the model"),
            Told::Reasoning { .. } => self.does("thinks"),
            Told::Text { .. } => self.does("answers"),
            Told::Again { wait_ms, .. } => {
                self.does(&format!("asks again in {}", seconds(*wait_ms)));
            }
            Told::Call { id, name, arguments } => {
                let line = format!("{} {}", in_one_line(name), subject(arguments));
                let line: String = line.trim_end().chars().take(CALL_CHARS_MAX).collect();
                self.does(&line);
                self.count += 1;
                if self.calls.len() == CALLS_MAX {
                    self.calls.pop_front();
                }
                let files =
                    paths(arguments).into_iter().map(|path| (changes(name), path)).collect();
                self.calls.push_back(AgentCall { id: id.clone(), line, files, is_failed: false });
            }
            Told::Result { id, is_error, .. } => {
                let call = self.calls.iter_mut().rev().find(|call| call.id == *id);
                call.into_iter().for_each(|call| call.is_failed = *is_error);
            }
            Told::Usage { spent, .. } | Told::Done { spent, .. } => self.spent = *spent,
            Told::CallStart { .. }
            | Told::CallArguments { .. }
            | Told::Reduced { .. }
            | Told::Indexing(_)
            | Told::SideUsage { .. }
            | Told::Agent { .. }
            | Told::Progress { .. }
            | Told::Repeated { .. } => {}
        }
    }

    fn does(&mut self, what: &str) {
        if self.doing != what {
            what.clone_into(&mut self.doing);
        }
    }

    /// What it came to, in a few words.
    pub(crate) fn figures(&self) -> String {
        let turns = numbers::plural(self.spent.turns.into(), "request");
        let calls = numbers::plural(self.count, "call");
        format!("{turns}, {calls}, {} tokens", numbers::tokens(self.spent.tokens()))
    }

    /// The files that its calls named, each with whether it is changed.
    pub(crate) fn files(&self) -> impl Iterator<Item = (bool, String)> {
        self.calls.iter().flat_map(|call| call.files.iter().cloned())
    }

    /// The calls that it made, a line each.
    pub(crate) fn calls(&self) -> Vec<String> {
        let over = self.count - self.calls.len() as u64;
        let before = (over > 0).then(|| format!("… {} before", numbers::plural(over, "call")));
        let lines = self.calls.iter().map(|call| {
            let mark = if call.is_failed { "✗" } else { "·" };
            format!("{mark} {}", call.line)
        });
        before.into_iter().chain(lines).collect()
    }
}
