//! Everything the signals look at, computed once for a file and a question.

use super::asked::{Asked, words};
use super::examples::examples;
use super::question::Question;
use super::unit::{Unit, rows_of, units};
use crate::bm25::inverse_document_frequency;
use crate::embed::{StaticModel, Vector};
use crate::entity::{Entity, EntityIndex, Parsed};
use crate::terms::{for_each_word, is_stop_word, stem};

/// A file that is curated.
#[derive(Debug, Clone, Copy)]
pub struct SourceFile<'a> {
    /// Its path.
    pub path: &'a str,
    /// Its text.
    pub text: &'a str,
    /// What [`parse`](crate::parse) made of the same path and text.
    pub parsed: &'a Parsed,
}

/// The terms of some lines that the question asks for, and how many terms there are in all.
#[derive(Debug, Clone, Default)]
pub(crate) struct Counted {
    /// Numbers of asked terms, with repetitions.
    pub(crate) asked: Vec<usize>,
    /// All terms.
    pub(crate) length: usize,
}

/// What signals see.
pub(crate) struct Scene<'a> {
    pub(crate) path: &'a str,
    pub(crate) parsed: &'a Parsed,
    pub(crate) question: &'a Question,
    pub(crate) rows: Vec<&'a str>,
    pub(crate) units: Vec<Unit>,
    /// Whether each row is of an example in documentation.
    pub(crate) examples: Vec<bool>,
    /// The unit of each row.
    pub(crate) unit_of: Vec<usize>,
    pub(crate) asked: Asked,
    /// Terms of each row.
    pub(crate) counted: Vec<Counted>,
    /// Weight of each asked term: rare in the file counts more.
    pub(crate) idf: Vec<f32>,
    /// Both with words that are asked terms cut short or longer.
    pub(crate) alike: (Vec<Counted>, Vec<f32>),
    /// A direction for each row, a sum's part; rows that say nothing have 0.
    pub(crate) vectors: Vec<Vector>,
    /// Directions of the whole question and of its task.
    pub(crate) meant: (Vector, Vector),
}

impl<'a> Scene<'a> {
    pub(crate) fn of(
        file: &SourceFile<'a>,
        question: &'a Question,
        model: &'a StaticModel,
    ) -> Self {
        let rows: Vec<&str> = file.text.lines().collect();
        let units = units(file.parsed, &rows);
        let asked = Asked::of(question);
        let (counted, alike): (Vec<Counted>, Vec<Counted>) =
            rows.iter().map(|row| count(row, &asked)).unzip();
        let mut unit_of = vec![0; rows.len()];
        for (at, unit) in units.iter().enumerate() {
            unit_of[unit.rows()].fill(at);
        }
        let alike_idf = idf(&units, &alike, &asked);
        let alike = (alike, alike_idf);
        let idf = idf(&units, &counted, &asked);
        let vectors = rows.iter().map(|row| model.vector(row)).collect();
        let examples = examples(file.parsed, &rows, &asked);
        let meant = (model.vector(&asked.text), model.vector(&asked.task));
        let (path, parsed) = (file.path, file.parsed);
        Self {
            path,
            parsed,
            question,
            rows,
            units,
            examples,
            unit_of,
            asked,
            counted,
            idf,
            alike,
            vectors,
            meant,
        }
    }

