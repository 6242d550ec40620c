//! A bounded cache of parsed files.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use foveal_engine::views::LineSelection;
use foveal_pricing::tokens::{Tokenizer, Tokens};
use foveal_syntax::{EntityKind, Mention, ParsedFile, parse_file};
use foveal_transcript::ContentHash;

use crate::curation::SourceFile;
use crate::relations::Relations;
use crate::summary::file_relations;

/// A parsed file with its relations and its last summary, independent of the query.
#[derive(Debug)]
pub(crate) struct CachedFile {
    parsed: ParsedFile,
    relations: OnceLock<Relations>,
    is_compact: bool,
    /// The last summary and its inputs.
    last_summary: Mutex<Option<(SummaryInputs, Option<LineSelection>)>>,
}

/// All inputs of a summary beside the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SummaryInputs {
    /// The token limit and the tokenizer that counts.
    pub(crate) tokens: Tokens,
    pub(crate) tokenizer: Tokenizer,
    /// The entities that the conversation touched, and the related names that it mentions.
    pub(crate) touched: Vec<bool>,
    pub(crate) named: Vec<bool>,
}

impl CachedFile {
    /// Parses the file at `path` with the content `text`.
    pub(crate) fn parse(path: &str, text: &str) -> Self {
        Self {
            parsed: parse_file(path, text),
            relations: OnceLock::new(),
            is_compact: false,
            last_summary: Mutex::default(),
        }
    }

    /// Returns the last summary if its inputs equal `asked`, else the result of `make`.
    pub(crate) fn get_or_build_summary(
        &self,
        asked: SummaryInputs,
        make: impl FnOnce() -> Option<LineSelection>,
    ) -> Option<LineSelection> {
        if let Some(view) = self.cached_summary(&asked) {
            return view;
        }
        let view = make();
        *self.lock_summary() = Some((asked, view.clone()));
        view
    }

    /// Returns the last summary if its inputs equal `asked`.
    pub(crate) fn cached_summary(&self, asked: &SummaryInputs) -> Option<Option<LineSelection>> {
        self.lock_summary().as_ref().filter(|(of, _)| of == asked).map(|(_, view)| view.clone())
    }

    fn lock_summary(&self) -> MutexGuard<'_, Option<(SummaryInputs, Option<LineSelection>)>> {
        self.last_summary.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns whether this is a [compact](Self::to_compact) copy.
    pub(crate) fn is_compact(&self) -> bool {
        self.is_compact
    }

    /// Returns whether the relations are computed.
    pub(crate) fn has_relations(&self) -> bool {
        self.relations.get().is_some()
    }

    pub(crate) fn parsed(&self) -> &ParsedFile {
        &self.parsed
    }

    /// Returns a copy, with relations, that uses as little memory as views need. `path` and `text`
    /// must be those of the file.
    ///
    /// Mentioned names take most of the memory. Once the relations are computed, only names that
    /// the file itself defines are needed: a curated view uses no others.
    pub(crate) fn to_compact(&self, path: &str, text: &str) -> Self {
        let relations = self.relations(path, || text).clone();
        let ParsedFile { language, class, line_count, doc, broken, cut, .. } = self.parsed;
        let ParsedFile { entities, blocks, seams, mentions, imports, .. } = &self.parsed;
        let is_meant = |kind| !matches!(kind, EntityKind::Imports | EntityKind::Section);
        let own: HashSet<&str> =
            entities.iter().filter(|it| is_meant(it.kind)).map(|it| &*it.name).collect();
        let mentions = mentions.iter().filter(|it| own.contains(&*it.name));
        let mentions = mentions.map(|it| Mention { qualifier: None, ..it.clone() });
        // Cloned vectors have no spare capacity; a collected one may have.
        let mut mentions: Vec<Mention> = mentions.collect();
        mentions.shrink_to_fit();
        let (entities, blocks, imports) = (entities.clone(), blocks.clone(), imports.clone());
        let seams = seams.clone();
        let parsed = ParsedFile {
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
            is_compact: true,
            last_summary: Mutex::default(),
        }
    }

    /// Returns the relations inside the file. `path` and `text` must be those of the file.
    pub(crate) fn relations<'t>(&self, path: &str, text: impl FnOnce() -> &'t str) -> &Relations {
        let parsed = &self.parsed;
        self.relations
            .get_or_init(|| file_relations(&SourceFile { path, text: text(), parsed }, &[]))
    }
}

/// A least-recently-used cache of parsed files by path and text.
#[derive(Debug, Default)]
pub(crate) struct ParsedFileCache {
    files: HashMap<ContentHash, CachedFileSlot>,
    access_count: u64,
    bytes: usize,
    bytes_max: usize,
}

