//! The scanner: one pass over a text that finds the keywords of all rules and tries the rules
//! there.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

use aho_corasick::{AhoCorasick, AhoCorasickKind, Match};
use regex::bytes::{CaptureLocations, Regex};

use crate::assignment::{self, AssignedValue};
use crate::bytes_regex::compile;
use crate::secret::{Secret, merge_overlaps};
use crate::secret_rules::{MatchScope, NAME_KEYWORDS, NameClass, RULES, SecretRule, ValueCheck};
use crate::value_shape::{
    has_password_characters, is_basic_auth, is_filler, is_template, is_user_choice, looks_random,
};
use crate::{random_words, secret_tables};

/// The bytes of a command, with its continuation lines, that are read.
const COMMAND_BYTES_MAX: usize = 600;

/// The bytes of a line that are read on either side of a keyword.
const LINE_BYTES_MAX: usize = 200;

/// The bytes of a document that are read on either side of a keyword, and before the end of a key.
const DOCUMENT_BYTES_MAX: usize = 64 << 10;

/// A match of this length that is not a secret contains none either.
const MATCH_BYTES_MAX: usize = 2_048;

/// Shorter cookie values are settings.
const COOKIE_BYTES_MIN: usize = 12;

/// The bytes of a keyword that the automaton matches. With whole keywords its table would take
/// three times the memory and six times as long to build.
const HEAD_BYTES: usize = 4;

/// The keywords of all rules, of names, and of tables.
static KEYWORDS: LazyLock<KeywordIndex> = LazyLock::new(KeywordIndex::new);

struct KeywordIndex {
    heads: AhoCorasick,
    /// The keywords with each head, and their rules. The two indices after the last rule stand for
    /// names and for tables.
    words: Vec<Vec<(&'static [u8], usize)>>,
}

impl KeywordIndex {
    fn new() -> Self {
        let rules = RULES
            .iter()
            .map(|rule| rule.keywords)
            .chain([NAME_KEYWORDS, secret_tables::INSERT_KEYWORDS]);
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

    /// Returns the keywords at a matched head, each with its rule.
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

/// The expressions of a rule, each compiled when its keyword first occurs.
#[derive(Default)]
struct CompiledRule {
    pattern: OnceLock<Regex>,
    each: OnceLock<Regex>,
}

static COMPILED: LazyLock<Vec<CompiledRule>> =
    LazyLock::new(|| RULES.iter().map(|_| CompiledRule::default()).collect());

/// Returns all secrets of a text in order, without overlaps.
pub(crate) fn scan_text(text: &[u8]) -> Vec<Secret> {
    let mut scan = RuleScan::new(text);
    let keywords = &*KEYWORDS;
    for head in keywords.heads.find_overlapping_iter(text) {
        for (hit, rule) in keywords.words_at(text, &head) {
            match rule.checked_sub(RULES.len()) {
                None => scan.try_rule(rule, hit),
                Some(0) => scan.try_name(&hit),
                Some(_) => scan.try_insert_rows(&hit),
            }
        }
    }
    let words: Vec<Range<usize>> = random_words::long_words(text).collect();
    scan.found.extend(random_words::find_key_blocks(text, &words));
    // A known form or name takes precedence over a random word.
    let mut found = merge_overlaps(scan.found);
    let mut guesses = random_words::find_random_words(text, &words);
    guesses.retain(|guess| {
        let at = found.partition_point(|secret| secret.range.end <= guess.range.start);
        found.get(at).is_none_or(|secret| guess.range.end <= secret.range.start)
    });
    found.extend(guesses);
    merge_overlaps(found)
}

/// Returns whether a text contains a word that requires a full scan.
pub(crate) fn may_contain_secret(text: &[u8]) -> bool {
    let keywords = &*KEYWORDS;
    let has_keyword = || {
        let mut heads = keywords.heads.find_overlapping_iter(text);
        heads.any(|head| keywords.words_at(text, &head).next().is_some())
    };
    random_words::long_words(text).next().is_some()
        || memchr::memchr(0, text).is_some()
        || has_keyword()
}

/// The scan of one text, and the progress of each rule.
struct RuleScan<'t> {
    text: &'t [u8],
    next: Vec<usize>,
    groups: Vec<Option<CaptureLocations>>,
    names: usize,
    rows: usize,
    found: Vec<Secret>,
}

impl<'t> RuleScan<'t> {
    fn new(text: &'t [u8]) -> Self {
        let (next, groups) = (vec![0; RULES.len()], vec![None; RULES.len()]);
        Self { text, next, groups, names: 0, rows: 0, found: Vec::new() }
    }

