//! The fields of a Claude Code line beside its message.

use foveal_protocols::conversation_builder::StepMark;
use foveal_protocols::json::{self, JsonObject};
use foveal_transcript::Timestamp;

use crate::session_sink::SessionSink;

/// The fields of a line beside its message.
pub(super) struct LineEnvelope {
    pub(super) uuid: Option<String>,
    /// `None` if the line has no such field, `Some(None)` if it is null.
    pub(super) parent: Option<Option<String>>,
    pub(super) time: Option<Timestamp>,
    pub(super) mark: StepMark,
}

impl LineEnvelope {
    /// Takes the envelope out of a line.
    pub(super) fn from_record(record: &mut JsonObject, output: &mut SessionSink<'_>) -> Self {
        let parent = record.get("parentUuid").map(|value| value.as_str().map(str::to_owned));
        let mark = if json::is_true(record, "isCompactSummary") {
            StepMark::CompactSummary
        } else if json::is_true(record, "isMeta") {
            StepMark::Injected
        } else {
            StepMark::None
        };
        Self {
            uuid: json::take_text(record, "uuid"),
            parent,
            time: output.parse_time(record, "timestamp"),
            mark,
        }
    }
}
