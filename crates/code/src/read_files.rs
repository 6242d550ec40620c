//! What files consist of that were read, remembered within bounds.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use foveal_context::tokens::{Tokenizer, Tokens};
use foveal_context::views::View;
use foveal_transcript::ContentHash;

use crate::curate::SourceFile;
use crate::entity::{EntityKind, Mention, Parsed};
use crate::parse::parse;
use crate::relations::Relations;
use crate::summary::relations_of;

/// What a file consists of, whoever asks about it.
#[derive(Debug)]
pub(crate) struct ReadFile {
    parsed: Parsed,
    relations: OnceLock<Relations>,
    is_lean: bool,
    /// The summary that was made last, and for whom.
    summary: Mutex<Option<(SummaryFor, Option<View>)>>,
}

/// All that a summary of a file depends on, beside the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SummaryFor {
    /// Tokens that it may take, and how they are counted.
    pub(crate) tokens: Tokens,
    pub(crate) tokenizer: Tokenizer,
    /// Which of its entities the conversation touched, and which names of those that have to do
    /// with them it named.
    pub(crate) touched: Vec<bool>,
    pub(crate) named: Vec<bool>,
}

impl ReadFile {
    /// The file at `path` that holds `text`.
    pub(crate) fn of(path: &str, text: &str) -> Self {
        Self {
            parsed: parse(path, text),
            relations: OnceLock::new(),
            is_lean: false,
            summary: Mutex::default(),
        }
    }

    /// What `make` makes for `asked`, unless that was made last.
    pub(crate) fn summary(
        &self,
        asked: SummaryFor,
        make: impl FnOnce() -> Option<View>,
    ) -> Option<View> {
        if let Some(view) = self.last_summary(&asked) {
            return view;
        }
        let view = make();
        *self.last() = Some((asked, view.clone()));
        view
    }

    /// What was made for `asked`, if that was made last.
    pub(crate) fn last_summary(&self, asked: &SummaryFor) -> Option<Option<View>> {
        self.last().as_ref().filter(|(of, _)| of == asked).map(|(_, view)| view.clone())
    }

    fn last(&self) -> MutexGuard<'_, Option<(SummaryFor, Option<View>)>> {
        self.summary.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether it is known in as little memory as can be.
    pub(crate) fn is_lean(&self) -> bool {
        self.is_lean
    }

    /// Whether its relations are known.
    pub(crate) fn is_related(&self) -> bool {
        self.relations.get().is_some()
    }

    pub(crate) fn parsed(&self) -> &Parsed {
        &self.parsed
    }

    /// The same in as little memory as views of it need, with its relations. Path and text are those
    /// that it is of.
    ///
    /// Names that a file mentions take most of what is known of it, and once its relations are known
    /// only those count that it defines itself: a curated view looks for no others.
    pub(crate) fn lean(&self, path: &str, text: &str) -> Self {
        let relations = self.relations(path, || text).clone();
        let Parsed { language, class, line_count, doc, broken, cut, .. } = self.parsed;
        let Parsed { entities, blocks, seams, mentions, imports, .. } = &self.parsed;
        let is_meant = |kind| !matches!(kind, EntityKind::Imports | EntityKind::Section);
        let own: HashSet<&str> =
            entities.iter().filter(|it| is_meant(it.kind)).map(|it| &*it.name).collect();
        let mentions = mentions.iter().filter(|it| own.contains(&*it.name));
        let mentions = mentions.map(|it| Mention { qualifier: None, ..it.clone() });
        // Copies have no room for more.
        let mut mentions: Vec<Mention> = mentions.collect();
        mentions.shrink_to_fit();
        let (entities, blocks, imports) = (entities.clone(), blocks.clone(), imports.clone());
        let seams = seams.clone();
        let parsed = Parsed {
            language,
            class,
            line_count,
            doc,
            entities,
            blocks,
            seams,
            mentions,
            imports,
            broken,
            cut,
        };
        Self {
            parsed,
            relations: OnceLock::from(relations),
            is_lean: true,
            summary: Mutex::default(),
        }
    }

    /// The relations of the file to itself. Path and text are those that it is of.
    pub(crate) fn relations<'t>(&self, path: &str, text: impl FnOnce() -> &'t str) -> &Relations {
        let parsed = &self.parsed;
        self.relations.get_or_init(|| relations_of(&SourceFile { path, text: text(), parsed }, &[]))
    }
}

/// Files by path and text. The ones asked about longest ago go first.
#[derive(Debug, Default)]
pub(crate) struct ReadFiles {
    files: HashMap<ContentHash, Remembered>,
    asked: u64,
    bytes: usize,
    bytes_max: usize,
}

#[derive(Debug)]
struct Remembered {
    file: Arc<ReadFile>,
    bytes: usize,
    asked: u64,
}