    /// Tries a rule at its keyword.
    fn try_rule(&mut self, at: usize, hit: Range<usize>) {
        if hit.start < self.next[at] {
            return;
        }
        let rule = &RULES[at];
        let Some(part) = scope_range(rule.scope, self.text, &hit, self.next[at]) else { return };
        let text = &self.text[part.clone()];
        let pattern = COMPILED[at].pattern.get_or_init(|| compile(&full_pattern(rule)));
        if let ValueCheck::EachValue(each) = rule.check {
            self.next[at] = part.end;
            let each = COMPILED[at].each.get_or_init(|| compile(each));
            let values = first_groups(pattern, text).flat_map(|block| {
                each.captures_iter(&text[block.clone()]).filter_map(move |groups| {
                    let value = groups.get(1)?.range();
                    Some(block.start + value.start..block.start + value.end)
                })
            });
            let values = values.filter(|value| is_manifest_value(&text[value.clone()]));
            self.found.extend(values.map(|it| Secret::new(shift_range(it, part.start), rule.kind)));
            return;
        }
        let groups = match_groups(pattern, &mut self.groups[at], text);
        self.next[at] = match rule.scope {
            MatchScope::Command | MatchScope::Line | MatchScope::Before => part.end,
            _ => hit.start,
        };
        let Some(MatchGroups { end, first, second }) = groups else { return };
        let secret = matched_secret(rule, text, first, second);
        // A long word that is not a secret is not read again at each keyword in it.
        if secret.is_some() || end >= MATCH_BYTES_MAX || rule.scope == MatchScope::Token {
            self.next[at] = self.next[at].max(part.start + end);
        }
        self.found.extend(secret.map(|it| Secret::new(shift_range(it, part.start), rule.kind)));
    }

    /// Examines the name around a keyword.
    fn try_name(&mut self, hit: &Range<usize>) {
        if hit.start < self.names {
            return;
        }
        let name = assignment::name_around(self.text, hit);
        self.names = name.end;
        let secret = assignment::assigned_secret(self.text, &name);
        if secret.is_none() && name.start >= self.rows {
            self.add_table_secrets(secret_tables::find_column_secrets(self.text, &name));
        }
        self.found.extend(secret.map(|(range, kind)| Secret::new(range, kind)));
    }

    /// Examines the rows of an `INSERT`.
    fn try_insert_rows(&mut self, hit: &Range<usize>) {
        if hit.start >= self.rows {
            self.add_table_secrets(secret_tables::find_insert_secrets(self.text, hit));
        }
    }

