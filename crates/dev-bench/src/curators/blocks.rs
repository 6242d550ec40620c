//! Splits a file into blocks at blank lines, independent of its language.

use std::ops::Range;

use crate::line_ranges::lines_of;

/// The most lines of a block.
const LINES_MAX: usize = 25;
/// A block with fewer lines is merged with the next one, if that fits.
const LINES_MIN: usize = 6;

/// Returns the ranges of the lines of each block, from 0; together they cover the text.
///
/// Blank lines belong to the block before them.
pub(crate) fn split_blocks(text: &str) -> Vec<Range<usize>> {
    let mut blocks: Vec<Range<usize>> = Vec::new();
    for paragraph in split_paragraphs(text) {
        match blocks.last_mut() {
            Some(last) if last.len() < LINES_MIN && paragraph.end - last.start <= LINES_MAX => {
                last.end = paragraph.end;
            }
            _ => blocks.push(paragraph),
        }
    }
    blocks
}

fn split_paragraphs(text: &str) -> Vec<Range<usize>> {
    let lines: Vec<&str> = lines_of(text).collect();
    let mut paragraphs: Vec<Range<usize>> = Vec::new();
    let mut start = 0;
    for at in 1..=lines.len() {
        let ends = at == lines.len() || (is_blank(lines[at - 1]) && !is_blank(lines[at]));
        if ends || at - start >= LINES_MAX {
            paragraphs.push(start..at);
            start = at;
        }
    }
    paragraphs
}

fn is_blank(line: &str) -> bool {
    line.trim().is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let blocks: Vec<String> = split_blocks(text)
            .into_iter()
            .map(|block| format!("{}-{}", block.start + 1, block.end))
            .collect();
        assert_eq!(blocks.join(" "), expected, "{text:?}");
    }

    #[test]
    fn blocks_end_at_blank_lines_and_are_neither_short_nor_long() {
        check("", "");
        check("a\nb", "1-2");
        check("a\n\nb\n\nc\n", "1-5");
        check("a\n\nb\n\nc\n\n\nd\n", "1-7 8-8");
        check(&format!("{}\nb\n", "a\n".repeat(6)), "1-7 8-8");
        check(&"x\n".repeat(60), "1-25 26-50 51-60");
        check(&format!("a\n\n{}", "x\n".repeat(24)), "1-2 3-26");
    }
}
