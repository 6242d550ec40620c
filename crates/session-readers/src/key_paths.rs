//! The key paths at the start of a stream. The stream may end anywhere, so it is scanned and not
//! parsed.

use std::collections::{HashMap, HashSet};

/// Maximum nesting depth whose keys are recorded.
const DEPTH_MAX: usize = 6;

/// Maximum length of a recorded text, in bytes.
const TEXT_BYTES_MAX: usize = 64;

/// Maximum number of different texts that are recorded for one path.
const TEXTS_MAX: usize = 32;

/// Maximum number of recorded paths.
const PATHS_MAX: usize = 1 << 14;

/// The keys of one document as paths, such as `messages[].role`.
#[derive(Default)]
pub(crate) struct KeyPaths {
    keys: HashSet<String>,
    /// The short texts of each path, in order of appearance.
    texts: HashMap<String, Vec<String>>,
    /// Whether the document ends within the examined bytes.
    pub(crate) is_complete: bool,
    /// Whether no more bytes of the document will be examined.
    pub(crate) is_exhausted: bool,
    /// Whether the stream is a list of documents.
    pub(crate) is_listed: bool,
}

impl KeyPaths {
    /// Returns whether the key exists.
    pub(crate) fn has_key(&self, key: &str) -> bool {
        self.keys.contains(key)
    }

    /// Returns whether one of the keys exists.
    pub(crate) fn has_any_key(&self, keys: &[&str]) -> bool {
        keys.iter().any(|key| self.has_key(key))
    }

    /// Returns whether all of the keys exist.
    pub(crate) fn has_all_keys(&self, keys: &[&str]) -> bool {
        keys.iter().all(|key| self.has_key(key))
    }

    /// Returns whether the key has one of these texts.
    pub(crate) fn has_text(&self, key: &str, texts: &[&str]) -> bool {
        self.texts.get(key).is_some_and(|own| own.iter().any(|text| texts.contains(&text.as_str())))
    }

    /// Returns the first short text of the key.
    pub(crate) fn short_text(&self, key: &str) -> Option<&str> {
        self.texts.get(key)?.first().map(String::as_str)
    }

    /// Returns whether `text` is the first text of the key.
    pub(crate) fn first_text_equals(&self, key: &str, text: &str) -> bool {
        self.short_text(key) == Some(text)
    }

    /// Returns whether a list in the document holds objects.
    pub(crate) fn has_object_list(&self) -> bool {
        self.keys.iter().any(|key| key.contains("[]."))
    }

    /// Returns whether the text of the key starts with `start`.
    pub(crate) fn text_starts_with(&self, key: &str, start: &str) -> bool {
        self.short_text(key).is_some_and(|text| text.starts_with(start))
    }

    /// Records a key if there is room. Returns whether it is recorded.
    fn insert_key(&mut self, path: &str) -> bool {
        self.keys.contains(path)
            || (self.keys.len() < PATHS_MAX && self.keys.insert(path.to_owned()))
    }

    fn insert_text(&mut self, path: String, text: String) {
        let texts = self.texts.entry(path).or_default();
        if texts.len() < TEXTS_MAX && !texts.contains(&text) {
            texts.push(text);
        }
    }
}

/// Scans the keys of the next document, up to the end of `bytes`. Returns them and the bytes behind
/// the document; `None` if there is no further document. `is_long` means that no more bytes will
/// be examined.
pub(crate) fn scan_key_paths(bytes: &[u8], is_long: bool) -> Option<(KeyPaths, &[u8])> {
    let start = bytes.iter().position(|byte| *byte == b'{')?;
    let mut scanner = KeyPathScanner { bytes, at: start, head: KeyPaths::default() };
    let after = scanner.scan_document();
    scanner.head.is_exhausted = scanner.head.is_complete || is_long;
    Some((scanner.head, &bytes[after..]))
}

struct KeyPathScanner<'a> {
    bytes: &'a [u8],
    at: usize,
    head: KeyPaths,
}

impl KeyPathScanner<'_> {
    /// Scans the document at `at`. Returns the position behind it.
    fn scan_document(&mut self) -> usize {
        // The path of each open bracket: `messages` inside of the object, `messages[]` inside of
        // the list.
        let mut open: Vec<(u8, String)> = Vec::new();
        let mut key: Option<String> = None;
        while let Some(byte) = self.bytes.get(self.at).copied() {
            self.at += 1;
            match byte {
                b'"' => {
                    let Some(text) = self.scan_string() else { return self.at };
                    let is_key = self.next_is_colon();
                    let path = open.last().map_or("", |(_, path)| path.as_str());
                    if open.len() > DEPTH_MAX {
                        continue;
                    }
                    if is_key && matches!(open.last(), Some((b'{', _))) {
                        let path = join_path(path, &text);
                        key = self.head.insert_key(&path).then_some(path);
                    } else if let Some(key) = key.take()
                        && text.len() <= TEXT_BYTES_MAX
                    {
                        self.head.insert_text(key, text);
                    }
                }
                b'{' | b'[' => {
                    let parent = open.last().map_or("", |(_, path)| path.as_str());
                    // Below the depth limit paths do not grow.
                    let path = if open.len() > DEPTH_MAX {
                        String::new()
                    } else {
                        key.take().unwrap_or_else(|| parent.to_owned())
                    };
                    open.push((byte, if byte == b'[' { path + "[]" } else { path }));
                    key = None;
                }
                b'}' | b']' => {
                    open.pop();
                    key = None;
                    if open.is_empty() {
                        self.head.is_complete = true;
                        return self.at;
                    }
                }
                b',' => key = None,
                _ => {}
            }
        }
        self.at
    }

    /// Returns the text behind the opening quote just read; `None` if it does not end on its line.
    fn scan_string(&mut self) -> Option<String> {
        let start = self.at;
        while let Some(byte) = self.bytes.get(self.at).copied() {
            self.at += 1;
            match byte {
                b'\\' => self.at += 1,
                b'"' => {
                    let text = &self.bytes[start..self.at - 1];
                    let shown = &text[..text.len().min(TEXT_BYTES_MAX + 1)];
                    return Some(String::from_utf8_lossy(shown).into_owned());
                }
                b'\n' => return None,
                _ => {}
            }
        }
        self.at = self.bytes.len();
        None
    }

    fn next_is_colon(&self) -> bool {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        rest.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b':')
    }
}

fn join_path(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}
