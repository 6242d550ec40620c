//! The tool `read_file`: shows a file, or the lines of it that matter.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::error::ToolError;
use crate::file_reading;
use crate::findings::Findings;
use crate::permission::PermissionRequest;
use crate::read_view::ReadMode;
use crate::session::CallContext;
use crate::tool_definition::{RepeatPolicy, Tool, ToolArguments, ToolHints};

pub(crate) const TOOL: Tool = Tool::new::<ReadFileToolArguments>(
    "read_file",
    "Read a file",
    "Read a file. Short files come whole. Of long ones you get the lines that matter to your \
     question; each gap is named by range and symbols: get it with read_lines. Re-reading an \
     unchanged file returns a one-line note; repeat the call at once to get the text.",
    ToolHints::READ_ONLY,
)
.as_lean_tool()
.with_repeat_policy(RepeatPolicy::ShaperThenWhole);

/// Arguments of `read_file`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReadFileToolArguments {
    path: String,
    /// Your question about the file
    question: Option<String>,
    #[serde(default)]
    mode: ReadMode,
}

impl ToolArguments for ReadFileToolArguments {
    fn permission_request(&self) -> PermissionRequest<'_> {
        PermissionRequest::Paths(vec![&self.path])
    }

    fn run(self, work: &CallContext<'_>) -> Result<Findings, ToolError> {
        file_reading::read_file(work, &self.path, self.mode, self.question.as_deref())
    }

    fn question(&self) -> Option<&str> {
        self.question.as_deref()
    }
}
