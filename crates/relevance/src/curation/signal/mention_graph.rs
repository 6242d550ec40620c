//! The signal of uses within the file: entities that use matching entities or are used by them.

use std::collections::HashMap;

use foveal_syntax::EntityKind;

use super::{RelevanceSignal, embedding_similarity, query_words};
use crate::curation::curation_input::{CurationInput, relative_to_max};

pub(super) const SIGNAL: RelevanceSignal = RelevanceSignal {
    name: "relation",
    columns: &[
        "base",
        "used by",
        "uses",
        "sibling",
        "mentions",
        "users",
        "used",
        "top mention rank",
        "spread",
    ],
    reason_column: Some(7),
    compute: compute_columns,
};

fn compute_columns(scene: &CurationInput<'_>) -> Vec<Vec<f32>> {
    let count = scene.parsed.entities.len();
    let base = own_scores(scene);
    let mut named: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, entity) in scene.parsed.entities.iter().enumerate() {
        if !matches!(entity.kind, EntityKind::Imports | EntityKind::Section) {
            named.entry(&entity.name).or_default().push(at);
        }
    }
    let mut edges: Vec<(usize, usize)> = Vec::new();
    let mut of_rows = vec![0.0_f32; scene.rows.len()];
    for mention in &scene.parsed.mentions {
        let Some(targets) = named.get(mention.name.as_ref()).filter(|of| of.len() <= 4) else {
            continue;
        };
        let row = (mention.line.0 as usize).saturating_sub(1);
        for target in targets {
            if let Some(known) = of_rows.get_mut(row) {
                *known = known.max(base[*target]);
            }
            if let Some(inside) = mention.inside.filter(|inside| inside.as_usize() != *target) {
                edges.push((inside.as_usize(), *target));
            }
        }
    }
    edges.sort_unstable();
    edges.dedup();
    let (mut used_by, mut uses) = (vec![0.0_f32; count], vec![0.0_f32; count]);
    let (mut users, mut used) = (vec![0.0_f32; count], vec![0.0_f32; count]);
    for (from, to) in edges.iter().copied() {
        used_by[to] = used_by[to].max(base[from]);
        uses[from] = uses[from].max(base[to]);
        users[to] += 1.0;
        used[from] += 1.0;
    }
    let spread = spread_scores(&base, &edges);
    let mut best_of_parent: HashMap<Option<usize>, f32> = HashMap::new();
    for (entity, base) in scene.parsed.entities.iter().zip(&base) {
        let best = best_of_parent.entry(entity.parent.map(|at| at.as_usize())).or_default();
        *best = best.max(*base);
    }
    let sibling =
        scene.map_entities(|_, entity| best_of_parent[&entity.parent.map(|at| at.as_usize())]);
    let mentions = scene.map_units(|unit| of_rows[unit.rows()].iter().copied().fold(0.0, f32::max));
    let log = |values: &[f32]| values.iter().map(|value| value.ln_1p()).collect::<Vec<f32>>();
    vec![
        scene.units_from_entities(&base, 0.0),
        scene.units_from_entities(&used_by, 0.0),
        scene.units_from_entities(&uses, 0.0),
        scene.units_from_entities(&sibling, 0.0),
        mentions.clone(),
        scene.units_from_entities(&log(&users), 0.0),
        scene.units_from_entities(&log(&used), 0.0),
        relative_to_max(&mentions),
        scene.units_from_entities(&relative_to_max(&spread), 0.0),
    ]
}

/// Returns the score of each entity by its words, its name and its embedding.
fn own_scores(scene: &CurationInput<'_>) -> Vec<f32> {
    let words = relative_to_max(&query_words::entity_scores(scene, &scene.idf));
    let near =
        relative_to_max(&embedding_similarity::entity_cosines(scene, &scene.query_vectors.0));
    let names = scene.map_entities(|_, entity| scene.query_overlap(&entity.name).0.min(2.0) / 2.0);
    words
        .iter()
        .zip(near)
        .zip(names)
        .map(|((words, near), name)| (words + near + name) / 3.0)
        .collect()
}

/// Returns the scores after two steps along the edges in both directions.
fn spread_scores(base: &[f32], edges: &[(usize, usize)]) -> Vec<f32> {
    let mut degree = vec![0.0_f32; base.len()];
    for (from, to) in edges {
        degree[*from] += 1.0;
        degree[*to] += 1.0;
    }
    let mut now = base.to_vec();
    for _ in 0..2 {
        let mut next = base.to_vec();
        for (from, to) in edges {
            next[*to] += 0.5 * now[*from] / degree[*from];
            next[*from] += 0.5 * now[*to] / degree[*to];
        }
        now = next;
    }
    now
}
