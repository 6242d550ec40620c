//! `write_file`: a whole file.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::answer::Found;
use crate::error::ToolError;
use crate::permission::Asks;
use crate::session::Work;
use crate::table::{Arguments, Hints, Tool};

pub(crate) const TOOL: Tool = Tool::of::<WriteFile>(
    "write_file",
    "Write a whole file, with its folders. One that exists must have been read. To undo a \
     change, give the handle told as `before` in place of content.",
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

impl Arguments for WriteFile {
    fn asks(&self) -> Asks<'_> {
        Asks::Paths(vec![&self.path])
    }

    fn run(self, work: &Work<'_>) -> Result<Found, ToolError> {
        match (&self.content, &self.handle) {
            (Some(content), None) => work.write(&self.path, content),
            (None, Some(handle)) => work.restore(&self.path, handle),
            (Some(_), Some(_)) | (None, None) => {
                Err(ToolError::arguments(TOOL.name, "give either content or handle"))
            }
        }
    }
}
