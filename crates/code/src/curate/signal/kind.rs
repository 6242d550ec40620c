//! What a unit is: its kind of entity, its part of it, and how it is written.

use super::Signal;
use crate::curate::scene::Scene;
use crate::curate::unit::{Part, Unit};
use crate::entity::{EntityKind, Visibility};

pub(super) const SIGNAL: Signal = Signal {
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
    speaks: Some(1),
    fill,
};

fn fill(scene: &Scene<'_>) -> Vec<Vec<f32>> {
    let is = |kinds: &'static [EntityKind]| {
        scene.each(|unit| {
            f32::from(scene.entity(unit).is_some_and(|entity| kinds.contains(&entity.kind)))
        })
    };
    let rows = |unit: &Unit| scene.rows[unit.rows()].iter();
    let first = |unit: &Unit| scene.rows[unit.first].trim_start();
    let begins = |starts: &'static [&'static str]| {
        scene.each(|unit| f32::from(starts.iter().any(|start| first(unit).starts_with(start))))
    };
    let counting = |wanted: fn(char) -> bool| {
        scene.each(|unit| rows(unit).map(|row| row.matches(wanted).count()).sum::<usize>() as f32)
    };
    vec![
        scene.each(|unit| match unit.part {
            Part::Between => 0.0,
            Part::Doc => 1.0,
            Part::Attribute => 2.0,
            Part::Signature => 3.0,
            Part::Body => 4.0,
        }),
        is(&[EntityKind::Imports]),
        is(&[EntityKind::Function, EntityKind::Method]),
        scene.each(|unit| {
            let in_test = |at| scene.parsed.ancestry(at).any(|(_, of)| of.kind == EntityKind::Test);
            f32::from(unit.entity.is_some_and(in_test))
        }),
        is(&[EntityKind::Type, EntityKind::Trait, EntityKind::Enum]),
        is(&[EntityKind::Field, EntityKind::Key]),
        is(&[EntityKind::Constant]),
        scene.each(|unit| {
            f32::from(scene.entity(unit).is_some_and(|of| of.visibility == Visibility::Public))
        }),
        scene.each(|unit| unit.len() as f32),
        scene.each(|unit| {
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
        scene.each(|unit| rows(unit).filter(|row| row.trim().is_empty()).count() as f32),
        scene.each(|unit| {
            f32::from(scene.parent(unit).is_some_and(|parent| parent.kind.has_members()))
        }),
        scene.each(|unit| {
            let last = rows(unit).next_back().map_or("", |row| row.trim_end());
            f32::from(last.ends_with(['{', '(', '[', ':', ',']))
        }),
        scene.each(|unit| {
            let block = unit.block.map(|at| scene.parsed.blocks[at].lines);
            f32::from(block.is_some_and(|lines| lines.count() as usize > unit.len()))
        }),
        scene.each(|unit| {
            unit.block.map_or(0.0, |at| (scene.parsed.blocks[at].lines.count() as f32).ln_1p())
        }),
        counting(|c| c == '('),
    ]
}
