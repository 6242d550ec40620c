//! Who uses whom in the file: what is used by, or uses, what is asked for.

use std::collections::HashMap;

use super::{Signal, meaning, words};
use crate::curate::scene::{Scene, relative};
use crate::entity::EntityKind;

pub(super) const SIGNAL: Signal = Signal {
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
    speaks: Some(7),
    fill,
};

fn fill(scene: &Scene<'_>) -> Vec<Vec<f32>> {
    let count = scene.parsed.entities.len();
    let base = base(scene);
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
            if let Some(inside) = mention.inside.filter(|inside| inside.get() != *target) {
                edges.push((inside.get(), *target));
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
    let spread = spread(&base, &edges);
    let mut best_of_parent: HashMap<Option<usize>, f32> = HashMap::new();
    for (entity, base) in scene.parsed.entities.iter().zip(&base) {
        let best = best_of_parent.entry(entity.parent.map(|at| at.get())).or_default();
        *best = best.max(*base);
    }
    let sibling = scene.each_entity(|_, entity| best_of_parent[&entity.parent.map(|at| at.get())]);
    let mentions = scene.each(|unit| of_rows[unit.rows()].iter().copied().fold(0.0, f32::max));
    let log = |values: &[f32]| values.iter().map(|value| value.ln_1p()).collect::<Vec<f32>>();
    vec![
        scene.of_entity(&base, 0.0),
        scene.of_entity(&used_by, 0.0),
        scene.of_entity(&uses, 0.0),
        scene.of_entity(&sibling, 0.0),
        mentions.clone(),
        scene.of_entity(&log(&users), 0.0),
        scene.of_entity(&log(&used), 0.0),
        relative(&mentions),
        scene.of_entity(&relative(&spread), 0.0),
    ]
}

/// What an entity scores for itself: its words, its name and its meaning.
fn base(scene: &Scene<'_>) -> Vec<f32> {
    let words = relative(&words::entities(scene, &scene.idf));
    let near = relative(&meaning::of_entities(scene, &scene.meant.0));
    let names = scene.each_entity(|_, entity| scene.overlap(&entity.name).0.min(2.0) / 2.0);
    words
        .iter()
        .zip(near)
        .zip(names)
        .map(|((words, near), name)| (words + near + name) / 3.0)
        .collect()
}

/// The base scores after two steps along the edges, both ways.
fn spread(base: &[f32], edges: &[(usize, usize)]) -> Vec<f32> {
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
