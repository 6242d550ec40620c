//! `reset`: nothing counts as shown any more.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::answer::Found;
use crate::error::ToolError;
use crate::permission::Asks;
use crate::session::Work;
use crate::table::{Arguments, Hints, Tool};

pub(crate) const TOOL: Tool = Tool::of::<Reset>(
    "reset",
    "Call after your conversation was compacted or cleared: notes no longer point at what you \
     were shown before.",
    Hints::REMEMBERS,
);

/// Arguments of `reset`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Reset {}

impl Arguments for Reset {
    fn asks(&self) -> Asks<'_> {
        Asks::Itself
    }

    fn run(self, work: &Work<'_>) -> Result<Found, ToolError> {
        work.session.forget();
        Ok(Found::text("forgotten: everything is shown anew when you ask for it"))
    }
}
