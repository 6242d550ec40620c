//! What a map shows first: entry points, public functions and methods that do much, and what
//! many files use, before leaf utilities.

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::relations::{FileRanks, Node, NodeId, NodeKind, RelationKind, Relations};
use crate::{EntityKind, FileClass, Visibility};

/// How much the lines of a function count, as a power: one that does more is more likely what
/// somebody has to know or to change.
const LINES: f64 = 0.75;

/// The same for what it uses, for the files that use it, and for the rank of its file. These,
/// and the weights below, were chosen by what later commits touched in eight repositories.
const USES: f64 = 0.4;
const USED_BY: f64 = 0.15;
const FILE_RANK: f64 = 0.25;

/// As many lines a type and a constant count as; more of what a type does, its methods tell.
const LINES_OF_TYPE: f64 = 5.0;
const LINES_OF_CONSTANT: f64 = 2.0;

/// How much the files count that use a type or a constant.
const TYPE_USED_BY: f64 = 0.5;

/// Methods that a type brings along.
const METHODS_OF_TYPE: usize = 4;

/// Entities of each file in focus that come before all others.
const FOCUSED_FIRST: usize = 12;

/// The weight of the other entities of files in focus.
const FOCUSED: f64 = 4.0;

/// Folders of code that shows or tries what the rest is.
const ASIDE: &[&str] =
    &["bench", "benches", "benchmarks", "demo", "doc", "docs", "example", "examples", "fixtures"];

/// What a map can show, that which matters most first.
pub(super) fn ordered(
    relations: &Relations,
    ranks: &FileRanks,
    hidden: &HashSet<NodeId>,
) -> Vec<NodeId> {
    let mut scored: Vec<(f64, NodeId)> = Vec::new();
    for file in relations.files().filter(|file| !hidden.contains(file)) {
        let mut own: Vec<(f64, NodeId)> = relations
            .entities_of(file)
            .filter_map(|entity| Some((weight(relations, ranks, file, entity)?, entity)))
            .collect();
        bring_methods(relations, &mut own);
        if ranks.is_focused(file) {
            best_first(&mut own);
            for (at, (score, _)) in own.iter_mut().enumerate() {
                *score = if at < FOCUSED_FIRST { f64::MAX } else { *score * FOCUSED };
            }
        }
        scored.extend(own);
    }
    for (score, entity) in &mut scored {
        if ranks.is_focused(*entity) {
            *score = f64::MAX;
        }
    }
    best_first(&mut scored);
    scored.into_iter().map(|(_, entity)| entity).collect()
}

fn best_first(scored: &mut [(f64, NodeId)]) {
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
}

/// How much an entity matters; `None` where it is not shown at all.
fn weight(relations: &Relations, ranks: &FileRanks, file: NodeId, of: NodeId) -> Option<f64> {
    let node = relations.node(of);
    let NodeKind::Entity(kind) = node.key.kind else { return None };
    if is_local(relations, node) {
        return None;
    }
    let used_by = 1.0 + files_that_use(relations, of) as f64;
    let size = match kind {
        EntityKind::Function | EntityKind::Method => {
            let lines = f64::from(node.lines.count()).powf(LINES);
            let uses = 1.0 + uses(relations, of) as f64;
            let entry =
                if kind == EntityKind::Function && &*node.name == "main" { 2.0 } else { 1.0 };
            entry * lines * uses.powf(USES) * used_by.powf(USED_BY)
        }
        EntityKind::Type | EntityKind::Trait | EntityKind::Enum => {
            LINES_OF_TYPE.powf(LINES) * used_by.powf(TYPE_USED_BY)
        }
        EntityKind::Constant => LINES_OF_CONSTANT.powf(LINES) * used_by.powf(TYPE_USED_BY),
        EntityKind::Module
        | EntityKind::Imports
        | EntityKind::Impl
        | EntityKind::Field
        | EntityKind::Test
        | EntityKind::Section
        | EntityKind::Key => return None,
    };
    Some(size * ranks.file(relations, file).powf(FILE_RANK) * standing(node))
}

/// How much it counts who may use an entity, and what sort of file it is in.
fn standing(node: &Node) -> f64 {
    let visible = match node.visibility {
        Visibility::Public => 1.0,
        Visibility::Restricted => 0.9,
        Visibility::Private => 0.7,
    };
    let folders = node.key.path.rsplit_once('/').map_or("", |(folders, _)| folders);
    let is_aside = folders.split('/').any(|folder| ASIDE.contains(&folder));
    let own = if node.class == FileClass::Source { 1.0 } else { 0.1 };
    visible * own * if is_aside { 0.2 } else { 1.0 } * if node.in_tests { 0.02 } else { 1.0 }
}

fn is_local(relations: &Relations, node: &Node) -> bool {
    let parents = std::iter::successors(node.parent, |at| relations.node(*at).parent);
    parents
        .map(|at| relations.node(at).key.kind)
        .any(|kind| matches!(kind, NodeKind::Entity(kind) if kind.has_statements()))
}

fn uses(relations: &Relations, of: NodeId) -> usize {
    let is_use = |kind| kind != RelationKind::Contains;
    relations.outgoing(of).iter().filter(|relation| is_use(relation.kind)).count()
}

fn files_that_use(relations: &Relations, of: NodeId) -> usize {
    let uses = relations.incoming(of).filter(|relation| relation.kind != RelationKind::Contains);
    let files: BTreeSet<NodeId> = uses.map(|relation| relations.file_of(relation.from)).collect();
    files.len()
}

/// Lets the best methods of each type of a file count as much as the type.
fn bring_methods(relations: &Relations, scored: &mut [(f64, NodeId)]) {
    let mut types: HashMap<&str, (f64, usize)> = HashMap::new();
    for (score, entity) in &*scored {
        let key = &relations.node(*entity).key;
        if let NodeKind::Entity(EntityKind::Type | EntityKind::Trait) = key.kind {
            types.insert(&key.name, (*score, 0));
        }
    }
    best_first(scored);
    for (score, entity) in scored {
        let node = relations.node(*entity);
        if node.key.kind != NodeKind::Entity(EntityKind::Method) {
            continue;
        }
        let owner = node.key.name.strip_suffix(&*node.name).unwrap_or_default();
        if let Some((of_type, count)) = types.get_mut(owner.trim_end_matches('.'))
            && *count < METHODS_OF_TYPE
        {
            *count += 1;
            // Behind the type itself.
            *score = score.max(of_type.next_down());
        }
    }
}
