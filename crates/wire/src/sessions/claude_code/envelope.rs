//! What a line of Claude Code says beside its message.

use foveal_transcript::Timestamp;

use crate::draft::StepMark;
use crate::json::{self, Object};
use crate::output::Output;

/// What a line says beside its message.
pub(super) struct Envelope {
    pub(super) uuid: Option<String>,
    /// `None` where the line has no such field, `Some(None)` where it is null.
    pub(super) parent: Option<Option<String>>,
    pub(super) time: Option<Timestamp>,
    pub(super) mark: StepMark,
}

impl Envelope {
    /// Takes it out of a line.
    pub(super) fn of(record: &mut Object, output: &mut Output<'_>) -> Self {
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
            time: output.time(record, "timestamp"),
            mark,
        }
    }
}
