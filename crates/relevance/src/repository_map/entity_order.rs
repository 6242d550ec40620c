//! The order of entities in a map: entry points, long public functions and methods, and widely used
//! definitions come before leaf utilities.

use std::collections::{BTreeSet, HashMap, HashSet};

use foveal_syntax::{EntityKind, FileClass, Visibility};

use crate::relations::{
    FileRanks, NodeId, RelationKind, RelationNode, RelationNodeKind, Relations,
};

/// The exponent of a function's number of lines: longer functions are more likely to be read or
/// changed.
const LINES_EXPONENT: f64 = 0.75;

/// The exponents of the number of relations from an entity, the number of files that use it, and
/// the rank of its file. These and the weights below were fitted to later commits of eight
/// repositories.
const USES_EXPONENT: f64 = 0.4;
const USED_BY_EXPONENT: f64 = 0.15;
const FILE_RANK_EXPONENT: f64 = 0.25;

/// The numbers of lines that a type and a constant count as; the methods of a type are counted
/// separately.
const TYPE_LINES: f64 = 5.0;
const CONSTANT_LINES: f64 = 2.0;

/// The exponent of the number of files that use a type or a constant.
const TYPE_USED_BY_EXPONENT: f64 = 0.5;

/// The largest number of methods that get the weight of their type.
const METHODS_PER_TYPE_MAX: usize = 4;

/// Entities of each focused file that precede all others.
const FOCUSED_FIRST_MAX: usize = 12;

/// The factor for the other entities of focused files.
const FOCUSED_FACTOR: f64 = 4.0;

/// Folders of documentation, examples and benchmarks.
const AUXILIARY_FOLDERS: &[&str] =
    &["bench", "benches", "benchmarks", "demo", "doc", "docs", "example", "examples", "fixtures"];

/// Returns the entities that a map can show, most important first.
pub(super) fn entities_by_weight(
    relations: &Relations,
    ranks: &FileRanks,
    hidden: &HashSet<NodeId>,
) -> Vec<NodeId> {
    let mut scored: Vec<(f64, NodeId)> = Vec::new();
    for file in relations.files().filter(|file| !hidden.contains(file)) {
        let mut own: Vec<(f64, NodeId)> = relations
            .entities_of(file)
            .filter_map(|entity| Some((entity_weight(relations, ranks, file, entity)?, entity)))
            .collect();
        raise_method_weights(relations, &mut own);
        if ranks.is_focused(file) {
            sort_by_score(&mut own);
            for (at, (score, _)) in own.iter_mut().enumerate() {
                *score = if at < FOCUSED_FIRST_MAX { f64::MAX } else { *score * FOCUSED_FACTOR };
            }
        }
        scored.extend(own);
    }
    for (score, entity) in &mut scored {
        if ranks.is_focused(*entity) {
            *score = f64::MAX;
        }
    }
    sort_by_score(&mut scored);
    scored.into_iter().map(|(_, entity)| entity).collect()
}

fn sort_by_score(scored: &mut [(f64, NodeId)]) {
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
}

/// Returns the weight of an entity; `None` if maps do not show it.
fn entity_weight(
    relations: &Relations,
    ranks: &FileRanks,
    file: NodeId,
    of: NodeId,
) -> Option<f64> {
    let node = relations.node(of);
    let RelationNodeKind::Entity(kind) = node.key.kind else { return None };
    if is_local(relations, node) {
        return None;
    }
    let used_by = 1.0 + count_using_files(relations, of) as f64;
    let size = match kind {
        EntityKind::Function | EntityKind::Method => {
            let lines = f64::from(node.lines.line_count()).powf(LINES_EXPONENT);
            let uses = 1.0 + count_uses(relations, of) as f64;
            let entry =
                if kind == EntityKind::Function && &*node.name == "main" { 2.0 } else { 1.0 };
            entry * lines * uses.powf(USES_EXPONENT) * used_by.powf(USED_BY_EXPONENT)
        }
        EntityKind::Type | EntityKind::Trait | EntityKind::Enum => {
            TYPE_LINES.powf(LINES_EXPONENT) * used_by.powf(TYPE_USED_BY_EXPONENT)
        }
        EntityKind::Constant => {
            CONSTANT_LINES.powf(LINES_EXPONENT) * used_by.powf(TYPE_USED_BY_EXPONENT)
        }
        EntityKind::Module
        | EntityKind::Imports
        | EntityKind::Impl
        | EntityKind::Field
        | EntityKind::Test
        | EntityKind::Section
        | EntityKind::Key => return None,
    };
    Some(
        size * ranks.rank_of_file(relations, file).powf(FILE_RANK_EXPONENT)
            * visibility_and_file_factor(node),
    )
}

/// Returns the factor for visibility, file class, folder and tests.
fn visibility_and_file_factor(node: &RelationNode) -> f64 {
    let visible = match node.visibility {
        Visibility::Public => 1.0,
        Visibility::Restricted => 0.9,
        Visibility::Private => 0.7,
    };
    let folders = node.key.path.rsplit_once('/').map_or("", |(folders, _)| folders);
    let is_aside = folders.split('/').any(|folder| AUXILIARY_FOLDERS.contains(&folder));
    let own = if node.class == FileClass::Source { 1.0 } else { 0.1 };
    visible * own * if is_aside { 0.2 } else { 1.0 } * if node.in_tests { 0.02 } else { 1.0 }
}

fn is_local(relations: &Relations, node: &RelationNode) -> bool {
    let parents = std::iter::successors(node.parent, |at| relations.node(*at).parent);
    parents
        .map(|at| relations.node(at).key.kind)
        .any(|kind| matches!(kind, RelationNodeKind::Entity(kind) if kind.has_statements()))
}

fn count_uses(relations: &Relations, of: NodeId) -> usize {
    let is_use = |kind| kind != RelationKind::Contains;
    relations.outgoing(of).iter().filter(|relation| is_use(relation.kind)).count()
}

fn count_using_files(relations: &Relations, of: NodeId) -> usize {
    let uses = relations.incoming(of).filter(|relation| relation.kind != RelationKind::Contains);
    let files: BTreeSet<NodeId> = uses.map(|relation| relations.file_of(relation.from)).collect();
    files.len()
}

/// Raises the weight of the best methods of each type in a file to that of the type.
fn raise_method_weights(relations: &Relations, scored: &mut [(f64, NodeId)]) {
    let mut types: HashMap<&str, (f64, usize)> = HashMap::new();
    for (score, entity) in &*scored {
        let key = &relations.node(*entity).key;
        if let RelationNodeKind::Entity(EntityKind::Type | EntityKind::Trait) = key.kind {
            types.insert(&key.name, (*score, 0));
        }
    }
    sort_by_score(scored);
    for (score, entity) in scored {
        let node = relations.node(*entity);
        if node.key.kind != RelationNodeKind::Entity(EntityKind::Method) {
            continue;
        }
        let owner = node.key.name.strip_suffix(&*node.name).unwrap_or_default();
        if let Some((of_type, count)) = types.get_mut(owner.trim_end_matches('.'))
            && *count < METHODS_PER_TYPE_MAX
        {
            *count += 1;
            // Just below the weight of the type itself.
            *score = score.max(of_type.next_down());
        }
    }
}
