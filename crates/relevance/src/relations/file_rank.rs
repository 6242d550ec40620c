//! Ranks of files: PageRank over uses between files, personalised by the files and names that a
//! conversation is about.
//!
//! The weights follow Aider's repository map: long compound names count ten times, private names
//! and names with many definitions a tenth, and repeated uses by their square root. In addition,
//! names of types count ten times from four letters.

use std::collections::{HashMap, HashSet};

use foveal_syntax::{EntityKind, FileClass};

use super::{NodeId, RelationKind, RelationNodeKind, Relations};

/// The share of its rank that a file passes on to the files it uses.
const DAMPING: f64 = 0.85;

/// The largest number of iterations.
const ITERATIONS_MAX: usize = 100;

/// The sum of all rank changes below which the iteration has converged.
const TOLERANCE: f64 = 1e-9;

/// The least number of letters of a compound name that counts as descriptive.
const DESCRIPTIVE_NAME_MIN: usize = 8;

/// The least number of letters of a type's name that counts as descriptive.
const TYPE_NAME_MIN: usize = 4;

/// The number of definitions above which a name counts as ambiguous.
const AMBIGUOUS_DEFINITIONS: usize = 5;

/// The share of the jump probability that is spread over all files where there is a focus.
const UNFOCUSED_SHARE: f64 = 0.05;

/// The files and entities that a conversation is about.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RankFocus {
    /// Files that were read, edited or named.
    pub files: Vec<NodeId>,
    /// Entities that were named.
    pub entities: Vec<NodeId>,
}

impl RankFocus {
    /// Returns whether nothing is in focus.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty() && self.entities.is_empty()
    }
}

/// The ranks of the files of a repository.
#[derive(Debug, Clone, PartialEq)]
pub struct FileRanks {
    /// Ranks by position of the file; their sum is 1.
    ranks: Vec<f64>,
    /// The files and entities in focus.
    focused: HashSet<NodeId>,
}

impl FileRanks {
    /// Computes the ranks of all files of `relations`, for `focus`.
    pub fn compute(relations: &Relations, focus: &RankFocus) -> Self {
        let graph = FileUseGraph::from_relations(relations, focus);
        let interest = jump_shares(relations, focus);
        let edges: Vec<(u32, u32, f64)> = graph.file_edges();
        let ranks = pagerank(relations.files.len(), &edges, &interest);
        let focused = focus.files.iter().chain(&focus.entities).copied().collect();
        Self { ranks, focused }
    }

    /// Returns the rank of a file's node; `relations` must be those of [`FileRanks::compute`].
    pub fn rank_of_file(&self, relations: &Relations, of: NodeId) -> f64 {
        self.ranks[relations.file_position(of)]
    }

    /// Returns whether a file or entity is in focus.
    pub fn is_focused(&self, of: NodeId) -> bool {
        self.focused.contains(&of)
    }

    /// Returns the nodes of all files: files in focus first, then by descending rank, then by path.
    pub fn files_by_rank(&self, relations: &Relations) -> Vec<NodeId> {
        let mut files: Vec<(usize, NodeId)> = relations.files().enumerate().collect();
        files.sort_by(|a, b| {
            let focused = self.is_focused(b.1).cmp(&self.is_focused(a.1));
            focused.then(self.ranks[b.0].total_cmp(&self.ranks[a.0])).then(a.0.cmp(&b.0))
        });
        files.into_iter().map(|(_, node)| node).collect()
    }
}

/// The weighted uses of entities by files.
struct FileUseGraph {
    /// Positions of the using and the used file, the used entity, and the weight; in order.
    uses: Vec<(u32, u32, NodeId, f64)>,
}

/// The factor for uses within a file.
const OWN_USE_WEIGHT: f64 = 0.1;

impl FileUseGraph {
    fn from_relations(relations: &Relations, focus: &RankFocus) -> Self {
        let mut definitions: HashMap<&str, usize> = HashMap::new();
        for (_, node) in relations.indexed_nodes() {
            if node.key.kind != RelationNodeKind::File {
                *definitions.entry(&node.name).or_default() += 1;
            }
        }
        let mut places = Vec::with_capacity(relations.nodes.len());
        for (at, nodes) in (0u32..).zip(&relations.files) {
            places.extend(nodes.clone().map(|_| at));
        }
        let focused: Vec<u32> = focus.files.iter().map(|file| places[file.index()]).collect();
        let mut uses = Vec::new();
        for relation in relations.all_relations() {
            let node = relations.node(relation.to);
            let kind = match relation.kind {
                RelationKind::Contains => continue,
                RelationKind::Tests => 0.3,
                RelationKind::Documents => 0.5,
                _ => 1.0,
            };
            let (from, to) = (places[relation.from.index()], places[relation.to.index()]);
            let count = definitions.get(&*node.name).copied().unwrap_or_default();
            let mut weight = kind * f64::from(relation.weight) * f64::from(relation.count).sqrt();
            weight *= name_weight(&node.name, count, node.key.kind);
            if focus.entities.contains(&relation.to) {
                weight *= 10.0;
            }
            if focused.contains(&from) {
                weight *= 50.0;
            }
            if from == to {
                weight *= OWN_USE_WEIGHT;
            }
            if is_not_source(relations, relation.from) || is_not_source(relations, relation.to) {
                weight *= 0.1;
            }
            uses.push((from, to, relation.to, weight));
        }
        uses.sort_by_key(|of: &(u32, u32, NodeId, f64)| (of.0, of.1, of.2));
        Self { uses }
    }

