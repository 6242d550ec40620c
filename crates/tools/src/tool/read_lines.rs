//! `read_lines`: lines of a file, word for word.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::definition::{Hints, NamedLines, Tool, ToolArguments};
use crate::error::ToolError;
use crate::findings::Findings;
use crate::permission::Asks;
use crate::reading::{self, AskedLines};
use crate::session::Work;

pub(crate) const TOOL: Tool = Tool::of::<ReadLines>(
    "read_lines",
    "Read lines of a file",
    "Read lines start to end of a file, verbatim.",
    Hints::LOOKS,
)
.lean();

/// Arguments of `read_lines`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReadLines {
    path: String,
    /// From 1
    start: u32,
    end: u32,
    /// Byte of line `start` to begin at
    from_byte: Option<u64>,
}

impl ToolArguments for ReadLines {
    fn asks(&self) -> Asks<'_> {
        Asks::Paths(vec![&self.path])
    }

    fn run(self, work: &Work<'_>) -> Result<Findings, ToolError> {
        let Self { path, start, end, from_byte } = self;
        if start == 0 || end < start {
            let what = format!("no such range: {start} to {end}; lines count from 1");
            return Err(ToolError::arguments(TOOL.name, what));
        }
        let from_byte = from_byte.unwrap_or(0);
        reading::read_lines(work, &path, AskedLines { start, end, from_byte })
    }

    fn lines(&self) -> Option<NamedLines<'_>> {
        Some(NamedLines { path: &self.path, start: self.start, end: self.end })
    }
}
