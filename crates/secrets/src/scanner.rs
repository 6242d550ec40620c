//! One pass over a text that finds the keywords of all rules, and what is tried there.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

use aho_corasick::{AhoCorasick, AhoCorasickKind, Match};
use regex::bytes::{CaptureLocations, Regex};

use crate::assignment::{self, Value};
use crate::pattern::compile;
use crate::rules::{Check, NAME_KEYWORDS, NameClass, RULES, Rule, Scope};
use crate::secret::{Secret, merge_overlaps};
use crate::shape::{is_filler, is_login, is_mixed, is_template, is_user_choice, looks_random};
use crate::{random_words, tables};

/// Bytes of a command that are read, over all lines that it goes on in.
const COMMAND_BYTES_MAX: usize = 600;

/// Bytes of a line on either side of a keyword.
const LINE_BYTES_MAX: usize = 200;

/// Bytes of a document on either side of a keyword, and before the end of a key.
const DOCUMENT_BYTES_MAX: usize = 64 << 10;

/// A match of as many bytes that is no secret has none in it either.
const MATCH_BYTES_MAX: usize = 2_048;

/// Values of cookies that are shorter are settings.
const COOKIE_BYTES_MIN: usize = 12;

/// Bytes of a keyword that the automaton looks for: of whole ones its table would take three times
/// the memory and six times as long to build.
const HEAD_BYTES: usize = 4;

/// The keywords of all rules, of names, and of tables.
static KEYWORDS: LazyLock<Keywords> = LazyLock::new(Keywords::new);

struct Keywords {
    heads: AhoCorasick,
    /// The keywords with each head, and their rules: behind the last one of the table, that of
    /// names and that of tables.
    words: Vec<Vec<(&'static [u8], usize)>>,
}

impl Keywords {
    fn new() -> Self {
        let rules = RULES.iter().map(|rule| rule.keywords).chain([NAME_KEYWORDS, tables::KEYWORDS]);
        let mut heads: BTreeMap<Vec<u8>, Vec<(&'static [u8], usize)>> = BTreeMap::new();
        for (rule, keywords) in rules.enumerate() {
            for word in keywords.iter().map(|word| word.as_bytes()) {
                let head = word[..word.len().min(HEAD_BYTES)].to_ascii_lowercase();
                heads.entry(head).or_default().push((word, rule));
            }
        }
        let mut builder = AhoCorasick::builder();
        builder.ascii_case_insensitive(true).kind(Some(AhoCorasickKind::DFA));
        let automaton = builder.build(heads.keys()).expect("there are a few hundred short heads");
        Self { heads: automaton, words: heads.into_values().collect() }
    }

    /// The keywords that begin with a head, each with its rule.
    fn words_at<'t>(
        &'t self,
        text: &'t [u8],
        head: &Match,
    ) -> impl Iterator<Item = (Range<usize>, usize)> + 't {
        let start = head.start();
        self.words[head.pattern().as_usize()].iter().filter_map(move |(word, rule)| {
            let part = text.get(start..start + word.len())?;
            part.eq_ignore_ascii_case(word).then_some((start..start + word.len(), *rule))
        })
    }
}

/// The expressions of a rule. Each is compiled when its keyword is first found.
#[derive(Default)]
struct Compiled {
    pattern: OnceLock<Regex>,
    each: OnceLock<Regex>,
}

static COMPILED: LazyLock<Vec<Compiled>> =
    LazyLock::new(|| RULES.iter().map(|_| Compiled::default()).collect());

/// All secrets of a text in order, none overlapping another.
pub(crate) fn find(text: &[u8]) -> Vec<Secret> {
    let mut scan = Scan::new(text);
    let keywords = &*KEYWORDS;
    for head in keywords.heads.find_overlapping_iter(text) {
        for (hit, rule) in keywords.words_at(text, &head) {
            match rule.checked_sub(RULES.len()) {
                None => scan.rule(rule, hit),
                Some(0) => scan.name(&hit),
                Some(_) => scan.rows(&hit),
            }
        }
    }
    let words: Vec<Range<usize>> = random_words::words(text).collect();
    scan.found.extend(random_words::key_blocks(text, &words));
    // What has a form or a name is said to be what it is.
    let mut found = merge_overlaps(scan.found);
    let mut guesses = random_words::guesses(text, &words);
    guesses.retain(|guess| {
        let at = found.partition_point(|secret| secret.range.end <= guess.range.start);
        found.get(at).is_none_or(|secret| guess.range.end <= secret.range.start)
    });
    found.extend(guesses);
    merge_overlaps(found)
}

/// Whether a text has a word that makes it worth a closer look.
pub(crate) fn may_hold(text: &[u8]) -> bool {
    let keywords = &*KEYWORDS;
    let has_keyword = || {
        let mut heads = keywords.heads.find_overlapping_iter(text);
        heads.any(|head| keywords.words_at(text, &head).next().is_some())
    };
    random_words::words(text).next().is_some() || memchr::memchr(0, text).is_some() || has_keyword()
}

