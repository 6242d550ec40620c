//! A map of a repository in few tokens: the files that matter, and of each the signatures
//! that matter.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use foveal_context::note::{Counts, Lines, Note, NoteKind};
use foveal_context::tokens::{Tokenizer, Tokens};

use crate::listing::{ListingRow, text_of};
use crate::relations::{FileRanks, NodeId, NodeKind, Relations, SIGNATURE_LINES_MAX};
use crate::{EntityKind, LineNumber, Visibility};

/// Tokens that one entity takes at least, which bounds how many are tried.
const ENTITY_TOKENS_MIN: u64 = 3;

/// What a map may have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MapOptions {
    /// The most tokens.
    pub budget: Tokens,
    /// What counts them.
    pub tokenizer: Tokenizer,
    /// Files that it does not tell of.
    pub hidden: HashSet<NodeId>,
}

impl MapOptions {
    /// A map of at most `budget` tokens, of all files.
    pub fn new(budget: Tokens, tokenizer: Tokenizer) -> Self {
        Self { budget, tokenizer, hidden: HashSet::new() }
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
/// between them is told by the numbers, and the rest of a long signature by its range.
pub fn map(relations: &Relations, ranks: &FileRanks, options: &MapOptions) -> RepositoryMap {
    let (budget, tokenizer) = (options.budget, options.tokenizer);
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
        let tokens = tokenizer.count(&text);
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

/// What a map can show, that which matters most first.
fn ordered(relations: &Relations, ranks: &FileRanks, hidden: &HashSet<NodeId>) -> Vec<NodeId> {
    let mut scored: Vec<(f64, NodeId)> = Vec::new();
    for file in relations.files().filter(|file| !hidden.contains(file)) {
        let rank = ranks.file(relations, file);
        for entity in relations.entities_of(file) {
            if let Some(share) = own_share(relations, entity) {
                let aside = if relations.node(entity).in_tests { 0.05 } else { 1.0 };
                scored.push((aside * (ranks.entity(entity) + rank * share), entity));
            }
        }
    }
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    scored.into_iter().map(|(_, entity)| entity).collect()
}

/// The share of its file's rank that an entity has even if nothing uses it; `None` where it
/// is not shown at all.
fn own_share(relations: &Relations, of: NodeId) -> Option<f64> {
    let node = relations.node(of);
    let NodeKind::Entity(kind) = node.key.kind else { return None };
    let share = match kind {
        EntityKind::Type | EntityKind::Trait | EntityKind::Enum => 0.01,
        EntityKind::Function => 0.005,
        EntityKind::Method | EntityKind::Constant => 0.002,
        EntityKind::Module
        | EntityKind::Imports
        | EntityKind::Impl
        | EntityKind::Field
        | EntityKind::Test
        | EntityKind::Section
        | EntityKind::Key => return None,
    };
    let parents = std::iter::successors(node.parent, |at| relations.node(*at).parent);
    let is_local = parents
        .map(|at| relations.node(at).key.kind)
        .any(|kind| matches!(kind, NodeKind::Entity(kind) if kind.has_statements()));
    let visible = if node.visibility == Visibility::Private { 0.1 } else { 1.0 };
    (!is_local).then_some(share * visible)
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
        let shown = with_outer(relations, &of.entities);
        let mut next = LineNumber(1);
        for entity in shown {
            next = push_signature(&mut rows, relations, entity, width, next);
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

/// Entities with those that they are in, in the order of their signatures.
fn with_outer(relations: &Relations, entities: &[NodeId]) -> Vec<NodeId> {
    let mut shown: BTreeSet<(LineNumber, NodeId)> = BTreeSet::new();
    for entity in entities {
        let outer = std::iter::successors(Some(*entity), |at| relations.node(*at).parent);
        for at in outer.filter(|at| relations.node(*at).key.kind != NodeKind::File) {
            shown.insert((relations.node(at).key.line, at));
        }
    }
    shown.into_iter().map(|(_, at)| at).collect()
}

/// Puts those lines of a signature that begin at `from` or later; the line after them.
fn push_signature(
    rows: &mut Vec<ListingRow>,
    relations: &Relations,
    of: NodeId,
    width: usize,
    from: LineNumber,
) -> LineNumber {
    let node = relations.node(of);
    let lines = node.signature_lines;
    let mut next = from;
    for (number, line) in (lines.first.0..=lines.last.0).zip(node.signature.split('\n')) {
        if number >= from.0 {
            rows.push(ListingRow::Line { number: LineNumber(number), width, text: line.into() });
            next = LineNumber(number.saturating_add(1));
        }
    }
    let last = LineNumber(lines.first.0.saturating_add(SIGNATURE_LINES_MAX - 1));
    if last < lines.last && next.0 <= lines.last.0 {
        let rest = Lines(next.0.max(last.0 + 1), lines.last.0);
        let of = Some(node.key.name.as_ref().into());
        let kind = NoteKind::Hidden { of, is_before: false, names: Vec::new(), more: 0 };
        let note = Note { lines: vec![rest], ..Note::new(kind) };
        rows.push(ListingRow::Note { indent: width + 1, note });
        next = LineNumber(rest.1.saturating_add(1));
    }
    next
}
