//! `outline`: a file's structure.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::answer::Found;
use crate::error::ToolError;
use crate::permission::Asks;
use crate::session::Work;
use crate::table::{Arguments, Hints, Tool};

use super::read_file::Mode;

pub(crate) const TOOL: Tool = Tool::of::<Outline>(
    "outline",
    "Show a file's imports, types and signatures with line ranges.",
    Hints::LOOKS,
);

/// Arguments of `outline`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Outline {
    path: String,
}

impl Arguments for Outline {
    fn asks(&self) -> Asks<'_> {
        Asks::Paths(vec![&self.path])
    }

    fn run(self, work: &Work<'_>) -> Result<Found, ToolError> {
        let mut found = work.read(&self.path, Mode::Structure, None)?;
        // It names the file.
        if !found.depends.is_empty() {
            found.depends.push(work.seen_from());
        }
        Ok(found)
    }
}