/// One text, and how far each rule has read it.
struct Scan<'t> {
    text: &'t [u8],
    next: Vec<usize>,
    groups: Vec<Option<CaptureLocations>>,
    names: usize,
    rows: usize,
    found: Vec<Secret>,
}

impl<'t> Scan<'t> {
    fn new(text: &'t [u8]) -> Self {
        let (next, groups) = (vec![0; RULES.len()], vec![None; RULES.len()]);
        Self { text, next, groups, names: 0, rows: 0, found: Vec::new() }
    }

    /// Tries a rule at its keyword.
    fn rule(&mut self, at: usize, hit: Range<usize>) {
        if hit.start < self.next[at] {
            return;
        }
        let rule = &RULES[at];
        let Some(part) = part(rule.scope, self.text, &hit, self.next[at]) else { return };
        let text = &self.text[part.clone()];
        let pattern = COMPILED[at].pattern.get_or_init(|| compile(&expression(rule)));
        if let Check::EachValue(each) = rule.check {
            self.next[at] = part.end;
            let each = COMPILED[at].each.get_or_init(|| compile(each));
            let values = blocks(pattern, text).flat_map(|block| {
                each.captures_iter(&text[block.clone()]).filter_map(move |groups| {
                    let value = groups.get(1)?.range();
                    Some(block.start + value.start..block.start + value.end)
                })
            });
            let values = values.filter(|value| is_set(&text[value.clone()]));
            self.found.extend(values.map(|it| Secret::new(offset_by(it, part.start), rule.kind)));
            return;
        }
        let groups = read(pattern, &mut self.groups[at], text);
        self.next[at] = match rule.scope {
            Scope::Command | Scope::Line | Scope::Before => part.end,
            _ => hit.start,
        };
        let Some(Groups { end, first, second }) = groups else { return };
        let secret = value(rule, text, first, second);
        // A long word that is no secret is not to be read again at each keyword in it.
        if secret.is_some() || end >= MATCH_BYTES_MAX || rule.scope == Scope::Token {
            self.next[at] = self.next[at].max(part.start + end);
        }
        self.found.extend(secret.map(|it| Secret::new(offset_by(it, part.start), rule.kind)));
    }

    /// Looks at the name around a keyword.
    fn name(&mut self, hit: &Range<usize>) {
        if hit.start < self.names {
            return;
        }
        let name = assignment::name_around(self.text, hit);
        self.names = name.end;
        let secret = assignment::secret(self.text, &name);
        if secret.is_none() && name.start >= self.rows {
            self.take_rows(tables::column_secrets(self.text, &name));
        }
        self.found.extend(secret.map(|(range, kind)| Secret::new(range, kind)));
    }

    /// Looks at the rows of an `INSERT`.
    fn rows(&mut self, hit: &Range<usize>) {
        if hit.start >= self.rows {
            self.take_rows(tables::insert_secrets(self.text, hit));
        }
    }

    fn take_rows(&mut self, rows: Option<tables::Rows>) {
        if let Some(rows) = rows {
            self.rows = rows.end;
            self.found.extend(rows.secrets.into_iter().map(|it| Secret::new(it, "password")));
        }
    }
}

/// The whole expression of a rule.
fn expression(rule: &Rule) -> String {
    let pattern = rule.pattern;
    match rule.scope {
        Scope::Token => {
            let words: Vec<String> = rule.keywords.iter().map(|it| regex::escape(it)).collect();
            format!("^(?:{})(?:{pattern})", words.join("|"))
        }
        Scope::Document | Scope::Before => pattern.to_owned(),
        _ => format!("^(?:{pattern})"),
    }
}

/// The part of a text that a rule is tried on at a keyword, of which it has read all before
/// `from`; `None` if it is not tried there.
fn part(scope: Scope, text: &[u8], hit: &Range<usize>, from: usize) -> Option<Range<usize>> {
    let line_end = |at: usize, most: usize| {
        let most = text.len().min(at + most);
        memchr::memchr(b'\n', &text[at..most]).map_or(most, |feed| at + feed)
    };
    let range = match scope {
        Scope::Token | Scope::Word if !begins_word(text, hit.start) => return None,
        Scope::Token | Scope::Word | Scope::Anywhere => hit.start..text.len(),
        Scope::Command => {
            begins_word(text, hit.start).then_some(hit.start..command_end(text, hit.start))?
        }
        Scope::Line => {
            let before = hit.start.saturating_sub(LINE_BYTES_MAX)..hit.start;
            let feed = memchr::memrchr(b'\n', &text[before.clone()]);
            let start = feed.map_or(before.start, |at| before.start + at + 1);
            start..line_end(hit.end, LINE_BYTES_MAX)
        }
        Scope::Document => {
            // Other resources may be called so in prose, or begin so.
            memchr::memmem::find(&text[hit.clone()], b"Secret")?;
            if text.get(hit.end).is_some_and(u8::is_ascii_alphanumeric) {
                return None;
            }
            let before = from.max(hit.start.saturating_sub(DOCUMENT_BYTES_MAX))..hit.start;
            let start = memchr::memmem::rfind(&text[before.clone()], b"\n---");
            let most = text.len().min(hit.end + DOCUMENT_BYTES_MAX);
            let end = memchr::memmem::find(&text[hit.end..most], b"\n---");
            start.map_or(before.start, |at| before.start + at + 1)
                ..end.map_or(most, |at| hit.end + at + 1)
        }
        Scope::Before => {
            let start = from.max(hit.start.saturating_sub(DOCUMENT_BYTES_MAX));
            start..line_end(hit.end, LINE_BYTES_MAX)
        }
    };
    Some(range)
}

