//! Functions whose name or documentation matches the query; they are shown whole.

use super::curation_input::CurationInput;
use super::query_terms::QueryTerms;
use foveal_syntax::EntityIndex;

/// The number of functions that count as answers.
const ANSWERS_MAX: usize = 3;
/// The least share of the weight of the task's terms, 0 to 1, in a name with its documentation.
const TERM_WEIGHT_SHARE_MIN: f32 = 0.5;
/// The least number of the task's terms in a name with its documentation.
const TASK_TERMS_MIN: usize = 2;
/// The least weight and length of a name that the query spells exactly.
const NAME_WEIGHT_MIN: f32 = 0.9;
const NAME_BYTES_MIN: usize = 4;

/// Returns the functions that match the query, the best first.
pub(crate) fn find_answering_functions(scene: &CurationInput<'_>) -> Vec<EntityIndex> {
    let asked = &scene.query_terms;
    let weights =
        || scene.prefix_matches.1.iter().zip(&asked.in_task).filter(|(_, in_task)| **in_task);
    let all: f32 = weights().map(|(weight, _)| *weight).sum();
    let mut found: Vec<(f32, EntityIndex)> = Vec::new();
    for (at, entity) in scene.parsed.indexed_entities() {
        if !entity.kind.is_function() {
            continue;
        }
        let mut terms = scene.terms_in_text(&entity.name);
        terms.extend(scene.terms_in_doc(entity));
        terms.retain(|term| asked.in_task[*term]);
        terms.sort_unstable();
        terms.dedup();
        let weight: f32 = terms.iter().map(|term| scene.prefix_matches.1[*term]).sum();
        let meets = terms.len() >= TASK_TERMS_MIN && weight >= TERM_WEIGHT_SHARE_MIN * all;
        let named = is_named_in_query(asked, &entity.name);
        if meets || named {
            found.push((weight + if named { all } else { 0.0 }, at));
        }
    }
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    found.into_iter().take(ANSWERS_MAX).map(|(_, at)| at).collect()
}

fn is_named_in_query(asked: &QueryTerms, name: &str) -> bool {
    let weight = asked.identifiers.get(name).copied().unwrap_or(0.0);
    name.len() >= NAME_BYTES_MIN && weight >= NAME_WEIGHT_MIN
}
