//! Which lines of a program's output tell of what went wrong or how it ended.
//!
//! Works on the words that test runners, compilers, linters and shells print, as whole
//! words: `TypeError: x` and `3 failed` tell, `0 failed`, `parse_error.rs` and
//! `test error_path ... ok` do not.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

/// How much a line tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Telling {
    /// Nothing of note.
    Nothing,
    /// A warning, or a word that often goes with a failure.
    Hint,
    /// An error, a failure, or the sum of a run.
    Failure,
}

/// Marks stand near the start of a line; what comes later is data.
const LOOKED_AT_BYTES_MAX: usize = 400;

/// Words that tell of a failure, in small letters.
const FAILURES: [&str; 21] = [
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

/// Words that may go with a failure, in small letters.
const HINTS: [&str; 9] = [
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

/// Parts of lines that tell of a failure or sum up a run, spelled as printed.
const PHRASES: [&str; 14] = [
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
const SUMS: [&str; 4] = ["passed", "passing", "pass", "skipped"];

/// Finds what no line lacks that tells anything, in letters of either case. Most lines tell
/// nothing, and are done with one look.
static MAY_TELL: LazyLock<AhoCorasick> = LazyLock::new(|| {
    let words = [&FAILURES[..], &HINTS, &SUMS, &PHRASES].concat();
    let finder = AhoCorasick::builder().ascii_case_insensitive(true).build(words);
    finder.expect("they are few and short")
});

/// What `line` tells.
pub fn telling(line: &str) -> Telling {
    let line = &line[..line.floor_char_boundary(LOOKED_AT_BYTES_MAX)];
    if MAY_TELL.is_match(line) { by_words(line) } else { Telling::Nothing }
}

/// What a line tells, word by word.
fn by_words(line: &str) -> Telling {
    if PHRASES.iter().any(|phrase| line.contains(phrase)) {
        return Telling::Failure;
    }
    let mut told = Telling::Nothing;
    let mut before = "";
    for (start, word) in words(line) {
        if SUMS.contains(&word) && !before.is_empty() && before.bytes().all(|b| b.is_ascii_digit())
        {
            return Telling::Failure;
        }
        let tells = of_word(word);
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
    if told != Telling::Nothing && tells_of_success(line) { Telling::Nothing } else { told }
}

/// What a word tells where it stands alone.
fn of_word(word: &str) -> Telling {
    let is_one_of = |words: &[&str]| words.iter().any(|one| one.eq_ignore_ascii_case(word));
    if is_one_of(&FAILURES) || is_error_type(word) {
        Telling::Failure
    } else if is_one_of(&HINTS) {
        Telling::Hint
    } else {
        Telling::Nothing
    }
}

/// Words of letters, digits and underscores with where they start.
fn words(line: &str) -> impl Iterator<Item = (usize, &str)> {
    line.split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .filter(|word| !word.is_empty())
        .map(|word| (word.as_ptr() as usize - line.as_ptr() as usize, word))
}

/// `TypeError`, `IllegalStateException`.
fn is_error_type(word: &str) -> bool {
    ["Error", "Exception"].iter().any(|end| word.len() > end.len() && word.ends_with(end))
}

/// Whether a word between these is part of a path, a file name or a longer name.
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

/// The report of one test or check that went well.
fn tells_of_success(line: &str) -> bool {
    let text = line.trim();
    text.ends_with(" ok")
        || text.ends_with(" PASSED")
        || text.contains(" PASSED ")
        || ["✓", "✔", "PASS ", "ok ", "--- PASS", "[       OK ]"]
            .iter()
            .any(|m| text.starts_with(m))
}

/// Whether a line goes with the failure told just before it: what was expected, where it
/// happened, the source around it.
pub fn goes_with_failure(line: &str) -> bool {
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
