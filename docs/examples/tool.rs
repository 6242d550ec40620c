//! A worked example: a tool that counts the lines of a file.

use foveal_workspace::file_content::{FileContent, ReadLimits, read_file};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::error::ToolError;
use crate::findings::{AnswerText, Findings};
use crate::permission::PermissionRequest;
use crate::session::CallContext;
use crate::tool_definition::{Tool, ToolArguments, ToolHints};

/// The row of the table: the name, the description for the model, and the effects of calls.
pub(crate) const TOOL: Tool = Tool::new::<CountLinesArguments>(
    "count_lines",
    "Count lines",
    "Count the lines of a file.",
    ToolHints::READ_ONLY,
);

/// Arguments of `count_lines`. The schema for clients is derived from this type.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CountLinesArguments {
    path: String,
}

impl ToolArguments for CountLinesArguments {
    /// The permission is checked before the call runs.
    fn permission_request(&self) -> PermissionRequest<'_> {
        PermissionRequest::Paths(vec![&self.path])
    }

    fn run(self, work: &CallContext<'_>) -> Result<Findings, ToolError> {
        // Fails for a path outside of the roots, and where rules or the user refuse.
        let located = work.resolve_permitted(&self.path)?;
        let file = read_file(&located, &ReadLimits::default(), work.control.cancel)
            .map_err(ToolError::from_error)?;
        match file.content {
            FileContent::Text(text) => {
                let counted = count(located.display_path(), text.text());
                Ok(Findings::from_text(AnswerText::from_content(counted)))
            }
            _ => Err(ToolError::from_error(format!("`{}` is no text", located.display_path()))),
        }
    }
}

fn count(path: &str, text: &str) -> String {
    format!("{path} has {} lines\n", text.lines().count())
}

#[test]
fn a_call_is_parsed_checked_and_answered() {
    use serde_json::json;

    assert_eq!(TOOL.schema()["required"], json!(["path"]));
    let call = TOOL.parse(json!({"path": "src/a.rs"})).expect("these are its arguments");
    assert!(
        matches!(call.permission_request(), PermissionRequest::Paths(paths) if paths == ["src/a.rs"])
    );
    let error = TOOL.parse(json!({"file": "src/a.rs"})).err().expect("they are not");
    assert!(error.to_string().contains("count_lines"), "{error}");
    assert_eq!(count("src/a.rs", "one\ntwo\n"), "src/a.rs has 2 lines\n");
}