impl ReadFiles {
    /// As many as have texts of `bytes_max` bytes together.
    pub(crate) fn new(bytes_max: usize) -> Self {
        Self { bytes_max, ..Self::default() }
    }

    /// What a file is remembered by, whose text has this identity and so many bytes; `None` where it
    /// is not to be.
    pub(crate) fn key(
        &self,
        path: &str,
        (identity, bytes): (ContentHash, usize),
    ) -> Option<ContentHash> {
        (bytes <= self.bytes_max && self.bytes_max > 0)
            .then(|| ContentHash::of_parts([identity.as_bytes(), path.as_bytes()]))
    }

    pub(crate) fn get(&mut self, key: ContentHash) -> Option<Arc<ReadFile>> {
        self.asked += 1;
        let known = self.files.get_mut(&key)?;
        known.asked = self.asked;
        Some(Arc::clone(&known.file))
    }

    /// Remembers a file whose text has so many bytes.
    pub(crate) fn insert(&mut self, key: ContentHash, file: Arc<ReadFile>, bytes: usize) {
        self.asked += 1;
        let before = self.files.insert(key, Remembered { file, bytes, asked: self.asked });
        self.bytes = self.bytes + bytes - before.map_or(0, |before| before.bytes);
        while self.bytes > self.bytes_max {
            let Some(oldest) = self.oldest() else { break };
            self.bytes -= self.files.remove(&oldest).map_or(0, |gone| gone.bytes);
        }
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.files.len()
    }

    fn oldest(&self) -> Option<ContentHash> {
        let oldest = self.files.iter().min_by_key(|(_, known)| known.asked);
        oldest.map(|(key, _)| *key)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use foveal_transcript::ContentHash;

    use super::{ReadFile, ReadFiles};
    use crate::curate::{Curator, Question, SourceFile};

    fn key(files: &ReadFiles, path: &str, text: &str) -> Option<ContentHash> {
        files.key(path, (ContentHash::of(text.as_bytes()), text.len()))
    }

    #[test]
    fn a_lean_file_says_to_views_what_a_whole_one_says() {
        let curator = Curator::built_in();
        for (path, text) in [
            ("views.rs", include_str!("views.rs")),
            ("graph.rs", include_str!("curate/signal/graph.rs")),
        ] {
            let whole = ReadFile::of(path, text);
            let lean = whole.lean(path, text);
            assert!(lean.parsed.mentions.len() * 2 < whole.parsed.mentions.len(), "{path}");
            assert!(!lean.parsed.mentions.is_empty(), "{path}");
            assert_eq!(lean.relations(path, || text), whole.relations(path, || text));
            for asked in ["which files are remembered", "names of gaps", "spread over edges"] {
                let question = Question::of_text(asked);
                let columns =
                    |parsed| curator.table(&SourceFile { path, text, parsed }, &question).columns;
                assert_eq!(columns(&lean.parsed), columns(&whole.parsed), "{path}: {asked}");
            }
        }
    }

    #[test]
    fn the_files_asked_about_longest_ago_go_first() {
        let mut files = ReadFiles::new(10);
        let texts = ["aaaa", "bbbb", "cccc"];
        let keys = texts.map(|text| key(&files, "a.rs", text).expect("a key"));
        let file = |at: usize| Arc::new(ReadFile::of("a.rs", texts[at]));
        files.insert(keys[0], file(0), 4);
        files.insert(keys[1], file(1), 4);
        assert!(files.get(keys[0]).is_some());
        files.insert(keys[2], file(2), 4);
        assert!(files.get(keys[1]).is_none(), "it was asked about longest ago");
        assert!(files.get(keys[0]).is_some() && files.get(keys[2]).is_some());
        assert_eq!(files.bytes, 8);
    }

    #[test]
    fn one_that_came_again_counts_once() {
        let mut files = ReadFiles::new(10);
        let key = key(&files, "a.rs", "aaaa").expect("a key");
        for _ in 0..5 {
            files.insert(key, Arc::new(ReadFile::of("a.rs", "aaaa")), 4);
        }
        assert_eq!((files.bytes, files.len()), (4, 1));
    }

    #[test]
    fn files_are_told_apart_by_path_and_text() {
        let files = ReadFiles::new(10);
        let keys = [("a.rs", "b"), ("a.py", "b"), ("a.rs", "c")];
        let mut keys: Vec<_> = keys.iter().map(|(path, text)| key(&files, path, text)).collect();
        keys.sort();
        keys.dedup();
        assert_eq!(keys.len(), 3);
        assert!(key(&files, "a.rs", "more than ten").is_none());
        assert!(key(&ReadFiles::default(), "a.rs", "").is_none(), "nothing is remembered");
    }
}
