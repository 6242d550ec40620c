//! Blocks by BM25 of the question.

use super::blocks::blocks;
use super::bm25_scores::scores;
use crate::case::{CurationCase, LineBudget};
use crate::line_ranges::{LineRanges, lines_of, ranges};

/// Under [`LineBudget::Adaptive`], blocks are taken until they hold this share of all scores.
const ADAPTIVE_MASS: f64 = 0.7;
/// The least and the most share of lines kept under [`LineBudget::Adaptive`].
const ADAPTIVE_SHARES: (f64, f64) = (0.1, 0.4);

/// Keeps the best blocks; of the first that does not fit as many lines as there is room.
/// Blocks that score alike are taken in their order.
pub(super) fn choose(case: &CurationCase, budget: LineBudget) -> LineRanges {
    let lines: Vec<&str> = lines_of(&case.content_before).collect();
    let blocks = blocks(&case.content_before);
    let texts: Vec<String> = blocks.iter().map(|block| lines[block.clone()].concat()).collect();
    let scores = scores(&texts, &case.query);
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
    ranges(&marks)
}
