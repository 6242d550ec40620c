//! The input of a curation, computed once for a file and a query.

use super::doc_examples::mark_example_rows;
use super::query::CurationQuery;
use super::query_terms::{QueryTerms, words_with_offsets};
use super::unit::{CurationUnit, divide_into_units, line_rows};
use crate::bm25::inverse_document_frequency;
use crate::embedding::{StaticModel, Vector};
use crate::terms::{is_stop_word, stem, visit_words};
use foveal_syntax::{Entity, EntityIndex, ParsedFile};

/// A parsed file.
#[derive(Debug, Clone, Copy)]
pub struct SourceFile<'a> {
    /// The path.
    pub path: &'a str,
    /// The text.
    pub text: &'a str,
    /// The result of [`parse_file`](foveal_syntax::parse_file) for this path and text.
    pub parsed: &'a ParsedFile,
}

/// The query terms in some text, and the number of all its terms.
#[derive(Debug, Clone, Default)]
pub(crate) struct TermCounts {
    /// The numbers of query terms, with repetitions.
    pub(crate) term_numbers: Vec<usize>,
    /// The number of all terms.
    pub(crate) term_count: usize,
}

/// The file, the query, and the features that signals and selection share. Rows are lines counted
/// from 0.
pub(crate) struct CurationInput<'a> {
    pub(crate) path: &'a str,
    pub(crate) parsed: &'a ParsedFile,
    pub(crate) question: &'a CurationQuery,
    pub(crate) rows: Vec<&'a str>,
    pub(crate) units: Vec<CurationUnit>,
    /// Whether each row is part of an example in documentation.
    pub(crate) is_example: Vec<bool>,
    /// The unit of each row.
    pub(crate) unit_of: Vec<usize>,
    pub(crate) query_terms: QueryTerms,
    /// The terms of each row.
    pub(crate) row_terms: Vec<TermCounts>,
    /// The weight of each query term; terms rare in the file count more.
    pub(crate) idf: Vec<f32>,
    /// Terms and weights that include prefix matches, such as `auth` for `authorization`.
    pub(crate) prefix_matches: (Vec<TermCounts>, Vec<f32>),
    /// The normalised embedding of each row; 0 for rows without known words.
    pub(crate) row_vectors: Vec<Vector>,
    /// The embeddings of the whole query and of its task.
    pub(crate) query_vectors: (Vector, Vector),
}

impl<'a> CurationInput<'a> {
    pub(crate) fn new(
        file: &SourceFile<'a>,
        question: &'a CurationQuery,
        model: &'a StaticModel,
    ) -> Self {
        let rows: Vec<&str> = file.text.lines().collect();
        let units = divide_into_units(file.parsed, &rows);
        let query_terms = QueryTerms::from_query(question);
        let (row_terms, alike): (Vec<TermCounts>, Vec<TermCounts>) =
            rows.iter().map(|row| count_terms(row, &query_terms)).unzip();
        let mut unit_of = vec![0; rows.len()];
        for (at, unit) in units.iter().enumerate() {
            unit_of[unit.rows()].fill(at);
        }
        let alike_idf = term_weights(&units, &alike, &query_terms);
        let prefix_matches = (alike, alike_idf);
        let idf = term_weights(&units, &row_terms, &query_terms);
        let row_vectors = rows.iter().map(|row| model.embed_text(row)).collect();
        let is_example = mark_example_rows(file.parsed, &rows, &query_terms);
        let query_vectors =
            (model.embed_text(&query_terms.text), model.embed_text(&query_terms.task));
        let (path, parsed) = (file.path, file.parsed);
        Self {
            path,
            parsed,
            question,
            rows,
            units,
            is_example,
            unit_of,
            query_terms,
            row_terms,
            idf,
            prefix_matches,
            row_vectors,
            query_vectors,
        }
    }

