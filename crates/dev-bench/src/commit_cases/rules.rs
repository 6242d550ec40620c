//! Rules for the commits and files that make cases.

use super::gold_lines::{changed_lines, gold_lines};
use super::source_file::is_generated;
use crate::case::CurationCase;
use crate::language::language_of;
use crate::line_ranges::line_count;

/// Limits of the commits and files that are sampled.
#[derive(Debug, Clone, Copy)]
pub(super) struct SamplingRules {
    /// The least and the most source files that a commit changes.
    pub(super) files: (usize, usize),
    /// The least and the most lines of a file before the commit.
    pub(super) lines: (u32, u32),
    /// The largest share of a file's lines that a commit touches, from 0 to 1.
    pub(super) touched_max: f64,
    /// The fewest characters of a message without a body.
    pub(super) message_min: usize,
    /// The most cases of one repository.
    pub(super) cases_max: usize,
}

impl Default for SamplingRules {
    fn default() -> Self {
        Self {
            files: (1, 4),
            lines: (120, 3_000),
            touched_max: 0.15,
            message_min: 40,
            cases_max: 110,
        }
    }
}

/// A source file before and after a commit.
#[derive(Debug, Clone, Copy)]
pub(super) struct FileRevisions<'a> {
    /// The path inside the repository.
    pub(super) path: &'a str,
    /// The file before.
    pub(super) old: &'a str,
    /// The file after.
    pub(super) new: &'a str,
}

/// Returns the case of a file change, or `None` if the rules exclude it. `repo` and `commit` name
/// it, `question` is the one in the commit's message.
pub(super) fn case_from_revisions(
    rules: &SamplingRules,
    repo: &str,
    commit: &str,
    question: &str,
    revisions: FileRevisions<'_>,
) -> Option<CurationCase> {
    let FileRevisions { path, old, new } = revisions;
    let lines = line_count(old);
    let fits = (rules.lines.0..=rules.lines.1).contains(&lines);
    if !fits || is_generated(old) || old.contains('\0') {
        return None;
    }
    let gold = gold_lines(old, new);
    let touched = f64::from(changed_lines(old, new)).max(gold.len() as f64);
    if gold.is_empty()
        || touched > rules.touched_max * f64::from(lines)
        || differs_in_blanks_only(old, new)
    {
        return None;
    }
    Some(CurationCase {
        id: format!("{repo}:{}:{path}", commit.get(..12).unwrap_or(commit)),
        repo: repo.to_owned(),
        language: language_of(path).unwrap_or_default().to_owned(),
        path: path.to_owned(),
        content_before: old.to_owned(),
        query: question.to_owned(),
        conversation: None,
        gold_lines: Some(gold),
    })
}

/// Returns whether two texts differ only in blanks and line breaks.
fn differs_in_blanks_only(old: &str, new: &str) -> bool {
    let visible = |text: &str| text.split_whitespace().map(str::len).sum::<usize>();
    visible(old) == visible(new)
        && old.chars().filter(|c| !c.is_whitespace()).eq(new.chars().filter(|c| !c.is_whitespace()))
}
