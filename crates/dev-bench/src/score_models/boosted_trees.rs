//! Gradient boosting of small trees on the logarithmic loss, over columns cut into bins.
//!
//! Friedman, "Greedy Function Approximation: A Gradient Boosting Machine" (2001), with the
//! second-order gain of Chen and Guestrin, "XGBoost" (2016). Each tree may ask a part of the
//! columns, drawn from a fixed seed, so that no few of them speak for all.

use rayon::prelude::*;

use super::training_rows::TrainingRows;
use crate::seeded_random::SeededRandom;

/// Bins of a column, at most 256.
const BINS: usize = 64;

/// How trees are grown.
pub(crate) struct TreeSettings {
    /// Trees.
    pub(crate) trees: usize,
    /// The share of the columns that a tree may ask.
    pub(crate) columns: f32,
    /// Leaves of a tree.
    pub(crate) leaves: usize,
    /// The share of each tree's advice that is taken.
    pub(crate) rate: f32,
    /// Rows that a leaf has at least.
    pub(crate) leaf_rows_min: usize,
    /// The amount that is added to the curvature of a leaf, so that few rows say little.
    pub(crate) caution: f32,
}

impl Default for TreeSettings {
    fn default() -> Self {
        Self { trees: 300, columns: 0.3, leaves: 12, rate: 0.07, leaf_rows_min: 120, caution: 8.0 }
    }
}

#[derive(Clone, Copy, Default)]
struct GradientSum {
    slope: f32,
    curve: f32,
    rows: u32,
}

impl GradientSum {
    fn add(&mut self, other: Self) {
        self.slope += other.slope;
        self.curve += other.curve;
        self.rows += other.rows;
    }

    fn less(self, other: Self) -> Self {
        Self {
            slope: self.slope - other.slope,
            curve: self.curve - other.curve,
            rows: self.rows.saturating_sub(other.rows),
        }
    }

    fn gain(self, caution: f32) -> f32 {
        self.slope * self.slope / (self.curve + caution)
    }
}

struct ColumnBins {
    /// For each column, the bin of each row.
    bins: Vec<Vec<u8>>,
    /// For each column, the greatest value in each bin but the last.
    limits: Vec<Vec<f32>>,
}

struct TreeLeaf {
    /// Its place among the tree's nodes.
    node: usize,
    rows: Vec<u32>,
    sums: Vec<Vec<GradientSum>>,
    total: GradientSum,
    best: Option<TreeSplit>,
}

#[derive(Clone, Copy)]
struct TreeSplit {
    gain: f32,
    column: usize,
    bin: usize,
}

enum TreeNode {
    Split { column: usize, limit: f32, below: usize, above: usize },
    Leaf(f32),
}

/// Returns the fitted trees in the form that the curator reads.
pub(crate) fn fit_trees(cases: &[&TrainingRows], width: usize, settings: &TreeSettings) -> String {
    let columns = columns(cases, width);
    let gold: Vec<f32> = cases.iter().flat_map(|case| case.gold.iter().copied()).collect();
    let rest: Vec<f32> = cases.iter().flat_map(|case| case.rest.iter().copied()).collect();
    // Weights around 1 let the settings mean the same for any number of cases.
    let scale = gold.len() as f32 / (gold.iter().sum::<f32>() + rest.iter().sum::<f32>());
    let mut values = vec![0.0_f32; gold.len()];
    let mut text = String::from("0\n");
    let drawn = ((width as f32 * settings.columns).ceil() as usize).clamp(1, width);
    for tree in 0..settings.trees {
        let mut chosen: Vec<usize> = (0..width).collect();
        SeededRandom::new(0, &tree.to_string()).shuffle(&mut chosen);
        chosen.truncate(drawn);
        chosen.sort_unstable();
        let steps: Vec<(f32, f32)> = values
            .iter()
            .zip(gold.iter().zip(&rest))
            .map(|(value, (gold, rest))| {
                let odds = 1.0 / (1.0 + (-value).exp());
                let slope = gold * (1.0 - odds) - rest * odds;
                (slope * scale, (gold + rest) * odds * (1.0 - odds) * scale)
            })
            .collect();
        let (nodes, leaves) = grow(&columns, &chosen, &steps, settings);
        for leaf in leaves {
            let TreeNode::Leaf(value) = nodes[leaf.node] else { continue };
            for row in leaf.rows {
                values[row as usize] += value;
            }
        }
        text.push_str(&tree_text(&nodes));
    }
    text
}

fn columns(cases: &[&TrainingRows], width: usize) -> ColumnBins {
    let of_column = |column: usize| {
        let values: Vec<f32> =
            cases.iter().flat_map(|case| case.rows.iter().map(|row| row[column])).collect();
        let mut sorted = values.clone();
        sorted.sort_by(f32::total_cmp);
        let mut limits: Vec<f32> =
            (1..BINS).filter_map(|bin| sorted.get(bin * sorted.len() / BINS).copied()).collect();
        limits.dedup();
        let bins = values.iter().map(|value| limits.partition_point(|limit| limit < value) as u8);
        (bins.collect(), limits)
    };
    let (bins, limits) = (0..width).into_par_iter().map(of_column).unzip();
    ColumnBins { bins, limits }
}