    /// The entity a unit is in.
    pub(crate) fn entity(&self, unit: &Unit) -> Option<&'a Entity> {
        unit.entity.and_then(|at| self.parsed.entity(at))
    }

    /// The parent of the entity a unit is in.
    pub(crate) fn parent(&self, unit: &Unit) -> Option<&'a Entity> {
        self.entity(unit)?.parent.and_then(|at| self.parsed.entity(at))
    }

    /// A value for every entity, read for every unit; `outside` for units in none.
    pub(crate) fn of_entity(&self, values: &[f32], outside: f32) -> Vec<f32> {
        self.each(|unit| unit.entity.map_or(outside, |at| values[at.get()]))
    }

    /// One value for every unit.
    pub(crate) fn each(&self, value: impl FnMut(&Unit) -> f32) -> Vec<f32> {
        self.units.iter().map(value).collect()
    }

    /// One value for every entity.
    pub(crate) fn each_entity(
        &self,
        mut value: impl FnMut(EntityIndex, &Entity) -> f32,
    ) -> Vec<f32> {
        self.parsed.indexed().map(|(at, entity)| value(at, entity)).collect()
    }

    /// Rows of an entity, within the file.
    pub(crate) fn rows_of(&self, entity: &Entity) -> std::ops::Range<usize> {
        let rows = rows_of(entity.lines);
        rows.start.min(self.rows.len())..rows.end.min(self.rows.len())
    }

    /// The asked terms that a text holds, cut short or longer ones too, with repetitions.
    pub(crate) fn alike_in(&self, text: &str) -> Vec<usize> {
        count(text, &self.asked).1.asked
    }

    /// The same of the documentation of an entity.
    pub(crate) fn alike_in_doc(
        &self,
        entity: &Entity,
    ) -> impl Iterator<Item = usize> + use<'_, 'a> {
        let counted = &self.alike.0;
        let rows = entity.doc.map(rows_of);
        let rows = rows.and_then(|rows| counted.get(rows.start..rows.end.min(counted.len())));
        rows.into_iter().flatten().flat_map(|row| &row.asked).copied()
    }

    /// The share, 0 to 1, of the weight of all asked terms that `text` holds, and of its own
    /// terms the share that is asked.
    pub(crate) fn overlap(&self, text: &str) -> (f32, f32) {
        let (counted, _) = count(text, &self.asked);
        let mut terms = counted.asked.clone();
        terms.sort_unstable();
        terms.dedup();
        let weight: f32 = terms.iter().map(|term| self.idf[*term]).sum();
        let all: f32 = self.idf.iter().copied().fold(0.0, f32::max);
        let share = if all > 0.0 { weight / all } else { 0.0 };
        (share, counted.asked.len() as f32 / counted.length.max(1) as f32)
    }
}

/// The terms of a text: those that are asked, and those that are asked or alike.
fn count(text: &str, asked: &Asked) -> (Counted, Counted) {
    let (mut exact, mut alike) = (Counted::default(), Counted::default());
    for_each_word(text, |word| {
        if is_stop_word(word) {
            return;
        }
        exact.length += 1;
        let stem = stem(word);
        let term = asked.terms.get(&stem).copied();
        exact.asked.extend(term);
        alike.asked.extend(term.or_else(|| asked.alike(&stem)));
    });
    alike.length = exact.length;
    (exact, alike)
}

fn idf(units: &[Unit], counted: &[Counted], asked: &Asked) -> Vec<f32> {
    let mut having = vec![0; asked.weights.len()];
    let mut last = vec![usize::MAX; asked.weights.len()];
    for (at, unit) in units.iter().enumerate() {
        for term in counted[unit.rows()].iter().flat_map(|row| &row.asked) {
            if last[*term] != at {
                last[*term] = at;
                having[*term] += 1;
            }
        }
    }
    let weights = asked.weights.iter().zip(having);
    weights
        .map(|(weight, having)| weight * inverse_document_frequency(units.len(), having))
        .collect()
}

/// `values` divided by their maximum, so that the best is 1; all 0 where none is positive.
pub(crate) fn relative(values: &[f32]) -> Vec<f32> {
    let most = values.iter().copied().fold(0.0, f32::max);
    values.iter().map(|value| if most > 0.0 { (value / most).max(0.0) } else { 0.0 }).collect()
}

/// The share of values that are greater, 0 for the best.
pub(crate) fn rank(values: &[f32]) -> Vec<f32> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f32::total_cmp);
    let count = values.len().max(1) as f32;
    let above = |value: f32| values.len() - sorted.partition_point(|other| *other <= value);
    values.iter().map(|value| above(*value) as f32 / count).collect()
}

/// The words of a row, as identifiers.
pub(crate) fn identifiers(row: &str) -> impl Iterator<Item = &str> {
    words(row).map(|(_, word)| word)
}
