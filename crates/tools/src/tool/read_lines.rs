//! `read_lines`: lines of a file, word for word.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::answer::Found;
use crate::error::ToolError;
use crate::permission::Asks;
use crate::session::{AskedLines, Work};
use crate::table::{Arguments, Hints, Tool};

pub(crate) const TOOL: Tool = Tool::of::<ReadLines>(
    "read_lines",
    "Read lines start to end of a file, verbatim.",
    Hints::LOOKS,
);

/// Arguments of `read_lines`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReadLines {
    path: String,
    /// From 1
    start: u32,
    end: u32,
    /// Where in a very long line `start` to begin
    from_byte: Option<u64>,
}

impl Arguments for ReadLines {
    fn asks(&self) -> Asks<'_> {
        Asks::Paths(vec![&self.path])
    }

    fn run(self, work: &Work<'_>) -> Result<Found, ToolError> {
        let Self { path, start, end, from_byte } = self;
        if start == 0 || end < start {
            let what = format!("no such range: {start} to {end}; lines count from 1");
            return Err(ToolError::arguments(TOOL.name, what));
        }
        let from_byte = from_byte.unwrap_or(0);
        work.read_range(&path, AskedLines { start, end, from_byte })
    }
}
