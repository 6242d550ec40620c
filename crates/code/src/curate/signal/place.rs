//! Where a unit stands in its file and in its entity.

use super::Signal;
use crate::curate::scene::Scene;

pub(super) const SIGNAL: Signal = Signal {
    name: "place",
    columns: &[
        "in file",
        "rows to end",
        "rows from start",
        "file lines",
        "in entity",
        "entity rows after",
        "entity rows before",
        "entity lines",
        "is last entity",
        "in parent",
        "depth",
        "ends entity",
        "parent lines",
        "entity density",
    ],
    speaks: None,
    fill,
};

fn fill(scene: &Scene<'_>) -> Vec<Vec<f32>> {
    let count = scene.rows.len();
    let log = |rows: usize| (rows as f32).ln_1p();
    let entity_rows = |unit: &crate::curate::unit::Unit| {
        scene.entity(unit).map_or(0..count, |entity| scene.rows_of(entity))
    };
    let mut last_of_parent = std::collections::HashMap::new();
    for (at, entity) in scene.parsed.indexed() {
        last_of_parent.insert(entity.parent, at);
    }
    let share = |at: usize, rows: &std::ops::Range<usize>| {
        at.saturating_sub(rows.start) as f32 / rows.len().max(1) as f32
    };
    vec![
        scene.each(|unit| share(unit.first, &(0..count))),
        scene.each(|unit| log(count - unit.end)),
        scene.each(|unit| log(unit.first)),
        scene.each(|_| log(count)),
        scene.each(|unit| share(unit.first, &entity_rows(unit))),
        scene.each(|unit| log(entity_rows(unit).end.saturating_sub(unit.end))),
        scene.each(|unit| log(unit.first.saturating_sub(entity_rows(unit).start))),
        scene.each(|unit| log(entity_rows(unit).len())),
        scene.each(|unit| {
            let last = scene.entity(unit).and_then(|entity| last_of_parent.get(&entity.parent));
            f32::from(last.copied() == unit.entity)
        }),
        scene.each(|unit| {
            let parent = scene.parent(unit).map_or(0..count, |parent| scene.rows_of(parent));
            share(entity_rows(unit).start, &parent)
        }),
        scene.each(|unit| {
            let blocks = unit.block.map_or(0, |at| scene.parsed.blocks[at].depth + 1);
            let entities = unit.entity.map_or(0, |at| scene.parsed.ancestry(at).count());
            f32::from(blocks) + entities as f32
        }),
        scene.each(|unit| f32::from(unit.end >= entity_rows(unit).end)),
        scene
            .each(|unit| scene.parent(unit).map_or(0.0, |parent| log(scene.rows_of(parent).len()))),
        scene.each(|unit| entity_rows(unit).len() as f32 / count.max(1) as f32),
    ]
}
