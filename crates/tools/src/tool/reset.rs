//! `reset`: nothing counts as shown any more.

use foveal_context::note::AnswerNote;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::definition::{Hints, Tool, ToolArguments};
use crate::error::ToolError;
use crate::findings::{AnswerText, Findings};
use crate::permission::Asks;
use crate::session::Work;

pub(crate) const TOOL: Tool = Tool::of::<Reset>(
    "reset",
    "Forget what was shown",
    "Call after your conversation was compacted or cleared: notes stop pointing at what you \
     saw before.",
    Hints::REMEMBERS,
);

/// Arguments of `reset`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Reset {}

impl ToolArguments for Reset {
    fn asks(&self) -> Asks<'_> {
        Asks::Itself
    }

    fn run(self, work: &Work<'_>) -> Result<Findings, ToolError> {
        work.session.forget();
        let mut text = AnswerText::default();
        text.note(AnswerNote::Forgotten);
        Ok(Findings::text(text))
    }
}
