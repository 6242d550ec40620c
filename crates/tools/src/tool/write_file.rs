//! The tool `write_file`: writes a whole file.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::error::ToolError;
use crate::file_writing;
use crate::findings::Findings;
use crate::permission::PermissionRequest;
use crate::session::CallContext;
use crate::tool_definition::{Tool, ToolArguments, ToolHints};

pub(crate) const TOOL: Tool = Tool::new::<WriteFileToolArguments>(
    "write_file",
    "Write a file",
    "Write a whole file; its folders are created. Read an existing file first. To undo a \
     change, give its `before` handle instead of content.",
    ToolHints::EDITS_FILES,
);

/// Arguments of `write_file`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WriteFileToolArguments {
    path: String,
    content: Option<String>,
    handle: Option<String>,
}

impl ToolArguments for WriteFileToolArguments {
    fn permission_request(&self) -> PermissionRequest<'_> {
        PermissionRequest::Paths(vec![&self.path])
    }

    fn run(self, work: &CallContext<'_>) -> Result<Findings, ToolError> {
        match (&self.content, &self.handle) {
            (Some(content), None) => file_writing::write_file(work, &self.path, content),
            (None, Some(handle)) => file_writing::restore_file(work, &self.path, handle),
            (Some(_), Some(_)) | (None, None) => {
                Err(ToolError::invalid_arguments(TOOL.name, "give either content or handle"))
            }
        }
    }
}