/// Splits the leaf that gains most until there are as many as wanted.
fn grow(
    columns: &ColumnBins,
    chosen: &[usize],
    steps: &[(f32, f32)],
    settings: &TreeSettings,
) -> (Vec<TreeNode>, Vec<TreeLeaf>) {
    let rows: Vec<u32> = (0u32..).take(steps.len()).collect();
    let first = sums(columns, chosen, steps, &rows);
    let mut nodes = vec![TreeNode::Leaf(0.0)];
    let mut leaves = vec![leaf(0, rows, first, chosen, settings)];
    while leaves.len() < settings.leaves {
        let gain = |leaf: &TreeLeaf| leaf.best.map_or(0.0, |best| best.gain);
        let best = (0..leaves.len()).max_by(|a, b| gain(&leaves[*a]).total_cmp(&gain(&leaves[*b])));
        let Some((at, split)) = best.and_then(|at| Some((at, leaves[at].best?))) else { break };
        let parent = leaves.swap_remove(at);
        let bins = &columns.bins[split.column];
        let (below, above): (Vec<u32>, Vec<u32>) =
            parent.rows.iter().partition(|row| usize::from(bins[**row as usize]) <= split.bin);
        let is_below_small = below.len() <= above.len();
        let small = sums(columns, chosen, steps, if is_below_small { &below } else { &above });
        let large: Vec<Vec<GradientSum>> = parent
            .sums
            .iter()
            .zip(&small)
            .map(|(all, small)| all.iter().zip(small).map(|(all, part)| all.less(*part)).collect())
            .collect();
        let (below_sums, above_sums) = if is_below_small { (small, large) } else { (large, small) };
        let place = nodes.len();
        let limit = columns.limits[split.column][split.bin];
        nodes[parent.node] =
            TreeNode::Split { column: split.column, limit, below: place, above: place + 1 };
        nodes.push(TreeNode::Leaf(0.0));
        nodes.push(TreeNode::Leaf(0.0));
        leaves.push(leaf(place, below, below_sums, chosen, settings));
        leaves.push(leaf(place + 1, above, above_sums, chosen, settings));
    }
    for leaf in &leaves {
        let value = settings.rate * leaf.total.slope / (leaf.total.curve + settings.caution);
        // What is written has few digits; what is learned on has to be the same.
        nodes[leaf.node] = TreeNode::Leaf(format!("{value:.4}").parse().unwrap_or(value));
    }
    (nodes, leaves)
}

/// Of the columns that are chosen, in their order, the sums of each bin.
fn sums(
    columns: &ColumnBins,
    chosen: &[usize],
    steps: &[(f32, f32)],
    rows: &[u32],
) -> Vec<Vec<GradientSum>> {
    let of_column = |column: &usize| {
        let bins = &columns.bins[*column];
        let mut sums = vec![GradientSum::default(); BINS];
        for row in rows {
            let (slope, curve) = steps[*row as usize];
            let sum = &mut sums[usize::from(bins[*row as usize])];
            sum.slope += slope;
            sum.curve += curve;
            sum.rows += 1;
        }
        sums
    };
    chosen.par_iter().map(of_column).collect()
}

fn leaf(
    node: usize,
    rows: Vec<u32>,
    sums: Vec<Vec<GradientSum>>,
    chosen: &[usize],
    settings: &TreeSettings,
) -> TreeLeaf {
    let mut total = GradientSum::default();
    sums.first().into_iter().flatten().for_each(|sum| total.add(*sum));
    let whole = total.gain(settings.caution);
    let mut best: Option<TreeSplit> = None;
    for (column, sums) in chosen.iter().copied().zip(&sums) {
        let mut below = GradientSum::default();
        for (bin, sum) in sums.iter().enumerate().take(BINS - 1) {
            below.add(*sum);
            let above = total.less(below);
            if (below.rows.min(above.rows) as usize) < settings.leaf_rows_min {
                continue;
            }
            let gain = below.gain(settings.caution) + above.gain(settings.caution) - whole;
            if gain > best.map_or(1e-3, |best| best.gain) {
                best = Some(TreeSplit { gain, column, bin });
            }
        }
    }
    TreeLeaf { node, rows, sums, total, best }
}

fn tree_text(nodes: &[TreeNode]) -> String {
    let words: Vec<String> = nodes
        .iter()
        .map(|node| match node {
            TreeNode::Split { column, limit, below, above } => {
                format!("{column}:{limit}:{below}:{above}")
            }
            TreeNode::Leaf(value) => format!("{value}"),
        })
        .collect();
    format!("{}\n", words.join(" "))
}
