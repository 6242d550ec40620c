//! Maps as text: as many of the most important entities as fit.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use foveal_engine::note::{Counts, Note, NoteKind};
use foveal_pricing::tokens::Tokens;
use foveal_transcript::LineNumber;

use super::entity_order::entities_by_weight;
use crate::numbered_listing::{ListingRow, render_rows};
use crate::relations::{FileRanks, NodeId, RelationNode, RelationNodeKind, Relations};

/// The least number of tokens of an entity, which bounds how many are tried.
const ENTITY_TOKENS_MIN: u64 = 3;

/// The options of a map.
#[derive(Debug, Clone)]
pub struct MapOptions {
    /// The largest number of tokens.
    pub budget: Tokens,
    /// Counts the tokens of a text, or estimates them from above.
    pub count_tokens: fn(&str) -> Tokens,
    /// Files that the map omits.
    pub hidden_files: HashSet<NodeId>,
}

impl MapOptions {
    /// Returns options for a map of all files with at most `budget` tokens.
    pub fn new(budget: Tokens, count_tokens: fn(&str) -> Tokens) -> Self {
        Self { budget, count_tokens, hidden_files: HashSet::new() }
    }
}

/// A repository map.
#[derive(Debug, Clone, PartialEq)]
pub struct RepositoryMap {
    /// The files shown, most important first.
    pub files: Vec<MapFile>,
    /// The rows; empty if not even one entity fits.
    pub rows: Vec<ListingRow>,
    /// The rows as text.
    pub text: String,
    /// The number of tokens of the text; at most the budget.
    pub tokens: Tokens,
    /// The number of entities that a large enough budget would show.
    pub entity_count: usize,
}

/// A file of a map.
#[derive(Debug, Clone, PartialEq)]
pub struct MapFile {
    /// The node of the file.
    pub file: NodeId,
    /// The entities shown, in file order. Their ancestors are shown too.
    pub entities: Vec<NodeId>,
}

/// Returns the map of `relations` with as many entities as fit the budget, chosen by `ranks`.
///
/// Its lines are numbered lines of files, as in an outline. Missing numbers mark omitted lines, the
/// rest of a long signature included.
pub fn build_repository_map(
    relations: &Relations,
    ranks: &FileRanks,
    options: &MapOptions,
) -> RepositoryMap {
    let budget = options.budget;
    let entities = entities_by_weight(relations, ranks, &options.hidden_files);
    let entity_count = entities.len();
    let order = ranks.files_by_rank(relations);
    let places: BTreeMap<NodeId, usize> =
        order.iter().enumerate().map(|(place, file)| (*file, place)).collect();
    let most = usize::try_from(budget.0 / ENTITY_TOKENS_MIN).unwrap_or(usize::MAX);
    let most = entities.len().min(most);
    let render = |count: usize| {
        let files = group_by_file(relations, &entities[..count], &places);
        let rows = map_rows(relations, &files);
        let text = render_rows(&rows);
        let tokens = (options.count_tokens)(&text);
        RepositoryMap { files, rows, text, tokens, entity_count }
    };
    let mut best = RepositoryMap {
        files: Vec::new(),
        rows: Vec::new(),
        text: String::new(),
        tokens: Tokens(0),
        entity_count,
    };
    let (mut low, mut high) = (0, most);
    while low < high {
        let middle = low + (high - low).div_ceil(2);
        let tried = render(middle);
        if tried.tokens <= budget {
            low = middle;
            best = tried;
        } else {
            high = middle - 1;
        }
    }
    best
}

fn group_by_file(
    relations: &Relations,
    entities: &[NodeId],
    places: &BTreeMap<NodeId, usize>,
) -> Vec<MapFile> {
    let mut files: BTreeMap<usize, BTreeSet<NodeId>> = BTreeMap::new();
    let mut nodes: BTreeMap<usize, NodeId> = BTreeMap::new();
    for entity in entities {
        let file = relations.file_of(*entity);
        let Some(place) = places.get(&file) else { continue };
        nodes.insert(*place, file);
        files.entry(*place).or_default().insert(*entity);
    }
    let map_file = |(place, entities): (usize, BTreeSet<NodeId>)| MapFile {
        file: nodes[&place],
        entities: entities.into_iter().collect(),
    };
    files.into_iter().map(map_file).collect()
}

fn map_rows(relations: &Relations, files: &[MapFile]) -> Vec<ListingRow> {
    let mut rows = Vec::new();
    for of in files {
        let node = relations.node(of.file);
        let line_count = node.lines.last.0;
        rows.push(ListingRow::File { path: node.key.path.as_ref().into(), line_count });
        let width = line_count.max(1).ilog10() as usize + 1;
        let shown = name_lines(relations, &of.entities);
        for (number, text) in shown {
            rows.push(ListingRow::Line { number, width, text: text.into() });
        }
    }
    let hidden = relations.files().len() - files.len();
    if hidden > 0 && !files.is_empty() {
        let counts = Counts { files: hidden as u32, ..Counts::default() };
        let note = Note { counts, ..Note::new(NoteKind::MoreFiles) };
        rows.push(ListingRow::Note { indent: 0, note });
    }
    rows
}

/// Returns the lines with the names of the entities and their ancestors, in order, each once.
fn name_lines<'a>(relations: &'a Relations, entities: &[NodeId]) -> BTreeMap<LineNumber, &'a str> {
    let mut shown = BTreeMap::new();
    for entity in entities {
        let outer = std::iter::successors(Some(*entity), |at| relations.node(*at).parent);
        for at in outer.filter(|at| relations.node(*at).key.kind != RelationNodeKind::File) {
            let (number, line) = name_line(relations.node(at));
            shown.insert(number, line);
        }
    }
    shown
}

/// Returns the number and text of the line of a signature that contains the name, else of the first
/// line.
fn name_line(node: &RelationNode) -> (LineNumber, &str) {
    let first = node.key.line.0;
    let mut lines = (first..).zip(node.signature.split('\n'));
    let (number, line) = lines
        .clone()
        .find(|(_, line)| foveal_syntax::contains_word(line, &node.name))
        .or_else(|| lines.next())
        .unwrap_or((first, ""));
    (LineNumber(number), line)
}
