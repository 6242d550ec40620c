//! The signal of a unit's position in its file and in its entity.

use super::RelevanceSignal;
use crate::curation::curation_input::CurationInput;

pub(super) const SIGNAL: RelevanceSignal = RelevanceSignal {
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
    reason_column: None,
    compute: compute_columns,
};

fn compute_columns(scene: &CurationInput<'_>) -> Vec<Vec<f32>> {
    let count = scene.rows.len();
    let log = |rows: usize| (rows as f32).ln_1p();
    let entity_rows = |unit: &crate::curation::unit::CurationUnit| {
        scene.unit_entity(unit).map_or(0..count, |entity| scene.entity_rows(entity))
    };
    let mut last_of_parent = std::collections::HashMap::new();
    for (at, entity) in scene.parsed.indexed_entities() {
        last_of_parent.insert(entity.parent, at);
    }
    let share = |at: usize, rows: &std::ops::Range<usize>| {
        at.saturating_sub(rows.start) as f32 / rows.len().max(1) as f32
    };
    vec![
        scene.map_units(|unit| share(unit.first, &(0..count))),
        scene.map_units(|unit| log(count - unit.end)),
        scene.map_units(|unit| log(unit.first)),
        scene.map_units(|_| log(count)),
        scene.map_units(|unit| share(unit.first, &entity_rows(unit))),
        scene.map_units(|unit| log(entity_rows(unit).end.saturating_sub(unit.end))),
        scene.map_units(|unit| log(unit.first.saturating_sub(entity_rows(unit).start))),
        scene.map_units(|unit| log(entity_rows(unit).len())),
        scene.map_units(|unit| {
            let last =
                scene.unit_entity(unit).and_then(|entity| last_of_parent.get(&entity.parent));
            f32::from(last.copied() == unit.entity)
        }),
        scene.map_units(|unit| {
            let parent =
                scene.unit_entity_parent(unit).map_or(0..count, |parent| scene.entity_rows(parent));
            share(entity_rows(unit).start, &parent)
        }),
        scene.map_units(|unit| {
            let blocks = unit.block.map_or(0, |at| scene.parsed.blocks[at].depth + 1);
            let entities = unit.entity.map_or(0, |at| scene.parsed.ancestry(at).count());
            f32::from(blocks) + entities as f32
        }),
        scene.map_units(|unit| f32::from(unit.end >= entity_rows(unit).end)),
        scene.map_units(|unit| {
            scene
                .unit_entity_parent(unit)
                .map_or(0.0, |parent| log(scene.entity_rows(parent).len()))
        }),
        scene.map_units(|unit| entity_rows(unit).len() as f32 / count.max(1) as f32),
    ]
}
