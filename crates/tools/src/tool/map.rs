//! `map`: the files and signatures of the workspace that matter most.

use std::collections::HashSet;

use foveal_code::listing::ListingRow;
use foveal_code::map::{MapOptions, map};
use foveal_code::relations::{FileRanks, Focus, NodeId, NodeKind};
use foveal_context::tokens::{Tokens, estimate};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::definition::{Hints, Tool, ToolArguments};
use crate::error::ToolError;
use crate::findings::{AnswerText, Findings};
use crate::permission::Asks;
use crate::related::{Related, RelatedRoot};
use crate::session::Work;

pub(crate) const TOOL: Tool = Tool::of::<Map>(
    "map",
    "Map the repository",
    "Show the files and signatures that matter most in the workspace, or for a focus.",
    Hints::LOOKS,
);

/// Tokens of a map where the call says nothing.
const TOKENS: u64 = 2_000;

/// The fewest and the most tokens of a map.
const TOKENS_MIN: u64 = 200;
const TOKENS_MAX: u64 = 8_000;

/// Arguments of `map`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Map {
    /// Files or symbols that the map is for.
    #[serde(default)]
    focus: Vec<String>,
    /// The most tokens that it may have (2000).
    tokens: Option<u64>,
}

impl ToolArguments for Map {
    fn asks(&self) -> Asks<'_> {
        Asks::Itself
    }

    fn run(self, work: &Work<'_>) -> Result<Findings, ToolError> {
        let tokens = self.tokens.unwrap_or(TOKENS).clamp(TOKENS_MIN, TOKENS_MAX);
        let related = Related::of(work, "")?;
        let focused = focused(&related, &self.focus)?;
        let is_meant = |focus: &&Focus| self.focus.is_empty() || !focus.is_empty();
        let count = focused.iter().filter(is_meant).count().max(1);
        let mut text = AnswerText::default();
        for (root, focus) in related.all.iter().zip(&focused) {
            if is_meant(&focus) {
                let budget = Tokens(tokens / count as u64);
                text.append(of_root(work, &related, root, focus, budget));
            }
        }
        if text.text().is_empty() {
            let nothing = "nothing to map: no file here defines anything";
            return Err(ToolError::failed(related.with_missing(nothing.to_owned())));
        }
        related.missing.iter().for_each(|note| text.note(note.clone()));
        Ok(Findings::text(text).resting_on(related.depends))
    }
}

/// What the words mean in each root.
fn focused(related: &Related, words: &[String]) -> Result<Vec<Focus>, ToolError> {
    let mut all = vec![Focus::default(); related.all.len()];
    for word in words {
        let mut is_known = false;
        for (root, focus) in related.all.iter().zip(&mut all) {
            for node in root.relations.meant(&root.symbol(&related.roots, word)) {
                is_known = true;
                match root.relations.node(node).key.kind {
                    NodeKind::File => focus.files.push(node),
                    NodeKind::Entity(_) => focus.entities.push(node),
                }
            }
        }
        if !is_known {
            return Err(ToolError::arguments(TOOL.name, related.unknown(word)));
        }
    }
    Ok(all)
}

/// The map of one root. Its lines are those of the index, which nobody compares with the
/// files: they do not count as shown.
fn of_root(
    work: &Work<'_>,
    related: &Related,
    root: &RelatedRoot,
    focus: &Focus,
    budget: Tokens,
) -> AnswerText {
    let relations = &root.relations;
    let mut allowed = root.allowed(work, &related.roots);
    let hidden: HashSet<NodeId> = relations.files().filter(|file| !allowed.has(*file)).collect();
    let options = MapOptions { budget, count: estimate, hidden };
    let found = map(relations, &FileRanks::of(relations, focus), &options);
    let mut text = AnswerText::default();
    let mut files = found.files.iter();
    for row in &found.rows {
        match row {
            ListingRow::File { line_count, .. } => {
                let path = files.next().map(|of| root.path(&related.roots, of.file));
                let row = ListingRow::File {
                    path: path.unwrap_or_default().into(),
                    line_count: *line_count,
                };
                text.content(&format!("{row}\n"));
            }
            ListingRow::Line { .. } => text.content(&format!("{row}\n")),
            ListingRow::Note { indent, note } => text.note_indented(*indent, note.clone()),
        }
    }
    text
}
