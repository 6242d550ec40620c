//! Ranks blocks by BM25 of the question.

use super::blocks::split_blocks;
use super::bm25_scores::bm25_scores;
use crate::case::{CurationCase, LineBudget};
use crate::line_ranges::{LineRanges, lines_of, marked_ranges};

/// The share of all scores at which no more blocks are taken under [`LineBudget::Adaptive`].
const ADAPTIVE_MASS: f64 = 0.7;
/// The least and the most share of lines kept under [`LineBudget::Adaptive`].
const ADAPTIVE_SHARES: (f64, f64) = (0.1, 0.4);

/// Keeps the best blocks; the first one that does not fit is cut. Ties are taken in order.
pub(super) fn choose(case: &CurationCase, budget: LineBudget) -> LineRanges {
    let lines: Vec<&str> = lines_of(&case.content_before).collect();
    let blocks = split_blocks(&case.content_before);
    let texts: Vec<String> = blocks.iter().map(|block| lines[block.clone()].concat()).collect();
    let scores = bm25_scores(&texts, &case.query);
    let mut order: Vec<usize> = (0..blocks.len()).collect();
    order.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]));

    let count = u32::try_from(lines.len()).unwrap_or(u32::MAX);
    let share = |share| LineBudget::Share(share).lines_max(count) as usize;
    let (least, most) = match budget {
        LineBudget::Share(_) => (lines.len(), budget.lines_max(count) as usize),
        LineBudget::Adaptive => (share(ADAPTIVE_SHARES.0), share(ADAPTIVE_SHARES.1)),
    };
    let enough = scores.iter().sum::<f64>() * ADAPTIVE_MASS;
    let mut marks = vec![false; lines.len()];
    let (mut kept, mut mass) = (0, 0.0);
    for at in order {
        if kept >= most || (kept >= least && mass >= enough) {
            break;
        }
        let block = blocks[at].start..blocks[at].end.min(blocks[at].start + (most - kept));
        kept += block.len();
        mass += scores[at];
        marks[block].fill(true);
    }
    marked_ranges(&marks)
}
