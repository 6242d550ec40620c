//! The tool `edit_file`: replaces one text of a file by another.

use foveal_workspace::edit::Edit;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::error::ToolError;
use crate::file_writing::{self, PathEdit};
use crate::findings::Findings;
use crate::permission::PermissionRequest;
use crate::session::CallContext;
use crate::tool_definition::{Tool, ToolArguments, ToolHints};

pub(crate) const TOOL: Tool = Tool::new::<EditFileToolArguments>(
    "edit_file",
    "Edit a file",
    "Replace old_str, which must occur once, with new_str (empty: delete). Checked against the \
     file on disk.",
    ToolHints::EDITS_FILES,
)
.as_lean_tool();

/// Arguments of `edit_file`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct EditFileToolArguments {
    path: String,
    old_str: String,
    new_str: String,
    /// Every occurrence
    #[serde(default)]
    replace_all: bool,
    /// Why, in a few words
    #[expect(dead_code, reason = "kept with the call, for who reads its history")]
    intent: Option<String>,
}

impl ToolArguments for EditFileToolArguments {
    fn permission_request(&self) -> PermissionRequest<'_> {
        PermissionRequest::Paths(vec![&self.path])
    }

    fn run(self, work: &CallContext<'_>) -> Result<Findings, ToolError> {
        let Self { path, old_str: old, new_str: new, replace_all, .. } = self;
        file_writing::edit_files(
            work,
            vec![PathEdit { path, edit: Edit { old, new, replace_all } }],
        )
    }
}
