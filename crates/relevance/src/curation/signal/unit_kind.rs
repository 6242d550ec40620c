//! The signal of a unit's kind: its entity's kind, its part, and its style.

use super::RelevanceSignal;
use crate::curation::curation_input::CurationInput;
use crate::curation::unit::{CurationUnit, UnitPart};
use foveal_syntax::{EntityKind, Visibility};

pub(super) const SIGNAL: RelevanceSignal = RelevanceSignal {
    name: "imports",
    columns: &[
        "part",
        "is imports",
        "is callable",
        "is test",
        "is type",
        "is field",
        "is constant",
        "is public",
        "unit lines",
        "bytes",
        "is comment",
        "controls",
        "returns",
        "strings",
        "digits",
        "blank lines",
        "parent is type",
        "opens",
        "is block header",
        "block lines",
        "calls",
    ],
    reason_column: Some(1),
    compute: compute_columns,
};

fn compute_columns(scene: &CurationInput<'_>) -> Vec<Vec<f32>> {
    let is = |kinds: &'static [EntityKind]| {
        scene.map_units(|unit| {
            f32::from(scene.unit_entity(unit).is_some_and(|entity| kinds.contains(&entity.kind)))
        })
    };
    let rows = |unit: &CurationUnit| scene.rows[unit.rows()].iter();
    let first = |unit: &CurationUnit| scene.rows[unit.first].trim_start();
    let begins = |starts: &'static [&'static str]| {
        scene.map_units(|unit| f32::from(starts.iter().any(|start| first(unit).starts_with(start))))
    };
    let counting = |wanted: fn(char) -> bool| {
        scene.map_units(|unit| {
            rows(unit).map(|row| row.matches(wanted).count()).sum::<usize>() as f32
        })
    };
    vec![
        scene.map_units(|unit| match unit.part {
            UnitPart::Outside => 0.0,
            UnitPart::Doc => 1.0,
            UnitPart::Attribute => 2.0,
            UnitPart::Signature => 3.0,
            UnitPart::Body => 4.0,
        }),
        is(&[EntityKind::Imports]),
        is(&[EntityKind::Function, EntityKind::Method]),
        scene.map_units(|unit| {
            let in_test = |at| scene.parsed.ancestry(at).any(|(_, of)| of.kind == EntityKind::Test);
            f32::from(unit.entity.is_some_and(in_test))
        }),
        is(&[EntityKind::Type, EntityKind::Trait, EntityKind::Enum]),
        is(&[EntityKind::Field, EntityKind::Key]),
        is(&[EntityKind::Constant]),
        scene.map_units(|unit| {
            f32::from(scene.unit_entity(unit).is_some_and(|of| of.visibility == Visibility::Public))
        }),
        scene.map_units(|unit| unit.len() as f32),
        scene.map_units(|unit| {
            rows(unit).map(|row| row.len()).sum::<usize>() as f32 / unit.len().max(1) as f32
        }),
        begins(&["//", "/*", "*", "#", "\"\"\"", "--"]),
        begins(&[
            "if", "for", "while", "match", "switch", "else", "elif", "} else", "case", "try",
            "catch", "except",
        ]),
        begins(&["return", "break", "continue", "throw", "raise", "panic", "yield"]),
        counting(|c| matches!(c, '"' | '\'' | '`')),
        counting(|c| c.is_ascii_digit()),
        scene.map_units(|unit| rows(unit).filter(|row| row.trim().is_empty()).count() as f32),
        scene.map_units(|unit| {
            f32::from(
                scene.unit_entity_parent(unit).is_some_and(|parent| parent.kind.has_members()),
            )
        }),
        scene.map_units(|unit| {
            let last = rows(unit).next_back().map_or("", |row| row.trim_end());
            f32::from(last.ends_with(['{', '(', '[', ':', ',']))
        }),
        scene.map_units(|unit| {
            let block = unit.block.map(|at| scene.parsed.blocks[at].lines);
            f32::from(block.is_some_and(|lines| lines.line_count() as usize > unit.len()))
        }),
        scene.map_units(|unit| {
            unit.block.map_or(0.0, |at| (scene.parsed.blocks[at].lines.line_count() as f32).ln_1p())
        }),
        counting(|c| c == '('),
    ]
}
