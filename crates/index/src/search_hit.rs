//! Hits of a search.

use foveal_relevance::relations::{Definition, FileSymbols};
use foveal_relevance::synonyms::find_synonyms;
use foveal_relevance::terms::search_terms;
use foveal_syntax::{EntityIndex, EntityKind, LineRange, Visibility};
use serde_json::{Value, json};

use crate::chunker::Chunk;
use crate::ranking::{MatchReason, RankedChunk, SearchOptions};
use crate::segment::Segment;

/// The length limit of a signature, in bytes.
const SIGNATURE_BYTES_MAX: usize = 200;

/// A chunk or entity of a file that answers a query.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchHit {
    /// The path of the file relative to the root, with `/` between folders.
    pub path: String,
    /// The lines of the hit.
    pub lines: LineRange,
    /// The kind of the entity. `None` for statements outside of all entities.
    pub kind: Option<EntityKind>,
    /// The name with the enclosing names. Empty if there is none.
    pub name: String,
    /// The header on one line.
    pub signature: String,
    /// The visibility of the entity.
    pub visibility: Option<Visibility>,
    /// The score. Higher is better; comparable within one query only.
    pub score: f32,
    /// The match with the query.
    pub reason: MatchReason,
    /// A model's summary of the entity, which may be wrong.
    pub model_summary: Option<Box<str>>,
}

impl SearchHit {
    /// Returns location and entity as JSON.
    pub fn to_json(&self) -> Value {
        let mut data = json!({
            "path": self.path,
            "first_line": self.lines.first.0,
            "last_line": self.lines.last.0,
            "kind": self.kind.map(EntityKind::name),
            "name": self.name,
            "signature": self.signature,
        });
        if let Some(words) = &self.model_summary {
            data["model_says"] = json!(words);
        }
        data
    }
}

/// The words of a query for the comparison with names.
pub(crate) struct QueryNames {
    /// The query, if it is written as one name.
    whole: Option<String>,
    terms: Vec<String>,
    /// The synonyms of the words.
    synonyms: Vec<String>,
}

impl QueryNames {
    pub(crate) fn from_query(question: &str) -> Self {
        let terms = search_terms(question);
        let synonyms = find_synonyms(&terms).concat();
        let whole = question.trim();
        let is_of_name = |sign: char| sign.is_alphanumeric() || "_.:$#@!?-".contains(sign);
        let is_name = whole.contains(char::is_alphabetic) && whole.chars().all(is_of_name);
        Self { whole: is_name.then(|| whole.to_owned()), terms, synonyms }
    }

    /// Returns whether the query is a single name.
    pub(crate) fn is_single_name(&self) -> bool {
        self.whole.is_some()
    }

    /// Returns whether the query is the name of `of`, alone or with the enclosing names.
    fn is_exact_match(&self, of: &Definition) -> bool {
        let Some(whole) = &self.whole else { return false };
        *whole == *of.name || *whole == *of.qualified_name
    }

    /// Returns the number of query words in `name`, and the number of their synonyms in it.
    fn shared_word_counts(&self, name: &str) -> (usize, usize) {
        let words = search_terms(name);
        let count = |all: &[String]| words.iter().filter(|word| all.contains(word)).count();
        (count(&self.terms), count(&self.synonyms))
    }

    fn matches_name(&self, name: &str) -> bool {
        self.shared_word_counts(name) != (0, 0)
    }
}

