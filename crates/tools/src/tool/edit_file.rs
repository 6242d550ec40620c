//! `edit_file`: one text of a file replaced by another.

use foveal_files::edit::Edit;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::answer::Found;
use crate::error::ToolError;
use crate::permission::Asks;
use crate::session::{EditAt, Work};
use crate::table::{Arguments, Hints, Tool};

pub(crate) const TOOL: Tool = Tool::of::<EditFile>(
    "edit_file",
    "Replace old_str, which must occur once, by new_str (empty: delete). Checked against the \
     file on disk.",
    Hints::CHANGES,
);

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

impl Arguments for EditFile {
    fn asks(&self) -> Asks<'_> {
        Asks::Paths(vec![&self.path])
    }

    fn run(self, work: &Work<'_>) -> Result<Found, ToolError> {
        let Self { path, old_str: old, new_str: new, replace_all, .. } = self;
        work.edit(vec![EditAt { path, edit: Edit { old, new, replace_all } }])
    }
}
