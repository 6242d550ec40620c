//! `read_file`: a file, as much of it as matters.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::definition::{Hints, Repeats, Tool, ToolArguments};
use crate::error::ToolError;
use crate::findings::Findings;
use crate::permission::Asks;
use crate::read_view::ReadMode;
use crate::reading;
use crate::session::Work;

pub(crate) const TOOL: Tool = Tool::of::<ReadFile>(
    "read_file",
    "Read a file",
    "Read a file. Short files come whole. Of long ones you get the lines that matter to your \
     question; each gap is named by range and symbols: get it with read_lines. Re-reading an \
     unchanged file returns a one-line note; repeat the call at once to get the text.",
    Hints::LOOKS,
)
.lean()
.repeated(Repeats::ShaperThenWhole);

/// Arguments of `read_file`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReadFile {
    path: String,
    /// What you want to know
    question: Option<String>,
    #[serde(default)]
    mode: ReadMode,
}

impl ToolArguments for ReadFile {
    fn asks(&self) -> Asks<'_> {
        Asks::Paths(vec![&self.path])
    }

    fn run(self, work: &Work<'_>) -> Result<Findings, ToolError> {
        reading::read(work, &self.path, self.mode, self.question.as_deref())
    }

    fn question(&self) -> Option<&str> {
        self.question.as_deref()
    }
}
