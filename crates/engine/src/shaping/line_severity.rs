//! Classifies lines of a program's output by severity: failures, warnings, summaries.
//!
//! Uses the words that test runners, compilers, linters and shells print, as whole words:
//! `TypeError: x` and `3 failed` match; `0 failed`, `parse_error.rs` and `test error_path ... ok`
//! do not.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

/// The severity of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LineSeverity {
    /// No sign of a failure or a summary.
    Normal,
    /// A warning, or a word that often accompanies a failure.
    Warning,
    /// An error, a failure, or the summary of a run.
    Failure,
}

/// Number of bytes of a line that are examined: signs are near its start, and data follow.
const EXAMINED_BYTES_MAX: usize = 400;

/// Words that report a failure, in lower case.
const FAILURE_WORDS: [&str; 21] = [
    "err",
    "error",
    "errors",
    "fail",
    "failed",
    "failure",
    "failures",
    "panic",
    "panicked",
    "traceback",
    "exception",
    "fatal",
    "segfault",
    "assertion",
    "aborted",
    "killed",
    "denied",
    "unresolved",
    "errored",
    "timeout",
    "crashed",
];

/// Words that may accompany a failure, in lower case.
const WARNING_WORDS: [&str; 9] = [
    "warning",
    "warnings",
    "warn",
    "cannot",
    "undefined",
    "expected",
    "unexpected",
    "invalid",
    "missing",
];

/// Phrases that report a failure or sum up a run, spelled as printed.
const FAILURE_PHRASES: [&str; 14] = [
    "test result:",
    "Tests:",
    "Test Suites:",
    "Test Files ",
    "BUILD SUCCESS",
    "BUILD SUCCESSFUL",
    "Segmentation fault",
    "not found",
    "No such file",
    "timed out",
    "exit code ",
    "exit status ",
    "examples, ",
    "--- FAIL",
];

/// Words after a number that sum up a run.
const SUMMARY_WORDS: [&str; 4] = ["passed", "passing", "pass", "skipped"];

/// Finds, in either case, a word without which a line has no severity. Most lines are done after
/// this one search.
static SEVERITY_WORDS: LazyLock<AhoCorasick> = LazyLock::new(|| {
    let words = [&FAILURE_WORDS[..], &WARNING_WORDS, &SUMMARY_WORDS, &FAILURE_PHRASES].concat();
    let finder = AhoCorasick::builder().ascii_case_insensitive(true).build(words);
    finder.expect("they are few and short")
});

/// Returns the severity of `line`.
pub fn classify_line(line: &str) -> LineSeverity {
    let line = &line[..line.floor_char_boundary(EXAMINED_BYTES_MAX)];
    if SEVERITY_WORDS.is_match(line) { classify_words(line) } else { LineSeverity::Normal }
}

/// Returns the severity of a line by its words.
fn classify_words(line: &str) -> LineSeverity {
    if FAILURE_PHRASES.iter().any(|phrase| line.contains(phrase)) {
        return LineSeverity::Failure;
    }
    let mut told = LineSeverity::Normal;
    let mut before = "";
    for (start, word) in words_with_offsets(line) {
        if SUMMARY_WORDS.contains(&word)
            && !before.is_empty()
            && before.bytes().all(|b| b.is_ascii_digit())
        {
            return LineSeverity::Failure;
        }
        let tells = word_severity(word);
        if tells > told && !matches!(before, "0" | "no" | "No" | "without") {
            let after = &line[start + word.len()..];
            let is_named = if is_error_type(word) {
                after.starts_with("::")
            } else {
                is_part_of_name(&line[..start], after)
            };
            told = if is_named { told } else { tells };
        }
        before = word;
    }
    if told != LineSeverity::Normal && reports_success(line) { LineSeverity::Normal } else { told }
}

/// Returns the severity of a word that is no part of a name.
fn word_severity(word: &str) -> LineSeverity {
    let is_one_of = |words: &[&str]| words.iter().any(|one| one.eq_ignore_ascii_case(word));
    if is_one_of(&FAILURE_WORDS) || is_error_type(word) {
        LineSeverity::Failure
    } else if is_one_of(&WARNING_WORDS) {
        LineSeverity::Warning
    } else {
        LineSeverity::Normal
    }
}

/// Returns the words of letters, digits and underscores with their offsets.
fn words_with_offsets(line: &str) -> impl Iterator<Item = (usize, &str)> {
    line.split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .filter(|word| !word.is_empty())
        .map(|word| (word.as_ptr() as usize - line.as_ptr() as usize, word))
}

/// Returns whether a word is the name of an error type, like `TypeError` or
/// `IllegalStateException`.
fn is_error_type(word: &str) -> bool {
    ["Error", "Exception"].iter().any(|end| word.len() > end.len() && word.ends_with(end))
}

/// Returns whether a word between these texts is part of a path, a file name or a longer name.
fn is_part_of_name(before: &str, after: &str) -> bool {
    let goes_on = |mark: char| {
        after.strip_prefix(mark).is_some_and(|rest| rest.starts_with(|c: char| c.is_alphanumeric()))
    };
    before.ends_with("::")
        || before.ends_with(['/', '-', '.', '\\', '$', '@'])
        || after.starts_with(['/', '\\', '(', '-'])
        || after.starts_with("::")
        || goes_on('.')
}

/// Returns whether a line reports a successful test or check.
fn reports_success(line: &str) -> bool {
    let text = line.trim();
    text.ends_with(" ok")
        || text.ends_with(" PASSED")
        || text.contains(" PASSED ")
        || ["✓", "✔", "PASS ", "ok ", "--- PASS", "[       OK ]"]
            .iter()
            .any(|m| text.starts_with(m))
}

/// Returns whether a line belongs to the failure directly before it: the expected value, the place,
/// the source around it.
pub fn belongs_to_failure(line: &str) -> bool {
    let text = line.trim_start();
    let indented = text.len() < line.len() && !text.is_empty();
    let bar = text.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start().starts_with('|');
    indented
        || bar
        || ["-->", "E ", "> ", "^", "~", "left:", "right:", "- ", "+ ", "Expected", "Received"]
            .iter()
            .any(|start| text.starts_with(start))
}

#[cfg(test)]
mod tests;
