//! The tool `list`: lists a folder as a tree.

use foveal_transcript::CancelToken;
use foveal_workspace::file_search::{self, ListAnswer, ListQuery};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::error::ToolError;
use crate::file_reading::{SearchPlace, search_path, search_places};
use crate::findings::{FindingContent, Findings, FolderEntries};
use crate::permission::PermissionRequest;
use crate::session::CallContext;
use crate::tool_definition::{Tool, ToolArguments, ToolHints};

pub(crate) const TOOL: Tool = Tool::new::<ListToolArguments>(
    "list",
    "List a folder",
    "List a folder as a tree with sizes.",
    ToolHints::READ_ONLY,
);

/// Levels shown by default.
const DEFAULT_DEPTH: usize = 2;
/// Entries shown by default.
const DEFAULT_LIMIT: usize = 200;
/// Entries shown at most.
const LIMIT_MAX: usize = 5_000;

/// Arguments of `list`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ListToolArguments {
    path: Option<String>,
    depth: Option<usize>,
    limit: Option<usize>,
}

impl ToolArguments for ListToolArguments {
    fn permission_request(&self) -> PermissionRequest<'_> {
        PermissionRequest::Paths(vec![search_path(self.path.as_deref())])
    }

    fn run(self, work: &CallContext<'_>) -> Result<Findings, ToolError> {
        let places = search_places(work, self.path.as_deref())?;
        let depends = places.dependencies(work);
        let mut left = self.limit.unwrap_or(DEFAULT_LIMIT).clamp(1, LIMIT_MAX);
        let mut folders = Vec::with_capacity(places.places.len());
        for (at, place) in places.places.iter().enumerate() {
            // The unused share of a small folder goes to the folders after it.
            let share = left.div_ceil(places.places.len() - at);
            let query = ListQuery {
                scope: place.scope(None, None),
                depth: self.depth.unwrap_or(DEFAULT_DEPTH),
                limit: share,
            };
            let answer = list_place(work, place, &query)?;
            left -= left.min(answer.entries.len());
            folders.push(answer);
        }
        let mut gap_notes = places.gap_notes;
        let is_empty = folders.iter().all(|folder| folder.entries.is_empty());
        gap_notes.extend(places.below_root.filter(|_| is_empty));
        let entries = FolderEntries { folders, gap_notes };
        Ok(Findings::from(FindingContent::Entries(entries)).with_dependencies(depends))
    }

    fn is_about_working_directory(&self) -> bool {
        self.path.as_deref().is_none_or(str::is_empty)
    }
}

/// Lists one place, with display paths in the answer.
fn list_place(
    work: &CallContext<'_>,
    place: &SearchPlace,
    query: &ListQuery,
) -> Result<ListAnswer, ToolError> {
    let progress = work.progress_reporter("listing");
    let answer = file_search::list_folder(
        place.root_path(),
        query,
        &CancelToken::from_fn(&|| progress.is_cancelled()),
    );
    let mut answer = answer.map_err(ToolError::from_error)?;
    let paths: Vec<String> =
        answer.entries.iter().map(|entry| place.join_relative(&entry.path)).collect();
    let inside = place.paths_without_links(paths.iter().map(String::as_str));
    answer.entries.retain(|entry| inside.contains(&place.join_relative(&entry.path)));
    answer.path = place.display_path(&answer.path);
    for (path, _) in &mut answer.skipped.reasons {
        *path = place.join_relative(path);
    }
    place.display_skipped(&mut answer.skipped);
    Ok(answer)
}
