//! How much a part is like what a question asks for, beyond its words and its meaning: what
//! it is called, where it stands, and what it is.
//!
//! All numbers were chosen on half A of `examples/questions`; BENCHMARKS.md has the figures.

use foveal_code::synonyms::synonyms;
use foveal_code::terms::stem;
use foveal_code::{EntityKind, FileRole};

use crate::names::{Named, Names, Word};
use crate::text_terms::TermHash;

/// What a word counts that only begins as one that was asked for.
const START_SHARE: f32 = 0.7;

/// What a word counts that may stand for one that was asked for.
const SYNONYM_SHARE: f32 = 0.5;

/// What it counts that all that is asked for stands in a part's name. The best by words and
/// meaning is at 1, here and below.
const NAME: f32 = 0.3;

/// What it counts that a name holds nothing else.
const WHOLE_NAME: f32 = 0.3;

/// What it counts that all stands in the names of what a part is in.
const AROUND: f32 = 0.2;

/// What it counts that all stands in the file's name.
const FILE: f32 = 0.3;

/// Lines of an entity that is short, at most.
const LINES_FEW: u32 = 3;

/// Words of questions about tests.
const TESTS: &[&str] = &["fixture", "mock", "spec", "test", "testing", "tests"];

/// Words of questions about what people read.
const DOCUMENTATION: &[&str] =
    &["changelog", "docs", "documentation", "guide", "manual", "readme", "tutorial"];

/// Words of questions about types.
const TYPES: &[&str] = &["class", "enum", "interface", "struct", "trait", "type", "types"];

/// A word of a question.
pub(crate) struct AskedWord {
    word: Word,
    /// What may stand for it.
    pub(crate) synonyms: Vec<TermHash>,
    /// How rare it is.
    pub(crate) weight: f32,
}

/// What a question asks for.
pub(crate) struct Asked {
    pub(crate) words: Vec<AskedWord>,
    /// The sum of all weights.
    sum: f32,
    tests: bool,
    documentation: bool,
    types: bool,
}

impl Asked {
    /// Of words in lower case, each with how rare it is.
    pub(crate) fn of<'a>(words: impl Iterator<Item = (&'a str, f32)>) -> Self {
        let (words, weights): (Vec<&str>, Vec<f32>) = words.unzip();
        let stems: Vec<String> = words.iter().map(|word| stem(word)).collect();
        let about = |list: &[&str]| words.iter().any(|word| list.contains(word));
        let hashes = |all: Vec<String>| all.iter().map(|one| TermHash::of(one)).collect();
        // What is asked as two words may be written as one: `checkout`, `filename`.
        let joined: Vec<String> = words.windows(2).map(|pair| stem(&pair.concat())).collect();
        let joins = |at: usize| joined.get(at).into_iter().chain(joined.get(at.wrapping_sub(1)));
        let all = stems.iter().zip(synonyms(&stems)).zip(&weights).enumerate();
        let all = all.map(|(at, ((stem, mut others), weight))| {
            others.extend(joins(at).cloned());
            AskedWord { word: Word::of_stem(stem), synonyms: hashes(others), weight: *weight }
        });
        Self {
            words: all.collect(),
            sum: weights.iter().sum::<f32>().max(f32::MIN_POSITIVE),
            tests: about(TESTS),
            documentation: about(DOCUMENTATION),
            types: about(TYPES),
        }
    }

    /// The share of what is asked for that stands in `name`, 0 to 1.
    fn cover(&self, name: &[Word]) -> f32 {
        let each = self.words.iter().map(|asked| {
            let best = name.iter().map(|word| asked.share(*word)).fold(0.0, f32::max);
            best * asked.weight
        });
        each.sum::<f32>() / self.sum
    }

    /// What the name of an entity counts.
    fn name(&self, name: &[Word]) -> f32 {
        let cover = self.cover(name);
        if cover <= 0.0 {
            return 0.0;
        }
        let best = |word: &Word| {
            let shares = self.words.iter().map(|asked| asked.share(*word));
            shares.fold(0.0, f32::max)
        };
        let asked: f32 = name.iter().map(best).sum();
        NAME * cover + WHOLE_NAME * asked / name.len() as f32 * cover.sqrt()
    }

    /// What counts for a part beside words and meaning, which are at most 1, and by what all
    /// of it is then multiplied.
    pub(crate) fn likeness(&self, names: &Names, part: usize, part_lines: u32) -> (f32, f32) {
        let file = FILE * self.cover(names.file());
        let all = names.part(part);
        let scored = all.iter().map(|named| (named, self.name(names.words(named))));
        // Of equal ones the first.
        let best = scored.reduce(|a, b| if b.1 > a.1 { b } else { a });
        let Some((named, name)) = best else {
            return (file, self.role_factor(names.role, false) * STATEMENTS);
        };
        let around = AROUND * self.cover(names.around(named));
        let lines = if all.len() == 1 || name > 0.0 { named.lines } else { part_lines };
        let factor = self.role_factor(names.role, named.in_tests)
            * self.kind_factor(named)
            * lines_factor(lines);
        (file + name + around, factor)
    }

    fn role_factor(&self, role: FileRole, in_tests: bool) -> f32 {
        match role {
            FileRole::Built => 0.6,
            _ if (in_tests || role == FileRole::Test) && !self.tests => 0.5,
            FileRole::Documentation if !self.documentation => 0.6,
            FileRole::Declaration => 0.8,
            FileRole::Work | FileRole::Test | FileRole::Documentation => 1.0,
        }
    }

    fn kind_factor(&self, named: &Named) -> f32 {
        match named.kind {
            EntityKind::Function | EntityKind::Method if !named.has_body => 0.8,
            EntityKind::Function | EntityKind::Method | EntityKind::Test => 1.0,
            EntityKind::Type | EntityKind::Trait | EntityKind::Enum | EntityKind::Impl => {
                if self.types { 1.0 } else { 0.75 }
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

/// By what parts without entities are multiplied.
const STATEMENTS: f32 = 0.8;

/// One line says little of how something is done.
fn lines_factor(lines: u32) -> f32 {
    match lines {
        0 | 1 => 0.7,
        few if few <= LINES_FEW => 0.75,
        _ => 1.0,
    }
}

impl AskedWord {
    /// What a word of a name counts for this one.
    fn share(&self, word: Word) -> f32 {
        if word.whole == self.word.whole {
            1.0
        } else if word.start.is_some() && word.start == self.word.start {
            START_SHARE
        } else if self.synonyms.contains(&word.whole) {
            SYNONYM_SHARE
        } else {
            0.0
        }
    }

    /// The word itself.
    pub(crate) fn whole(&self) -> TermHash {
        self.word.whole
    }

    /// How often it stands in a part where it does so `own` times, and words in its place
    /// `others` times.
    pub(crate) fn frequency(own: f32, others: f32) -> f32 {
        own + SYNONYM_SHARE * others
    }
}
