//! `edit_file`: one text of a file replaced by another.

use foveal_files::edit::Edit;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::definition::{Hints, Tool, ToolArguments};
use crate::error::ToolError;
use crate::findings::Findings;
use crate::permission::Asks;
use crate::session::Work;
use crate::writing::{self, EditAt};

pub(crate) const TOOL: Tool = Tool::of::<EditFile>(
    "edit_file",
    "Edit a file",
    "Replace old_str, which must occur once, with new_str (empty: delete). Checked against the \
     file on disk.",
    Hints::CHANGES,
)
.lean();

/// Arguments of `edit_file`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct EditFile {
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

impl ToolArguments for EditFile {
    fn asks(&self) -> Asks<'_> {
        Asks::Paths(vec![&self.path])
    }

    fn run(self, work: &Work<'_>) -> Result<Findings, ToolError> {
        let Self { path, old_str: old, new_str: new, replace_all, .. } = self;
        writing::edit(work, vec![EditAt { path, edit: Edit { old, new, replace_all } }])
    }
}
