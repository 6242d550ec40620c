//! Splits a long read into parts that fit one request each.

use foveal_pricing::tokens::Tokens;
use foveal_transcript::LineNumber;

use crate::views::{ReadContext, ReadText};

/// Largest number of parts; more requests would take too long.
const PARTS_MAX: u64 = 6;

/// Splits a read of `tokens` with its request, of which one request holds `tokens_max`, into parts
/// with the number of their first line. Returns an empty vector if there would be more than
/// [`PARTS_MAX`].
pub(super) fn split_read<'a>(
    read: &ReadContext<'a>,
    tokens: Tokens,
    tokens_max: Tokens,
) -> Vec<(LineNumber, ReadText<'a>)> {
    // Each request repeats the conversation: a quarter more.
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
