//! The part of a chunk's score that depends neither on its words nor on its vector: names, location
//! and kind.
//!
//! All constants were fitted on half A of `examples/questions`; benchmarks/search.md has the figures.

use foveal_relevance::FileRole;
use foveal_relevance::synonyms::find_synonyms;
use foveal_relevance::terms::stem;
use foveal_syntax::EntityKind;

use crate::entity_names::{FileNames, NameToken, NamedEntity};
use crate::text_terms::TermHash;

/// The weight of a word that shares only the prefix of a query word.
const PREFIX_SHARE: f32 = 0.7;

/// The weight of a synonym of a query word.
const SYNONYM_SHARE: f32 = 0.5;

/// The score if the name of a chunk contains the whole query. The best score by words and vectors
/// is 1, here and below.
const NAME_SCORE: f32 = 0.3;

/// The score if the name contains nothing else.
const WHOLE_NAME_SCORE: f32 = 0.3;

/// The score if the enclosing names contain the whole query.
const ENCLOSING_NAME_SCORE: f32 = 0.2;

/// The score if the file name contains the whole query.
const FILE_NAME_SCORE: f32 = 0.3;

/// The greatest number of lines of a short entity.
const SHORT_ENTITY_LINES: u32 = 3;

/// Words of queries about tests.
const TEST_WORDS: &[&str] = &["fixture", "mock", "spec", "test", "testing", "tests"];

/// Words of queries about documentation.
const DOCUMENTATION_WORDS: &[&str] =
    &["changelog", "docs", "documentation", "guide", "manual", "readme", "tutorial"];

/// Words of queries about types.
const TYPE_WORDS: &[&str] = &["class", "enum", "interface", "struct", "trait", "type", "types"];

/// A word of a query.
pub(crate) struct QueryWord {
    word: NameToken,
    /// The synonyms of the word.
    pub(crate) synonyms: Vec<TermHash>,
    /// The inverse document frequency of the word.
    pub(crate) weight: f32,
}

/// The weighted words of a query, and the topics that it mentions.
pub(crate) struct QueryProfile {
    pub(crate) words: Vec<QueryWord>,
    /// The sum of all weights.
    sum: f32,
    mentions_tests: bool,
    mentions_documentation: bool,
    mentions_types: bool,
}

