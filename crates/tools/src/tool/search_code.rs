//! `search_code`: parts of files by words and by meaning.

use std::collections::HashSet;
use std::path::Path;
use std::time::SystemTime;

use foveal_index::{Hit, SearchOptions};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::answer::Dependency;
use crate::definition::{Hints, Tool, ToolArguments};
use crate::error::ToolError;
use crate::findings::{CodeHits, Content, Findings};
use crate::permission::Asks;
use crate::related::{missing, root_of};
use crate::session::Work;

pub(crate) const TOOL: Tool = Tool::of::<SearchCode>(
    "search_code",
    "Search code by meaning",
    "Find functions, types and sections by what they do or are called.",
    Hints::LOOKS,
)
.lean();

/// Hits that are given where the call says nothing.
const LIMIT: u16 = 10;
/// Most hits.
const LIMIT_MAX: u16 = 100;

/// Arguments of `search_code`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SearchCode {
    query: String,
    limit: Option<u16>,
}

impl ToolArguments for SearchCode {
    fn asks(&self) -> Asks<'_> {
        Asks::Text(self.query.as_str().into())
    }

    fn run(self, work: &Work<'_>) -> Result<Findings, ToolError> {
        if self.query.trim().is_empty() {
            return Err(ToolError::arguments(TOOL.name, "the query is empty: say what to find"));
        }
        let limit = usize::from(self.limit.unwrap_or(LIMIT).clamp(1, LIMIT_MAX));
        let options = SearchOptions { limit, ..SearchOptions::default() };
        let index = Dependency::Index(self.query.clone(), SystemTime::now());
        let depends = vec![index, work.seen_from()];
        let found = work.toolbox.index.search(&self.query, &options, work.control)?;
        let roots = work.roots();
        let shown = found.hits.into_iter().filter_map(|(root, hit)| {
            let root = root_of(&roots, root.as_deref())?;
            let is_allowed = work.is_allowed(&roots.rule_path(root, Path::new(&hit.path)));
            is_allowed.then(|| Hit { path: roots.shown(root, Path::new(&hit.path)), ..hit })
        });
        let mut hits: Vec<Hit> = shown.collect();
        // A root in another one is in the index of both.
        let mut met = HashSet::new();
        hits.retain(|hit| met.insert((hit.path.clone(), hit.lines)));
        let missing = missing(work, &roots, &found.missing);
        let depends = if found.missing.is_nothing() { depends } else { Vec::new() };
        let hits = CodeHits { query: self.query, hits, missing };
        Ok(Findings::from(Content::Code(hits)).resting_on(depends))
    }
}
