//! Functions and types of the folder from an existing index. Completion never creates an index.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use foveal_index::read_definitions;
use foveal_syntax::EntityKind;
use foveal_tui::CompletionCandidate;

use crate::environment::Environment;
use crate::repository_index;

/// Definitions that are read from the index.
const DEFINITIONS_MAX: usize = 300_000;

/// The time after which the symbols are read again.
const SYMBOLS_LIFETIME: Duration = Duration::from_secs(20);

/// Characters of the shortest word that symbols are searched for.
const QUERY_CHARS_MIN: usize = 2;

/// A function or type.
#[derive(Debug)]
pub(super) struct CompletionSymbol {
    path: String,
    line: u32,
    name: String,
    lowercase_name: String,
    /// Its kind and qualified name.
    description: String,
}

impl CompletionSymbol {
    pub(super) fn new(path: &str, line: u32, name: &str, kind: &str, qualified: &str) -> Self {
        Self {
            path: path.to_owned(),
            line,
            name: name.to_owned(),
            lowercase_name: name.to_lowercase(),
            description: format!("{kind} {qualified}"),
        }
    }

    /// Returns the rank for a lowercase word, 0 for the best match, and the length of the name, or
    /// `None` without a match.
    pub(super) fn match_rank(&self, word: &str) -> Option<(u8, usize)> {
        let name = &self.lowercase_name;
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

    /// Returns the completion: the location in the form that tools accept, and the name.
    pub(super) fn to_candidate(&self) -> CompletionCandidate {
        let Self { path, line, name, .. } = self;
        let text = match path.contains(' ') {
            true => format!("`{path}:{line}` {name} "),
            false => format!("@{path}:{line} {name} "),
        };
        CompletionCandidate { replacement: text, description: self.description.clone() }
    }
}

/// The functions and types of a folder, read from its index when needed.
pub(super) struct CompletionSymbols {
    /// Paths of indexes that may exist, each with the prefix that its paths have for files of the
    /// folder.
    index_paths: Vec<(PathBuf, String)>,
    last_read: Option<Instant>,
    symbols: Vec<CompletionSymbol>,
}

impl CompletionSymbols {
    /// Returns the symbols of a folder, from its own index or that of its working copy. Reads
    /// nothing yet.
    pub(super) fn for_folder(folder: &Path, environment: &Environment) -> Self {
        let top = repository_index::working_copy_root(folder);
        let below = folder.strip_prefix(&top).ok().and_then(Path::to_str).unwrap_or_default();
        let begin = if below.is_empty() { String::new() } else { format!("{below}/") };
        let roots = [(folder, String::new()), (&top, begin)];
        let place = |(root, begin)| {
            let (_, store) = repository_index::locate_index(Some(root), environment).ok()?;
            Some((store, begin))
        };
        Self {
            index_paths: roots.into_iter().filter_map(place).collect(),
            last_read: None,
            symbols: Vec::new(),
        }
    }

    /// Returns whether the next access reads the index.
    pub(super) fn is_stale(&self) -> bool {
        self.last_read.is_none_or(|read| read.elapsed() > SYMBOLS_LIFETIME)
    }

    /// Returns all symbols, after reading them again if they are stale. Empty without an index.
    pub(super) fn refreshed_symbols(&mut self) -> &[CompletionSymbol] {
        if self.is_stale() {
            let found =
                self.index_paths.iter().find_map(|(store, begin)| read_symbols(store, begin));
            self.symbols = found.unwrap_or_default();
            self.last_read = Some(Instant::now());
        }
        &self.symbols
    }
}

/// Returns whether a word is completed with symbols.
pub(super) fn is_symbol_query(word: &str) -> bool {
    !word.contains('/') && word.chars().count() >= QUERY_CHARS_MIN
}

/// Returns the symbols of an index, without the prefix in their paths; `None` if there is no
/// readable index.
fn read_symbols(store: &Path, begin: &str) -> Option<Vec<CompletionSymbol>> {
    let files = read_definitions(store, DEFINITIONS_MAX).ok()??;
    let mut all = Vec::new();
    for file in &files {
        let Some(path) = file.path.strip_prefix(begin) else { continue };
        for it in file.definitions.iter().filter(|it| is_offered(it.kind)) {
            let line = it.signature.first.0;
            all.push(CompletionSymbol::new(
                path,
                line,
                &it.name,
                it.kind.name(),
                &it.qualified_name,
            ));
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
