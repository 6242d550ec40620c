//! A read in parts, each of which fits one question.

use foveal_transcript::LineNumber;

use crate::tokens::Tokens;
use crate::views::{Read, ReadText};

/// Parts that a model is asked about. Of a longer file it would take too long.
const PARTS_MAX: u64 = 6;

/// The parts of a read that takes so many tokens with its question, of which one question may take
/// so many, each with the number of its first line; none if that would be too many.
pub(super) fn of<'a>(
    read: &Read<'a>,
    (tokens, tokens_max): (Tokens, Tokens),
) -> Vec<(LineNumber, ReadText<'a>)> {
    // The conversation stands in each question.
    let parts = (tokens.0 * 5 / 4).div_ceil(tokens_max.0.max(1)).max(2);
    if parts > PARTS_MAX || read.text.is_empty() {
        return Vec::new();
    }
    let bytes = read.text.len().div_ceil(parts as usize);
    let text: &'a str = read.text;
    let mut all: Vec<(LineNumber, ReadText<'a>)> = Vec::new();
    let (mut begin, mut at, mut line) = (0, 0, read.first.0);
    let mut first = line;
    for row in text.split_inclusive('\n') {
        at += row.len();
        line = line.saturating_add(1);
        if at - begin >= bytes || at == text.len() {
            all.push((LineNumber(first), text[begin..at].into()));
            (begin, first) = (at, line);
        }
    }
    all
}
