//! The tool `multi_edit`: makes several edits, all or none.

use foveal_workspace::edit::Edit;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::error::ToolError;
use crate::file_writing::{self, PathEdit};
use crate::findings::Findings;
use crate::permission::PermissionRequest;
use crate::session::CallContext;
use crate::tool_definition::{Tool, ToolArguments, ToolHints};

pub(crate) const TOOL: Tool = Tool::new::<MultiEditToolArguments>(
    "multi_edit",
    "Edit several places",
    "Make several edits like edit_file, in order, in one or more files: all or none.",
    ToolHints::EDITS_FILES,
);

/// The most edits of one call.
const EDITS_MAX: usize = 200;

/// Arguments of `multi_edit`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct MultiEditToolArguments {
    edits: Vec<EditArguments>,
    #[expect(dead_code, reason = "kept with the call, for who reads its history")]
    intent: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct EditArguments {
    path: String,
    old_str: String,
    new_str: String,
    #[serde(default)]
    replace_all: bool,
}

impl ToolArguments for MultiEditToolArguments {
    fn permission_request(&self) -> PermissionRequest<'_> {
        PermissionRequest::Paths(self.edits.iter().map(|edit| edit.path.as_str()).collect())
    }

    fn run(self, work: &CallContext<'_>) -> Result<Findings, ToolError> {
        let count = self.edits.len();
        if count == 0 || count > EDITS_MAX {
            let what = format!("{count} edits: give 1 to {EDITS_MAX}");
            return Err(ToolError::invalid_arguments(TOOL.name, what));
        }
        let edit = |EditArguments { path, old_str: old, new_str: new, replace_all }| PathEdit {
            path,
            edit: Edit { old, new, replace_all },
        };
        file_writing::edit_files(work, self.edits.into_iter().map(edit).collect())
    }
}
