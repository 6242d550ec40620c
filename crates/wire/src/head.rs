//! The keys at the start of a stream. It may end anywhere, so it is not parsed: its keys are
//! listed by path as far as they go.

use std::collections::{HashMap, HashSet};

/// Deepest nesting whose keys are listed.
const DEPTH_MAX: usize = 6;

/// Longest text that is listed with its key, in bytes.
const TEXT_BYTES_MAX: usize = 64;

/// The keys of one document by path, such as `messages[].role`.
#[derive(Default)]
pub(crate) struct Head {
    keys: HashSet<String>,
    /// `path=text` for short texts.
    texts: HashSet<String>,
    /// The first short text of each path.
    firsts: HashMap<String, String>,
    /// Whether the document ends within the bytes that were looked at.
    pub(crate) complete: bool,
    /// Whether as much of it was seen as will be.
    pub(crate) is_all: bool,
}

impl Head {
    /// Whether there is this key.
    pub(crate) fn has(&self, key: &str) -> bool {
        self.keys.contains(key)
    }

    /// Whether there is one of these keys.
    pub(crate) fn any(&self, keys: &[&str]) -> bool {
        keys.iter().any(|key| self.has(key))
    }

    /// Whether there are all of these keys.
    pub(crate) fn all(&self, keys: &[&str]) -> bool {
        keys.iter().all(|key| self.has(key))
    }

    /// Whether this key has one of these texts.
    pub(crate) fn is(&self, key: &str, texts: &[&str]) -> bool {
        texts.iter().any(|text| self.texts.contains(&format!("{key}={text}")))
    }

    /// The text of this key, if it is short.
    pub(crate) fn text(&self, key: &str) -> Option<&str> {
        let start = format!("{key}=");
        self.texts.iter().find_map(|text| text.strip_prefix(&start))
    }

    /// Whether the first of this key's texts is this one.
    pub(crate) fn is_first(&self, key: &str, text: &str) -> bool {
        self.firsts.get(key).is_some_and(|first| first == text)
    }

    /// Whether the text of this key starts so.
    pub(crate) fn starts(&self, key: &str, start: &str) -> bool {
        self.text(key).is_some_and(|text| text.starts_with(start))
    }
}

/// Lists the keys of the next document, up to where the bytes end, and returns what comes
/// after it. `None` where there is no further document. `is_long` says that no more bytes will
/// be looked at.
pub(crate) fn scan(bytes: &[u8], is_long: bool) -> Option<(Head, &[u8])> {
    let start = bytes.iter().position(|byte| *byte == b'{')?;
    let mut scanner = Scanner { bytes, at: start, head: Head::default() };
    let after = scanner.document();
    scanner.head.is_all = scanner.head.complete || is_long;
    Some((scanner.head, &bytes[after..]))
}

struct Scanner<'a> {
    bytes: &'a [u8],
    at: usize,
    head: Head,
}

impl Scanner<'_> {
    /// Reads the document at `at`; returns where the next may start.
    fn document(&mut self) -> usize {
        // The path of each open bracket: `messages` while in its object, `messages[]` in
        // its list.
        let mut open: Vec<(u8, String)> = Vec::new();
        let mut key: Option<String> = None;
        while let Some(byte) = self.bytes.get(self.at).copied() {
            self.at += 1;
            match byte {
                b'"' => {
                    let Some(text) = self.text() else { return self.at };
                    let is_key = self.next_is_colon();
                    let path = open.last().map_or("", |(_, path)| path.as_str());
                    if open.len() > DEPTH_MAX {
                        continue;
                    }
                    if is_key && matches!(open.last(), Some((b'{', _))) {
                        let path = join(path, &text);
                        self.head.keys.insert(path.clone());
                        key = Some(path);
                    } else if let Some(key) = key.take()
                        && text.len() <= TEXT_BYTES_MAX
                    {
                        self.head.texts.insert(format!("{key}={text}"));
                        self.head.firsts.entry(key).or_insert(text);
                    }
                }
                b'{' | b'[' => {
                    let parent = open.last().map_or("", |(_, path)| path.as_str());
                    // Paths stop growing where they are no longer listed.
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
                        self.head.complete = true;
                        return self.at;
                    }
                }
                b',' => key = None,
                _ => {}
            }
        }
        self.at
    }

    /// The text whose opening quote was read; `None` where it does not end on its line.
    fn text(&mut self) -> Option<String> {
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

fn join(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}
