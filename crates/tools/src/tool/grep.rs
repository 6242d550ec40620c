//! The tool `grep`: finds lines of files that match a pattern.

use std::path::Path;

use foveal_transcript::CancelToken;
use foveal_workspace::PathKey;
use foveal_workspace::file_search::{
    self, CaseSensitivity, FileSearchError, GrepAnswer, GrepMode, GrepQuery,
};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::error::ToolError;
use crate::file_reading::{SearchPlace, search_path, search_places};
use crate::findings::{FindingContent, Findings, GrepHits};
use crate::permission::PermissionRequest;
use crate::session::CallContext;
use crate::tool_definition::{Tool, ToolArguments, ToolHints};

pub(crate) const TOOL: Tool = Tool::new::<GrepToolArguments>(
    "grep",
    "Search file contents",
    "Search file contents as ripgrep does; .gitignore is respected.",
    ToolHints::READ_ONLY,
)
.as_lean_tool();

/// Arguments of `grep`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GrepToolArguments {
    /// Rust regex
    pattern: String,
    /// Folder or file
    path: Option<String>,
    glob: Option<String>,
    /// rust, py, ...
    #[serde(rename = "type")]
    kind: Option<String>,
    #[serde(default)]
    output: GrepOutputMode,
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

/// The kind of answer.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum GrepOutputMode {
    #[default]
    Content,
    Files,
    Count,
}

impl ToolArguments for GrepToolArguments {
    fn permission_request(&self) -> PermissionRequest<'_> {
        PermissionRequest::Paths(vec![search_path(self.path.as_deref())])
    }

    fn run(self, work: &CallContext<'_>) -> Result<Findings, ToolError> {
        let places = search_places(work, self.path.as_deref())?;
        let mode = match self.output {
            GrepOutputMode::Content => GrepMode::Content,
            GrepOutputMode::Files => GrepMode::Files,
            GrepOutputMode::Count => GrepMode::Count,
        };
        let mut query = GrepQuery::new(&self.pattern);
        query.fixed = self.literal;
        query.multiline = self.multiline;
        query.case = if self.ignore_case {
            CaseSensitivity::Insensitive
        } else {
            CaseSensitivity::Sensitive
        };
        (query.before, query.after) = (self.context, self.context);
        (query.mode, query.offset) = (mode, self.offset);
        query.limit = self.limit.unwrap_or(query.limit).clamp(1, work.session.hit_limit);
        let depends = places.dependencies(work);
        let mut all: Option<GrepAnswer> = None;
        let mut keys = Vec::new();
        for place in &places.places {
            query.scope = place.scope(self.glob.clone(), self.kind.clone());
            let answer = search_place(work, place, &query, &mut keys)?;
            // Hits beyond this place are taken from the next one.
            query.offset -= query.offset.min(usize::try_from(answer.total).unwrap_or(usize::MAX));
            query.limit -= query.limit.min(answer.shown);
            match &mut all {
                Some(all) => all.append(answer),
                None => all = Some(answer),
            }
        }
        let Some(mut answer) = all else { return Err(ToolError::from_error("nothing to search")) };
        work.session.workspace.retain_unreported_files(&mut answer.skipped);
        let mut gap_notes = places.gap_notes;
        gap_notes.extend(places.below_root.filter(|_| answer.total == 0));
        let hits = GrepHits { answer, keys, mode, gap_notes };
        Ok(Findings::from(FindingContent::Hits(hits)).with_dependencies(depends))
    }

    fn is_about_working_directory(&self) -> bool {
        self.path.as_deref().is_none_or(str::is_empty)
    }

    fn context_lines(&self) -> u64 {
        self.context as u64
    }
}

/// Searches one place, with display paths in the answer. Adds the keys of the files to `keys`.
fn search_place(
    work: &CallContext<'_>,
    place: &SearchPlace,
    query: &GrepQuery,
    keys: &mut Vec<PathKey>,
) -> Result<GrepAnswer, ToolError> {
    let open = |path: &Path| place.open_for_search(work, path);
    let progress = work.progress_reporter("searching");
    let answer = file_search::grep(
        place.root_path(),
        &open,
        query,
        &CancelToken::from_fn(&|| progress.is_cancelled()),
    );
    let mut answer = answer.map_err(|error| match error {
        FileSearchError::Pattern(error) => ToolError::InvalidPattern(error),
        error => ToolError::from_error(error),
    })?;
    place.display_skipped(&mut answer.skipped);
    for file in &mut answer.files {
        keys.push(place.path_key(&file.path));
        file.path = place.display_path(&file.path);
    }
    Ok(answer)
}