/// Converts a ranked chunk into a hit, and returns whether its name is exactly the query. `symbols`
/// are the definitions of its file.
pub(crate) fn hit_from_chunk(
    found: RankedChunk,
    segment: &Segment,
    symbols: &FileSymbols,
    asked: &QueryNames,
    options: &SearchOptions,
) -> (SearchHit, bool) {
    let chunk = &segment.chunks[found.chunk];
    let chosen = choose_entity(chunk, &symbols.definitions, asked, &options.kinds);
    let chosen = chosen.and_then(|at| symbols.definitions.get(at.as_usize()));
    // In a chunk with several entities the query may match another one than the first. The hit has
    // the lines of that entity only if its kind was requested or no other name matches.
    let names = chunk.entities.iter().filter_map(|at| symbols.definitions.get(at.as_usize()));
    let is_meant = chunk.entities.len() == 1
        || !options.kinds.is_empty()
        || names.filter(|of| asked.matches_name(&of.name)).count() == 1;
    let inside = chosen.map(|of| of.lines);
    let inside = inside.filter(|lines| is_meant && chunk.lines.covers(*lines));
    let hit = SearchHit {
        path: segment.path.clone(),
        lines: inside.unwrap_or(chunk.lines),
        kind: chosen.map(|of| of.kind),
        name: chosen.map(|of| of.qualified_name.to_string()).unwrap_or_default(),
        signature: chosen.map(one_line_signature).unwrap_or_default(),
        visibility: chosen.map(|of| of.visibility),
        score: found.score,
        reason: found.reason,
        model_summary: None,
    };
    (hit, chosen.is_some_and(|of| asked.is_exact_match(of)))
}

/// Converts a definition into a hit.
pub(crate) fn hit_from_definition(
    path: &str,
    of: &Definition,
    score: f32,
    reason: MatchReason,
) -> SearchHit {
    SearchHit {
        path: path.to_owned(),
        lines: of.lines,
        kind: Some(of.kind),
        name: of.qualified_name.to_string(),
        signature: one_line_signature(of),
        visibility: Some(of.visibility),
        score,
        reason,
        model_summary: None,
    }
}

/// Returns the header on one line, cut at the limit, with the brackets closed that were cut open.
fn one_line_signature(of: &Definition) -> String {
    let words: Vec<&str> = of.signature_text.split_whitespace().collect();
    let line = words.join(" ");
    let cut = line.floor_char_boundary(SIGNATURE_BYTES_MAX);
    let line = line[..cut].trim_end_matches(['{', ' ']);
    let closing = missing_brackets(line);
    match closing.as_str() {
        "" => line.to_owned(),
        closing => format!("{line}{}…{closing}", if line.ends_with(',') { " " } else { "" }),
    }
}

/// Returns the closing brackets that `text` lacks, in order.
fn missing_brackets(text: &str) -> String {
    let mut open = Vec::new();
    for character in text.chars() {
        match character {
            '(' => open.push(')'),
            '[' => open.push(']'),
            '{' => open.push('}'),
            ')' | ']' | '}' if open.last() == Some(&character) => {
                open.pop();
            }
            _ => {}
        }
    }
    open.iter().rev().collect()
}

/// Chooses the entity of a chunk that the query most likely means: of the requested kinds, the
/// first one whose name shares the most words, then the most synonyms.
fn choose_entity(
    chunk: &Chunk,
    definitions: &[Definition],
    asked: &QueryNames,
    kinds: &[EntityKind],
) -> Option<EntityIndex> {
    let of = |at: &EntityIndex| definitions.get(at.as_usize());
    let mut candidates: Vec<EntityIndex> = chunk.entities.clone();
    if !kinds.is_empty() {
        let from = definitions.partition_point(|of| of.lines.first < chunk.lines.first);
        let beginning = (0_u32..).map(EntityIndex).zip(definitions).skip(from);
        let beginning = beginning.take_while(|(_, of)| of.lines.first <= chunk.lines.last);
        candidates.extend(beginning.map(|(at, _)| at));
        candidates.retain(|at| of(at).is_some_and(|one| kinds.contains(&one.kind)));
    }
    let shared = |at: &EntityIndex| {
        of(at)
            .map(|of| (asked.is_exact_match(of), asked.shared_word_counts(&of.name)))
            .unwrap_or_default()
    };
    // `max_by_key` returns the last of equal items.
    candidates.into_iter().rev().max_by_key(shared)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_that_were_cut_open_are_closed() {
        assert_eq!(missing_brackets("fn a(b: &[u8], c: {"), "})");
        assert_eq!(missing_brackets("fn a<'t>(b: [u8; 2]) -> Fn(u8)"), "");
    }
}
