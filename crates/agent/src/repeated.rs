//! Calls that are made again and again with the same answer.

use std::collections::VecDeque;

use foveal_transcript::{Call, ContentHash};

/// How many of the last calls are looked at.
const RECENT: usize = 24;

/// The same call with the same answer so often among them: the model is told.
pub(crate) const TOLD: u32 = 3;

/// So often: the run ends.
pub(crate) const ENDS: u32 = 6;

/// The last calls with their answers.
#[derive(Debug, Default)]
pub(crate) struct Repeated(VecDeque<ContentHash>);

impl Repeated {
    /// How often this call was made among the last ones with this answer, this time included.
    pub(crate) fn note(&mut self, call: &Call, answer: &str) -> u32 {
        // A name or an answer cannot be taken for a part of its neighbour.
        let made = serde_json::json!([call.name, call.arguments, answer]).to_string();
        let made = ContentHash::of(made.as_bytes());
        if self.0.len() == RECENT {
            self.0.pop_front();
        }
        self.0.push_back(made);
        self.0.iter().map(|one| u32::from(*one == made)).sum()
    }
}

/// What the model is told of it, behind the answer.
pub(crate) fn note(times: u32) -> String {
    format!(
        "\n[You have made this call {times} times, and its answer was the same each time. Do \
         something else, or say what keeps you from going on.]"
    )
}