#[derive(Debug)]
struct CachedFileSlot {
    file: Arc<CachedFile>,
    bytes: usize,
    last_access: u64,
}

impl ParsedFileCache {
    /// Creates a cache for files whose texts have at most `bytes_max` bytes together.
    pub(crate) fn new(bytes_max: usize) -> Self {
        Self { bytes_max, ..Self::default() }
    }

    /// Returns the cache key of a file whose text has this identity and number of bytes; `None` if
    /// the file does not fit the cache.
    pub(crate) fn cache_key(
        &self,
        path: &str,
        identity: ContentHash,
        bytes: usize,
    ) -> Option<ContentHash> {
        (bytes <= self.bytes_max && self.bytes_max > 0)
            .then(|| ContentHash::from_segments([identity.as_bytes(), path.as_bytes()]))
    }

    pub(crate) fn get(&mut self, key: ContentHash) -> Option<Arc<CachedFile>> {
        self.access_count += 1;
        let known = self.files.get_mut(&key)?;
        known.last_access = self.access_count;
        Some(Arc::clone(&known.file))
    }

    /// Adds a file whose text has `bytes` bytes and evicts the least recently used ones over the
    /// limit.
    pub(crate) fn insert(&mut self, key: ContentHash, file: Arc<CachedFile>, bytes: usize) {
        self.access_count += 1;
        let before =
            self.files.insert(key, CachedFileSlot { file, bytes, last_access: self.access_count });
        self.bytes = self.bytes + bytes - before.map_or(0, |before| before.bytes);
        while self.bytes > self.bytes_max {
            let Some(oldest) = self.least_recently_used() else { break };
            self.bytes -= self.files.remove(&oldest).map_or(0, |gone| gone.bytes);
        }
    }

    /// Returns the number of cached files.
    pub(crate) fn len(&self) -> usize {
        self.files.len()
    }

    fn least_recently_used(&self) -> Option<ContentHash> {
        let oldest = self.files.iter().min_by_key(|(_, known)| known.last_access);
        oldest.map(|(key, _)| *key)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use foveal_transcript::ContentHash;

    use super::{CachedFile, ParsedFileCache};
    use crate::curation::{CurationQuery, Curator, SourceFile};

    fn key(files: &ParsedFileCache, path: &str, text: &str) -> Option<ContentHash> {
        files.cache_key(path, ContentHash::from_content(text.as_bytes()), text.len())
    }

    #[test]
    fn a_lean_file_says_to_views_what_a_whole_one_says() {
        let curator = Curator::built_in();
        for (path, text) in [
            ("views.rs", include_str!("curated_view_source.rs")),
            ("graph.rs", include_str!("curation/signal/mention_graph.rs")),
        ] {
            let whole = CachedFile::parse(path, text);
            let lean = whole.to_compact(path, text);
            assert!(lean.parsed.mentions.len() * 2 < whole.parsed.mentions.len(), "{path}");
            assert!(!lean.parsed.mentions.is_empty(), "{path}");
            assert_eq!(lean.relations(path, || text), whole.relations(path, || text));
            for asked in ["which files are remembered", "names of gaps", "spread over edges"] {
                let question = CurationQuery::from_text(asked);
                let columns = |parsed| {
                    curator.signal_table(&SourceFile { path, text, parsed }, &question).columns
                };
                assert_eq!(columns(&lean.parsed), columns(&whole.parsed), "{path}: {asked}");
            }
        }
    }

    #[test]
    fn the_files_asked_about_longest_ago_go_first() {
        let mut files = ParsedFileCache::new(10);
        let texts = ["aaaa", "bbbb", "cccc"];
        let keys = texts.map(|text| key(&files, "a.rs", text).expect("a key"));
        let file = |at: usize| Arc::new(CachedFile::parse("a.rs", texts[at]));
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
        let mut files = ParsedFileCache::new(10);
        let key = key(&files, "a.rs", "aaaa").expect("a key");
        for _ in 0..5 {
            files.insert(key, Arc::new(CachedFile::parse("a.rs", "aaaa")), 4);
        }
        assert_eq!((files.bytes, files.len()), (4, 1));
    }

    #[test]
    fn files_are_told_apart_by_path_and_text() {
        let files = ParsedFileCache::new(10);
        let keys = [("a.rs", "b"), ("a.py", "b"), ("a.rs", "c")];
        let mut keys: Vec<_> = keys.iter().map(|(path, text)| key(&files, path, text)).collect();
        keys.sort();
        keys.dedup();
        assert_eq!(keys.len(), 3);
        assert!(key(&files, "a.rs", "more than ten").is_none());
        assert!(key(&ParsedFileCache::default(), "a.rs", "").is_none(), "nothing is remembered");
    }
}
