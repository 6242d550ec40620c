//! What of a file, and which names anywhere, a conversation touched.

use std::collections::HashSet;

use crate::curate::{Question, SourceFile, Voice};
use crate::entity::{EntityIndex, EntityKind};

/// Letters that a word has at least to be taken for a name.
const NAME_LETTERS_MIN: usize = 3;

/// Names and places that a conversation told.
pub(super) struct Touched<'q> {
    names: HashSet<&'q str>,
    /// For every entity of the file.
    entities: Vec<bool>,
}

impl<'q> Touched<'q> {
    /// What `question` touches of `file`: what users and the model named, also in the
    /// arguments of its calls, and the innermost entities of lines told by number. What
    /// results say is no sign of interest.
    pub(super) fn of(file: &SourceFile<'_>, question: &'q Question) -> Self {
        let said = question.phrases.iter().filter(|phrase| phrase.voice != Voice::Result);
        let words = said
            .flat_map(|phrase| phrase.text.split(|c: char| !(c.is_alphanumeric() || c == '_')))
            .filter(|word| word.chars().nth(NAME_LETTERS_MIN - 1).is_some());
        let mut touched = Self { names: words.collect(), entities: Vec::new() };
        let named = |(_, entity): (EntityIndex, &crate::Entity)| {
            entity.kind != EntityKind::Imports && touched.names.contains(&*entity.name)
        };
        let mut entities: Vec<bool> = file.parsed.indexed().map(named).collect();
        for told in question.told.iter().filter(|told| told.may_be_of(file.path)) {
            if let Some(at) = file.parsed.innermost(told.line) {
                entities[at.get()] = true;
            }
        }
        touched.entities = entities;
        touched
    }

    /// Whether the entity at `at` was touched.
    pub(super) fn entity(&self, at: EntityIndex) -> bool {
        self.entities.get(at.get()).copied().unwrap_or_default()
    }

    /// Whether something called `name` was named.
    pub(super) fn name(&self, name: &str) -> bool {
        self.names.contains(name)
    }
}
