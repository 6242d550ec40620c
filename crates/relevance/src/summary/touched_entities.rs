//! The entities and names that a conversation touched.

use std::collections::HashSet;

use foveal_syntax::{EntityIndex, EntityKind, ParsedFile};

use crate::curation::{CurationQuery, MentionedLine, PhraseSource};
use crate::relations::Relations;

/// The least number of letters of a word that may be a name.
const NAME_LETTERS_MIN: usize = 3;

/// The words in messages of users and the model, and in arguments of tool calls, that may be names.
/// Results are excluded: they are no sign of interest.
#[derive(Debug)]
pub(crate) struct ConversationNames(HashSet<Box<str>>);

impl ConversationNames {
    /// Collects the names in `question`.
    pub(crate) fn from_query(question: &CurationQuery) -> Self {
        let said = question.phrases.iter().filter(|phrase| phrase.voice != PhraseSource::Result);
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

/// The entities of a file and the names that a conversation touched.
pub(crate) struct TouchedEntities<'q> {
    named: &'q ConversationNames,
    /// Whether each entity of the file was touched.
    entities: Vec<bool>,
}

impl<'q> TouchedEntities<'q> {
    /// Finds the touched entities of the file at `path`: those in `named`, and the innermost
    /// entities at the mentioned lines `told`.
    pub(crate) fn find(
        path: &str,
        parsed: &ParsedFile,
        named: &'q ConversationNames,
        told: &[MentionedLine],
    ) -> Self {
        let is_named = |(_, entity): (EntityIndex, &foveal_syntax::Entity)| {
            entity.kind != EntityKind::Imports && named.0.contains(&*entity.name)
        };
        let mut entities: Vec<bool> = parsed.indexed_entities().map(is_named).collect();
        for told in told.iter().filter(|told| told.may_be_in_file(path)) {
            if let Some(at) = parsed.innermost_entity(told.line) {
                entities[at.as_usize()] = true;
            }
        }
        Self { named, entities }
    }

    /// Returns whether the entity at `at` was touched.
    pub(super) fn is_entity_touched(&self, at: EntityIndex) -> bool {
        self.entities.get(at.as_usize()).copied().unwrap_or_default()
    }

    /// Returns for every entity whether it was touched.
    pub(crate) fn touched_flags(&self) -> &[bool] {
        &self.entities
    }

    /// Returns for every node of `relations` whether the conversation names it.
    pub(crate) fn named_nodes(&self, relations: &Relations) -> Vec<bool> {
        relations.nodes().map(|node| self.is_name_touched(&node.name)).collect()
    }

    /// Returns whether the conversation names `name`.
    pub(super) fn is_name_touched(&self, name: &str) -> bool {
        self.named.0.contains(name)
    }
}
