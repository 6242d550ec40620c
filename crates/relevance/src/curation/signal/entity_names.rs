//! The signal of the query's words in names, signatures and documentation of entities.

use super::RelevanceSignal;
use crate::curation::curation_input::{CurationInput, relative_to_max};
use crate::curation::unit::line_rows;
use foveal_syntax::LineRange;

pub(super) const SIGNAL: RelevanceSignal = RelevanceSignal {
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
    reason_column: Some(8),
    compute: compute_columns,
};

fn compute_columns(scene: &CurationInput<'_>) -> Vec<Vec<f32>> {
    let names: Vec<(f32, f32)> =
        scene.parsed.entities.iter().map(|entity| scene.query_overlap(&entity.name)).collect();
    let asked: Vec<f32> = names.iter().map(|(asked, _)| *asked).collect();
    let covered: Vec<f32> = names.iter().map(|(_, covered)| *covered).collect();
    let exact = scene.map_entities(|_, entity| {
        scene.query_terms.identifiers.get(entity.name.as_ref()).copied().unwrap_or(0.0)
    });
    let word = scene.map_entities(|_, entity| {
        scene.query_terms.words.get(&entity.name.to_lowercase()).copied().unwrap_or(0.0)
    });
    let signature = scene.map_entities(|_, entity| text_overlap(scene, entity.signature));
    let doc =
        scene.map_entities(|_, entity| entity.doc.map_or(0.0, |doc| text_overlap(scene, doc)));
    let of_parent = |values: &[f32]| {
        scene.map_units(|unit| {
            let parent = scene.unit_entity(unit).and_then(|entity| entity.parent);
            parent.map_or(0.0, |at| values[at.as_usize()])
        })
    };
    let path = scene.path.to_lowercase();
    let in_path = scene.map_entities(|_, entity| {
        f32::from(entity.name.len() > 3 && path.contains(&entity.name.to_lowercase()))
    });
    let told = scene.map_entities(|at, _| {
        scene.parsed.ancestry(at).map(|(at, _)| asked[at.as_usize()]).fold(0.0, f32::max)
    });
    vec![
        scene.units_from_entities(&asked, 0.0),
        scene.units_from_entities(&covered, 0.0),
        scene.units_from_entities(&exact, 0.0),
        scene.units_from_entities(&word, 0.0),
        scene.units_from_entities(&signature, 0.0),
        scene.units_from_entities(&doc, 0.0),
        of_parent(&asked),
        of_parent(&covered),
        scene.units_from_entities(&relative_to_max(&asked), 0.0),
        scene.units_from_entities(&relative_to_max(&signature), 0.0),
        scene.units_from_entities(&in_path, 0.0),
        scene.units_from_entities(&told, 0.0),
    ]
}

fn text_overlap(scene: &CurationInput<'_>, lines: LineRange) -> f32 {
    let rows = line_rows(lines);
    let mut terms: Vec<usize> = scene
        .row_terms
        .get(rows.start..rows.end.min(scene.rows.len()))
        .into_iter()
        .flatten()
        .flat_map(|row| row.term_numbers.iter().copied())
        .collect();
    terms.sort_unstable();
    terms.dedup();
    let most = scene.idf.iter().copied().fold(1e-6, f32::max);
    terms.iter().map(|term| scene.idf[*term]).sum::<f32>() / most
}
