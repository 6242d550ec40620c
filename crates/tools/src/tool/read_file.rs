//! `read_file`: a file, as much of it as matters.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::answer::Found;
use crate::error::ToolError;
use crate::permission::Asks;
use crate::session::Work;
use crate::table::{Arguments, Hints, Tool};

pub(crate) const TOOL: Tool = Tool::of::<ReadFile>(
    "read_file",
    "Read a file. Short files come whole; of long ones you get the lines that matter to your \
     question, every gap named by range and symbols: get gaps with read_lines. Unchanged files \
     you have seen become a pointer; call again at once to get the text anyway.",
    Hints::LOOKS,
);

/// Arguments of `read_file`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReadFile {
    path: String,
    /// What you want to know
    question: Option<String>,
    #[serde(default)]
    mode: Mode,
}

/// How a file is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Mode {
    #[default]
    Auto,
    Full,
    Curated,
    Structure,
}

impl Arguments for ReadFile {
    fn asks(&self) -> Asks<'_> {
        Asks::Paths(vec![&self.path])
    }

    fn run(self, work: &Work<'_>) -> Result<Found, ToolError> {
        work.read(&self.path, self.mode, self.question.as_deref())
    }
}
