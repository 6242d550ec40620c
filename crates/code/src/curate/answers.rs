//! Functions whose name or documentation meets the question: they are shown whole.

use super::asked::Asked;
use super::scene::Scene;
use crate::entity::EntityIndex;

/// Functions that are taken for an answer at most.
const ANSWERS_MAX: usize = 3;
/// The share of what the task's words weigh, 0 to 1, that a name and its documentation hold.
const SHARE_MIN: f32 = 0.5;
/// How many of the task's words these are at least.
const TERMS_MIN: usize = 2;
/// The least weight of a name that the question writes as the code does, and its least length.
const NAME_WEIGHT_MIN: f32 = 0.9;
const NAME_BYTES_MIN: usize = 4;

/// The functions that meet the question best, the best first.
pub(crate) fn answers(scene: &Scene<'_>) -> Vec<EntityIndex> {
    let asked = &scene.asked;
    let weights = || scene.alike.1.iter().zip(&asked.in_task).filter(|(_, in_task)| **in_task);
    let all: f32 = weights().map(|(weight, _)| *weight).sum();
    let mut found: Vec<(f32, EntityIndex)> = Vec::new();
    for (at, entity) in scene.parsed.indexed() {
        if !entity.kind.is_function() {
            continue;
        }
        let mut terms = scene.alike_in(&entity.name);
        terms.extend(scene.alike_in_doc(entity));
        terms.retain(|term| asked.in_task[*term]);
        terms.sort_unstable();
        terms.dedup();
        let weight: f32 = terms.iter().map(|term| scene.alike.1[*term]).sum();
        let meets = terms.len() >= TERMS_MIN && weight >= SHARE_MIN * all;
        let named = is_named(asked, &entity.name);
        if meets || named {
            found.push((weight + if named { all } else { 0.0 }, at));
        }
    }
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    found.into_iter().take(ANSWERS_MAX).map(|(_, at)| at).collect()
}

fn is_named(asked: &Asked, name: &str) -> bool {
    let weight = asked.identifiers.get(name).copied().unwrap_or(0.0);
    name.len() >= NAME_BYTES_MIN && weight >= NAME_WEIGHT_MIN
}
