//! What the parts of a file are called and what they are: what the ranking asks of them
//! beside their words.
//!
//! Made of what is stored of a file when it is loaded, and kept as hashes, so that nothing
//! more is stored.

use std::ops::Range;

use foveal_code::relations::{Definition, FileSymbols};
use foveal_code::terms::{for_each_word, is_stop_word, stem};
use foveal_code::{EntityKind, FileRole};

use crate::chunk::Chunk;
use crate::text_terms::TermHash;

/// Letters that two words share at their start to belong together, such as `auth` and
/// `authorization`.
const START_LETTERS: usize = 4;

/// Entities of a part that are looked at.
const ENTITIES_MAX: usize = 16;

/// Names that say nothing of what is in a file; its folder does.
const PLAIN_NAMES: &[&str] = &["__init__", "index", "lib", "main", "mod"];

/// Folders that say nothing of what is in them.
const PLAIN_FOLDERS: &[&str] = &["lib", "src"];

/// A word of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Word {
    /// Its stem.
    pub(crate) whole: TermHash,
    /// The first letters of the stem; `None` where it has no more of them.
    pub(crate) start: Option<TermHash>,
}

impl Word {
    /// The word with this stem.
    pub(crate) fn of_stem(stem: &str) -> Self {
        let start = stem.char_indices().nth(START_LETTERS - 1);
        let start = start.map(|(at, last)| TermHash::of(&stem[..at + last.len_utf8()]));
        Self { whole: TermHash::of(stem), start }
    }
}

/// An entity of a part.
#[derive(Debug, Clone)]
pub(crate) struct Named {
    pub(crate) kind: EntityKind,
    /// Of functions: whether there is more than a declaration.
    pub(crate) has_body: bool,
    /// Whether it is a test or in one.
    pub(crate) in_tests: bool,
    /// Its lines within the part.
    pub(crate) lines: u32,
    words: Range<u32>,
    /// Words of what it is in.
    around: Range<u32>,
}

/// The names of one file.
#[derive(Debug, Clone)]
pub(crate) struct Names {
    words: Vec<Word>,
    named: Vec<Named>,
    /// Where those of each part end.
    ends: Vec<u32>,
    file: Vec<Word>,
    pub(crate) role: FileRole,
}

impl Names {
    /// The names in `symbols` by `chunks`, which are of the same file at `path`. Without
    /// symbols only what the path tells.
    pub(crate) fn of(path: &str, symbols: Option<&FileSymbols>, chunks: &[Chunk]) -> Self {
        let file = file_words(path);
        let mut names = Self {
            words: Vec::new(),
            named: Vec::new(),
            ends: Vec::new(),
            file,
            role: FileRole::of(path),
        };
        let definitions = symbols.map_or(&[][..], |symbols| &symbols.definitions);
        for chunk in chunks {
            for at in chunk.entities.iter().take(ENTITIES_MAX) {
                if let Some(of) = definitions.get(at.get()) {
                    names.add(of, chunk, definitions);
                }
            }
            names.ends.push(u32::try_from(names.named.len()).unwrap_or(u32::MAX));
        }
        names
    }

    fn add(&mut self, of: &Definition, chunk: &Chunk, definitions: &[Definition]) {
        let before = of.qualified_name.len().saturating_sub(of.name.len());
        let around = of.qualified_name.get(..before).unwrap_or_default();
        let first = of.lines.first.max(chunk.lines.first);
        let last = of.lines.last.min(chunk.lines.last);
        let named = Named {
            kind: of.kind,
            has_body: of.has_body,
            in_tests: is_in_tests(of, definitions),
            lines: (last.0 + 1).saturating_sub(first.0),
            words: self.take(&of.name),
            around: self.take(around),
        };
        self.named.push(named);
    }

    fn take(&mut self, name: &str) -> Range<u32> {
        let count = |words: &[Word]| u32::try_from(words.len()).unwrap_or(u32::MAX);
        let start = count(&self.words);
        push_words(name, &mut self.words);
        start..count(&self.words)
    }

    /// What begins or goes on in a part.
    pub(crate) fn part(&self, part: usize) -> &[Named] {
        let start = part.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.named[start as usize..self.ends[part] as usize]
    }

    /// The words of an entity's own name.
    pub(crate) fn words(&self, of: &Named) -> &[Word] {
        &self.words[of.words.start as usize..of.words.end as usize]
    }

    /// The words of what an entity is in.
    pub(crate) fn around(&self, of: &Named) -> &[Word] {
        &self.words[of.around.start as usize..of.around.end as usize]
    }

    /// The words of the file's name.
    pub(crate) fn file(&self) -> &[Word] {
        &self.file
    }
}

fn push_words(name: &str, words: &mut Vec<Word>) {
    for_each_word(name, |word| {
        if !is_stop_word(word) {
            words.push(Word::of_stem(&stem(word)));
        }
    });
}

/// The words of a file's name without its ending; where that says nothing, of the folder.
fn file_words(path: &str) -> Vec<Word> {
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

/// Whether it is a test, or in a module or class of tests.
fn is_in_tests(of: &Definition, definitions: &[Definition]) -> bool {
    let is_test = |one: &Definition| {
        one.kind == EntityKind::Test
            || one.kind == EntityKind::Module && matches!(&*one.name, "test" | "tests")
    };
    let parent = |one: &Definition| one.parent.and_then(|at| definitions.get(at.get()));
    // A parent stands before what is in it, so this ends.
    std::iter::successors(Some(of), |one| parent(one)).any(is_test)
}
