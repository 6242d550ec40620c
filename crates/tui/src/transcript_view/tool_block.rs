//! A tool call as a block, from the first piece of its arguments to its result.

use foveal_agent::AgentEvent;
use foveal_screen::{escape_one_line, numbers};
use serde_json::Value;

use super::call_subject::call_subject;
use super::sub_agent_activity::SubAgentActivity;
use crate::text_layout;

/// Lines of a running call's output that are shown at most.
const PROGRESS_LINES_MAX: usize = 4;

/// Bytes of a running call's output that are held at most.
const PROGRESS_BYTES_MAX: usize = 16 << 10;

/// Bytes of a result that are held at most.
const RESULT_BYTES_MAX: usize = 1 << 20;

/// Lines at the beginning of a result that may hold the header of a curated view.
const HEADER_LINES_MAX: usize = 4;

/// A tool call.
#[derive(Debug)]
pub(crate) struct ToolBlock {
    pub(crate) id: String,
    pub(crate) name: String,
    /// The arguments; `None` until they are complete.
    pub(crate) arguments: Option<Value>,
    /// Bytes of arguments that have arrived.
    pub(crate) arguments_bytes: usize,
    /// The end of the running call's output.
    latest_output: String,
    /// The call's change as a unified diff.
    pub(crate) diff: Option<String>,
    pub(crate) state: ToolState,
    pub(crate) began_ms: u64,
    /// The part of the result that the model is sent, where that is less than all.
    pub(crate) reduction: Option<String>,
    /// The text that the model is sent of a curated read.
    pub(crate) curated_text: Option<String>,
    /// The reasoning of a model that chose that text.
    pub(crate) curator_thinking: String,
    /// The activity of the sub-agent that runs the call.
    pub(crate) sub_agent: Option<Box<SubAgentActivity>>,
}

/// The state of a tool call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ToolState {
    /// Its arguments are arriving.
    ReceivingArguments,
    /// It waits for its turn, or runs.
    Running,
    /// It is answered.
    Done { text: String, is_error: bool, is_cached: bool, took_ms: Option<u64> },
    /// The turn ended without its result.
    Abandoned,
    /// The session broke off before a result was logged. A resumed run may still give one.
    Interrupted,
}

impl ToolBlock {
    /// Returns a call whose arguments begin to arrive.
    pub(crate) fn new(id: String, name: String, now_ms: u64) -> Self {
        Self {
            id,
            name,
            arguments: None,
            arguments_bytes: 0,
            latest_output: String::new(),
            diff: None,
            state: ToolState::ReceivingArguments,
            began_ms: now_ms,
            reduction: None,
            curated_text: None,
            curator_thinking: String::new(),
            sub_agent: None,
        }
    }

    /// Records that the call runs with these arguments.
    pub(crate) fn start_running(&mut self, arguments: Value, now_ms: u64) {
        self.diff = text_layout::diff_of_call(&self.name, &arguments);
        self.arguments = Some(arguments);
        self.state = ToolState::Running;
        self.began_ms = now_ms;
    }

    /// Records the result of the call.
    pub(crate) fn record_answer(
        &mut self,
        text: &str,
        is_error: bool,
        is_cached: bool,
        took_ms: Option<u64>,
    ) {
        let end = text.floor_char_boundary(RESULT_BYTES_MAX);
        let mut held = text[..end].to_owned();
        if end < text.len() {
            let left = numbers::format_count((text.len() - end) as u64);
            held.push_str(&format!("\n[{left} more bytes are not shown here]"));
        }
        self.latest_output.clear();
        self.state = ToolState::Done { text: held, is_error, is_cached, took_ms };
    }

    /// Applies an event of the sub-agent that runs the call.
    pub(crate) fn apply_sub_agent_event(&mut self, told: &AgentEvent) {
        self.sub_agent.get_or_insert_default().apply_event(told);
    }

    /// Appends to the output of the running call.
    pub(crate) fn append_output(&mut self, text: &str) {
        if !self.latest_output.is_empty() && !self.latest_output.ends_with('\n') {
            self.latest_output.push('\n');
        }
        self.latest_output.push_str(text);
        let over = self.latest_output.len().saturating_sub(PROGRESS_BYTES_MAX);
        self.latest_output.drain(..self.latest_output.ceil_char_boundary(over));
    }

