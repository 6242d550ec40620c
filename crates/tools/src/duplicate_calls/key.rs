//! The key by which calls are compared, computed once per call.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use foveal_tool_effects::{
    ArgumentNames, INTENT_NAMES, READ_ARGUMENT_NAMES, ReadSpan, ReadTarget, SimilarityRule,
    is_path_name, requested_lines,
};

use super::similarity::{Similarity, SimilarityRules};

/// A call to look up and, if it is carried out, to record.
#[derive(Debug, Clone)]
pub struct CallQuery {
    pub(crate) tool: Box<str>,
    pub(crate) arguments: Value,
    pub(crate) key: ComparisonKey,
    pub(crate) is_off: bool,
}

impl CallQuery {
    /// Creates the query of a call of `tool`. Two paths in the arguments are the same file if
    /// `path_key` returns the same text for them: the caller knows the working directory, links,
    /// and whether the file system is case-sensitive. Callers without this knowledge use
    /// [`resolve`](foveal_tool_effects::path::resolve).
    pub fn new(
        rules: &SimilarityRules,
        tool: &str,
        arguments: Value,
        path_key: &dyn Fn(&str) -> String,
    ) -> Self {
        // Some clients keep the arguments as the JSON text of the provider.
        let arguments = match &arguments {
            Value::String(text) if text.trim_start().starts_with('{') => {
                serde_json::from_str(text).unwrap_or(arguments)
            }
            _ => arguments,
        };
        let key = ComparisonKey::new(&rules.rule_for(tool), &arguments, path_key);
        Self { tool: tool.into(), arguments, key, is_off: false }
    }

    /// Returns the query with detection disabled: the call is carried out whatever was answered
    /// before.
    #[must_use]
    pub fn without_detection(mut self) -> Self {
        self.is_off = true;
        self
    }
}

/// The extent to which an earlier call covers a new one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatchExtent {
    /// Both ask for the same.
    Same,
    /// The earlier call may show more lines than this one asks for.
    Within,
}

/// The first 16 bytes of a blake3 hash. Equal hashes mean equal texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ArgumentHash([u8; 16]);

impl ArgumentHash {
    fn from_bytes(bytes: &[u8]) -> Self {
        let mut first = [0; 16];
        first.copy_from_slice(&blake3::hash(bytes).as_bytes()[..16]);
        Self(first)
    }
}

/// The key of a call, according to its tool's rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum ComparisonKey {
    Never,
    Same(ArgumentHash),
    Lines {
        /// The path keys of the files, hashed, and the lines requested of each. Hashes compare
        /// faster than paths, which share long prefixes.
        targets: Vec<(ArgumentHash, ReadSpan)>,
        /// All other arguments.
        rest: ArgumentHash,
    },
    /// A custom rule compares the arguments.
    Custom,
}

impl ComparisonKey {
    fn new(similarity: &Similarity, arguments: &Value, path_key: &dyn Fn(&str) -> String) -> Self {
        let rule = match similarity {
            Similarity::Custom(_) => return ComparisonKey::Custom,
            Similarity::Rule(rule) => *rule,
        };
        let speller = ArgumentEncoder { path_key, strict: false };
        let is_among =
            |names: ArgumentNames, name: &str| names.iter().any(|group| group.contains(&name));
        match rule {
            SimilarityRule::Never => ComparisonKey::Never,
            SimilarityRule::Exact => {
                ComparisonKey::Same(ArgumentEncoder { path_key, strict: true }.hash_all(arguments))
            }
            SimilarityRule::AllBut(names) => {
                ComparisonKey::Same(speller.hash_selected(arguments, |name| !is_among(names, name)))
            }
            SimilarityRule::Only(names) => {
                ComparisonKey::Same(speller.hash_selected(arguments, |name| is_among(names, name)))
            }
            SimilarityRule::Lines => speller.read_lines_key(arguments),
        }
    }

    /// Returns the extent to which the call with the `earlier` key answers this one. Does not
    /// handle custom rules.
    pub(crate) fn match_earlier(&self, earlier: &ComparisonKey) -> Option<MatchExtent> {
        match (self, earlier) {
            (ComparisonKey::Same(one), ComparisonKey::Same(other)) => {
                (one == other).then_some(MatchExtent::Same)
            }
            (
                ComparisonKey::Lines { targets, rest },
                ComparisonKey::Lines { targets: earlier, rest: other },
            ) => {
                if rest != other {
                    return None;
                }
                if targets == earlier {
                    return Some(MatchExtent::Same);
                }
                let is_covered = |(path, span): &(ArgumentHash, ReadSpan)| {
                    earlier.iter().any(|(other, all)| path == other && covers_span(*all, *span))
                };
                targets.iter().all(is_covered).then_some(MatchExtent::Within)
            }
            _ => None,
        }
    }
}

