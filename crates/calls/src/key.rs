//! What a call is compared by, worked out once when it is asked.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use foveal_effects::{
    ArgumentNames, CRITICAL, INTENT, READ_NAMES, ReadTarget, SimilarityRule, Span, is_path_name,
    lines_asked,
};

use crate::similarity::{Declared, Rules, Similarity};

/// A call to be looked up and, when it was carried out, recorded.
#[derive(Debug, Clone)]
pub struct Query {
    pub(crate) tool: Box<str>,
    pub(crate) arguments: Value,
    pub(crate) key: Key,
    pub(crate) is_off: bool,
}

impl Query {
    /// A call of `tool`. Paths in the arguments are the same file if `path_key` gives the same
    /// text for them: the caller knows the working directory, links, and whether the file
    /// system tells letters' case apart. [`resolve`](foveal_effects::path::resolve) is the key
    /// of who knows nothing.
    pub fn new(
        rules: &Rules,
        tool: &str,
        declared: Declared,
        arguments: Value,
        path_key: &dyn Fn(&str) -> String,
    ) -> Self {
        // Some clients keep the arguments as the JSON text the provider sent.
        let arguments = match &arguments {
            Value::String(text) if text.trim_start().starts_with('{') => {
                serde_json::from_str(text).unwrap_or(arguments)
            }
            _ => arguments,
        };
        let key = Key::of(&rules.of(tool, declared), &arguments, path_key);
        Self { tool: tool.into(), arguments, key, is_off: false }
    }

    /// The same call, to be carried out whatever was answered before.
    #[must_use]
    pub fn without_detection(mut self) -> Self {
        self.is_off = true;
        self
    }
}

/// How much of what a call answered an earlier one was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// The same.
    Same,
    /// The earlier call may show more lines than this one asks for.
    Within,
}

/// The first 16 bytes of a blake3 hash: equal ones stand for equal texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Fingerprint([u8; 16]);

impl Fingerprint {
    fn of(bytes: &[u8]) -> Self {
        let mut first = [0; 16];
        first.copy_from_slice(&blake3::hash(bytes).as_bytes()[..16]);
        Self(first)
    }
}

/// What a call is compared by, according to its tool's rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Key {
    Never,
    Same(Fingerprint),
    Lines {
        /// The files by their path keys, and the lines asked of each. Texts with long beginnings
        /// in common, as paths are, would take longer to compare.
        targets: Vec<(Fingerprint, Span)>,
        /// All other arguments.
        rest: Fingerprint,
    },
    /// The arguments by name, ascending.
    Properties(Vec<(Box<str>, Fingerprint)>),
    /// What a custom rule says of the arguments.
    Custom,
}

/// Calls with more properties are compared as a whole.
const PROPERTIES_MAX: usize = 64;

impl Key {
    fn of(similarity: &Similarity, arguments: &Value, path_key: &dyn Fn(&str) -> String) -> Self {
        let rule = match similarity {
            Similarity::Custom(_) => return Key::Custom,
            Similarity::Rule(rule) => *rule,
        };
        let speller = Speller { path_key, strict: false };
        let is_among =
            |names: ArgumentNames, name: &str| names.iter().any(|group| group.contains(&name));
        match rule {
            SimilarityRule::Never => Key::Never,
            SimilarityRule::Exact => Key::Same(Speller { path_key, strict: true }.all(arguments)),
            SimilarityRule::AllBut(names) => {
                Key::Same(speller.some(arguments, |name| !is_among(names, name)))
            }
            SimilarityRule::Only(names) => {
                Key::Same(speller.some(arguments, |name| is_among(names, name)))
            }
            SimilarityRule::Lines => speller.lines(arguments),
            SimilarityRule::Generic => speller.properties(arguments),
        }
    }

    /// Whether a call with this key asks for what one with the `earlier` key answered. Custom
    /// rules are not known here.
    pub(crate) fn asks_for(&self, earlier: &Key, threshold: f64) -> Option<Extent> {
        match (self, earlier) {
            (Key::Same(one), Key::Same(other)) => (one == other).then_some(Extent::Same),
            (Key::Lines { targets, rest }, Key::Lines { targets: earlier, rest: other }) => {
                if rest != other {
                    return None;
                }
                if targets == earlier {
                    return Some(Extent::Same);
                }
                let is_covered = |(path, span): &(Fingerprint, Span)| {
                    earlier.iter().any(|(other, all)| path == other && covers(*all, *span))
                };
                targets.iter().all(is_covered).then_some(Extent::Within)
            }
            (Key::Properties(one), Key::Properties(other)) => {
                are_alike(one, other, threshold).then_some(Extent::Same)
            }
            _ => None,
        }
    }
}

/// Whether all lines of `part` are among those of `all`, whatever the file is.
fn covers(all: Span, part: Span) -> bool {
    match (all, part) {
        (Span::All, part) => part != Span::Unknown,
        (Span::Lines(first, last), Span::Lines(from, to)) => {
            first <= from && (last.is_none() || to.is_some_and(|to| last >= Some(to)))
        }
        // No tool asks for the last lines by their number.
        _ => false,
    }
}

