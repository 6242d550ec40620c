//! The lines of a file that a change touched.

use similar::{Algorithm, DiffOp, capture_diff_slices};

use crate::line_ranges::lines_of;

/// Returns the lines of `old`, from 1, ascending, that the change to `new` needs: the removed or
/// replaced ones, and the lines before and after an addition.
pub(crate) fn gold_lines(old: &str, new: &str) -> Vec<u32> {
    let (old, new): (Vec<&str>, Vec<&str>) = (lines_of(old).collect(), lines_of(new).collect());
    let mut gold = Vec::new();
    for (touched, _) in hunks(&old, &new) {
        if touched.is_empty() {
            // Places count from 0: the line at the place is the one after the addition.
            let neighbours = [touched.start, touched.start + 1];
            gold.extend(neighbours.into_iter().filter(|at| (1..=old.len()).contains(at)));
        } else {
            gold.extend(touched.map(|at| at + 1));
        }
    }
    gold.sort_unstable();
    gold.dedup();
    gold.into_iter().filter_map(|line| u32::try_from(line).ok()).collect()
}

/// Returns the larger of the numbers of lines removed from `old` and added in `new`.
pub(crate) fn changed_lines(old: &str, new: &str) -> u32 {
    let (old, new): (Vec<&str>, Vec<&str>) = (lines_of(old).collect(), lines_of(new).collect());
    let (removed, added) = hunks(&old, &new)
        .into_iter()
        .fold((0, 0), |(removed, added), (lines, new)| (removed + lines.len(), added + new));
    u32::try_from(removed.max(added)).unwrap_or(u32::MAX)
}

/// Returns the range of `old`, from 0, that each hunk replaces, and the number of its new lines.
fn hunks(old: &[&str], new: &[&str]) -> Vec<(std::ops::Range<usize>, usize)> {
    let mut hunks: Vec<(std::ops::Range<usize>, usize)> = Vec::new();
    for op in capture_diff_slices(Algorithm::Myers, old, new) {
        if matches!(op, DiffOp::Equal { .. }) {
            continue;
        }
        let (removed, added) = (op.old_range(), op.new_range().len());
        match hunks.last_mut() {
            // A removal with an addition at the same place is one replacement.
            Some((before, count)) if before.end == removed.start => {
                before.end = removed.end;
                *count += added;
            }
            _ => hunks.push((removed, added)),
        }
    }
    hunks
}

#[cfg(test)]
mod tests;
