//! `write_file`: a whole file.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::definition::{Hints, Tool, ToolArguments};
use crate::error::ToolError;
use crate::findings::Findings;
use crate::permission::Asks;
use crate::session::Work;
use crate::writing;

pub(crate) const TOOL: Tool = Tool::of::<WriteFile>(
    "write_file",
    "Write a file",
    "Write a whole file; its folders are created. Read an existing file first. To undo a \
     change, give its `before` handle instead of content.",
    Hints::CHANGES,
);

/// Arguments of `write_file`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WriteFile {
    path: String,
    content: Option<String>,
    handle: Option<String>,
}

impl ToolArguments for WriteFile {
    fn asks(&self) -> Asks<'_> {
        Asks::Paths(vec![&self.path])
    }

    fn run(self, work: &Work<'_>) -> Result<Findings, ToolError> {
        match (&self.content, &self.handle) {
            (Some(content), None) => writing::write(work, &self.path, content),
            (None, Some(handle)) => writing::restore(work, &self.path, handle),
            (Some(_), Some(_)) | (None, None) => {
                Err(ToolError::arguments(TOOL.name, "give either content or handle"))
            }
        }
    }
}
