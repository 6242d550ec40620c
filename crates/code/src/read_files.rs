//! What files consist of that were read, remembered within bounds.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use foveal_transcript::ContentHash;

use crate::curate::SourceFile;
use crate::entity::Parsed;
use crate::parse::parse;
use crate::relations::Relations;
use crate::summary::relations_of;

/// What a file consists of, whoever asks about it.
#[derive(Debug)]
pub(crate) struct ReadFile {
    parsed: Parsed,
    relations: OnceLock<Relations>,
}

impl ReadFile {
    /// The file at `path` that holds `text`.
    pub(crate) fn of(path: &str, text: &str) -> Self {
        Self { parsed: parse(path, text), relations: OnceLock::new() }
    }

    pub(crate) fn parsed(&self) -> &Parsed {
        &self.parsed
    }

    /// The relations of the file to itself. Path and text are those that it is of.
    pub(crate) fn relations(&self, path: &str, text: &str) -> &Relations {
        let file = SourceFile { path, text, parsed: &self.parsed };
        self.relations.get_or_init(|| relations_of(&file, &[]))
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

    /// What a file is remembered by; `None` where it is not to be.
    pub(crate) fn key(&self, path: &str, text: &str) -> Option<ContentHash> {
        (text.len() <= self.bytes_max && self.bytes_max > 0).then(|| {
            let mut both = ContentHash::of(path.as_bytes()).as_bytes().to_vec();
            both.extend_from_slice(ContentHash::of(text.as_bytes()).as_bytes());
            ContentHash::of(&both)
        })
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

    use super::{ReadFile, ReadFiles};

    #[test]
    fn the_files_asked_about_longest_ago_go_first() {
        let mut files = ReadFiles::new(10);
        let texts = ["aaaa", "bbbb", "cccc"];
        let keys = texts.map(|text| files.key("a.rs", text).expect("a key"));
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
        let key = files.key("a.rs", "aaaa").expect("a key");
        for _ in 0..5 {
            files.insert(key, Arc::new(ReadFile::of("a.rs", "aaaa")), 4);
        }
        assert_eq!((files.bytes, files.len()), (4, 1));
    }

    #[test]
    fn files_are_told_apart_by_path_and_text() {
        let files = ReadFiles::new(10);
        let keys = [("a.rs", "b"), ("a.py", "b"), ("a.rs", "c")];
        let mut keys: Vec<_> = keys.iter().map(|(path, text)| files.key(path, text)).collect();
        keys.sort();
        keys.dedup();
        assert_eq!(keys.len(), 3);
        assert!(files.key("a.rs", "more than ten").is_none());
        assert!(ReadFiles::default().key("a.rs", "").is_none(), "nothing is remembered");
    }
}
