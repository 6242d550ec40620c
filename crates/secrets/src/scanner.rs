//! One pass over a text that finds the words secrets begin with, and what is tried there.

use std::ops::Range;
use std::sync::LazyLock;

use regex::bytes::CaptureLocations;

use crate::dictionary::Dictionary;
use crate::forms::{self, begins_word};
use crate::patterns::{PATTERNS, TABLE};
use crate::runs::RUNS;
use crate::secret::{GUESS, Secret, joined};
use crate::{keys, manifest, named, pgpass, tables, words};

/// What is tried where a word is found.
#[derive(Clone, Copy)]
enum Rule {
    /// A token of the table of runs, by its place.
    Run(usize, &'static str),
    /// A form of the table of patterns, by its place.
    Form(usize),
    /// A value by its name.
    Named,
    /// A manifest of a secret.
    Manifest,
    /// The last line of a key.
    KeyEnd,
    /// A line of a file of passwords.
    PasswordLine,
    /// Values that are put into a table.
    Insert,
}

/// The words, made ready.
static WORDS: LazyLock<Dictionary<Rule>> = LazyLock::new(words_of_all);

fn words_of_all() -> Dictionary<Rule> {
    let runs = RUNS.iter().enumerate();
    let runs =
        runs.flat_map(|(at, run)| run.words.iter().map(move |word| (*word, Rule::Run(at, word))));
    let forms = TABLE.iter().enumerate();
    let forms =
        forms.flat_map(|(at, form)| form.words.iter().map(move |word| (*word, Rule::Form(at))));
    let all = |words: &'static [&'static str], rule| words.iter().map(move |word| (*word, rule));
    let words = runs
        .chain(forms)
        .chain(all(named::WORDS, Rule::Named))
        .chain(all(manifest::WORDS, Rule::Manifest))
        .chain(all(pgpass::WORDS, Rule::PasswordLine))
        .chain(all(tables::WORDS, Rule::Insert))
        .chain([(keys::END, Rule::KeyEnd)]);
    Dictionary::new(words)
}

/// All secrets of a text in order, none overlapping another.
pub(crate) fn find(text: &[u8]) -> Vec<Secret> {
    let mut found = Scan::new(text).all();
    found.extend(keys::blocks(text).into_iter().map(|block| Secret::new(block, "private key")));
    // What has a form or a name is said to be what it is.
    let mut found = joined(found);
    let guesses = words::find(text).into_iter().filter(|word| {
        let at = found.partition_point(|secret| secret.range.end <= word.start);
        found.get(at).is_none_or(|secret| word.end <= secret.range.start)
    });
    let guesses: Vec<Secret> = guesses.map(|word| Secret::new(word, GUESS)).collect();
    found.extend(guesses);
    joined(found)
}

/// Whether a text has a word that makes it worth a closer look.
pub(crate) fn may_hold(text: &[u8]) -> bool {
    let mut has_word = words::has_long(text) || memchr::memchr(0, text).is_some();
    if !has_word {
        WORDS.each(text, |_, _, _| {
            has_word = true;
            false
        });
    }
    has_word
}

/// One text, and how far each rule has read it.
struct Scan<'t> {
    text: &'t [u8],
    forms: [usize; PATTERNS],
    groups: [Option<CaptureLocations>; PATTERNS],
    runs: usize,
    names: usize,
    manifests: usize,
    tables: usize,
    inserts: usize,
    found: Vec<Secret>,
}

impl<'t> Scan<'t> {
    fn new(text: &'t [u8]) -> Self {
        let groups = [const { None }; PATTERNS];
        Self {
            text,
            forms: [0; PATTERNS],
            groups,
            runs: 0,
            names: 0,
            manifests: 0,
            tables: 0,
            inserts: 0,
            found: Vec::new(),
        }
    }

    fn all(mut self) -> Vec<Secret> {
        WORDS.each(self.text, |start, word, rule| {
            let range = start..start + word.len();
            match rule {
                Rule::Run(at, word) => self.run(at, word, start),
                Rule::Form(at) => self.form(at, start),
                Rule::Named => self.named(&range),
                Rule::Manifest => self.manifest(&range),
                Rule::Insert => self.inserted(&range),
                Rule::KeyEnd => self.push(keys::body_before(self.text, start), "private key"),
                Rule::PasswordLine => self.push(pgpass::password(self.text, range), "password"),
            }
            true
        });
        self.found
    }

    fn push(&mut self, range: Option<Range<usize>>, kind: &'static str) {
        self.found.extend(range.map(|range| Secret::new(range, kind)));
    }

    fn run(&mut self, at: usize, word: &str, start: usize) {
        let run = &RUNS[at];
        if start < self.runs || !(run.is_inner || begins_word(self.text, start)) {
            return;
        }
        if let Some(end) = run.end(self.text, start, word) {
            self.runs = end;
            self.push(Some(start..end), run.kind);
        }
    }

    fn form(&mut self, at: usize, start: usize) {
        if start < self.forms[at] {
            return;
        }
        if let Some(tried) = forms::tried(at, self.text, start, &mut self.groups[at]) {
            self.forms[at] = tried.next;
            self.push(tried.secret, TABLE[at].kind);
        }
    }

    fn named(&mut self, hit: &Range<usize>) {
        if hit.start < self.names {
            return;
        }
        let tried = named::tried(self.text, hit);
        self.names = tried.name.end;
        if tried.secret.is_none()
            && tried.name.start >= self.tables
            && let Some((end, values)) = tables::below(self.text, &tried.name)
        {
            self.tables = end;
            self.found.extend(values.into_iter().map(|value| Secret::new(value, "password")));
        }
        self.push(tried.secret, "password");
    }

    fn inserted(&mut self, hit: &Range<usize>) {
        if hit.start < self.inserts {
            return;
        }
        let (end, values) = tables::inserted(self.text, hit);
        self.inserts = end;
        self.found.extend(values.into_iter().map(|value| Secret::new(value, "password")));
    }

    fn manifest(&mut self, hit: &Range<usize>) {
        if hit.start < self.manifests {
            return;
        }
        let (end, values) = manifest::values(self.text, hit, self.manifests);
        self.manifests = end;
        self.found.extend(values.into_iter().map(|value| Secret::new(value, manifest::KIND)));
    }
}