    /// Records that the model is sent less than the whole result; of a curated read this text.
    pub(crate) fn record_reduction(&mut self, reduction: String, curated_text: Option<String>) {
        self.reduction = Some(reduction);
        self.curated_text = curated_text;
    }

    /// Appends to the reasoning of the model that chooses the shown lines.
    pub(crate) fn append_curator_thinking(&mut self, piece: &str) {
        let room = RESULT_BYTES_MAX.saturating_sub(self.curator_thinking.len());
        self.curator_thinking.push_str(&piece[..piece.floor_char_boundary(room.min(piece.len()))]);
    }

    /// Returns the last lines of the output.
    pub(crate) fn latest_output_lines(&self) -> Vec<&str> {
        let lines: Vec<&str> =
            self.latest_output.lines().filter(|line| !line.trim().is_empty()).collect();
        lines[lines.len().saturating_sub(PROGRESS_LINES_MAX)..].to_vec()
    }

    /// Returns whether a result may still arrive.
    pub(crate) fn is_open(&self) -> bool {
        self.is_animated() || self.state == ToolState::Interrupted
    }

    /// Returns whether the block changes as time passes.
    pub(crate) fn is_animated(&self) -> bool {
        matches!(self.state, ToolState::ReceivingArguments | ToolState::Running)
    }

    /// Returns the call's subject in one line.
    pub(crate) fn subject_line(&self) -> String {
        match &self.arguments {
            Some(arguments) => call_subject(arguments),
            None if self.arguments_bytes > 0 => {
                format!("… {}", numbers::format_plural(self.arguments_bytes as u64, "byte"))
            }
            None => "…".to_owned(),
        }
    }

    /// Returns a summary of the result in a few words.
    pub(crate) fn summarize_result(&self) -> String {
        let ToolState::Done { text, is_error, is_cached, .. } = &self.state else {
            return String::new();
        };
        if *is_error {
            let first = text.lines().find(|line| !line.trim().is_empty());
            let told = escape_one_line(first.unwrap_or("failed"));
            let figures = self.sub_agent.iter().map(|agent| format!("{}: ", agent.format_totals()));
            return figures.chain([told.into_owned()]).collect();
        }
        let lines = content_line_count(text);
        let mut told = match (&self.sub_agent, parse_curated_header(text), &self.diff) {
            (Some(agent), ..) => agent.format_totals(),
            (None, Some((all, shown)), _) if shown < all => {
                format!(
                    "curated {} of {}",
                    numbers::format_count(shown),
                    numbers::format_plural(all, "line")
                )
            }
            (None, _, Some(diff)) => {
                let (added, removed) = text_layout::count_changed_lines(diff);
                format!("+{added} −{removed}")
            }
            _ if lines == 0 => "no output".to_owned(),
            _ => numbers::format_plural(lines, "line"),
        };
        if *is_cached {
            told.push_str(", cached");
        }
        if let Some(given) = &self.reduction {
            told.push_str(&format!(", {given}"));
        }
        told
    }
}

/// Returns the number of lines of a result: of a shown file without the heading of its answer.
fn content_line_count(text: &str) -> u64 {
    let is_numbered = |line: &&str| {
        let rest = line.trim_start().trim_start_matches(|sign: char| sign.is_ascii_digit());
        rest.starts_with('→') && !line.trim_start().starts_with('→')
    };
    let lines = match text.starts_with("File: ") {
        true => text.lines().filter(is_numbered).count(),
        false => text.lines().count(),
    };
    lines as u64
}

/// Parses the header of a curated view. Returns the lines of the file and the lines of it that are
/// shown.
fn parse_curated_header(text: &str) -> Option<(u64, u64)> {
    text.lines().take(HEADER_LINES_MAX).find_map(|line| {
        let (all, rest) = line.strip_prefix("Total lines: ")?.split_once(" | Preserved: ")?;
        let shown = rest.split([' ', '(']).next()?;
        Some((all.parse().ok()?, shown.parse().ok()?))
    })
}
