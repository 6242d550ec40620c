//! Detection of calls that the model repeats with the same answer.

use std::collections::VecDeque;

use foveal_transcript::{ContentHash, ToolCall};

/// The number of recent calls that are compared.
const RECENT_CALLS: usize = 24;

/// The number of occurrences from which on the model is warned.
pub(crate) const WARN_THRESHOLD: u32 = 3;

/// The number of occurrences at which the run ends.
pub(crate) const ABORT_THRESHOLD: u32 = 6;

/// The hashes of the recent calls with their answers.
#[derive(Debug, Default)]
pub(crate) struct RepeatedCallDetector(VecDeque<ContentHash>);

impl RepeatedCallDetector {
    /// Records a call and returns the number of its occurrences with this answer among the recent
    /// calls, including this one.
    pub(crate) fn record_call(&mut self, call: &ToolCall, answer: &str) -> u32 {
        // JSON keeps the fields apart: none can be mistaken for a part of its neighbour.
        let made = serde_json::json!([call.name, call.arguments, answer]).to_string();
        let made = ContentHash::from_content(made.as_bytes());
        if self.0.len() == RECENT_CALLS {
            self.0.pop_front();
        }
        self.0.push_back(made);
        self.0.iter().map(|one| u32::from(*one == made)).sum()
    }
}

/// Returns the warning that is appended to the answer.
pub(crate) fn repetition_warning(times: u32) -> String {
    format!(
        "\n[You have made this call {times} times, and its answer was the same each time. Do \
         something else, or say what keeps you from going on.]"
    )
}
