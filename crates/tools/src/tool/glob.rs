//! The tool `glob`: finds files by the pattern of their path.

use std::cmp::Reverse;

use foveal_transcript::CancelToken;
use foveal_workspace::file_search::{self, GlobAnswer, GlobOrder, GlobQuery, SkippedFiles};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::error::ToolError;
use crate::file_reading::{SearchPlace, search_path, search_places};
use crate::findings::{FindingContent, Findings, GlobPaths};
use crate::permission::PermissionRequest;
use crate::session::CallContext;
use crate::tool_definition::{Tool, ToolArguments, ToolHints};

pub(crate) const TOOL: Tool = Tool::new::<GlobToolArguments>(
    "glob",
    "Find files by name",
    "Find files by glob, such as src/**/*.rs.",
    ToolHints::READ_ONLY,
);

/// Paths returned by default.
const DEFAULT_LIMIT: usize = 100;
/// Paths returned at most.
const LIMIT_MAX: usize = 5_000;

/// Arguments of `glob`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GlobToolArguments {
    pattern: String,
    path: Option<String>,
    #[serde(default)]
    offset: usize,
    limit: Option<usize>,
    /// The last changed first
    #[serde(default)]
    newest: bool,
}

impl ToolArguments for GlobToolArguments {
    fn permission_request(&self) -> PermissionRequest<'_> {
        PermissionRequest::Paths(vec![search_path(self.path.as_deref())])
    }

    fn run(self, work: &CallContext<'_>) -> Result<Findings, ToolError> {
        let places = search_places(work, self.path.as_deref())?;
        let depends = places.dependencies(work);
        let limit = self.limit.unwrap_or(DEFAULT_LIMIT).clamp(1, LIMIT_MAX);
        let answer = match self.newest && places.places.len() > 1 {
            true => self.find_newest(work, &places.places, limit)?,
            false => self.find_in_path_order(work, &places.places, limit)?,
        };
        let mut gap_notes = places.gap_notes;
        gap_notes.extend(places.below_root.filter(|_| answer.total == 0));
        let paths = GlobPaths { answer, gap_notes };
        Ok(Findings::from(FindingContent::Paths(paths)).with_dependencies(depends))
    }

    fn is_about_working_directory(&self) -> bool {
        self.path.as_deref().is_none_or(str::is_empty)
    }
}

impl GlobToolArguments {
    /// Finds the paths of each place, one place after the other.
    fn find_in_path_order(
        &self,
        work: &CallContext<'_>,
        places: &[SearchPlace],
        limit: usize,
    ) -> Result<GlobAnswer, ToolError> {
        let (mut offset, mut limit) = (self.offset, limit);
        let mut all = empty_answer(self.offset);
        for place in places {
            let answer = self.find_in_place(work, place, offset, limit)?;
            // Paths beyond this place are taken from the next one.
            offset -= offset.min(usize::try_from(answer.total).unwrap_or(usize::MAX));
            limit -= limit.min(answer.shown);
            all.append(answer);
        }
        Ok(all)
    }

    /// Finds the paths of all places, the last changed first.
    fn find_newest(
        &self,
        work: &CallContext<'_>,
        places: &[SearchPlace],
        limit: usize,
    ) -> Result<GlobAnswer, ToolError> {
        let mut all = empty_answer(self.offset);
        for place in places {
            all.append(self.find_in_place(work, place, 0, self.offset.saturating_add(limit))?);
        }
        let mut found: Vec<_> = all.changed.drain(..).zip(all.paths.drain(..)).collect();
        found.sort_by_key(|(changed, _)| Reverse(*changed));
        let page = found.into_iter().skip(self.offset).take(limit);
        (all.changed, all.paths) = page.unzip();
        all.shown = all.paths.len();
        Ok(all)
    }

    /// Finds the paths of one place, with display paths.
    fn find_in_place(
        &self,
        work: &CallContext<'_>,
        place: &SearchPlace,
        offset: usize,
        limit: usize,
    ) -> Result<GlobAnswer, ToolError> {
        let scope = place.scope(Some(self.pattern.clone()), None);
        let order = if self.newest { GlobOrder::Newest } else { GlobOrder::Path };
        let query = GlobQuery { scope, order, offset, limit };
        let progress = work.progress_reporter("searching");
        let answer = file_search::glob(
            place.root_path(),
            &query,
            &CancelToken::from_fn(&|| progress.is_cancelled()),
        );
        let mut answer = answer.map_err(ToolError::from_error)?;
        place.display_skipped(&mut answer.skipped);
        let inside = place.paths_without_links(answer.paths.iter().map(String::as_str));
        let found = answer.paths.into_iter().zip(answer.changed);
        let found = found.filter(|(path, _)| inside.contains(path));
        (answer.paths, answer.changed) =
            found.map(|(path, changed)| (place.display_path(&path), changed)).unzip();
        Ok(answer)
    }
}

/// Returns an answer without paths, to which those of the places are appended.
fn empty_answer(offset: usize) -> GlobAnswer {
    let passed = SkippedFiles::default();
    GlobAnswer {
        paths: Vec::new(),
        changed: Vec::new(),
        shown: 0,
        offset,
        total: 0,
        skipped: passed,
    }
}
