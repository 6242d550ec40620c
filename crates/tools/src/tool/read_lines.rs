//! The tool `read_lines`: returns lines of a file verbatim.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::error::ToolError;
use crate::file_reading::{self, RequestedLines};
use crate::findings::Findings;
use crate::permission::PermissionRequest;
use crate::session::CallContext;
use crate::tool_definition::{FileLineRange, Tool, ToolArguments, ToolHints};

pub(crate) const TOOL: Tool = Tool::new::<ReadLinesToolArguments>(
    "read_lines",
    "Read lines of a file",
    "Read lines start to end of a file, verbatim.",
    ToolHints::READ_ONLY,
)
.as_lean_tool();

/// Arguments of `read_lines`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReadLinesToolArguments {
    path: String,
    /// From 1
    start: u32,
    end: u32,
    /// Byte of line `start` to begin at
    from_byte: Option<u64>,
}

impl ToolArguments for ReadLinesToolArguments {
    fn permission_request(&self) -> PermissionRequest<'_> {
        PermissionRequest::Paths(vec![&self.path])
    }

    fn run(self, work: &CallContext<'_>) -> Result<Findings, ToolError> {
        let Self { path, start, end, from_byte } = self;
        if start == 0 || end < start {
            let what = format!("no such range: {start} to {end}; lines count from 1");
            return Err(ToolError::invalid_arguments(TOOL.name, what));
        }
        let from_byte = from_byte.unwrap_or(0);
        file_reading::read_lines(work, &path, RequestedLines { start, end, from_byte })
    }

    fn named_lines(&self) -> Option<FileLineRange<'_>> {
        Some(FileLineRange { path: &self.path, start: self.start, end: self.end })
    }
}