    fn file_edges(&self) -> Vec<(u32, u32, f64)> {
        let mut edges: Vec<(u32, u32, f64)> = Vec::new();
        for (from, to, _, weight) in self.uses.iter().filter(|of| of.0 != of.1) {
            match edges.last_mut().filter(|last| (last.0, last.1) == (*from, *to)) {
                Some(last) => last.2 += weight,
                None => edges.push((*from, *to, *weight)),
            }
        }
        edges
    }
}

fn name_weight(name: &str, definitions: usize, kind: RelationNodeKind) -> f64 {
    if kind == RelationNodeKind::File {
        return 1.0;
    }
    let letters = name.chars().any(char::is_alphabetic);
    let is_cased = name.chars().any(char::is_uppercase) && name.chars().any(char::is_lowercase);
    let is_compound = letters && name.contains(['_', '-']) || is_cased;
    let mut weight = 1.0;
    let length = name.chars().count();
    let is_type = matches!(
        kind,
        RelationNodeKind::Entity(EntityKind::Type | EntityKind::Trait | EntityKind::Enum)
    );
    if is_compound && (length >= DESCRIPTIVE_NAME_MIN || is_type && length >= TYPE_NAME_MIN) {
        weight *= 10.0;
    }
    if name.starts_with('_') {
        weight *= 0.1;
    }
    if definitions > AMBIGUOUS_DEFINITIONS {
        weight *= 0.1;
    }
    weight
}

/// Returns whether a node is in a file that is not hand-written source: vendored, generated,
/// minified or a lock file.
fn is_not_source(relations: &Relations, node: NodeId) -> bool {
    relations.node(node).class != FileClass::Source
}

/// Returns each file's share of the jump probability; the sum is 1.
fn jump_shares(relations: &Relations, focus: &RankFocus) -> Vec<f64> {
    let weight = |file: NodeId| {
        let is_own = !is_not_source(relations, file) && !relations.node(file).in_tests;
        if is_own { 1.0 } else { 0.1 }
    };
    let mut all: Vec<f64> = relations.files().map(weight).collect();
    normalise(&mut all);
    if focus.is_empty() {
        return all;
    }
    let mut focused = vec![0.0; all.len()];
    for node in focus.files.iter().chain(&focus.entities) {
        focused[relations.file_position(*node)] += 1.0;
    }
    normalise(&mut focused);
    for (rest, focused) in all.iter_mut().zip(focused) {
        *rest = *rest * UNFOCUSED_SHARE + focused * (1.0 - UNFOCUSED_SHARE);
    }
    all
}

fn normalise(weights: &mut [f64]) {
    let sum: f64 = weights.iter().sum();
    if sum > 0.0 {
        weights.iter_mut().for_each(|weight| *weight /= sum);
    }
}

/// Returns the PageRank of `count` nodes with weighted `edges` (from, to, weight above 0), by power
/// iteration with a damping of 0.85 (Page and others, 1998). Jumps and the rank of nodes without
/// edges go to `interest`, whose sum is 1. Takes time linear in nodes and edges. Edges between
/// nodes that do not exist are ignored.
pub fn pagerank(count: usize, edges: &[(u32, u32, f64)], interest: &[f64]) -> Vec<f64> {
    let valid = |edge: &&(u32, u32, f64)| {
        (edge.0 as usize) < count && (edge.1 as usize) < count && edge.2 > 0.0 && edge.2.is_finite()
    };
    let edges: Vec<&(u32, u32, f64)> = edges.iter().filter(valid).collect();
    let mut out = vec![0.0; count];
    for (from, _, weight) in edges.iter().copied() {
        out[*from as usize] += weight;
    }
    let interest: Vec<f64> =
        (0..count).map(|at| interest.get(at).copied().unwrap_or(0.0)).collect();
    let mut ranks = interest.clone();
    for _ in 0..ITERATIONS_MAX {
        let idle: f64 = (0..count).filter(|at| out[*at] <= 0.0).map(|at| ranks[at]).sum();
        let jump = 1.0 - DAMPING + DAMPING * idle;
        let mut next: Vec<f64> = interest.iter().map(|share| share * jump).collect();
        for (from, to, weight) in edges.iter().copied() {
            let from = *from as usize;
            next[*to as usize] += DAMPING * ranks[from] * weight / out[from];
        }
        let change: f64 = ranks.iter().zip(&next).map(|(old, new)| (old - new).abs()).sum();
        ranks = next;
        if change < TOLERANCE {
            break;
        }
    }
    ranks
}
