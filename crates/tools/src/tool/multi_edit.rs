//! `multi_edit`: several edits, all or none.

use foveal_files::edit::Edit;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::definition::{Hints, Tool, ToolArguments};
use crate::error::ToolError;
use crate::findings::Findings;
use crate::permission::Asks;
use crate::session::Work;
use crate::writing::{self, EditAt};

pub(crate) const TOOL: Tool = Tool::of::<MultiEdit>(
    "multi_edit",
    "Edit several places",
    "Make several edits like edit_file, in order, in one or more files: all or none.",
    Hints::CHANGES,
);

/// Edits of one call.
const EDITS_MAX: usize = 200;

/// Arguments of `multi_edit`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct MultiEdit {
    edits: Vec<OneEdit>,
    #[expect(dead_code, reason = "kept with the call, for who reads its history")]
    intent: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct OneEdit {
    path: String,
    old_str: String,
    new_str: String,
    #[serde(default)]
    replace_all: bool,
}

impl ToolArguments for MultiEdit {
    fn asks(&self) -> Asks<'_> {
        Asks::Paths(self.edits.iter().map(|edit| edit.path.as_str()).collect())
    }

    fn run(self, work: &Work<'_>) -> Result<Findings, ToolError> {
        let count = self.edits.len();
        if count == 0 || count > EDITS_MAX {
            let what = format!("{count} edits: give 1 to {EDITS_MAX}");
            return Err(ToolError::arguments(TOOL.name, what));
        }
        let edit = |OneEdit { path, old_str: old, new_str: new, replace_all }| EditAt {
            path,
            edit: Edit { old, new, replace_all },
        };
        writing::edit(work, self.edits.into_iter().map(edit).collect())
    }
}
