//! Which files matter: PageRank over who uses whom, seen from the files and names that a
//! conversation is about.
//!
//! The weights follow Aider's repository map: names that say something count ten times,
//! private ones and those that many things have a tenth, and repeated uses by their root.
//! Beyond that, names of types say something at any length above three letters.

use std::collections::{HashMap, HashSet};

use super::{NodeId, NodeKind, RelationKind, Relations};
use crate::{EntityKind, FileClass};

/// The share of its rank that a file hands on to those it uses.
const DAMPING: f64 = 0.85;

/// Steps after which ranks are taken as they are.
const ITERATIONS_MAX: usize = 100;

/// The change of all ranks together below which they count as settled.
const TOLERANCE: f64 = 1e-9;

/// Letters from which on a name of several words says something.
const SPEAKING_NAME_MIN: usize = 8;

/// Letters from which on the name of a type says something.
const TYPE_NAME_MIN: usize = 4;

/// Definitions of one name from which on it says little.
const DEFINITIONS_MANY: usize = 5;

/// The share that all files have of the interest where there is a focus.
const REST_OF_INTEREST: f64 = 0.05;

/// What a conversation is about.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Focus {
    /// Files that were read, edited or named.
    pub files: Vec<NodeId>,
    /// Entities that were named.
    pub entities: Vec<NodeId>,
}

impl Focus {
    /// Whether it is about everything.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty() && self.entities.is_empty()
    }
}

/// How much files matter.
#[derive(Debug, Clone, PartialEq)]
pub struct FileRanks {
    /// By place of the file among the files; together 1.
    ranks: Vec<f64>,
    /// The files and entities that the ranks are for.
    focused: HashSet<NodeId>,
}

impl FileRanks {
    /// The ranks of all files of `relations`, for `focus`.
    pub fn of(relations: &Relations, focus: &Focus) -> Self {
        let graph = FileGraph::of(relations, focus);
        let interest = interest(relations, focus);
        let edges: Vec<(u32, u32, f64)> = graph.between_files();
        let ranks = pagerank(relations.files.len(), &edges, &interest);
        let focused = focus.files.iter().chain(&focus.entities).copied().collect();
        Self { ranks, focused }
    }

    /// The rank of a file's node in `relations`, which must be those the ranks are of.
    pub fn file(&self, relations: &Relations, of: NodeId) -> f64 {
        self.ranks[relations.file_place(of)]
    }

    /// Whether the ranks are for this file or entity.
    pub fn is_focused(&self, of: NodeId) -> bool {
        self.focused.contains(&of)
    }

    /// The nodes of all files: those in focus, then those that matter most; of equal ones by
    /// path.
    pub fn best_files(&self, relations: &Relations) -> Vec<NodeId> {
        let mut files: Vec<(usize, NodeId)> = relations.files().enumerate().collect();
        files.sort_by(|a, b| {
            let focused = self.is_focused(b.1).cmp(&self.is_focused(a.1));
            focused.then(self.ranks[b.0].total_cmp(&self.ranks[a.0])).then(a.0.cmp(&b.0))
        });
        files.into_iter().map(|(_, node)| node).collect()
    }
}

/// Uses of entities by files, as weights.
struct FileGraph {
    /// Place of the using file, place of the used one, the entity, weight; in order.
    uses: Vec<(u32, u32, NodeId, f64)>,
}

/// The weight of uses within a file against those from others.
const OWN_USES: f64 = 0.1;

impl FileGraph {
    fn of(relations: &Relations, focus: &Focus) -> Self {
        let mut definitions: HashMap<&str, usize> = HashMap::new();
        for (_, node) in relations.indexed() {
            if node.key.kind != NodeKind::File {
                *definitions.entry(&node.name).or_default() += 1;
            }
        }
        let mut places = Vec::with_capacity(relations.nodes.len());
        for (at, nodes) in (0u32..).zip(&relations.files) {
            places.extend(nodes.clone().map(|_| at));
        }
        let focused: Vec<u32> = focus.files.iter().map(|file| places[file.index()]).collect();
        let mut uses = Vec::new();
        for relation in relations.all() {
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
                weight *= OWN_USES;
            }
            if is_aside(relations, relation.from) || is_aside(relations, relation.to) {
                weight *= 0.1;
            }
            uses.push((from, to, relation.to, weight));
        }
        uses.sort_by_key(|of: &(u32, u32, NodeId, f64)| (of.0, of.1, of.2));
        Self { uses }
    }

    fn between_files(&self) -> Vec<(u32, u32, f64)> {
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

fn name_weight(name: &str, definitions: usize, kind: NodeKind) -> f64 {
    if kind == NodeKind::File {
        return 1.0;
    }
    let letters = name.chars().any(char::is_alphabetic);
    let is_cased = name.chars().any(char::is_uppercase) && name.chars().any(char::is_lowercase);
    let is_compound = letters && name.contains(['_', '-']) || is_cased;
    let mut weight = 1.0;
    let length = name.chars().count();
    let is_type =
        matches!(kind, NodeKind::Entity(EntityKind::Type | EntityKind::Trait | EntityKind::Enum));
    if is_compound && (length >= SPEAKING_NAME_MIN || is_type && length >= TYPE_NAME_MIN) {
        weight *= 10.0;
    }
    if name.starts_with('_') {
        weight *= 0.1;
    }
    if definitions > DEFINITIONS_MANY {
        weight *= 0.1;
    }
    weight
}

/// Whether a node is in a file that others wrote.
fn is_aside(relations: &Relations, node: NodeId) -> bool {
    relations.node(node).class != FileClass::Source
}

/// How much each file is what the conversation is about; together 1.
fn interest(relations: &Relations, focus: &Focus) -> Vec<f64> {
    let weight = |file: NodeId| {
        let is_own = !is_aside(relations, file) && !relations.node(file).in_tests;
        if is_own { 1.0 } else { 0.1 }
    };
    let mut all: Vec<f64> = relations.files().map(weight).collect();
    normalise(&mut all);
    if focus.is_empty() {
        return all;
    }
    let mut focused = vec![0.0; all.len()];
    for node in focus.files.iter().chain(&focus.entities) {
        focused[relations.file_place(*node)] += 1.0;
    }
    normalise(&mut focused);
    for (rest, focused) in all.iter_mut().zip(focused) {
        *rest = *rest * REST_OF_INTEREST + focused * (1.0 - REST_OF_INTEREST);
    }
    all
}

fn normalise(weights: &mut [f64]) {
    let sum: f64 = weights.iter().sum();
    if sum > 0.0 {
        weights.iter_mut().for_each(|weight| *weight /= sum);
    }
}

/// The PageRank of `count` nodes with weighted `edges` (from, to, weight above 0), by power
/// iteration with a damping of .85 (Page and others, 1998); jumps and what nodes without
/// edges hold go to `interest`, whose sum is 1. Takes time linear in nodes and edges.
/// Edges between nodes that there are not are left out.
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
