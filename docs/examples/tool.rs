//! A worked example: a tool that counts the lines of a file.

use foveal_files::kind::{self, Content, ReadLimits};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::definition::{Hints, Tool, ToolArguments};
use crate::error::ToolError;
use crate::findings::{AnswerText, Findings};
use crate::permission::Asks;
use crate::session::Work;

/// The row for the table: the name, what the model is told, and what calls can do.
pub(crate) const TOOL: Tool = Tool::of::<CountLines>(
    "count_lines",
    "Count lines",
    "Count the lines of a file.",
    Hints::LOOKS,
);

/// Arguments of `count_lines`. The schema that clients get is made from this type.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CountLines {
    path: String,
}

impl ToolArguments for CountLines {
    /// Permission is asked for before anything is done.
    fn asks(&self) -> Asks<'_> {
        Asks::Paths(vec![&self.path])
    }

    fn run(self, work: &Work<'_>) -> Result<Findings, ToolError> {
        // Refuses what leads out of the roots, and what rules or the person refuse.
        let located = work.file(&self.path)?;
        let file = kind::read(&located, &ReadLimits::default(), work.control.cancel)
            .map_err(ToolError::failed)?;
        match file.content {
            Content::Text(text) => {
                let counted = count(located.shown(), text.text());
                Ok(Findings::text(AnswerText::of_content(counted)))
            }
            _ => Err(ToolError::failed(format!("`{}` is no text", located.shown()))),
        }
    }
}

fn count(path: &str, text: &str) -> String {
    format!("{path} has {} lines\n", text.lines().count())
}

#[test]
fn a_call_is_parsed_asked_about_and_answered() {
    use serde_json::json;

    assert_eq!(TOOL.schema()["required"], json!(["path"]));
    let call = TOOL.parse(json!({"path": "src/a.rs"})).expect("these are its arguments");
    assert!(matches!(call.asks(), Asks::Paths(paths) if paths == ["src/a.rs"]));
    let error = TOOL.parse(json!({"file": "src/a.rs"})).err().expect("they are not");
    assert!(error.to_string().contains("count_lines"), "{error}");
    assert_eq!(count("src/a.rs", "one\ntwo\n"), "src/a.rs has 2 lines\n");
}
