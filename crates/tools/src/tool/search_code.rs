//! `search_code`: parts of files by words and by meaning.

use std::fmt::Write;

use foveal_index::EntityKind;
use foveal_indexer::{Hit, SearchOptions};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::answer::Found;
use crate::error::ToolError;
use crate::permission::Asks;
use crate::session::Work;
use crate::table::{Arguments, Hints, Tool};

pub(crate) const TOOL: Tool = Tool::of::<SearchCode>(
    "search_code",
    "Find functions, types and sections by what they do or are called.",
    Hints::LOOKS,
);

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

impl Arguments for SearchCode {
    fn asks(&self) -> Asks<'_> {
        Asks::Text(self.query.as_str().into())
    }

    fn run(self, work: &Work<'_>) -> Result<Found, ToolError> {
        if self.query.trim().is_empty() {
            return Err(ToolError::arguments(TOOL.name, "the query is empty: say what to find"));
        }
        let limit = usize::from(self.limit.unwrap_or(LIMIT).clamp(1, LIMIT_MAX));
        let options = SearchOptions { limit, ..SearchOptions::default() };
        let mut hits = work.toolbox.index.search(&self.query, options, work.control)?;
        hits.retain(|hit| work.is_allowed(&hit.path));
        let structured = json!({ "hits": hits.iter().map(data).collect::<Vec<_>>() });
        let mut text: String = hits.iter().map(line).collect();
        if text.is_empty() {
            text = format!("[nothing found for `{}`; try grep]\n", self.query);
        }
        Ok(Found { text, structured: Some(structured), ..Found::default() })
    }
}

/// Where a hit is and what it is, on one line.
fn line(hit: &Hit) -> String {
    let kind = hit.kind.map_or("lines", EntityKind::name);
    let what = if hit.signature.is_empty() { &hit.name } else { &hit.signature };
    let mut line = format!("{}:{} {kind} {}", hit.path, hit.lines, hit.name);
    if !what.is_empty() && *what != hit.name {
        // Writing to a string cannot fail.
        let _ = write!(line, ": {what}");
    }
    line.push('\n');
    line
}

fn data(hit: &Hit) -> Value {
    json!({
        "path": hit.path,
        "first_line": hit.lines.first.0,
        "last_line": hit.lines.last.0,
        "kind": hit.kind.map(EntityKind::name),
        "name": hit.name,
        "signature": hit.signature,
    })
}
