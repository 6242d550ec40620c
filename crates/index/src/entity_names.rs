//! The names and kinds of a file's chunks, for the structural score.
//!
//! Derived from the stored symbols when a file is loaded, and kept as hashes, so that the store
//! needs no further data.

use std::ops::Range;

use foveal_relevance::FileRole;
use foveal_relevance::relations::{Definition, FileSymbols};
use foveal_relevance::terms::{is_stop_word, stem, visit_words};
use foveal_syntax::EntityKind;

use crate::chunker::Chunk;
use crate::text_terms::TermHash;

/// The length of the common prefix from which on two words are related, such as `auth` and
/// `authorization`.
const PREFIX_LETTERS: usize = 4;

/// The number of entities of a chunk that are used.
const ENTITIES_MAX: usize = 16;

/// File names that say nothing about the content; the folder name is used instead.
const PLAIN_NAMES: &[&str] = &["__init__", "index", "lib", "main", "mod"];

/// Folder names that say nothing about the content.
const PLAIN_FOLDERS: &[&str] = &["lib", "src"];

/// A word of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NameToken {
    /// The hash of the stem.
    pub(crate) stem: TermHash,
    /// The hash of the stem's prefix, or `None` if the stem is shorter.
    pub(crate) prefix: Option<TermHash>,
}

impl NameToken {
    /// Creates the word with this stem.
    pub(crate) fn from_stem(stem: &str) -> Self {
        let start = stem.char_indices().nth(PREFIX_LETTERS - 1);
        let prefix = start.map(|(at, last)| TermHash::from_term(&stem[..at + last.len_utf8()]));
        Self { stem: TermHash::from_term(stem), prefix }
    }
}

/// An entity of a chunk.
#[derive(Debug, Clone)]
pub(crate) struct NamedEntity {
    pub(crate) kind: EntityKind,
    /// Whether a function is more than a declaration.
    pub(crate) has_body: bool,
    /// Whether the entity is a test or in one.
    pub(crate) in_tests: bool,
    /// The number of its lines within the chunk.
    pub(crate) lines: u32,
    words: Range<u32>,
    /// The words of the enclosing names.
    enclosing: Range<u32>,
}

/// The names of one file.
#[derive(Debug, Clone)]
pub(crate) struct FileNames {
    words: Vec<NameToken>,
    entities: Vec<NamedEntity>,
    /// The end of each chunk's entities.
    ends: Vec<u32>,
    file: Vec<NameToken>,
    pub(crate) role: FileRole,
}

impl FileNames {
    /// Collects the names in `symbols` by `chunks`, both of the file at `path`. Without symbols
    /// only the path counts.
    pub(crate) fn from_symbols(
        path: &str,
        symbols: Option<&FileSymbols>,
        chunks: &[Chunk],
    ) -> Self {
        let file = words_of_path(path);
        let mut names = Self {
            words: Vec::new(),
            entities: Vec::new(),
            ends: Vec::new(),
            file,
            role: FileRole::from_path(path),
        };
        let definitions = symbols.map_or(&[][..], |symbols| &symbols.definitions);
        for chunk in chunks {
            for at in chunk.entities.iter().take(ENTITIES_MAX) {
                if let Some(of) = definitions.get(at.as_usize()) {
                    names.add_entity(of, chunk, definitions);
                }
            }
            names.ends.push(u32::try_from(names.entities.len()).unwrap_or(u32::MAX));
        }
        names
    }

    fn add_entity(&mut self, of: &Definition, chunk: &Chunk, definitions: &[Definition]) {
        let before = of.qualified_name.len().saturating_sub(of.name.len());
        let around = of.qualified_name.get(..before).unwrap_or_default();
        let first = of.lines.first.max(chunk.lines.first);
        let last = of.lines.last.min(chunk.lines.last);
        let named = NamedEntity {
            kind: of.kind,
            has_body: of.has_body,
            in_tests: is_in_tests(of, definitions),
            lines: (last.0 + 1).saturating_sub(first.0),
            words: self.add_words(&of.name),
            enclosing: self.add_words(around),
        };
        self.entities.push(named);
    }

    fn add_words(&mut self, name: &str) -> Range<u32> {
        let count = |words: &[NameToken]| u32::try_from(words.len()).unwrap_or(u32::MAX);
        let start = count(&self.words);
        push_words(name, &mut self.words);
        start..count(&self.words)
    }

    /// Returns the entities that begin or continue in a chunk.
    pub(crate) fn entities_in_chunk(&self, part: usize) -> &[NamedEntity] {
        let start = part.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.entities[start as usize..self.ends[part] as usize]
    }

    /// Returns the words of an entity's own name.
    pub(crate) fn entity_words(&self, of: &NamedEntity) -> &[NameToken] {
        &self.words[of.words.start as usize..of.words.end as usize]
    }

    /// Returns the words of the names that enclose an entity.
    pub(crate) fn enclosing_words(&self, of: &NamedEntity) -> &[NameToken] {
        &self.words[of.enclosing.start as usize..of.enclosing.end as usize]
    }

    /// Returns the words of the file's name.
    pub(crate) fn file_name_words(&self) -> &[NameToken] {
        &self.file
    }
}

fn push_words(name: &str, words: &mut Vec<NameToken>) {
    visit_words(name, |word| {
        if !is_stop_word(word) {
            words.push(NameToken::from_stem(&stem(word)));
        }
    });
}

/// Returns the words of a file's name without its extension, or of its folder if the name says
/// nothing.
fn words_of_path(path: &str) -> Vec<NameToken> {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = name.split('.').find(|part| !part.is_empty()).unwrap_or(name);
    let mut words = Vec::new();
    if PLAIN_NAMES.contains(&stem) {
        let telling = folders.rsplit('/').find(|folder| !PLAIN_FOLDERS.contains(folder));
        push_words(telling.unwrap_or(stem), &mut words);
    } else {
        push_words(stem, &mut words);
    }
    words
}

/// Returns whether the definition is a test, or in a module or class of tests.
fn is_in_tests(of: &Definition, definitions: &[Definition]) -> bool {
    let is_test = |one: &Definition| {
        one.kind == EntityKind::Test
            || one.kind == EntityKind::Module && matches!(&*one.name, "test" | "tests")
    };
    let parent = |one: &Definition| one.parent.and_then(|at| definitions.get(at.as_usize()));
    // A parent precedes its members, so the loop ends.
    std::iter::successors(Some(of), |one| parent(one)).any(is_test)
}
