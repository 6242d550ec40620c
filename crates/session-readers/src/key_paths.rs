//! The key paths at the start of a stream. The stream may end anywhere, so it is scanned and not
//! parsed.

use std::collections::{HashMap, HashSet};

/// Maximum nesting depth whose keys are recorded.
const DEPTH_MAX: usize = 6;

/// Maximum length of a recorded text, in bytes.
const TEXT_BYTES_MAX: usize = 64;

/// The keys of one document as paths, such as `messages[].role`.
#[derive(Default)]
pub(crate) struct KeyPaths {
    keys: HashSet<String>,
    /// `path=text` for short texts.
    texts: HashSet<String>,
    /// The first short text of each path.
    first_texts: HashMap<String, String>,
    /// Whether the document ends within the examined bytes.
    pub(crate) is_complete: bool,
    /// Whether no more bytes of the document will be examined.
    pub(crate) is_exhausted: bool,
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
        texts.iter().any(|text| self.texts.contains(&format!("{key}={text}")))
    }

    /// Returns the text of the key, if it is short.
    pub(crate) fn short_text(&self, key: &str) -> Option<&str> {
        let start = format!("{key}=");
        self.texts.iter().find_map(|text| text.strip_prefix(&start))
    }

    /// Returns whether `text` is the first text of the key.
    pub(crate) fn first_text_equals(&self, key: &str, text: &str) -> bool {
        self.first_texts.get(key).is_some_and(|first| first == text)
    }

    /// Returns whether the text of the key starts with `start`.
    pub(crate) fn text_starts_with(&self, key: &str, start: &str) -> bool {
        self.short_text(key).is_some_and(|text| text.starts_with(start))
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
                        self.head.keys.insert(path.clone());
                        key = Some(path);
                    } else if let Some(key) = key.take()
                        && text.len() <= TEXT_BYTES_MAX
                    {
                        self.head.texts.insert(format!("{key}={text}"));
                        self.head.first_texts.entry(key).or_insert(text);
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
