//! A call of a tool, from its first word to its result.

use foveal_agent::Told;
use foveal_screen::{in_one_line, numbers};
use serde_json::Value;

use super::agent_work::AgentWork;
use super::subject::subject;
use crate::lines;

/// Lines of what a running call prints that are shown.
const PROGRESS_LINES_MAX: usize = 4;

/// Bytes of what a running call prints that are held.
const PROGRESS_BYTES_MAX: usize = 16 << 10;

/// Bytes of a result that are held.
const RESULT_BYTES_MAX: usize = 1 << 20;

/// Lines at the beginning of a result in which it may say how much of a file it is.
const HEADER_LINES_MAX: usize = 4;

/// A call of a tool.
#[derive(Debug)]
pub(crate) struct ToolBlock {
    pub(crate) id: String,
    pub(crate) name: String,
    /// `None` while they come.
    pub(crate) arguments: Option<Value>,
    /// Bytes of arguments that came.
    pub(crate) arguments_bytes: usize,
    /// What it prints, the end of it.
    progress: String,
    /// What it changes.
    pub(crate) diff: Option<String>,
    pub(crate) state: ToolState,
    pub(crate) began_ms: u64,
    /// What of the result the model is sent, where that is less than all.
    pub(crate) given: Option<String>,
    /// What the sub-agent does that carries it out.
    pub(crate) agent: Option<Box<AgentWork>>,
}

/// How far a call is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ToolState {
    /// Its arguments come.
    Coming,
    /// It waits for its turn or is carried out.
    Running,
    /// It is answered.
    Done { text: String, is_error: bool, is_cached: bool, took_ms: Option<u64> },
    /// Nobody waits for it any more.
    Left,
    /// Its session broke off before an answer was kept. What became of it may be told yet.
    BrokeOff,
}

impl ToolBlock {
    /// A call that begins to come.
    pub(crate) fn new(id: String, name: String, now_ms: u64) -> Self {
        Self {
            id,
            name,
            arguments: None,
            arguments_bytes: 0,
            progress: String::new(),
            diff: None,
            state: ToolState::Coming,
            began_ms: now_ms,
            given: None,
            agent: None,
        }
    }

    /// It is carried out, with these arguments.
    pub(crate) fn run(&mut self, arguments: Value, now_ms: u64) {
        self.diff = lines::of_call(&self.name, &arguments);
        self.arguments = Some(arguments);
        self.state = ToolState::Running;
        self.began_ms = now_ms;
    }

    /// It is answered.
    pub(crate) fn answer(
        &mut self,
        text: &str,
        is_error: bool,
        is_cached: bool,
        took_ms: Option<u64>,
    ) {
        let end = text.floor_char_boundary(RESULT_BYTES_MAX);
        let mut held = text[..end].to_owned();
        if end < text.len() {
            let left = numbers::count((text.len() - end) as u64);
            held.push_str(&format!("\n[{left} more bytes are not shown here]"));
        }
        self.progress.clear();
        self.state = ToolState::Done { text: held, is_error, is_cached, took_ms };
    }

    /// A sub-agent carries it out, and tells this.
    pub(crate) fn of_agent(&mut self, told: &Told) {
        self.agent.get_or_insert_default().take(told);
    }

    /// It prints something.
    pub(crate) fn print(&mut self, text: &str) {
        if !self.progress.is_empty() && !self.progress.ends_with('\n') {
            self.progress.push('\n');
        }
        self.progress.push_str(text);
        let over = self.progress.len().saturating_sub(PROGRESS_BYTES_MAX);
        self.progress.drain(..self.progress.ceil_char_boundary(over));
    }

    /// The last lines that it printed.
    pub(crate) fn printed(&self) -> Vec<&str> {
        let lines: Vec<&str> =
            self.progress.lines().filter(|line| !line.trim().is_empty()).collect();
        lines[lines.len().saturating_sub(PROGRESS_LINES_MAX)..].to_vec()
    }

    /// Whether an answer may come.
    pub(crate) fn is_open(&self) -> bool {
        self.is_live() || self.state == ToolState::BrokeOff
    }

    /// Whether it looks different as time passes.
    pub(crate) fn is_live(&self) -> bool {
        matches!(self.state, ToolState::Coming | ToolState::Running)
    }

    /// What it is about, in one line.
    pub(crate) fn subject(&self) -> String {
        match &self.arguments {
            Some(arguments) => subject(arguments),
            None if self.arguments_bytes > 0 => {
                format!("… {} bytes", numbers::count(self.arguments_bytes as u64))
            }
            None => "…".to_owned(),
        }
    }

    /// How much its result is, in a few words.
    pub(crate) fn amount(&self) -> String {
        let ToolState::Done { text, is_error, is_cached, .. } = &self.state else {
            return String::new();
        };
        if *is_error {
            let first = text.lines().find(|line| !line.trim().is_empty());
            let told = in_one_line(first.unwrap_or("it failed"));
            let figures = self.agent.iter().map(|agent| format!("{}: ", agent.figures()));
            return figures.chain([told.into_owned()]).collect();
        }
        let lines = text.lines().count() as u64;
        let mut told = match (&self.agent, preserved(text), &self.diff) {
            (Some(agent), ..) => agent.figures(),
            (None, Some((all, shown)), _) if shown < all => {
                format!("curated {} of {}", numbers::count(shown), numbers::plural(all, "line"))
            }
            (None, _, Some(diff)) => {
                let (added, removed) = lines::size(diff);
                format!("+{added} −{removed}")
            }
            _ if lines == 0 => "nothing".to_owned(),
            _ => numbers::plural(lines, "line"),
        };
        if *is_cached {
            told.push_str(", cached");
        }
        if let Some(given) = &self.given {
            told.push_str(&format!(", {given}"));
        }
        told
    }
}

/// How many lines a file has and how many of them a result shows, where its header says so.
fn preserved(text: &str) -> Option<(u64, u64)> {
    text.lines().take(HEADER_LINES_MAX).find_map(|line| {
        let (all, rest) = line.strip_prefix("Total lines: ")?.split_once(" | Preserved: ")?;
        let shown = rest.split([' ', '(']).next()?;
        Some((all.parse().ok()?, shown.parse().ok()?))
    })
}