fn are_alike(
    one: &[(Box<str>, Fingerprint)],
    other: &[(Box<str>, Fingerprint)],
    threshold: f64,
) -> bool {
    let (mut equal, mut all) = (0usize, 0usize);
    let (mut critical_equal, mut critical) = (0usize, 0usize);
    let (mut at, mut at_other) = (0, 0);
    loop {
        let (own, theirs) = (one.get(at), other.get(at_other));
        // The lists are sorted: what only one of them has comes first there.
        let name = match (own, theirs) {
            (Some((own, _)), Some((theirs, _))) => own.min(theirs),
            (Some((name, _)), None) | (None, Some((name, _))) => name,
            (None, None) => break,
        };
        let value = own.filter(|(own, _)| own == name).map(|(_, value)| value);
        let earlier = theirs.filter(|(theirs, _)| theirs == name).map(|(_, value)| value);
        at += usize::from(value.is_some());
        at_other += usize::from(earlier.is_some());
        let is_equal = value == earlier;
        let is_critical = CRITICAL.contains(&&**name);
        all += 1;
        equal += usize::from(is_equal);
        critical += usize::from(is_critical);
        critical_equal += usize::from(is_critical && is_equal);
    }
    match critical {
        0 => equal == all || equal as f64 > threshold * all as f64,
        _ => critical_equal == critical,
    }
}

/// Spells arguments as bytes, so that equal ones are spelled the same.
struct Speller<'a> {
    path_key: &'a dyn Fn(&str) -> String,
    /// Whether false, null and absent are three things, and paths are texts.
    strict: bool,
}

impl Speller<'_> {
    fn all(&self, arguments: &Value) -> Fingerprint {
        self.some(arguments, |_| true)
    }

    /// The properties that `counts` names; of what is no object, everything.
    fn some(&self, arguments: &Value, counts: impl Fn(&str) -> bool) -> Fingerprint {
        let mut bytes = Vec::with_capacity(256);
        match arguments {
            Value::Object(properties) => {
                self.spell_properties(
                    properties.iter().filter(|(name, _)| counts(name)),
                    &mut bytes,
                );
            }
            other => self.spell("", other, &mut bytes),
        }
        Fingerprint::of(&bytes)
    }

    fn lines(&self, arguments: &Value) -> Key {
        let Some(reads) = lines_asked(arguments) else { return Key::Same(self.all(arguments)) };
        let is_of_read = |name: &str| READ_NAMES.iter().any(|names| names.contains(&name));
        let rest = self.some(arguments, |name| !is_of_read(name) && !INTENT.contains(&name));
        let target =
            |read: ReadTarget| (Fingerprint::of((self.path_key)(&read.path).as_bytes()), read.span);
        Key::Lines { targets: reads.into_iter().map(target).collect(), rest }
    }

    fn properties(&self, arguments: &Value) -> Key {
        let Value::Object(properties) = arguments else { return Key::Same(self.all(arguments)) };
        if properties.len() > PROPERTIES_MAX {
            return Key::Same(self.all(arguments));
        }
        let mut bytes = Vec::with_capacity(64);
        let mut known: Vec<(Box<str>, Fingerprint)> = Vec::with_capacity(properties.len());
        for (name, value) in properties.iter().filter(|(_, value)| !self.is_absent(value)) {
            bytes.clear();
            self.spell(name, value, &mut bytes);
            known.push((name.as_str().into(), Fingerprint::of(&bytes)));
        }
        known.sort_unstable_by(|one, other| one.0.cmp(&other.0));
        Key::Properties(known)
    }

    fn is_absent(&self, value: &Value) -> bool {
        !self.strict && matches!(value, Value::Null | Value::Bool(false))
    }

    /// Every value begins with what it is, and texts and lists with how long they are, so that
    /// no two are spelled the same.
    fn spell(&self, name: &str, value: &Value, bytes: &mut Vec<u8>) {
        match value {
            Value::Null => bytes.push(b'n'),
            Value::Bool(flag) => bytes.push(if *flag { b't' } else { b'f' }),
            Value::Number(number) => text(b'#', &number.to_string(), bytes),
            Value::String(path) if !self.strict && is_path_name(name) => {
                text(b'p', &(self.path_key)(path), bytes);
            }
            Value::String(other) => text(b's', other, bytes),
            Value::Array(items) => {
                bytes.push(b'[');
                bytes.extend((items.len() as u64).to_le_bytes());
                for item in items {
                    self.spell(name, item, bytes);
                }
            }
            Value::Object(properties) => self.spell_properties(properties.iter(), bytes),
        }
    }

    fn spell_properties<'v>(
        &self,
        properties: impl Iterator<Item = (&'v String, &'v Value)>,
        bytes: &mut Vec<u8>,
    ) {
        let mut sorted: Vec<_> = properties.filter(|(_, value)| !self.is_absent(value)).collect();
        sorted.sort_unstable_by_key(|(name, _)| *name);
        bytes.push(b'{');
        bytes.extend((sorted.len() as u64).to_le_bytes());
        for (name, value) in sorted {
            text(b's', name, bytes);
            self.spell(name, value, bytes);
        }
    }
}

fn text(kind: u8, text: &str, bytes: &mut Vec<u8>) {
    bytes.push(kind);
    bytes.extend((text.len() as u64).to_le_bytes());
    bytes.extend(text.as_bytes());
}

/// Bytes of text in a value, names included.
pub(crate) fn bytes_of(value: &Value) -> usize {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => 8,
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(bytes_of).sum(),
        Value::Object(properties) => {
            properties.iter().map(|(name, value)| name.len() + bytes_of(value)).sum()
        }
    }
}
