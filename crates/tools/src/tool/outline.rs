//! The tool `outline`: shows the structure of a file.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::error::ToolError;
use crate::file_reading;
use crate::findings::Findings;
use crate::permission::PermissionRequest;
use crate::read_view::ReadMode;
use crate::session::CallContext;
use crate::tool_definition::{Tool, ToolArguments, ToolHints};

pub(crate) const TOOL: Tool = Tool::new::<OutlineToolArguments>(
    "outline",
    "Outline a file",
    "Show a file's imports, types and signatures with line ranges.",
    ToolHints::READ_ONLY,
);

/// Arguments of `outline`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct OutlineToolArguments {
    path: String,
}

impl ToolArguments for OutlineToolArguments {
    fn permission_request(&self) -> PermissionRequest<'_> {
        PermissionRequest::Paths(vec![&self.path])
    }

    fn run(self, work: &CallContext<'_>) -> Result<Findings, ToolError> {
        let mut found = file_reading::read_file(work, &self.path, ReadMode::Structure, None)?;
        // The answer names the file by a relative path.
        if !found.dependencies.is_empty() {
            found.dependencies.push(work.directory_dependency());
        }
        Ok(found)
    }
}