/// Whether no letter, digit or underscore stands before `start`, but for the escapes of lines
/// and tabs in strings.
fn begins_word(text: &[u8], start: usize) -> bool {
    match &text[..start] {
        [.., b'\\', b'n' | b'r' | b't'] => true,
        [.., before] => !(before.is_ascii_alphanumeric() || *before == b'_'),
        [] => true,
    }
}

/// Where the line of a command ends, with those that it goes on in.
fn command_end(text: &[u8], start: usize) -> usize {
    let most = text.len().min(start + COMMAND_BYTES_MAX);
    let mut ends = memchr::memchr_iter(b'\n', &text[start..most]).map(|feed| start + feed);
    let is_last = |end: &usize| {
        let line = &text[start..*end];
        !line.strip_suffix(b"\r").unwrap_or(line).ends_with(b"\\")
    };
    ends.find(is_last).unwrap_or(most)
}

/// The groups of all matches.
fn blocks<'t>(pattern: &'t Regex, text: &'t [u8]) -> impl Iterator<Item = Range<usize>> + 't {
    pattern
        .captures_iter(text)
        .filter_map(|groups| groups.iter().skip(1).flatten().next().map(|group| group.range()))
}

/// Whether something stands where a manifest of a secret has a value.
fn is_set(value: &[u8]) -> bool {
    value.len() >= 4 && !is_template(value) && !matches!(value, b"null" | b"true" | b"false")
}

/// A match: where it ends, its first group that took part, or else all of it, and the second.
struct Groups {
    end: usize,
    first: Range<usize>,
    second: Option<Range<usize>>,
}

fn read(pattern: &Regex, room: &mut Option<CaptureLocations>, text: &[u8]) -> Option<Groups> {
    if pattern.captures_len() == 1 {
        let first = pattern.find(text)?.range();
        return Some(Groups { end: first.end, first, second: None });
    }
    let groups = room.get_or_insert_with(|| pattern.capture_locations());
    let whole = pattern.captures_read(groups, text)?.range();
    let mut present = (1..groups.len()).filter_map(|at| groups.get(at)).map(|(from, to)| from..to);
    Some(Groups { end: whole.end, first: present.next().unwrap_or(whole), second: present.next() })
}

/// The secret in a match, if its check says that it is one.
fn value(
    rule: &Rule,
    text: &[u8],
    first: Range<usize>,
    second: Option<Range<usize>>,
) -> Option<Range<usize>> {
    let value = &text[first.clone()];
    let is_secret = match rule.check {
        Check::Form => true,
        Check::NoFiller => !is_filler(value),
        Check::Random => looks_random(value) && !is_filler(value),
        Check::RandomPart => value.split(|byte| *byte == b';').any(|part| {
            let value = part.splitn(2, |byte| *byte == b'=').nth(1).unwrap_or_default();
            value.len() >= COOKIE_BYTES_MIN && looks_random(value)
        }),
        Check::UserChoice => is_user_choice(value),
        Check::MixedChoice => is_user_choice(value) && is_mixed(value),
        Check::Login => is_login(value) || value.len() >= 16 && looks_random(value),
        Check::EachValue(_) => false,
        Check::NamedValue => {
            let range = second?;
            let range = range.start..range.start + text[range].trim_ascii_end().len();
            let is_quoted = text[range.clone()].iter().any(u8::is_ascii_whitespace);
            let class = assignment::class(value).filter(|class| *class != NameClass::Key)?;
            let value = Value { range: range.clone(), is_quoted, is_tight: true };
            return assignment::is_secret(text, &first, class, &value).then_some(range);
        }
    };
    is_secret.then_some(first)
}

fn offset_by(range: Range<usize>, by: usize) -> Range<usize> {
    range.start + by..range.end + by
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_compiles() {
        for rule in RULES {
            compile(&expression(rule));
            if let Check::EachValue(each) = rule.check {
                compile(each);
            }
        }
    }
}
