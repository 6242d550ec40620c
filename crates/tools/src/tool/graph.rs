//! The tool `graph`: lists callers, tests and uses of a symbol, and the symbols it uses.

use foveal_index::{InferredRelation, describe_entity};
use foveal_pricing::tokens::estimate_tokens;
use foveal_relevance::relations::{NodeId, RelationList, RelationRow};
use foveal_workspace::WorkspaceRoots;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::error::ToolError;
use crate::findings::{AnswerText, Findings};
use crate::notes::SearchNote;
use crate::permission::PermissionRequest;
use crate::session::CallContext;
use crate::tool_definition::{Tool, ToolArguments, ToolHints};
use crate::workspace_relations::{RootRelations, WorkspaceRelations};

pub(crate) const TOOL: Tool = Tool::new::<GraphToolArguments>(
    "graph",
    "Show how code is related",
    "Show what calls, tests and uses a function, type or file, and what it calls and uses.",
    ToolHints::READ_ONLY,
);

/// The most steps that are followed.
const DEPTH_MAX: u32 = 8;

/// The most tokens of an answer; all lists are cut to the same number of rows to fit.
const TOKENS_MAX: u64 = 8_000;

/// The most rows of one list.
const ROWS_MAX: usize = 200;

/// The most symbols listed for an ambiguous name.
const CANDIDATES_MAX: usize = 30;

/// Arguments of `graph`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GraphToolArguments {
    /// `name`, `Type.name`, `path`, `path:line` or `path:name`.
    symbol: String,
    /// 2 shows callers of callers.
    depth: Option<u32>,
}

impl ToolArguments for GraphToolArguments {
    fn permission_request(&self) -> PermissionRequest<'_> {
        PermissionRequest::Text(self.symbol.as_str().into())
    }

    fn run(self, work: &CallContext<'_>) -> Result<Findings, ToolError> {
        let symbol = self.symbol.trim();
        if symbol.is_empty() {
            let what = "the symbol is empty: name a function, type or file";
            return Err(ToolError::invalid_arguments(TOOL.name, what));
        }
        let depth = self.depth.unwrap_or(1).clamp(1, DEPTH_MAX);
        let related = WorkspaceRelations::load(work, &self.symbol)?;
        let meant = resolve_symbol(work, &related, symbol);
        let mut text = match &meant[..] {
            [] => {
                return Err(ToolError::invalid_arguments(
                    TOOL.name,
                    related.unknown_symbol_message(symbol),
                ));
            }
            [(root, node)] => describe_node(work, &related.roots, root, *node, depth),
            several => list_candidates(&related, symbol, several),
        };
        if let [(root, node)] = &meant[..] {
            model_notes(work, &related.roots, root, *node)?
                .into_iter()
                .for_each(|note| text.push_note(note));
        }
        related.gap_notes.iter().for_each(|note| text.push_note(note));
        Ok(Findings::from_text(text).with_dependencies(related.dependencies))
    }
}

/// Returns notes on a node: a model's summaries of it, and relations that a model found, as far as
/// the rules allow.
fn model_notes(
    work: &CallContext<'_>,
    roots: &WorkspaceRoots,
    root: &RootRelations,
    node: NodeId,
) -> Result<Vec<SearchNote>, ToolError> {
    let node = root.relations.node(node);
    let (path, name) = (&*node.key.path, &*node.key.name);
    let mut notes = Vec::new();
    let mut note = |of: String, words: &str| {
        let (of, words) = (of.into(), words.into());
        notes.push(SearchNote::ModelSays { of, words });
    };
    for (place, files) in work.toolbox.index.model_summaries(work.control)? {
        if !root.is_of_root(roots, place.as_deref()) {
            continue;
        }
        let of = describe_entity(&files, path, name);
        of.summaries.into_iter().for_each(|words| note(name.to_owned(), words));
        for (file, relation) in of.relations {
            let InferredRelation { from, to_path, to, why } = relation;
            let is_from = file == path && from == name;
            let other = if is_from { to_path } else { file };
            if work.rules_allow(&root.rule_path(roots, other)) {
                note(format!("{file}:{from} and {to_path}:{to}"), why);
            }
        }
    }
    notes.truncate(MODEL_NOTES_MAX);
    Ok(notes)
}

