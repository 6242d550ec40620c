//! `outline`: a file's structure.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::definition::{Hints, Tool, ToolArguments};
use crate::error::ToolError;
use crate::findings::Findings;
use crate::permission::Asks;
use crate::read_view::ReadMode;
use crate::reading;
use crate::session::Work;

pub(crate) const TOOL: Tool = Tool::of::<Outline>(
    "outline",
    "Outline a file",
    "Show a file's imports, types and signatures with line ranges.",
    Hints::LOOKS,
);

/// Arguments of `outline`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Outline {
    path: String,
}

impl ToolArguments for Outline {
    fn asks(&self) -> Asks<'_> {
        Asks::Paths(vec![&self.path])
    }

    fn run(self, work: &Work<'_>) -> Result<Findings, ToolError> {
        let mut found = reading::read(work, &self.path, ReadMode::Structure, None)?;
        // It names the file.
        if !found.depends.is_empty() {
            found.depends.push(work.seen_from());
        }
        Ok(found)
    }
}
