//! The question's words in names, headers and documentation of entities.

use super::Signal;
use crate::curate::scene::{Scene, relative};
use crate::curate::unit::rows_of;
use crate::lines::LineRange;

pub(super) const SIGNAL: Signal = Signal {
    name: "name",
    columns: &[
        "name asked",
        "name covered",
        "name exact",
        "name is a word",
        "signature asked",
        "doc asked",
        "parent asked",
        "parent covered",
        "name relative",
        "signature relative",
        "name in path",
        "lines of name",
    ],
    speaks: Some(8),
    fill,
};

fn fill(scene: &Scene<'_>) -> Vec<Vec<f32>> {
    let names: Vec<(f32, f32)> =
        scene.parsed.entities.iter().map(|entity| scene.overlap(&entity.name)).collect();
    let asked: Vec<f32> = names.iter().map(|(asked, _)| *asked).collect();
    let covered: Vec<f32> = names.iter().map(|(_, covered)| *covered).collect();
    let exact = scene.each_entity(|_, entity| {
        scene.asked.identifiers.get(entity.name.as_ref()).copied().unwrap_or(0.0)
    });
    let word = scene.each_entity(|_, entity| {
        scene.asked.words.get(&entity.name.to_lowercase()).copied().unwrap_or(0.0)
    });
    let signature = scene.each_entity(|_, entity| text_overlap(scene, entity.signature));
    let doc = scene.each_entity(|_, entity| entity.doc.map_or(0.0, |doc| text_overlap(scene, doc)));
    let of_parent = |values: &[f32]| {
        scene.each(|unit| {
            let parent = scene.entity(unit).and_then(|entity| entity.parent);
            parent.map_or(0.0, |at| values[at.get()])
        })
    };
    let path = scene.path.to_lowercase();
    let in_path = scene.each_entity(|_, entity| {
        f32::from(entity.name.len() > 3 && path.contains(&entity.name.to_lowercase()))
    });
    let told = scene.each_entity(|at, _| {
        scene.parsed.ancestry(at).map(|(at, _)| asked[at.get()]).fold(0.0, f32::max)
    });
    vec![
        scene.of_entity(&asked, 0.0),
        scene.of_entity(&covered, 0.0),
        scene.of_entity(&exact, 0.0),
        scene.of_entity(&word, 0.0),
        scene.of_entity(&signature, 0.0),
        scene.of_entity(&doc, 0.0),
        of_parent(&asked),
        of_parent(&covered),
        scene.of_entity(&relative(&asked), 0.0),
        scene.of_entity(&relative(&signature), 0.0),
        scene.of_entity(&in_path, 0.0),
        scene.of_entity(&told, 0.0),
    ]
}

fn text_overlap(scene: &Scene<'_>, lines: LineRange) -> f32 {
    let rows = rows_of(lines);
    let mut terms: Vec<usize> = scene
        .counted
        .get(rows.start..rows.end.min(scene.rows.len()))
        .into_iter()
        .flatten()
        .flat_map(|row| row.asked.iter().copied())
        .collect();
    terms.sort_unstable();
    terms.dedup();
    let most = scene.idf.iter().copied().fold(1e-6, f32::max);
    terms.iter().map(|term| scene.idf[*term]).sum::<f32>() / most
}
