//! The tool `map`: lists the most important files and signatures of the workspace.

use std::collections::HashSet;

use foveal_pricing::tokens::{Tokens, estimate_tokens};
use foveal_relevance::numbered_listing::ListingRow;
use foveal_relevance::relations::{FileRanks, NodeId, RankFocus, RelationNodeKind};
use foveal_relevance::repository_map::{MapOptions, build_repository_map};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::error::ToolError;
use crate::findings::{AnswerText, Findings};
use crate::permission::PermissionRequest;
use crate::session::CallContext;
use crate::tool_definition::{Tool, ToolArguments, ToolHints};
use crate::workspace_relations::{RootRelations, WorkspaceRelations};

pub(crate) const TOOL: Tool = Tool::new::<MapToolArguments>(
    "map",
    "Map the repository",
    "Show the files and signatures that matter most in the workspace, or for a focus.",
    ToolHints::READ_ONLY,
);

/// Tokens of a map by default.
const DEFAULT_TOKENS: u64 = 2_000;

/// The fewest and the most tokens of a map.
const TOKENS_MIN: u64 = 200;
const TOKENS_MAX: u64 = 8_000;

/// Arguments of `map`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct MapToolArguments {
    /// Files or symbols that the map is for.
    #[serde(default)]
    focus: Vec<String>,
    /// The most tokens that it may have (2000).
    tokens: Option<u64>,
}

impl ToolArguments for MapToolArguments {
    fn permission_request(&self) -> PermissionRequest<'_> {
        PermissionRequest::Itself
    }

    fn run(self, work: &CallContext<'_>) -> Result<Findings, ToolError> {
        let tokens = self.tokens.unwrap_or(DEFAULT_TOKENS).clamp(TOKENS_MIN, TOKENS_MAX);
        let related = WorkspaceRelations::load(work, "")?;
        let focused = resolve_focus(&related, &self.focus)?;
        let is_meant = |focus: &&RankFocus| self.focus.is_empty() || !focus.is_empty();
        let count = focused.iter().filter(is_meant).count().max(1);
        let (mut text, mut entity_count) = (AnswerText::default(), 0);
        for (root, focus) in related.by_root.iter().zip(&focused) {
            if is_meant(&focus) {
                let budget = Tokens(tokens / count as u64);
                let (rows, entities) = map_root(work, &related, root, focus, budget);
                text.append_answer(rows);
                entity_count += entities;
            }
        }
        if text.as_str().is_empty() {
            let nothing = match entity_count {
                0 => "nothing to map: no file here defines anything".to_owned(),
                _ => format!("nothing fits into {tokens} tokens: give more `tokens`"),
            };
            return Err(ToolError::from_error(related.append_gaps(nothing)));
        }
        related.gap_notes.iter().for_each(|note| text.push_note(note.clone()));
        Ok(Findings::from_text(text).with_dependencies(related.dependencies))
    }
}

/// Resolves the words to nodes in each root.
fn resolve_focus(
    related: &WorkspaceRelations,
    words: &[String],
) -> Result<Vec<RankFocus>, ToolError> {
    let mut all = vec![RankFocus::default(); related.by_root.len()];
    for word in words {
        let mut is_known = false;
        for (root, focus) in related.by_root.iter().zip(&mut all) {
            for node in root.relations.best_matches(&root.resolve_symbol_path(&related.roots, word))
            {
                is_known = true;
                match root.relations.node(node).key.kind {
                    RelationNodeKind::File => focus.files.push(node),
                    RelationNodeKind::Entity(_) => focus.entities.push(node),
                }
            }
        }
        if !is_known {
            return Err(ToolError::invalid_arguments(
                TOOL.name,
                related.unknown_symbol_message(word),
            ));
        }
    }
    Ok(all)
}

/// Returns the map of one root, and the number of entities that a large enough budget would show.
/// The map's lines come from the index and are not compared with the files, so they do not count as
/// shown.
fn map_root(
    work: &CallContext<'_>,
    related: &WorkspaceRelations,
    root: &RootRelations,
    focus: &RankFocus,
    budget: Tokens,
) -> (AnswerText, usize) {
    let relations = &root.relations;
    let mut allowed = root.node_filter(work, &related.roots);
    let hidden: HashSet<NodeId> =
        relations.files().filter(|file| !allowed.allows_node(*file)).collect();
    let options = MapOptions { budget, count_tokens: estimate_tokens, hidden_files: hidden };
    let found = build_repository_map(relations, &FileRanks::compute(relations, focus), &options);
    let mut text = AnswerText::default();
    let mut files = found.files.iter();
    for row in &found.rows {
        match row {
            ListingRow::File { line_count, .. } => {
                let path = files.next().map(|of| root.display_path(&related.roots, of.file));
                let row = ListingRow::File {
                    path: path.unwrap_or_default().into(),
                    line_count: *line_count,
                };
                text.push_content(&format!("{row}\n"));
            }
            ListingRow::Line { .. } => text.push_content(&format!("{row}\n")),
            ListingRow::Note { indent, note } => text.push_note_indented(*indent, note),
        }
    }
    (text, found.entity_count)
}
