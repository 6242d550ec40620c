//! `focus` and `unfocus`: files that are always shown whole.

use std::path::PathBuf;

use foveal_context::note::AnswerNote;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::definition::{Hints, Tool, ToolArguments};
use crate::error::ToolError;
use crate::findings::{AnswerText, Findings};
use crate::permission::Asks;
use crate::session::Work;

pub(crate) const FOCUS: Tool = Tool::of::<Focus>(
    "focus",
    "Focus on files",
    "Read files whole from now on; without paths, list them.",
    Hints::REMEMBERS,
);

pub(crate) const UNFOCUS: Tool = Tool::of::<Unfocus>(
    "unfocus",
    "End the focus on files",
    "Undo focus; without paths, for all.",
    Hints::REMEMBERS,
);

/// Files in focus at once.
const FOCUS_MAX: usize = 100;

/// Arguments of `focus`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Focus {
    #[serde(default)]
    paths: Vec<String>,
}

/// Arguments of `unfocus`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Unfocus {
    #[serde(default)]
    paths: Vec<String>,
}

impl ToolArguments for Focus {
    fn asks(&self) -> Asks<'_> {
        Asks::Paths(self.paths.iter().map(String::as_str).collect())
    }

    fn run(self, work: &Work<'_>) -> Result<Findings, ToolError> {
        let located = self.paths.iter().map(|path| work.file(path));
        let located = located.collect::<Result<Vec<_>, _>>()?;
        let mut focus = work.session.workspace.focus();
        for located in located {
            located.metadata().map_err(ToolError::failed)?;
            focus.insert(located.key(), located.absolute());
        }
        if focus.len() > FOCUS_MAX {
            let what = format!("{} files: at most {FOCUS_MAX} can be in focus", focus.len());
            return Err(ToolError::arguments(FOCUS.name, what));
        }
        work.session.workspace.set_focus(focus.clone());
        Ok(listed(work, focus.values()))
    }
}

impl ToolArguments for Unfocus {
    fn asks(&self) -> Asks<'_> {
        Asks::Paths(self.paths.iter().map(String::as_str).collect())
    }

    fn run(self, work: &Work<'_>) -> Result<Findings, ToolError> {
        let mut focus = work.session.workspace.focus();
        if self.paths.is_empty() {
            focus.clear();
        }
        for path in &self.paths {
            let located = work.file(path)?;
            if focus.remove(&located.key()).is_none() {
                let what = format!("`{}` is not in focus", located.shown());
                return Err(ToolError::arguments(UNFOCUS.name, what));
            }
        }
        work.session.workspace.set_focus(focus.clone());
        Ok(listed(work, focus.values()))
    }
}

fn listed<'a>(work: &Work<'_>, paths: impl Iterator<Item = &'a PathBuf>) -> Findings {
    let (roots, mut paths) = (work.roots(), paths.peekable());
    let mut text = AnswerText::default();
    text.note(if paths.peek().is_some() { AnswerNote::InFocus } else { AnswerNote::NoFocus });
    paths.for_each(|path| text.content(&format!("{}\n", roots.display_path(path))));
    Findings::text(text)
}