    fn add_table_secrets(&mut self, rows: Option<secret_tables::TableSecrets>) {
        if let Some(rows) = rows {
            self.rows = rows.end;
            self.found.extend(rows.secrets.into_iter().map(|it| Secret::new(it, "password")));
        }
    }
}

/// Returns the complete pattern of a rule.
fn full_pattern(rule: &SecretRule) -> String {
    let pattern = rule.pattern;
    match rule.scope {
        MatchScope::Token => {
            let words: Vec<String> = rule.keywords.iter().map(|it| regex::escape(it)).collect();
            format!("^(?:{})(?:{pattern})", words.join("|"))
        }
        MatchScope::Document | MatchScope::Before => pattern.to_owned(),
        _ => format!("^(?:{pattern})"),
    }
}

/// Returns the part of a text on which a rule is tried at a keyword, if it has read everything
/// before `from`; `None` if it does not apply.
fn scope_range(
    scope: MatchScope,
    text: &[u8],
    hit: &Range<usize>,
    from: usize,
) -> Option<Range<usize>> {
    let line_end = |at: usize, most: usize| {
        let most = text.len().min(at + most);
        memchr::memchr(b'\n', &text[at..most]).map_or(most, |feed| at + feed)
    };
    let range = match scope {
        MatchScope::Token | MatchScope::Word if !begins_word(text, hit.start) => return None,
        MatchScope::Token | MatchScope::Word | MatchScope::Anywhere => hit.start..text.len(),
        MatchScope::Command => {
            begins_word(text, hit.start).then_some(hit.start..command_end(text, hit.start))?
        }
        MatchScope::Line => {
            let before = hit.start.saturating_sub(LINE_BYTES_MAX)..hit.start;
            let feed = memchr::memrchr(b'\n', &text[before.clone()]);
            let start = feed.map_or(before.start, |at| before.start + at + 1);
            start..line_end(hit.end, LINE_BYTES_MAX)
        }
        MatchScope::Document => {
            // Prose may mention other resources of this name, and longer names begin the same way.
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
        MatchScope::Before => {
            let start = from.max(hit.start.saturating_sub(DOCUMENT_BYTES_MAX));
            start..line_end(hit.end, LINE_BYTES_MAX)
        }
    };
    Some(range)
}

/// Returns whether no letter, digit or underscore precedes `start`, apart from escaped line feeds
/// and tabs in strings.
fn begins_word(text: &[u8], start: usize) -> bool {
    match &text[..start] {
        [.., b'\\', b'n' | b'r' | b't'] => true,
        [.., before] => !(before.is_ascii_alphanumeric() || *before == b'_'),
        [] => true,
    }
}

/// Returns the end of a command, including its continuation lines.
fn command_end(text: &[u8], start: usize) -> usize {
    let most = text.len().min(start + COMMAND_BYTES_MAX);
    let mut ends = memchr::memchr_iter(b'\n', &text[start..most]).map(|feed| start + feed);
    let is_last = |end: &usize| {
        let line = &text[start..*end];
        !line.strip_suffix(b"\r").unwrap_or(line).ends_with(b"\\")
    };
    ends.find(is_last).unwrap_or(most)
}

/// Returns the first group of each match.
fn first_groups<'t>(pattern: &'t Regex, text: &'t [u8]) -> impl Iterator<Item = Range<usize>> + 't {
    pattern
        .captures_iter(text)
        .filter_map(|groups| groups.iter().skip(1).flatten().next().map(|group| group.range()))
}

/// Returns whether the value in a manifest of a secret is set.
fn is_manifest_value(value: &[u8]) -> bool {
    value.len() >= 4 && !is_template(value) && !matches!(value, b"null" | b"true" | b"false")
}

/// The groups of a match: its end, its first participating group (or else the whole match), and the
/// second one.
struct MatchGroups {
    end: usize,
    first: Range<usize>,
    second: Option<Range<usize>>,
}

fn match_groups(
    pattern: &Regex,
    room: &mut Option<CaptureLocations>,
    text: &[u8],
) -> Option<MatchGroups> {
    if pattern.captures_len() == 1 {
        let first = pattern.find(text)?.range();
        return Some(MatchGroups { end: first.end, first, second: None });
    }
    let groups = room.get_or_insert_with(|| pattern.capture_locations());
    let whole = pattern.captures_read(groups, text)?.range();
    let mut present = (1..groups.len()).filter_map(|at| groups.get(at)).map(|(from, to)| from..to);
    Some(MatchGroups {
        end: whole.end,
        first: present.next().unwrap_or(whole),
        second: present.next(),
    })
}

/// Returns the secret in a match, if it passes the check of the rule.
fn matched_secret(
    rule: &SecretRule,
    text: &[u8],
    first: Range<usize>,
    second: Option<Range<usize>>,
) -> Option<Range<usize>> {
    let value = &text[first.clone()];
    let is_secret = match rule.check {
        ValueCheck::Form => true,
        ValueCheck::NoFiller => !is_filler(value),
        ValueCheck::Random => looks_random(value) && !is_filler(value),
        ValueCheck::RandomPart => value.split(|byte| *byte == b';').any(|part| {
            let value = part.splitn(2, |byte| *byte == b'=').nth(1).unwrap_or_default();
            value.len() >= COOKIE_BYTES_MIN && looks_random(value)
        }),
        ValueCheck::UserChoice => is_user_choice(value),
        ValueCheck::MixedChoice => is_user_choice(value) && has_password_characters(value),
        ValueCheck::Login => is_basic_auth(value) || value.len() >= 16 && looks_random(value),
        ValueCheck::EachValue(_) => false,
        ValueCheck::NamedValue => {
            let range = second?;
            let range = range.start..range.start + text[range].trim_ascii_end().len();
            let is_quoted = text[range.clone()].iter().any(u8::is_ascii_whitespace);
            let class =
                assignment::classify_name(value).filter(|class| *class != NameClass::Key)?;
            let value = AssignedValue { range: range.clone(), is_quoted, is_tight: true };
            return assignment::is_secret_value(text, &first, class, &value).then_some(range);
        }
    };
    is_secret.then_some(first)
}

fn shift_range(range: Range<usize>, by: usize) -> Range<usize> {
    range.start + by..range.end + by
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_compiles() {
        for rule in RULES {
            compile(&full_pattern(rule));
            if let ValueCheck::EachValue(each) = rule.check {
                compile(each);
            }
        }
    }
}
