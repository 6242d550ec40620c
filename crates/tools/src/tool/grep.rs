//! `grep`: lines of files that match.

use foveal_files::tree::{self, Case, Form, GrepMode, GrepQuery};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::answer::Found;
use crate::error::ToolError;
use crate::permission::Asks;
use crate::pulse::Pulse;
use crate::session::{Work, searched};
use crate::table::{Arguments, Hints, Tool};

pub(crate) const TOOL: Tool = Tool::of::<Grep>(
    "grep",
    "Search file contents as ripgrep does; .gitignore is respected.",
    Hints::LOOKS,
);

/// Arguments of `grep`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Grep {
    /// Rust regex
    pattern: String,
    /// Folder or file
    path: Option<String>,
    glob: Option<String>,
    /// rust, py, ...
    #[serde(rename = "type")]
    kind: Option<String>,
    #[serde(default)]
    output: Output,
    #[serde(default)]
    ignore_case: bool,
    #[serde(default)]
    multiline: bool,
    /// Pattern is plain text
    #[serde(default)]
    literal: bool,
    /// Lines around each hit
    #[serde(default)]
    context: usize,
    #[serde(default)]
    offset: usize,
    /// 100 if not given
    limit: Option<usize>,
}

/// What is asked about files.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Output {
    #[default]
    Content,
    Files,
    Count,
}

/// Most hits of one call.
const LIMIT_MAX: usize = 2_000;

impl Arguments for Grep {
    fn asks(&self) -> Asks<'_> {
        Asks::Paths(vec![searched(self.path.as_deref())])
    }

    fn run(self, work: &Work<'_>) -> Result<Found, ToolError> {
        let place = work.place(self.path.as_deref())?;
        let mode = match self.output {
            Output::Content => GrepMode::Content,
            Output::Files => GrepMode::Files,
            Output::Count => GrepMode::Count,
        };
        let mut query = GrepQuery::new(&self.pattern);
        query.scope = place.scope(self.glob, self.kind);
        query.fixed = self.literal;
        query.multiline = self.multiline;
        query.case = if self.ignore_case { Case::Insensitive } else { Case::Sensitive };
        (query.before, query.after) = (self.context, self.context);
        (query.mode, query.offset) = (mode, self.offset);
        query.limit = self.limit.unwrap_or(query.limit).clamp(1, LIMIT_MAX);
        let base = place.base();
        let depends = place.depends();
        let pulse = Pulse::of(work, "searching");
        let mut answer =
            tree::grep(base, &|path| place.open(work, path), &query, &|| pulse.go_on())
                .map_err(ToolError::failed)?;
        let reasons = answer.passed.reasons.iter().map(|(path, _)| path.as_str());
        let inside = place.inside(reasons);
        answer.passed.reasons.retain(|(path, _)| inside.contains(path));
        for file in &mut answer.files {
            file.path = place.shown(&file.path);
        }
        let structured = json!({
            "total": answer.total,
            "files": answer.files_with_hits,
            "shown": answer.shown,
            "next_offset": answer.next_offset(),
        });
        let text = answer.render(mode, Form::Headings);
        Ok(Found { structured: Some(structured), depends, ..Found::text(text) })
    }
}
