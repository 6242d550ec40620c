//! Blocks of a text that are similar to text that was not found. They are reported, never replaced.

use std::collections::HashMap;

use similar::{Algorithm, DiffTag, capture_diff_slices, diff_ratio};

use super::line_diff::{DiffLine, write_diff_lines};
use super::text_lines;
use foveal_transcript::LineSpan;

/// Blocks that are reported.
const REPORTED_BLOCKS_MAX: usize = 3;
/// Blocks that are compared word by word.
const COMPARED_BLOCKS_MAX: usize = 10;
/// Lines of a text that are searched.
const LINES_MAX: usize = 200_000;
/// Lines of a block that are compared.
const BLOCK_LINES_MAX: usize = 200;
/// Words of a block that are compared.
const BLOCK_WORDS_MAX: usize = 1500;
/// Lines of a difference that are shown.
const DIFF_LINES_MAX: usize = 24;
/// The weight of a word that occurs in one line only.
const WORD_WEIGHT: u64 = 1_000_000;
/// The least similarity that is reported, in percent.
const PERCENT_MIN: u8 = 50;

/// A block of a text that is similar to the text searched for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SimilarBlock {
    /// The lines of the block.
    pub lines: LineSpan,
    /// The similarity in percent, by words.
    pub percent: u8,
    /// The line diff from the text searched for (`-`) to the block (`+`, with line numbers).
    pub diff: String,
}

/// Returns the blocks of `text` most similar to `old`, best first; at most 3.
pub(super) fn find_similar_blocks(text: &str, old: &str) -> Vec<SimilarBlock> {
    let lines: Vec<&str> =
        text_lines::lines(text).iter().map(|line| line.text).take(LINES_MAX).collect();
    let wanted: Vec<&str> = text_lines::lines(old).iter().map(|line| line.text).collect();
    // Blank lines at the ends are not searched for.
    let Some(first) = wanted.iter().position(|line| !line.trim().is_empty()) else {
        return Vec::new();
    };
    let last = wanted.iter().rposition(|line| !line.trim().is_empty()).unwrap_or(first);
    let wanted = &wanted[first..=last];
    let wanted = &wanted[..wanted.len().min(BLOCK_LINES_MAX)];
    let mut found: Vec<SimilarBlock> = select_block_starts(&lines, wanted)
        .into_iter()
        .filter_map(|start| compare_block(&lines, wanted, start))
        .collect();
    found.sort_by_key(|candidate| (std::cmp::Reverse(candidate.percent), candidate.lines.first));
    found.truncate(REPORTED_BLOCKS_MAX);
    found
}

/// Returns the starts of the blocks that share most words with `wanted`, rare words counting more.
/// Blocks do not overlap.
fn select_block_starts(lines: &[&str], wanted: &[&str]) -> Vec<usize> {
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
            if chosen.len() == COMPARED_BLOCKS_MAX {
                break;
            }
        }
    }
    chosen
}

fn compare_block(lines: &[&str], wanted: &[&str], start: usize) -> Option<SimilarBlock> {
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
            shown.extend(ours.map(|at| DiffLine { number: None, sign: '-', text: wanted[at] }));
        }
        shown.extend(theirs.map(|at| DiffLine {
            number: Some(start + at + 1),
            sign,
            text: block[at],
        }));
    }
    let mut diff = String::new();
    write_diff_lines(&mut diff, &shown, DIFF_LINES_MAX);
    Some(SimilarBlock { lines: LineSpan::from_indices(start, end), percent, diff })
}

/// Returns the runs of letters, digits and `_`.
fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

/// Returns the words, and each other character that is not blank.
fn tokens(line: &str) -> impl Iterator<Item = &str> {
    line.split_inclusive(|c: char| !c.is_alphanumeric() && c != '_').flat_map(|part| {
        let word = part.trim_end_matches(|c: char| !c.is_alphanumeric() && c != '_');
        let mark = &part[word.len()..];
        [word, mark.trim()].into_iter().filter(|token| !token.is_empty())
    })
}