/// Returns whether all lines of `part` are among those of `all`, whatever the file.
fn covers_span(all: ReadSpan, part: ReadSpan) -> bool {
    match (all, part) {
        (ReadSpan::All, part) => part != ReadSpan::Unknown,
        (ReadSpan::Lines(first, last), ReadSpan::Lines(from, to)) => {
            first <= from && (last.is_none() || to.is_some_and(|to| last >= Some(to)))
        }
        // No tool asks for the last lines by number.
        _ => false,
    }
}

/// Encodes arguments as bytes, so that equal ones have equal encodings.
struct ArgumentEncoder<'a> {
    path_key: &'a dyn Fn(&str) -> String,
    /// Whether false, null and absent differ, and paths are plain texts.
    strict: bool,
}

impl ArgumentEncoder<'_> {
    fn hash_all(&self, arguments: &Value) -> ArgumentHash {
        self.hash_selected(arguments, |_| true)
    }

    /// Hashes the properties that `counts` selects, or the whole value if it is not an object.
    fn hash_selected(&self, arguments: &Value, counts: impl Fn(&str) -> bool) -> ArgumentHash {
        let mut bytes = Vec::with_capacity(256);
        match arguments {
            Value::Object(properties) => {
                self.encode_properties(
                    properties.iter().filter(|(name, _)| counts(name)),
                    &mut bytes,
                );
            }
            other => self.encode_value("", other, &mut bytes),
        }
        ArgumentHash::from_bytes(&bytes)
    }

    fn read_lines_key(&self, arguments: &Value) -> ComparisonKey {
        let Some(reads) = requested_lines(arguments) else {
            return ComparisonKey::Same(self.hash_all(arguments));
        };
        let is_of_read = |name: &str| READ_ARGUMENT_NAMES.iter().any(|names| names.contains(&name));
        let rest = self
            .hash_selected(arguments, |name| !is_of_read(name) && !INTENT_NAMES.contains(&name));
        let target = |read: ReadTarget| {
            (ArgumentHash::from_bytes((self.path_key)(&read.path).as_bytes()), read.span)
        };
        ComparisonKey::Lines { targets: reads.into_iter().map(target).collect(), rest }
    }

    fn is_absent(&self, value: &Value) -> bool {
        !self.strict && matches!(value, Value::Null | Value::Bool(false))
    }

    /// Appends a value. Each value begins with its type, and texts and lists with their length, so
    /// that no two values share an encoding.
    fn encode_value(&self, name: &str, value: &Value, bytes: &mut Vec<u8>) {
        match value {
            Value::Null => bytes.push(b'n'),
            Value::Bool(flag) => bytes.push(if *flag { b't' } else { b'f' }),
            Value::Number(number) => encode_text(b'#', &number.to_string(), bytes),
            Value::String(path) if !self.strict && is_path_name(name) => {
                encode_text(b'p', &(self.path_key)(path), bytes);
            }
            Value::String(other) => encode_text(b's', other, bytes),
            Value::Array(items) => {
                bytes.push(b'[');
                bytes.extend((items.len() as u64).to_le_bytes());
                for item in items {
                    self.encode_value(name, item, bytes);
                }
            }
            Value::Object(properties) => self.encode_properties(properties.iter(), bytes),
        }
    }

    fn encode_properties<'v>(
        &self,
        properties: impl Iterator<Item = (&'v String, &'v Value)>,
        bytes: &mut Vec<u8>,
    ) {
        let mut sorted: Vec<_> = properties.filter(|(_, value)| !self.is_absent(value)).collect();
        sorted.sort_unstable_by_key(|(name, _)| *name);
        bytes.push(b'{');
        bytes.extend((sorted.len() as u64).to_le_bytes());
        for (name, value) in sorted {
            encode_text(b's', name, bytes);
            self.encode_value(name, value, bytes);
        }
    }
}

fn encode_text(kind: u8, text: &str, bytes: &mut Vec<u8>) {
    bytes.push(kind);
    bytes.extend((text.len() as u64).to_le_bytes());
    bytes.extend(text.as_bytes());
}

/// Returns the bytes of text in a value, including names.
pub(crate) fn text_byte_count(value: &Value) -> usize {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => 8,
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(text_byte_count).sum(),
        Value::Object(properties) => {
            properties.iter().map(|(name, value)| name.len() + text_byte_count(value)).sum()
        }
    }
}
