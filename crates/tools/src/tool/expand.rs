//! The tool `expand`: returns content that an earlier answer omitted.

use foveal_engine::note::LineNumberRange;
use foveal_engine::output_budget::OutputBudget;
use foveal_transcript::Handle;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::error::ToolError;
use crate::findings::{AnswerText, Findings};
use crate::notes::{ContinuationTool, FileNote};
use crate::permission::PermissionRequest;
use crate::session::CallContext;
use crate::tool_definition::{RepeatPolicy, Tool, ToolArguments, ToolHints};

pub(crate) const TOOL: Tool = Tool::new::<ExpandToolArguments>(
    "expand",
    "Show what was left out",
    "Get what was left out, by the handle in its note (12 hex digits).",
    ToolHints::READ_ONLY,
)
.as_lean_tool()
.with_repeat_policy(RepeatPolicy::Shaper);

/// Lines returned by default.
const DEFAULT_LINES: usize = 2_000;
/// Bytes returned at most.
const BYTES_MAX: usize = 200_000;
/// Bytes reserved for the note after the content.
const NOTE_BYTES: usize = 200;

/// Arguments of `expand`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExpandToolArguments {
    handle: String,
    /// First line, 1 if not given
    start: Option<usize>,
    end: Option<usize>,
    /// Byte of line `start` to begin at
    from_byte: Option<usize>,
}

impl ToolArguments for ExpandToolArguments {
    fn permission_request(&self) -> PermissionRequest<'_> {
        PermissionRequest::Text(self.handle.trim().into())
    }

    fn run(self, work: &CallContext<'_>) -> Result<Findings, ToolError> {
        let handle: Handle =
            self.handle.trim().parse().map_err(|error: foveal_transcript::ParseHandleError| {
                ToolError::invalid_arguments(TOOL.name, error.to_string())
            })?;
        let Some(content) = work.session.content(handle) else {
            return Err(ToolError::from_error(format!(
                "no content is stored under `{handle}`: it may have expired, or it is on another \
                 machine. Repeat the call whose answer named it"
            )));
        };
        self.select_lines(&content, work.budget_below_heading("").reserve_notes(NOTE_BYTES))
    }
}

impl ExpandToolArguments {
    fn select_lines(&self, content: &str, room: OutputBudget) -> Result<Findings, ToolError> {
        let all = content.lines().count();
        let start = self.start.unwrap_or(1);
        let end = self.end.unwrap_or(start.saturating_add(DEFAULT_LINES - 1));
        if start == 0 || end < start || start > all.max(1) {
            let what = format!("no lines {start} to {end}: there are {all}, counted from 1");
            return Err(ToolError::invalid_arguments(TOOL.name, what));
        }
        let mut text = AnswerText::default();
        let mut left = OutputBudget { bytes: room.bytes.min(BYTES_MAX), ..room };
        let mut last = start - 1;
        let mut before = self.from_byte.unwrap_or(0);
        for line in content.split_inclusive('\n').skip(start - 1).take(end - start + 1) {
            let from = line.floor_char_boundary(std::mem::take(&mut before).min(line.len()));
            let rest = &line[from..];
            let mut kept = rest;
            if !left.consume(rest) {
                if !text.as_str().is_empty() {
                    break;
                }
                kept = &rest[..left.fitting_len(rest)];
            }
            text.push_content(kept);
            last += 1;
            if kept.len() < rest.len() {
                let (bytes, next) = (rest.len() - kept.len(), from + kept.len());
                text.push_note_inline(FileNote::LineRest {
                    bytes: bytes as u32,
                    tool: ContinuationTool::Expand,
                    line: last as u32,
                    from_byte: next as u64,
                });
                text.finish_line();
                return Ok(Findings::from_text(text));
            }
        }
        if last < all && self.end.is_none_or(|end| last < end) {
            let lines = LineNumberRange(start as u32, last as u32);
            text.push_note(FileNote::PartOf { lines, all: all as u32 });
        }
        Ok(Findings::from_text(text))
    }
}
