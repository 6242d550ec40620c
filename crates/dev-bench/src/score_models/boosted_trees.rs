//! Gradient boosting of small trees on the logarithmic loss, over binned columns.
//!
//! Friedman, "Greedy Function Approximation: A Gradient Boosting Machine" (2001), with the
//! second-order gain of Chen and Guestrin, "XGBoost" (2016). Each tree may use a random part of the
//! columns, from a fixed seed, so that no few columns dominate.

use rayon::prelude::*;

use super::training_rows::TrainingRows;
use crate::seeded_random::SeededRandom;

/// The number of bins of a column, at most 256.
const BINS: usize = 64;

/// The settings for growing trees.
pub(crate) struct TreeSettings {
    /// The number of trees.
    pub(crate) trees: usize,
    /// The share of the columns that a tree may use.
    pub(crate) columns: f32,
    /// The most leaves of a tree.
    pub(crate) leaves: usize,
    /// The learning rate.
    pub(crate) rate: f32,
    /// The fewest rows of a leaf.
    pub(crate) leaf_rows_min: usize,
    /// The L2 regularisation, added to the curvature of a leaf so that few rows have little effect.
    pub(crate) regularization: f32,
}

impl Default for TreeSettings {
    fn default() -> Self {
        Self {
            trees: 300,
            columns: 0.3,
            leaves: 12,
            rate: 0.07,
            leaf_rows_min: 120,
            regularization: 8.0,
        }
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

    fn subtract(self, other: Self) -> Self {
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
    /// The bin of each row, by column.
    bins: Vec<Vec<u8>>,
    /// The greatest value in each bin but the last, by column.
    limits: Vec<Vec<f32>>,
}

struct TreeLeaf {
    /// The index among the tree's nodes.
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

/// Returns the fitted trees in the format that the curator reads.
pub(crate) fn fit_trees(cases: &[&TrainingRows], width: usize, settings: &TreeSettings) -> String {
    let columns = bin_columns(cases, width);
    let gold: Vec<f32> = cases.iter().flat_map(|case| case.gold.iter().copied()).collect();
    let rest: Vec<f32> = cases.iter().flat_map(|case| case.rest.iter().copied()).collect();
    // Weights around 1 give the settings the same meaning for any number of cases.
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
        let (nodes, leaves) = grow_tree(&columns, &chosen, &steps, settings);
        for leaf in leaves {
            let TreeNode::Leaf(value) = nodes[leaf.node] else { continue };
            for row in leaf.rows {
                values[row as usize] += value;
            }
        }
        text.push_str(&render_tree(&nodes));
    }
    text
}

fn bin_columns(cases: &[&TrainingRows], width: usize) -> ColumnBins {
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

/// Splits the leaf with the greatest gain until there are enough leaves.
fn grow_tree(
    columns: &ColumnBins,
    chosen: &[usize],
    steps: &[(f32, f32)],
    settings: &TreeSettings,
) -> (Vec<TreeNode>, Vec<TreeLeaf>) {
    let rows: Vec<u32> = (0u32..).take(steps.len()).collect();
    let first = sum_gradients(columns, chosen, steps, &rows);
    let mut nodes = vec![TreeNode::Leaf(0.0)];
    let mut leaves = vec![new_leaf(0, rows, first, chosen, settings)];
    while leaves.len() < settings.leaves {
        let gain = |leaf: &TreeLeaf| leaf.best.map_or(0.0, |best| best.gain);
        let best = (0..leaves.len()).max_by(|a, b| gain(&leaves[*a]).total_cmp(&gain(&leaves[*b])));
        let Some((at, split)) = best.and_then(|at| Some((at, leaves[at].best?))) else { break };
        let parent = leaves.swap_remove(at);
        let bins = &columns.bins[split.column];
        let (below, above): (Vec<u32>, Vec<u32>) =
            parent.rows.iter().partition(|row| usize::from(bins[**row as usize]) <= split.bin);
        let is_below_small = below.len() <= above.len();
        let small =
            sum_gradients(columns, chosen, steps, if is_below_small { &below } else { &above });
        let large: Vec<Vec<GradientSum>> = parent
            .sums
            .iter()
            .zip(&small)
            .map(|(all, small)| {
                all.iter().zip(small).map(|(all, part)| all.subtract(*part)).collect()
            })
            .collect();
        let (below_sums, above_sums) = if is_below_small { (small, large) } else { (large, small) };
        let place = nodes.len();
        let limit = columns.limits[split.column][split.bin];
        nodes[parent.node] =
            TreeNode::Split { column: split.column, limit, below: place, above: place + 1 };
        nodes.push(TreeNode::Leaf(0.0));
        nodes.push(TreeNode::Leaf(0.0));
        leaves.push(new_leaf(place, below, below_sums, chosen, settings));
        leaves.push(new_leaf(place + 1, above, above_sums, chosen, settings));
    }
    for leaf in &leaves {
        let value = settings.rate * leaf.total.slope / (leaf.total.curve + settings.regularization);
        // The output is rounded; training has to use the rounded values.
        nodes[leaf.node] = TreeNode::Leaf(format!("{value:.4}").parse().unwrap_or(value));
    }
    (nodes, leaves)
}

/// Returns the sums of each bin of the chosen columns, in order.
fn sum_gradients(
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

fn new_leaf(
    node: usize,
    rows: Vec<u32>,
    sums: Vec<Vec<GradientSum>>,
    chosen: &[usize],
    settings: &TreeSettings,
) -> TreeLeaf {
    let mut total = GradientSum::default();
    sums.first().into_iter().flatten().for_each(|sum| total.add(*sum));
    let whole = total.gain(settings.regularization);
    let mut best: Option<TreeSplit> = None;
    for (column, sums) in chosen.iter().copied().zip(&sums) {
        let mut below = GradientSum::default();
        for (bin, sum) in sums.iter().enumerate().take(BINS - 1) {
            below.add(*sum);
            let above = total.subtract(below);
            if (below.rows.min(above.rows) as usize) < settings.leaf_rows_min {
                continue;
            }
            let gain =
                below.gain(settings.regularization) + above.gain(settings.regularization) - whole;
            if gain > best.map_or(1e-3, |best| best.gain) {
                best = Some(TreeSplit { gain, column, bin });
            }
        }
    }
    TreeLeaf { node, rows, sums, total, best }
}

fn render_tree(nodes: &[TreeNode]) -> String {
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
