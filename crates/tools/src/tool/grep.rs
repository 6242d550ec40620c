//! `grep`: lines of files that match.

use std::path::Path;

use foveal_cancel::Cancel;
use foveal_files::tree::{self, Case, GrepAnswer, GrepMode, GrepQuery};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::definition::{Hints, Tool, ToolArguments};
use crate::error::ToolError;
use crate::findings::{Content, Findings, Hits};
use crate::permission::Asks;
use crate::reading::{SearchPlace, places, searched};
use crate::session::Work;

pub(crate) const TOOL: Tool = Tool::of::<Grep>(
    "grep",
    "Search file contents",
    "Search file contents as ripgrep does; .gitignore is respected.",
    Hints::LOOKS,
)
.lean();

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

impl ToolArguments for Grep {
    fn asks(&self) -> Asks<'_> {
        Asks::Paths(vec![searched(self.path.as_deref())])
    }

    fn run(self, work: &Work<'_>) -> Result<Findings, ToolError> {
        let places = places(work, self.path.as_deref())?;
        let mode = match self.output {
            Output::Content => GrepMode::Content,
            Output::Files => GrepMode::Files,
            Output::Count => GrepMode::Count,
        };
        let mut query = GrepQuery::new(&self.pattern);
        query.fixed = self.literal;
        query.multiline = self.multiline;
        query.case = if self.ignore_case { Case::Insensitive } else { Case::Sensitive };
        (query.before, query.after) = (self.context, self.context);
        (query.mode, query.offset) = (mode, self.offset);
        query.limit = self.limit.unwrap_or(query.limit).clamp(1, LIMIT_MAX);
        let depends = places.depends(work);
        let mut all: Option<GrepAnswer> = None;
        for place in &places.all {
            query.scope = place.scope(self.glob.clone(), self.kind.clone());
            let answer = search(work, place, &query)?;
            // What is not reached yet is left to the next place.
            query.offset -= query.offset.min(usize::try_from(answer.total).unwrap_or(usize::MAX));
            query.limit -= query.limit.min(answer.shown);
            match &mut all {
                Some(all) => all.append(answer),
                None => all = Some(answer),
            }
        }
        let Some(answer) = all else { return Err(ToolError::failed("nothing to search")) };
        let hits = Hits { answer, mode, missing: places.missing };
        Ok(Findings::from(Content::Hits(hits)).resting_on(depends))
    }

    fn is_about_working_directory(&self) -> bool {
        self.path.as_deref().is_none_or(str::is_empty)
    }

    fn context_lines(&self) -> u64 {
        self.context as u64
    }
}

/// Searches one place; paths are told as they are asked for.
fn search(
    work: &Work<'_>,
    place: &SearchPlace,
    query: &GrepQuery,
) -> Result<GrepAnswer, ToolError> {
    let open = |path: &Path| place.open(work, path);
    let progress = work.progress("searching");
    let answer = tree::grep(place.base(), &open, query, &Cancel::when(&|| progress.is_cancelled()));
    let mut answer = answer.map_err(ToolError::failed)?;
    place.tell(&mut answer.passed);
    for file in &mut answer.files {
        file.path = place.shown(&file.path);
    }
    Ok(answer)
}
