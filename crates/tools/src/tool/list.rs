//! `list`: a folder as a tree.

use foveal_files::tree::{self, ListQuery};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::answer::Found;
use crate::error::ToolError;
use crate::permission::Asks;
use crate::pulse::Pulse;
use crate::session::{Work, searched};
use crate::table::{Arguments, Hints, Tool};

pub(crate) const TOOL: Tool =
    Tool::of::<List>("list", "List a folder as a tree with sizes.", Hints::LOOKS);

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

impl Arguments for List {
    fn asks(&self) -> Asks<'_> {
        Asks::Paths(vec![searched(self.path.as_deref())])
    }

    fn run(self, work: &Work<'_>) -> Result<Found, ToolError> {
        let place = work.place(self.path.as_deref())?;
        let query = ListQuery {
            scope: place.scope(None, None),
            depth: self.depth.unwrap_or(DEPTH),
            limit: self.limit.unwrap_or(LIMIT).clamp(1, LIMIT_MAX),
        };
        let depends = place.depends();
        let pulse = Pulse::of(work, "listing");
        let mut answer =
            tree::list(place.base(), &query, &|| pulse.go_on()).map_err(ToolError::failed)?;
        let paths: Vec<String> =
            answer.entries.iter().map(|entry| place.below(&entry.path)).collect();
        let inside = place.inside(paths.iter().map(String::as_str));
        answer.entries.retain(|entry| inside.contains(&place.below(&entry.path)));
        Ok(Found { depends, ..Found::text(answer.render()) })
    }
}
