//! `glob`: files by the form of their path.

use foveal_files::tree::{self, GlobQuery, Order};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::answer::Found;
use crate::error::ToolError;
use crate::permission::Asks;
use crate::pulse::Pulse;
use crate::session::{Work, searched};
use crate::table::{Arguments, Hints, Tool};

pub(crate) const TOOL: Tool =
    Tool::of::<Glob>("glob", "Find files by glob, such as src/**/*.rs.", Hints::LOOKS);

/// Paths given where the call says nothing.
const LIMIT: usize = 100;
/// Most paths.
const LIMIT_MAX: usize = 5_000;

/// Arguments of `glob`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Glob {
    pattern: String,
    path: Option<String>,
    #[serde(default)]
    offset: usize,
    limit: Option<usize>,
    /// The last changed first
    #[serde(default)]
    newest: bool,
}

impl Arguments for Glob {
    fn asks(&self) -> Asks<'_> {
        Asks::Paths(vec![searched(self.path.as_deref())])
    }

    fn run(self, work: &Work<'_>) -> Result<Found, ToolError> {
        let place = work.place(self.path.as_deref())?;
        let query = GlobQuery {
            scope: place.scope(Some(self.pattern), None),
            order: if self.newest { Order::Newest } else { Order::Path },
            offset: self.offset,
            limit: self.limit.unwrap_or(LIMIT).clamp(1, LIMIT_MAX),
        };
        let depends = place.depends();
        let pulse = Pulse::of(work, "searching");
        let mut answer =
            tree::glob(place.base(), &query, &|| pulse.go_on()).map_err(ToolError::failed)?;
        let inside = place.inside(answer.paths.iter().map(String::as_str));
        answer.paths.retain(|path| inside.contains(path));
        for path in &mut answer.paths {
            *path = place.shown(path);
        }
        let structured = json!({ "total": answer.total, "next_offset": answer.next_offset() });
        let text = answer.render();
        Ok(Found { structured: Some(structured), depends, ..Found::text(text) })
    }
}
