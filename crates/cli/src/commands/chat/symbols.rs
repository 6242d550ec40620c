//! Functions and types of the folder, as far as its index knows them. No index is made for them.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use foveal_chat::Candidate;
use foveal_code::EntityKind;
use foveal_index::definitions;

use crate::environment::Environment;
use crate::repository_index;

/// Definitions that are read.
const DEFINITIONS_MAX: usize = 300_000;

/// How long what was read is good for.
const READ_TIME: Duration = Duration::from_secs(20);

/// Letters from which on functions and types are looked for.
const LETTERS_MIN: usize = 2;

/// A function or type.
#[derive(Debug)]
pub(super) struct Symbol {
    path: String,
    line: u32,
    name: String,
    name_in_small: String,
    /// What it is, and its name with those of what it is in.
    about: String,
}

impl Symbol {
    pub(super) fn new(path: &str, line: u32, name: &str, kind: &str, qualified: &str) -> Self {
        Self {
            path: path.to_owned(),
            line,
            name: name.to_owned(),
            name_in_small: name.to_lowercase(),
            about: format!("{kind} {qualified}"),
        }
    }

    /// How well it fits a word in small letters, 0 the best, and how long it is; `None`: not at all.
    pub(super) fn rank(&self, word: &str) -> Option<(u8, usize)> {
        let name = &self.name_in_small;
        let rank = if name == word {
            0
        } else if name.starts_with(word) {
            1
        } else if name.contains(word) {
            2
        } else {
            return None;
        };
        Some((rank, name.len()))
    }

    /// What is put in place of the word: where it stands, as tools take it, and its name.
    pub(super) fn candidate(&self) -> Candidate {
        let Self { path, line, name, .. } = self;
        let text = match path.contains(' ') {
            true => format!("`{path}:{line}` {name} "),
            false => format!("@{path}:{line} {name} "),
        };
        Candidate { text, about: self.about.clone() }
    }
}

/// The functions and types of a folder.
pub(super) struct Symbols {
    /// Files that may hold an index, with what its paths begin with for files of the folder.
    places: Vec<(PathBuf, String)>,
    read: Option<Instant>,
    all: Vec<Symbol>,
}

impl Symbols {
    /// Those of a folder: by an index of its own, or of the working copy that it is in.
    pub(super) fn of(folder: &Path, environment: &Environment) -> Self {
        let top = repository_index::working_copy(folder);
        let below = folder.strip_prefix(&top).ok().and_then(Path::to_str).unwrap_or_default();
        let begin = if below.is_empty() { String::new() } else { format!("{below}/") };
        let roots = [(folder, String::new()), (&top, begin)];
        let place = |(root, begin)| {
            let (_, store) = repository_index::place(Some(root), environment).ok()?;
            Some((store, begin))
        };
        Self { places: roots.into_iter().filter_map(place).collect(), read: None, all: Vec::new() }
    }

    /// Whether they have to be read before they are told.
    pub(super) fn is_stale(&self) -> bool {
        self.read.is_none_or(|read| read.elapsed() > READ_TIME)
    }

    /// All of them; read where that is long ago. Where there is no index there are none.
    pub(super) fn all(&mut self) -> &[Symbol] {
        if self.is_stale() {
            let found = self.places.iter().find_map(|(store, begin)| read(store, begin));
            self.all = found.unwrap_or_default();
            self.read = Some(Instant::now());
        }
        &self.all
    }
}

/// Whether functions and types are looked for by a word.
pub(super) fn is_asked(word: &str) -> bool {
    !word.contains('/') && word.chars().count() >= LETTERS_MIN
}

/// Those of an index; `None` where there is none, or it cannot be read.
fn read(store: &Path, begin: &str) -> Option<Vec<Symbol>> {
    let files = definitions(store, DEFINITIONS_MAX).ok()??;
    let mut all = Vec::new();
    for file in &files {
        let Some(path) = file.path.strip_prefix(begin) else { continue };
        for it in file.definitions.iter().filter(|it| is_offered(it.kind)) {
            let line = it.signature.first.0;
            all.push(Symbol::new(path, line, &it.name, it.kind.name(), &it.qualified_name));
        }
    }
    Some(all)
}

fn is_offered(kind: EntityKind) -> bool {
    match kind {
        EntityKind::Function
        | EntityKind::Method
        | EntityKind::Type
        | EntityKind::Trait
        | EntityKind::Enum => true,
        EntityKind::Module
        | EntityKind::Imports
        | EntityKind::Impl
        | EntityKind::Constant
        | EntityKind::Field
        | EntityKind::Test
        | EntityKind::Section
        | EntityKind::Key => false,
    }
}