    /// Returns the innermost entity of a unit.
    pub(crate) fn unit_entity(&self, unit: &CurationUnit) -> Option<&'a Entity> {
        unit.entity.and_then(|at| self.parsed.entity(at))
    }

    /// Returns the parent of a unit's innermost entity.
    pub(crate) fn unit_entity_parent(&self, unit: &CurationUnit) -> Option<&'a Entity> {
        self.unit_entity(unit)?.parent.and_then(|at| self.parsed.entity(at))
    }

    /// Returns for every unit the value of its entity, or `outside` for units without one.
    pub(crate) fn units_from_entities(&self, values: &[f32], outside: f32) -> Vec<f32> {
        self.map_units(|unit| unit.entity.map_or(outside, |at| values[at.as_usize()]))
    }

    /// Computes a value for every unit.
    pub(crate) fn map_units(&self, value: impl FnMut(&CurationUnit) -> f32) -> Vec<f32> {
        self.units.iter().map(value).collect()
    }

    /// Computes a value for every entity.
    pub(crate) fn map_entities(
        &self,
        mut value: impl FnMut(EntityIndex, &Entity) -> f32,
    ) -> Vec<f32> {
        self.parsed.indexed_entities().map(|(at, entity)| value(at, entity)).collect()
    }

    /// Returns the rows of an entity, within the file.
    pub(crate) fn entity_rows(&self, entity: &Entity) -> std::ops::Range<usize> {
        let rows = line_rows(entity.lines);
        rows.start.min(self.rows.len())..rows.end.min(self.rows.len())
    }

    /// Returns the query terms in a text, with prefix matches and repetitions.
    pub(crate) fn terms_in_text(&self, text: &str) -> Vec<usize> {
        count_terms(text, &self.query_terms).1.term_numbers
    }

    /// Returns the query terms in the documentation of an entity, with prefix matches and
    /// repetitions.
    pub(crate) fn terms_in_doc(
        &self,
        entity: &Entity,
    ) -> impl Iterator<Item = usize> + use<'_, 'a> {
        let counted = &self.prefix_matches.0;
        let rows = entity.doc.map(line_rows);
        let rows = rows.and_then(|rows| counted.get(rows.start..rows.end.min(counted.len())));
        rows.into_iter().flatten().flat_map(|row| &row.term_numbers).copied()
    }

    /// Returns the weight of the query terms in `text`, relative to the heaviest query term, and
    /// the share of the terms of `text` that are query terms.
    pub(crate) fn query_overlap(&self, text: &str) -> (f32, f32) {
        let (counted, _) = count_terms(text, &self.query_terms);
        let mut terms = counted.term_numbers.clone();
        terms.sort_unstable();
        terms.dedup();
        let weight: f32 = terms.iter().map(|term| self.idf[*term]).sum();
        let all: f32 = self.idf.iter().copied().fold(0.0, f32::max);
        let share = if all > 0.0 { weight / all } else { 0.0 };
        (share, counted.term_numbers.len() as f32 / counted.term_count.max(1) as f32)
    }
}

/// Counts the terms of a text: exact matches, and prefix matches as well.
fn count_terms(text: &str, asked: &QueryTerms) -> (TermCounts, TermCounts) {
    let (mut exact, mut alike) = (TermCounts::default(), TermCounts::default());
    visit_words(text, |word| {
        if is_stop_word(word) {
            return;
        }
        exact.term_count += 1;
        let stem = stem(word);
        let term = asked.terms.get(&stem).copied();
        exact.term_numbers.extend(term);
        alike.term_numbers.extend(term.or_else(|| asked.find_prefix_match(&stem)));
    });
    alike.term_count = exact.term_count;
    (exact, alike)
}

fn term_weights(units: &[CurationUnit], counted: &[TermCounts], asked: &QueryTerms) -> Vec<f32> {
    let mut having = vec![0; asked.weights.len()];
    let mut last = vec![usize::MAX; asked.weights.len()];
    for (at, unit) in units.iter().enumerate() {
        for term in counted[unit.rows()].iter().flat_map(|row| &row.term_numbers) {
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

/// Divides `values` by their maximum; all are 0 where none is positive.
pub(crate) fn relative_to_max(values: &[f32]) -> Vec<f32> {
    let most = values.iter().copied().fold(0.0, f32::max);
    values.iter().map(|value| if most > 0.0 { (value / most).max(0.0) } else { 0.0 }).collect()
}

/// Returns for each value the share of values that are greater; 0 for the best.
pub(crate) fn rank_shares(values: &[f32]) -> Vec<f32> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f32::total_cmp);
    let count = values.len().max(1) as f32;
    let above = |value: f32| values.len() - sorted.partition_point(|other| *other <= value);
    values.iter().map(|value| above(*value) as f32 / count).collect()
}

/// Returns the words of a row, as identifiers.
pub(crate) fn row_identifiers(row: &str) -> impl Iterator<Item = &str> {
    words_with_offsets(row).map(|(_, word)| word)
}
