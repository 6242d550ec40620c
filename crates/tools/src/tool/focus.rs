//! The tools `focus` and `unfocus`: choose files that are always shown whole.

use std::path::PathBuf;

use crate::notes::AnswerNote;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::error::ToolError;
use crate::findings::{AnswerText, Findings};
use crate::permission::PermissionRequest;
use crate::session::CallContext;
use crate::tool_definition::{Tool, ToolArguments, ToolHints};

pub(crate) const FOCUS: Tool = Tool::new::<FocusToolArguments>(
    "focus",
    "Focus on files",
    "Read files whole from now on; without paths, list them.",
    ToolHints::CHANGES_SESSION,
);

pub(crate) const UNFOCUS: Tool = Tool::new::<UnfocusToolArguments>(
    "unfocus",
    "End the focus on files",
    "Undo focus; without paths, for all.",
    ToolHints::CHANGES_SESSION,
);

/// Files in focus at once.
const FOCUS_MAX: usize = 100;

/// Arguments of `focus`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FocusToolArguments {
    #[serde(default)]
    paths: Vec<String>,
}

/// Arguments of `unfocus`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct UnfocusToolArguments {
    #[serde(default)]
    paths: Vec<String>,
}

impl ToolArguments for FocusToolArguments {
    fn permission_request(&self) -> PermissionRequest<'_> {
        PermissionRequest::Paths(self.paths.iter().map(String::as_str).collect())
    }

    fn run(self, work: &CallContext<'_>) -> Result<Findings, ToolError> {
        let located = self.paths.iter().map(|path| work.resolve_permitted(path));
        let located = located.collect::<Result<Vec<_>, _>>()?;
        let mut focus = work.session.workspace.focused_files();
        for located in located {
            located.metadata().map_err(ToolError::from_error)?;
            focus.insert(located.path_key(), located.absolute_path());
        }
        if focus.len() > FOCUS_MAX {
            let what = format!("{} files: at most {FOCUS_MAX} can be in focus", focus.len());
            return Err(ToolError::invalid_arguments(FOCUS.name, what));
        }
        work.session.workspace.set_focus(focus.clone());
        Ok(focus_findings(work, focus.values()))
    }
}

impl ToolArguments for UnfocusToolArguments {
    fn permission_request(&self) -> PermissionRequest<'_> {
        PermissionRequest::Paths(self.paths.iter().map(String::as_str).collect())
    }

    fn run(self, work: &CallContext<'_>) -> Result<Findings, ToolError> {
        let mut focus = work.session.workspace.focused_files();
        if self.paths.is_empty() {
            focus.clear();
        }
        for path in &self.paths {
            let located = work.resolve_permitted(path)?;
            if focus.remove(&located.path_key()).is_none() {
                let what = format!("`{}` is not in focus", located.display_path());
                return Err(ToolError::invalid_arguments(UNFOCUS.name, what));
            }
        }
        work.session.workspace.set_focus(focus.clone());
        Ok(focus_findings(work, focus.values()))
    }
}

fn focus_findings<'a>(
    work: &CallContext<'_>,
    paths: impl Iterator<Item = &'a PathBuf>,
) -> Findings {
    let (roots, mut paths) = (work.roots(), paths.peekable());
    let mut text = AnswerText::default();
    text.push_note(if paths.peek().is_some() { AnswerNote::InFocus } else { AnswerNote::NoFocus });
    paths.for_each(|path| text.push_content(&format!("{}\n", roots.display_path(path))));
    Findings::from_text(text)
}
