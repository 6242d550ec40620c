//! Parts of files that answer a question, as they are shown.

use foveal_code::relations::{Definition, FileSymbols};
use foveal_code::synonyms::synonyms;
use foveal_code::terms::terms;
use foveal_code::{EntityIndex, EntityKind, LineRange, Visibility};
use serde_json::{Value, json};

use crate::chunk::Chunk;
use crate::ranking::{FoundPart, Reason, SearchOptions};
use crate::segment::Segment;

/// Bytes of a signature that are shown.
const SIGNATURE_BYTES_MAX: usize = 200;

/// A part of a file that answers a question.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// The file, from the root on, with `/` between folders.
    pub path: String,
    /// Its lines.
    pub lines: LineRange,
    /// What it is; `None` for statements outside all entities.
    pub kind: Option<EntityKind>,
    /// Its name with the names of what it is in; empty where it has none.
    pub name: String,
    /// Its header on one line.
    pub signature: String,
    /// Who may use it.
    pub visibility: Option<Visibility>,
    /// More is better; comparable within one question only.
    pub score: f32,
    /// Why it was found.
    pub reason: Reason,
    /// What a model says of it, which may be wrong.
    pub said: Option<Box<str>>,
}

impl Hit {
    /// Where it is and what it is, as JSON.
    pub fn data(&self) -> Value {
        let mut data = json!({
            "path": self.path,
            "first_line": self.lines.first.0,
            "last_line": self.lines.last.0,
            "kind": self.kind.map(EntityKind::name),
            "name": self.name,
            "signature": self.signature,
        });
        if let Some(words) = &self.said {
            data["model_says"] = json!(words);
        }
        data
    }
}

/// The words of a question, as they are looked for in names.
pub(crate) struct AskedNames {
    /// The question, if it is written as one name.
    whole: Option<String>,
    terms: Vec<String>,
    /// Words that may stand for them.
    synonyms: Vec<String>,
}

impl AskedNames {
    pub(crate) fn of(question: &str) -> Self {
        let terms = terms(question);
        let synonyms = synonyms(&terms).concat();
        let whole = question.trim();
        let is_of_name = |sign: char| sign.is_alphanumeric() || "_.:$#@!?-".contains(sign);
        let is_name = whole.contains(char::is_alphabetic) && whole.chars().all(is_of_name);
        Self { whole: is_name.then(|| whole.to_owned()), terms, synonyms }
    }

    /// Whether a single name is asked for.
    pub(crate) fn is_name(&self) -> bool {
        self.whole.is_some()
    }

    /// Whether it is the name of `of`, alone or with the names of what it is in.
    fn is_exactly(&self, of: &Definition) -> bool {
        let Some(whole) = &self.whole else { return false };
        *whole == *of.name || *whole == *of.qualified_name
    }

    /// How many words of `name` are asked for, and how many may stand for such.
    fn shared(&self, name: &str) -> (usize, usize) {
        let words = terms(name);
        let count = |all: &[String]| words.iter().filter(|word| all.contains(word)).count();
        (count(&self.terms), count(&self.synonyms))
    }

    fn meets(&self, name: &str) -> bool {
        self.shared(name) != (0, 0)
    }
}

/// A hit as it is shown, and whether it has exactly the name asked for. `symbols` are the definitions of its file.
pub(crate) fn hit(
    found: FoundPart,
    segment: &Segment,
    symbols: &FileSymbols,
    asked: &AskedNames,
    options: &SearchOptions,
) -> (Hit, bool) {
    let chunk = &segment.chunks[found.chunk];
    let chosen = choose(chunk, &symbols.definitions, asked, &options.kinds);
    let chosen = chosen.and_then(|at| symbols.definitions.get(at.get()));
    // Of several entities in a part, words of the question may stand in another than the
    // first; its lines are told apart only where its kind was asked for, or where no other
    // name has a word of the question.
    let names = chunk.entities.iter().filter_map(|at| symbols.definitions.get(at.get()));
    let is_meant = chunk.entities.len() == 1
        || !options.kinds.is_empty()
        || names.filter(|of| asked.meets(&of.name)).count() == 1;
    let inside = chosen.map(|of| of.lines);
    let inside = inside.filter(|lines| is_meant && chunk.lines.covers(*lines));
    let hit = Hit {
        path: segment.path.clone(),
        lines: inside.unwrap_or(chunk.lines),
        kind: chosen.map(|of| of.kind),
        name: chosen.map(|of| of.qualified_name.to_string()).unwrap_or_default(),
        signature: chosen.map(signature).unwrap_or_default(),
        visibility: chosen.map(|of| of.visibility),
        score: found.score,
        reason: found.reason,
        said: None,
    };
    (hit, chosen.is_some_and(|of| asked.is_exactly(of)))
}

/// A definition as a hit.
pub(crate) fn hit_of(path: &str, of: &Definition, score: f32, reason: Reason) -> Hit {
    Hit {
        path: path.to_owned(),
        lines: of.lines,
        kind: Some(of.kind),
        name: of.qualified_name.to_string(),
        signature: signature(of),
        visibility: Some(of.visibility),
        score,
        reason,
        said: None,
    }
}

/// A header on one line, cut where it is long.
fn signature(of: &Definition) -> String {
    let words: Vec<&str> = of.signature_text.split_whitespace().collect();
    let line = words.join(" ");
    let cut = line.floor_char_boundary(SIGNATURE_BYTES_MAX);
    line[..cut].trim_end_matches(['{', ' ']).to_owned()
}

/// The entity of a part that the question is most likely about: of the kinds asked for, the
/// first whose name shares the most words, and then the most that may stand for others.
fn choose(
    chunk: &Chunk,
    definitions: &[Definition],
    asked: &AskedNames,
    kinds: &[EntityKind],
) -> Option<EntityIndex> {
    let of = |at: &EntityIndex| definitions.get(at.get());
    let mut candidates: Vec<EntityIndex> = chunk.entities.clone();
    if !kinds.is_empty() {
        let from = definitions.partition_point(|of| of.lines.first < chunk.lines.first);
        let beginning = (0_u32..).map(EntityIndex).zip(definitions).skip(from);
        let beginning = beginning.take_while(|(_, of)| of.lines.first <= chunk.lines.last);
        candidates.extend(beginning.map(|(at, _)| at));
        candidates.retain(|at| of(at).is_some_and(|one| kinds.contains(&one.kind)));
    }
    let shared = |at: &EntityIndex| {
        of(at).map(|of| (asked.is_exactly(of), asked.shared(&of.name))).unwrap_or_default()
    };
    // Of equal ones `max_by_key` would take the last.
    candidates.into_iter().rev().max_by_key(shared)
}
