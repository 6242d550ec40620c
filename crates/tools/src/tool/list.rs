//! `list`: a folder as a tree.

use foveal_cancel::Cancel;
use foveal_files::tree::{self, ListAnswer, ListQuery};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::definition::{Hints, Tool, ToolArguments};
use crate::error::ToolError;
use crate::findings::{Content, Entries, Findings};
use crate::permission::Asks;
use crate::reading::{SearchPlace, places, searched};
use crate::session::Work;

pub(crate) const TOOL: Tool =
    Tool::of::<List>("list", "List a folder", "List a folder as a tree with sizes.", Hints::LOOKS);

/// Levels shown where the call says nothing.
const DEPTH: usize = 2;
/// Entries shown where the call says nothing.
const LIMIT: usize = 200;
/// Most entries.
const LIMIT_MAX: usize = 5_000;

/// Arguments of `list`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct List {
    path: Option<String>,
    depth: Option<usize>,
    limit: Option<usize>,
}

impl ToolArguments for List {
    fn asks(&self) -> Asks<'_> {
        Asks::Paths(vec![searched(self.path.as_deref())])
    }

    fn run(self, work: &Work<'_>) -> Result<Findings, ToolError> {
        let places = places(work, self.path.as_deref())?;
        let depends = places.depends(work);
        let mut left = self.limit.unwrap_or(LIMIT).clamp(1, LIMIT_MAX);
        let mut folders = Vec::with_capacity(places.all.len());
        for (at, place) in places.all.iter().enumerate() {
            // What a small folder leaves of its share, those after it get.
            let share = left.div_ceil(places.all.len() - at);
            let query = ListQuery {
                scope: place.scope(None, None),
                depth: self.depth.unwrap_or(DEPTH),
                limit: share,
            };
            let answer = list(work, place, &query)?;
            left -= left.min(answer.entries.len());
            folders.push(answer);
        }
        let entries = Entries { folders, missing: places.missing };
        Ok(Findings::from(Content::Entries(entries)).resting_on(depends))
    }

    fn is_about_working_directory(&self) -> bool {
        self.path.as_deref().is_none_or(str::is_empty)
    }
}

/// Lists one place, which is told as it is asked for.
fn list(work: &Work<'_>, place: &SearchPlace, query: &ListQuery) -> Result<ListAnswer, ToolError> {
    let progress = work.progress("listing");
    let answer = tree::list(place.base(), query, &Cancel::when(&|| progress.is_cancelled()));
    let mut answer = answer.map_err(ToolError::failed)?;
    let paths: Vec<String> = answer.entries.iter().map(|entry| place.below(&entry.path)).collect();
    let inside = place.inside(paths.iter().map(String::as_str));
    answer.entries.retain(|entry| inside.contains(&place.below(&entry.path)));
    answer.path = place.shown(&answer.path);
    for (path, _) in &mut answer.passed.reasons {
        *path = place.below(path);
    }
    place.tell(&mut answer.passed);
    Ok(answer)
}
