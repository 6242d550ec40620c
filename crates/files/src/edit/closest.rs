//! The blocks of a text that are most like what was looked for. They are shown, never taken.

use std::collections::HashMap;

use similar::{Algorithm, DiffTag, capture_diff_slices, diff_ratio};

use super::diff::{Shown, write_lines};
use super::text;
use foveal_transcript::LineSpan;

/// Blocks that are told.
const CANDIDATES_MAX: usize = 3;
/// Blocks that are compared word by word.
const COMPARED_MAX: usize = 10;
/// Lines of a text that are looked at.
const LINES_MAX: usize = 200_000;
/// Lines and words of a block that are compared.
const BLOCK_LINES_MAX: usize = 200;
const BLOCK_WORDS_MAX: usize = 1500;
/// Lines of a difference that are shown.
const DIFF_LINES_MAX: usize = 24;
/// What a word counts that one line has.
const WORD_WEIGHT: u64 = 1_000_000;
/// Blocks less alike help nobody.
const PERCENT_MIN: u8 = 50;

/// A block of a text that is like what was looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// Its lines.
    pub lines: LineSpan,
    /// How much of its words are the same, 0 to 100.
    pub percent: u8,
    /// Line by line: what the block has (`+`, with its number) for what was asked (`-`).
    pub diff: String,
}

/// The blocks of `text` most like `old`, best first; at most 3.
pub(super) fn candidates(text: &str, old: &str) -> Vec<Candidate> {
    let lines: Vec<&str> = text::lines(text).iter().map(|line| line.text).take(LINES_MAX).collect();
    let wanted: Vec<&str> = text::lines(old).iter().map(|line| line.text).collect();
    // Blank lines around are nothing to look for.
    let Some(first) = wanted.iter().position(|line| !line.trim().is_empty()) else {
        return Vec::new();
    };
    let last = wanted.iter().rposition(|line| !line.trim().is_empty()).unwrap_or(first);
    let wanted = &wanted[first..=last];
    let wanted = &wanted[..wanted.len().min(BLOCK_LINES_MAX)];
    let mut found: Vec<Candidate> = promising(&lines, wanted)
        .into_iter()
        .filter_map(|start| compare(&lines, wanted, start))
        .collect();
    found.sort_by_key(|candidate| (std::cmp::Reverse(candidate.percent), candidate.lines.first));
    found.truncate(CANDIDATES_MAX);
    found
}

/// Starts of the blocks that share most words with `wanted`, those that few lines have
/// counting more. Blocks do not overlap.
fn promising(lines: &[&str], wanted: &[&str]) -> Vec<usize> {
    let mut lines_with: HashMap<&str, u32> = HashMap::new();
    for word in wanted.iter().flat_map(|line| words(line)).take(BLOCK_WORDS_MAX) {
        lines_with.insert(word, 0);
    }
    let shared = |line: &'_ str, lines_with: &HashMap<&str, u32>| -> u64 {
        let known = words(line).filter_map(|word| lines_with.get(word));
        known.map(|count| (WORD_WEIGHT / u64::from((*count).max(1))).max(1)).sum()
    };
    for line in lines {
        for word in words(line) {
            if let Some(count) = lines_with.get_mut(word) {
                *count = count.saturating_add(1);
            }
        }
    }
    let scores: Vec<u64> = lines.iter().map(|line| shared(line, &lines_with)).collect();
    let size = wanted.len().min(lines.len()).max(1);
    let mut sum: u64 = scores.iter().take(size).sum();
    let mut blocks: Vec<(u64, usize)> = Vec::new();
    for start in 0..=lines.len().saturating_sub(size) {
        if sum > 0 {
            blocks.push((sum, start));
        }
        sum = sum - scores.get(start).unwrap_or(&0) + scores.get(start + size).unwrap_or(&0);
    }
    blocks.sort_by_key(|(sum, start)| (std::cmp::Reverse(*sum), *start));
    let mut chosen: Vec<usize> = Vec::new();
    for (_, start) in blocks {
        if chosen.iter().all(|other| other.abs_diff(start) >= size) {
            chosen.push(start);
            if chosen.len() == COMPARED_MAX {
                break;
            }
        }
    }
    chosen
}

fn compare(lines: &[&str], wanted: &[&str], start: usize) -> Option<Candidate> {
    let end = (start + wanted.len()).min(lines.len());
    let block = &lines[start..end];
    let tokens = |lines: &[&'_ str]| -> Vec<String> {
        let tokens = lines.iter().flat_map(|line| tokens(line)).take(BLOCK_WORDS_MAX);
        tokens.map(str::to_owned).collect()
    };
    let (ours, theirs) = (tokens(wanted), tokens(block));
    let operations = capture_diff_slices(Algorithm::Myers, &ours, &theirs);
    let ratio = diff_ratio(&operations, ours.len(), theirs.len());
    let percent = (ratio * 100.0).clamp(0.0, 100.0) as u8;
    if percent < PERCENT_MIN {
        return None;
    }
    let mut shown = Vec::new();
    for op in capture_diff_slices(Algorithm::Myers, wanted, block) {
        let (tag, ours, theirs) = op.as_tag_tuple();
        let sign = if tag == DiffTag::Equal { ' ' } else { '+' };
        if tag != DiffTag::Equal {
            shown.extend(ours.map(|at| Shown { number: None, sign: '-', text: wanted[at] }));
        }
        shown.extend(theirs.map(|at| Shown {
            number: Some(start + at + 1),
            sign,
            text: block[at],
        }));
    }
    let mut diff = String::new();
    write_lines(&mut diff, &shown, DIFF_LINES_MAX);
    Some(Candidate { lines: LineSpan::of_indices(start, end), percent, diff })
}

/// Runs of letters, digits and `_`.
fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

/// Words, and each other character that is no blank.
fn tokens(line: &str) -> impl Iterator<Item = &str> {
    line.split_inclusive(|c: char| !c.is_alphanumeric() && c != '_').flat_map(|part| {
        let word = part.trim_end_matches(|c: char| !c.is_alphanumeric() && c != '_');
        let mark = &part[word.len()..];
        [word, mark.trim()].into_iter().filter(|token| !token.is_empty())
    })
}
