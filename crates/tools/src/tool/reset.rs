//! The tool `reset`: forgets all shown content.

use crate::notes::AnswerNote;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::error::ToolError;
use crate::findings::{AnswerText, Findings};
use crate::permission::PermissionRequest;
use crate::session::CallContext;
use crate::tool_definition::{Tool, ToolArguments, ToolHints};

pub(crate) const TOOL: Tool = Tool::new::<ResetToolArguments>(
    "reset",
    "Forget what was shown",
    "Call after your conversation was compacted or cleared: notes stop pointing at what you \
     saw before.",
    ToolHints::CHANGES_SESSION,
);

/// Arguments of `reset`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ResetToolArguments {}

impl ToolArguments for ResetToolArguments {
    fn permission_request(&self) -> PermissionRequest<'_> {
        PermissionRequest::Itself
    }

    fn run(self, work: &CallContext<'_>) -> Result<Findings, ToolError> {
        work.session.clear_visibility();
        let mut text = AnswerText::default();
        text.push_note(AnswerNote::Forgotten);
        Ok(Findings::from_text(text))
    }
}
