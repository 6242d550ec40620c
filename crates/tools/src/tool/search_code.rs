//! The tool `search_code`: finds parts of files by words and by meaning.

use std::collections::HashSet;
use std::path::Path;
use std::time::SystemTime;

use foveal_index::{SearchHit, SearchOptions};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::answer::AnswerDependency;
use crate::error::ToolError;
use crate::findings::{FindingContent, Findings, IndexHits};
use crate::permission::PermissionRequest;
use crate::session::CallContext;
use crate::tool_definition::{Tool, ToolArguments, ToolHints};
use crate::workspace_relations::{find_root, gap_notes};

pub(crate) const TOOL: Tool = Tool::new::<SearchCodeToolArguments>(
    "search_code",
    "Search code by meaning",
    "Find functions, types and sections by what they do or are called.",
    ToolHints::READ_ONLY,
)
.as_lean_tool();

/// Hits returned by default.
const DEFAULT_LIMIT: u16 = 10;
/// Hits returned at most.
const LIMIT_MAX: u16 = 100;

/// Arguments of `search_code`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SearchCodeToolArguments {
    query: String,
    limit: Option<u16>,
}

impl ToolArguments for SearchCodeToolArguments {
    fn permission_request(&self) -> PermissionRequest<'_> {
        PermissionRequest::Text(self.query.as_str().into())
    }

    fn run(self, work: &CallContext<'_>) -> Result<Findings, ToolError> {
        if self.query.trim().is_empty() {
            return Err(ToolError::invalid_arguments(
                TOOL.name,
                "the query is empty: say what to find",
            ));
        }
        let limit = usize::from(self.limit.unwrap_or(DEFAULT_LIMIT).clamp(1, LIMIT_MAX));
        let options = SearchOptions { limit, ..SearchOptions::default() };
        let index = AnswerDependency::Index(self.query.clone(), SystemTime::now());
        let depends = vec![index, work.directory_dependency()];
        let found = work.toolbox.index.search(&self.query, &options, work.control)?;
        let roots = work.roots();
        let shown = found.hits.into_iter().filter_map(|(root, hit)| {
            let root = find_root(&roots, root.as_deref())?;
            let is_allowed = work.rules_allow(&roots.rule_path(root, Path::new(&hit.path)));
            is_allowed.then(|| SearchHit {
                path: roots.display_path_below(root, Path::new(&hit.path)),
                ..hit
            })
        });
        let mut hits: Vec<SearchHit> = shown.collect();
        // The index of an outer root contains the files of a nested one.
        let mut met = HashSet::new();
        hits.retain(|hit| met.insert((hit.path.clone(), hit.lines)));
        let missing = gap_notes(work, &roots, &found.gaps);
        let depends = if found.gaps.is_empty() { depends } else { Vec::new() };
        let hits = IndexHits { query: self.query, hits, gap_notes: missing };
        Ok(Findings::from(FindingContent::Code(hits)).with_dependencies(depends))
    }
}