/// The most notes from a model.
const MODEL_NOTES_MAX: usize = 20;

/// Returns the nodes that a symbol means in all roots, as far as the rules allow.
fn resolve_symbol<'a>(
    work: &CallContext<'_>,
    related: &'a WorkspaceRelations,
    symbol: &str,
) -> Vec<(&'a RootRelations, NodeId)> {
    let mut all: Vec<(&RootRelations, NodeId)> = Vec::new();
    for root in &related.by_root {
        let mut allowed = root.node_filter(work, &related.roots);
        let found = root.relations.best_matches(&root.resolve_symbol_path(&related.roots, symbol));
        all.extend(
            found.into_iter().filter(|node| allowed.allows_node(*node)).map(|node| (root, node)),
        );
    }
    // The index of an outer root contains the files of a nested one.
    let mut met = std::collections::HashSet::new();
    all.retain(|(root, node)| met.insert(root.describe_node(&related.roots, *node)));
    all
}

/// Lists the nodes that an ambiguous name may mean.
fn list_candidates(
    related: &WorkspaceRelations,
    symbol: &str,
    several: &[(&RootRelations, NodeId)],
) -> AnswerText {
    let mut text = AnswerText::default();
    text.push_note(SearchNote::SeveralMeant { symbol: symbol.into(), count: several.len() as u64 });
    for (root, node) in several.iter().take(CANDIDATES_MAX) {
        text.push_content(&format!("{}\n", root.describe_node(&related.roots, *node)));
    }
    if several.len() > CANDIDATES_MAX {
        text.push_note(SearchNote::MoreEntries((several.len() - CANDIDATES_MAX) as u64));
    }
    text
}

/// Lists the relations from and to a node, with as many rows of each list as fit.
fn describe_node(
    work: &CallContext<'_>,
    roots: &WorkspaceRoots,
    root: &RootRelations,
    of: NodeId,
    depth: u32,
) -> AnswerText {
    let mut allowed = root.node_filter(work, roots);
    let mut lists = root.relations.relation_lists(of, depth);
    for list in &mut lists {
        let hidden =
            list.rows.iter().filter(|row| row.depth == 0 && !allowed.allows_node(row.node));
        list.direct -= hidden.count().min(list.direct);
        list.rows.retain(|row| allowed.allows_node(row.node));
    }
    lists.retain(|list| !list.rows.is_empty());
    let mut rows = ROWS_MAX;
    loop {
        let text = render_lists(roots, root, of, &lists, rows);
        if rows == 1 || estimate_tokens(text.as_str()).0 <= TOKENS_MAX {
            return text;
        }
        rows /= 2;
    }
}

fn render_lists(
    roots: &WorkspaceRoots,
    root: &RootRelations,
    of: NodeId,
    lists: &[RelationList],
    rows: usize,
) -> AnswerText {
    let mut text = AnswerText::default();
    text.push_content(&format!("{}\n", root.describe_node(roots, of)));
    for line in root.relations.node(of).signature.lines() {
        text.push_content(&format!("  {}\n", line.trim_end()));
    }
    for list in lists {
        text.push_content(&format!("{} ({})\n", list.heading, list.direct));
        for row in list.rows.iter().take(rows) {
            text.push_content(&render_row(roots, root, row));
        }
        if list.rows.len() > rows {
            let more = (list.rows.len() - rows) as u64;
            text.push_note_indented(2, SearchNote::MoreEntries(more));
        }
    }
    match root.relations.unresolved_calls(of) {
        0 if lists.is_empty() => text.push_note(SearchNote::NothingRelated),
        0 => {}
        count => {
            let name = root.relations.node(of).name.clone();
            text.push_note(SearchNote::UnresolvedCalls { name, count });
        }
    }
    text
}

fn render_row(roots: &WorkspaceRoots, root: &RootRelations, row: &RelationRow) -> String {
    let indent = "  ".repeat(row.depth as usize + 1);
    let mut line = format!("{indent}{}", root.describe_node(roots, row.node));
    if let Some(at) = row.line {
        line.push_str(&format!(" at {}", at.0));
    }
    if row.count > 1 {
        line.push_str(&format!(" x{}", row.count));
    }
    if row.is_above {
        line.push_str(" (above)");
    }
    line.push('\n');
    line
}
