//! `graph`: who calls, tests and uses a symbol, and what it calls and uses.

use foveal_code::relations::{NodeId, RelationList, RelationRow};
use foveal_context::note::{Note, SearchNote};
use foveal_context::tokens::estimate;
use foveal_files::Roots;
use foveal_index::{SaidRelation, said_of};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::definition::{Hints, Tool, ToolArguments};
use crate::error::ToolError;
use crate::findings::{AnswerText, Findings};
use crate::permission::Asks;
use crate::related::{Related, RelatedRoot};
use crate::session::Work;

pub(crate) const TOOL: Tool = Tool::of::<Graph>(
    "graph",
    "Show how code is related",
    "Show what calls, tests and uses a function, type or file, and what it calls and uses.",
    Hints::LOOKS,
);

/// Steps that are followed at most.
const DEPTH_MAX: u32 = 8;

/// Tokens of an answer; lists are cut to the same number of rows until it has no more.
const TOKENS_MAX: u64 = 8_000;

/// Rows of one list at most.
const ROWS_MAX: usize = 200;

/// Symbols that are listed where one name means several.
const LISTED_MAX: usize = 30;

/// Arguments of `graph`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Graph {
    /// `name`, `Type.name`, `path`, `path:line` or `path:name`.
    symbol: String,
    /// 2 shows callers of callers.
    depth: Option<u32>,
}

impl ToolArguments for Graph {
    fn asks(&self) -> Asks<'_> {
        Asks::Text(self.symbol.as_str().into())
    }

    fn run(self, work: &Work<'_>) -> Result<Findings, ToolError> {
        let symbol = self.symbol.trim();
        if symbol.is_empty() {
            let what = "the symbol is empty: name a function, type or file";
            return Err(ToolError::arguments(TOOL.name, what));
        }
        let depth = self.depth.unwrap_or(1).clamp(1, DEPTH_MAX);
        let related = Related::of(work, &self.symbol)?;
        let meant = meant(work, &related, symbol);
        let mut text = match &meant[..] {
            [] => return Err(ToolError::arguments(TOOL.name, related.unknown(symbol))),
            [(root, node)] => told(work, &related.roots, root, *node, depth),
            several => choice(&related, symbol, several),
        };
        if let [(root, node)] = &meant[..] {
            said(work, &related.roots, root, *node)?.into_iter().for_each(|note| text.note(note));
        }
        related.missing.iter().for_each(|note| text.note(note.clone()));
        Ok(Findings::text(text).resting_on(related.depends))
    }
}

/// What a model says of a node, and how it sees it related to others, as far as the rules allow that
/// to be told.
fn said(
    work: &Work<'_>,
    roots: &Roots,
    root: &RelatedRoot,
    node: NodeId,
) -> Result<Vec<Note>, ToolError> {
    let node = root.relations.node(node);
    let (path, name) = (&*node.key.path, &*node.key.name);
    let mut notes = Vec::new();
    let mut note = |of: String, words: &str| {
        let (of, words) = (of.into(), words.into());
        notes.push(Note::from(SearchNote::ModelSays { of, words }));
    };
    for (place, files) in work.toolbox.index.said(work.control)? {
        if !root.is_at(roots, place.as_deref()) {
            continue;
        }
        let of = said_of(&files, (path, name));
        of.summaries.into_iter().for_each(|words| note(name.to_owned(), words));
        for (file, relation) in of.relations {
            let SaidRelation { from, to_path, to, why } = relation;
            let is_from = file == path && from == name;
            let other = if is_from { to_path } else { file };
            if work.is_allowed(&root.rule_path(roots, other)) {
                note(format!("{file}:{from} and {to_path}:{to}"), why);
            }
        }
    }
    notes.truncate(SAID_MAX);
    Ok(notes)
}

/// Notes on what a model says at most.
const SAID_MAX: usize = 20;

/// What a symbol means in all roots, as far as the rules allow it to be told.
fn meant<'a>(
    work: &Work<'_>,
    related: &'a Related,
    symbol: &str,
) -> Vec<(&'a RelatedRoot, NodeId)> {
    let mut all: Vec<(&RelatedRoot, NodeId)> = Vec::new();
    for root in &related.all {
        let mut allowed = root.allowed(work, &related.roots);
        let found = root.relations.meant(&root.symbol(&related.roots, symbol));
        all.extend(found.into_iter().filter(|node| allowed.has(*node)).map(|node| (root, node)));
    }
    // A root in another one is in the index of both.
    let mut met = std::collections::HashSet::new();
    all.retain(|(root, node)| met.insert(root.place_and_name(&related.roots, *node)));
    all
}

/// The things that one name means.
fn choice(related: &Related, symbol: &str, several: &[(&RelatedRoot, NodeId)]) -> AnswerText {
    let mut text = AnswerText::default();
    text.note(SearchNote::SeveralMeant { symbol: symbol.into(), count: several.len() as u64 });
    for (root, node) in several.iter().take(LISTED_MAX) {
        text.content(&format!("{}\n", root.place_and_name(&related.roots, *node)));
    }
    if several.len() > LISTED_MAX {
        text.note(SearchNote::MoreEntries((several.len() - LISTED_MAX) as u64));
    }
    text
}

/// What leads to a node and where it leads, in as many rows of each list as there is room for.
fn told(work: &Work<'_>, roots: &Roots, root: &RelatedRoot, of: NodeId, depth: u32) -> AnswerText {
    let mut allowed = root.allowed(work, roots);
    let mut lists = root.relations.lists(of, depth);
    for list in &mut lists {
        let hidden = list.rows.iter().filter(|row| row.depth == 0 && !allowed.has(row.node));
        list.direct -= hidden.count().min(list.direct);
        list.rows.retain(|row| allowed.has(row.node));
    }
    lists.retain(|list| !list.rows.is_empty());
    let mut rows = ROWS_MAX;
    loop {
        let text = lists_text(roots, root, of, &lists, rows);
        if rows == 1 || estimate(text.text()).0 <= TOKENS_MAX {
            return text;
        }
        rows /= 2;
    }
}

fn lists_text(
    roots: &Roots,
    root: &RelatedRoot,
    of: NodeId,
    lists: &[RelationList],
    rows: usize,
) -> AnswerText {
    let mut text = AnswerText::default();
    text.content(&format!("{}\n", root.place_and_name(roots, of)));
    for line in root.relations.node(of).signature.lines() {
        text.content(&format!("  {}\n", line.trim_end()));
    }
    for list in lists {
        text.content(&format!("{} ({})\n", list.heading, list.direct));
        for row in list.rows.iter().take(rows) {
            text.content(&line(roots, root, row));
        }
        if list.rows.len() > rows {
            text.note_indented(
                2,
                Note::from(SearchNote::MoreEntries((list.rows.len() - rows) as u64)),
            );
        }
    }
    if lists.is_empty() {
        text.note(SearchNote::NothingRelated);
    }
    text
}

fn line(roots: &Roots, root: &RelatedRoot, row: &RelationRow) -> String {
    let indent = "  ".repeat(row.depth as usize + 1);
    let mut line = format!("{indent}{}", root.place_and_name(roots, row.node));
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