impl QueryProfile {
    /// Creates the profile of lower-case words with their weights.
    pub(crate) fn from_weighted_words<'a>(words: impl Iterator<Item = (&'a str, f32)>) -> Self {
        let (words, weights): (Vec<&str>, Vec<f32>) = words.unzip();
        let stems: Vec<String> = words.iter().map(|word| stem(word)).collect();
        let about = |list: &[&str]| words.iter().any(|word| list.contains(word));
        let hashes = |all: Vec<String>| all.iter().map(|one| TermHash::from_term(one)).collect();
        // Two query words may be written as one in code: `checkout`, `filename`.
        let joined: Vec<String> = words.windows(2).map(|pair| stem(&pair.concat())).collect();
        let joins = |at: usize| joined.get(at).into_iter().chain(joined.get(at.wrapping_sub(1)));
        let all = stems.iter().zip(find_synonyms(&stems)).zip(&weights).enumerate();
        let all = all.map(|(at, ((stem, mut others), weight))| {
            others.extend(joins(at).cloned());
            QueryWord {
                word: NameToken::from_stem(stem),
                synonyms: hashes(others),
                weight: *weight,
            }
        });
        Self {
            words: all.collect(),
            sum: weights.iter().sum::<f32>().max(f32::MIN_POSITIVE),
            mentions_tests: about(TEST_WORDS),
            mentions_documentation: about(DOCUMENTATION_WORDS),
            mentions_types: about(TYPE_WORDS),
        }
    }

    /// Returns the weighted share of the query that `name` contains, 0 to 1.
    fn coverage(&self, name: &[NameToken]) -> f32 {
        let each = self.words.iter().map(|asked| {
            let best = name.iter().map(|word| asked.match_weight(*word)).fold(0.0, f32::max);
            best * asked.weight
        });
        each.sum::<f32>() / self.sum
    }

    /// Returns the score of the name of an entity.
    fn name_score(&self, name: &[NameToken]) -> f32 {
        let cover = self.coverage(name);
        if cover <= 0.0 {
            return 0.0;
        }
        let best = |word: &NameToken| {
            let shares = self.words.iter().map(|asked| asked.match_weight(*word));
            shares.fold(0.0, f32::max)
        };
        let asked: f32 = name.iter().map(best).sum();
        NAME_SCORE * cover + WHOLE_NAME_SCORE * asked / name.len() as f32 * cover.sqrt()
    }

    /// Returns the score to add to that by words and vectors, which is at most 1, and the factor
    /// for the sum.
    pub(crate) fn structural_score(
        &self,
        names: &FileNames,
        part: usize,
        part_lines: u32,
    ) -> (f32, f32) {
        let file = FILE_NAME_SCORE * self.coverage(names.file_name_words());
        let all = names.entities_in_chunk(part);
        let scored = all.iter().map(|named| (named, self.name_score(names.entity_words(named))));
        // Of equal scores the first wins.
        let best = scored.reduce(|a, b| if b.1 > a.1 { b } else { a });
        let Some((named, name)) = best else {
            return (file, self.role_factor(names.role, false) * STATEMENTS_FACTOR);
        };
        let around = ENCLOSING_NAME_SCORE * self.coverage(names.enclosing_words(named));
        let lines = if all.len() == 1 || name > 0.0 { named.lines } else { part_lines };
        let factor = self.role_factor(names.role, named.in_tests)
            * self.kind_factor(named)
            * lines_factor(lines);
        (file + name + around, factor)
    }

    fn role_factor(&self, role: FileRole, in_tests: bool) -> f32 {
        match role {
            FileRole::GeneratedOrVendored => 0.6,
            _ if (in_tests || role == FileRole::Test) && !self.mentions_tests => 0.5,
            FileRole::Documentation if !self.mentions_documentation => 0.6,
            FileRole::Declaration => 0.8,
            FileRole::Implementation | FileRole::Test | FileRole::Documentation => 1.0,
        }
    }

    fn kind_factor(&self, named: &NamedEntity) -> f32 {
        match named.kind {
            EntityKind::Function | EntityKind::Method if !named.has_body => 0.8,
            EntityKind::Function | EntityKind::Method | EntityKind::Test => 1.0,
            EntityKind::Type | EntityKind::Trait | EntityKind::Enum | EntityKind::Impl => {
                if self.mentions_types { 1.0 } else { 0.75 }
            }
            EntityKind::Section => 0.8,
            EntityKind::Module
            | EntityKind::Imports
            | EntityKind::Constant
            | EntityKind::Field
            | EntityKind::Key => 0.85,
        }
    }
}

/// The factor of chunks without entities.
const STATEMENTS_FACTOR: f32 = 0.8;

/// Returns the factor for short entities: one line shows little of an implementation.
fn lines_factor(lines: u32) -> f32 {
    match lines {
        0 | 1 => 0.7,
        few if few <= SHORT_ENTITY_LINES => 0.75,
        _ => 1.0,
    }
}

impl QueryWord {
    /// Returns the weight of a word of a name for this query word, 0 to 1.
    fn match_weight(&self, word: NameToken) -> f32 {
        if word.stem == self.word.stem {
            1.0
        } else if word.prefix.is_some() && word.prefix == self.word.prefix {
            PREFIX_SHARE
        } else if self.synonyms.contains(&word.stem) {
            SYNONYM_SHARE
        } else {
            0.0
        }
    }

    /// Returns the hash of the word's stem.
    pub(crate) fn stem_hash(&self) -> TermHash {
        self.word.stem
    }

    /// Returns the effective frequency of the word in a chunk with `own` occurrences of it and
    /// `others` of its synonyms.
    pub(crate) fn effective_frequency(own: f32, others: f32) -> f32 {
        own + SYNONYM_SHARE * others
    }
}
