//! What of a file, and which names anywhere, a conversation touched.

use std::collections::HashSet;

use crate::curate::{Question, ToldLine, Voice};
use crate::entity::{EntityIndex, EntityKind, Parsed};
use crate::relations::Relations;

/// Letters that a word has at least to be taken for a name.
const NAME_LETTERS_MIN: usize = 3;

/// The words that may be names in what users and the model said, also in the arguments of its
/// calls. What results say is no sign of interest.
#[derive(Debug)]
pub(crate) struct Named(HashSet<Box<str>>);

impl Named {
    /// Those of `question`.
    pub(crate) fn of(question: &Question) -> Self {
        let said = question.phrases.iter().filter(|phrase| phrase.voice != Voice::Result);
        let words = said
            .flat_map(|phrase| phrase.text.split(|c: char| !(c.is_alphanumeric() || c == '_')))
            .filter(|word| word.chars().nth(NAME_LETTERS_MIN - 1).is_some());
        let mut named = HashSet::new();
        for word in words {
            if !named.contains(word) {
                named.insert(word.into());
            }
        }
        Self(named)
    }
}

/// Names and places that a conversation told.
pub(crate) struct Touched<'q> {
    named: &'q Named,
    /// For every entity of the file.
    entities: Vec<bool>,
}

impl<'q> Touched<'q> {
    /// What was touched of the file at `path` that consists of this: what is `named`, and the
    /// innermost entities of lines `told` by number.
    pub(crate) fn of((path, parsed): (&str, &Parsed), named: &'q Named, told: &[ToldLine]) -> Self {
        let is_named = |(_, entity): (EntityIndex, &crate::Entity)| {
            entity.kind != EntityKind::Imports && named.0.contains(&*entity.name)
        };
        let mut entities: Vec<bool> = parsed.indexed().map(is_named).collect();
        for told in told.iter().filter(|told| told.may_be_of(path)) {
            if let Some(at) = parsed.innermost(told.line) {
                entities[at.get()] = true;
            }
        }
        Self { named, entities }
    }

    /// Whether the entity at `at` was touched.
    pub(super) fn entity(&self, at: EntityIndex) -> bool {
        self.entities.get(at.get()).copied().unwrap_or_default()
    }

    /// Of every entity, whether it was touched.
    pub(crate) fn entities(&self) -> &[bool] {
        &self.entities
    }

    /// Of everything that `relations` are between, whether its name was named.
    pub(crate) fn names_in(&self, relations: &Relations) -> Vec<bool> {
        relations.nodes().map(|node| self.name(&node.name)).collect()
    }

    /// Whether something called `name` was named.
    pub(super) fn name(&self, name: &str) -> bool {
        self.named.0.contains(name)
    }
}
