//! A map as text: as many of the entities that matter most as fit.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use foveal_context::note::{Counts, Note, NoteKind};
use foveal_context::tokens::Tokens;

use super::order::ordered;
use crate::LineNumber;
use crate::listing::{ListingRow, text_of};
use crate::relations::{FileRanks, Node, NodeId, NodeKind, Relations};

/// Tokens that one entity takes at least, which bounds how many are tried.
const ENTITY_TOKENS_MIN: u64 = 3;

/// What a map may have.
#[derive(Debug, Clone)]
pub struct MapOptions {
    /// The most tokens.
    pub budget: Tokens,
    /// What counts them, or estimates them from above.
    pub count: fn(&str) -> Tokens,
    /// Files that it does not tell of.
    pub hidden: HashSet<NodeId>,
}

impl MapOptions {
    /// A map of at most `budget` tokens, of all files.
    pub fn new(budget: Tokens, count: fn(&str) -> Tokens) -> Self {
        Self { budget, count, hidden: HashSet::new() }
    }
}

/// A repository map.
#[derive(Debug, Clone, PartialEq)]
pub struct RepositoryMap {
    /// The files shown, those that matter most first.
    pub files: Vec<MapFile>,
    /// Its rows; none if not even one entity fits.
    pub rows: Vec<ListingRow>,
    /// The rows as text.
    pub text: String,
    /// How many tokens the text has; never more than asked for.
    pub tokens: Tokens,
}

/// One file of a map.
#[derive(Debug, Clone, PartialEq)]
pub struct MapFile {
    /// Its node.
    pub file: NodeId,
    /// The entities shown, in the order of the file. What they are in is shown as well.
    pub entities: Vec<NodeId>,
}

/// The map of `relations` that shows as many entities as fit into its budget, by
/// `ranks`.
///
/// Its lines are lines of files with their numbers, as an outline has them; what is left out
/// between them, the rest of a long signature too, is told by the numbers.
pub fn map(relations: &Relations, ranks: &FileRanks, options: &MapOptions) -> RepositoryMap {
    let budget = options.budget;
    let entities = ordered(relations, ranks, &options.hidden);
    let order = ranks.best_files(relations);
    let places: BTreeMap<NodeId, usize> =
        order.iter().enumerate().map(|(place, file)| (*file, place)).collect();
    let most = usize::try_from(budget.0 / ENTITY_TOKENS_MIN).unwrap_or(usize::MAX);
    let most = entities.len().min(most);
    let render = |count: usize| {
        let files = grouped(relations, &entities[..count], &places);
        let rows = rows(relations, &files);
        let text = text_of(&rows);
        let tokens = (options.count)(&text);
        RepositoryMap { files, rows, text, tokens }
    };
    let mut best = RepositoryMap {
        files: Vec::new(),
        rows: Vec::new(),
        text: String::new(),
        tokens: Tokens(0),
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

fn grouped(
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

fn rows(relations: &Relations, files: &[MapFile]) -> Vec<ListingRow> {
    let mut rows = Vec::new();
    for of in files {
        let node = relations.node(of.file);
        let line_count = node.lines.last.0;
        rows.push(ListingRow::File { path: node.key.path.as_ref().into(), line_count });
        let width = line_count.max(1).ilog10() as usize + 1;
        let shown = lines_of(relations, &of.entities);
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

/// The lines that name entities and what these are in, in order, each once.
fn lines_of<'a>(relations: &'a Relations, entities: &[NodeId]) -> BTreeMap<LineNumber, &'a str> {
    let mut shown = BTreeMap::new();
    for entity in entities {
        let outer = std::iter::successors(Some(*entity), |at| relations.node(*at).parent);
        for at in outer.filter(|at| relations.node(*at).key.kind != NodeKind::File) {
            let (number, line) = named_line(relations.node(at));
            shown.insert(number, line);
        }
    }
    shown
}

/// The line of a signature that has the name, and its number; else its first.
fn named_line(node: &Node) -> (LineNumber, &str) {
    let first = node.key.line.0;
    let mut lines = (first..).zip(node.signature.split('\n'));
    let (number, line) = lines
        .clone()
        .find(|(_, line)| crate::spec::has_word(line, &node.name))
        .or_else(|| lines.next())
        .unwrap_or((first, ""));
    (LineNumber(number), line)
}
