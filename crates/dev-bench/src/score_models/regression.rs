//! Weighted logistic regression.

/// Features of a result before a request, and whether a later answer needed it.
#[derive(Debug)]
pub(crate) struct UsageSample {
    /// The values of its features.
    pub(crate) features: Vec<f64>,
    /// Whether it was needed.
    pub(crate) used: bool,
    /// Its tokens.
    pub(crate) tokens: f64,
    /// The weight of the row.
    pub(crate) weight: f64,
}

/// Returns the probability of a row under `weights`.
pub(crate) fn probability(features: &[f64], weights: &[f64]) -> f64 {
    let sum: f64 = features.iter().zip(weights).map(|(feature, weight)| feature * weight).sum();
    1.0 / (1.0 + (-sum).exp())
}

/// Returns the best weights for the rows, by Newton's method, with a ridge for stability.
pub(crate) fn fit_weights(rows: &[&UsageSample]) -> Vec<f64> {
    let total: f64 = rows.iter().map(|row| row.weight).sum();
    let width = rows.first().map_or(0, |row| row.features.len());
    let mut weights = vec![0.0; width];
    for _ in 0..25 {
        let mut slope = vec![0.0; width];
        let mut curve = vec![vec![0.0; width]; width];
        for row in rows {
            let guess = probability(&row.features, &weights);
            let share = row.weight / total;
            let miss = f64::from(u8::from(row.used)) - guess;
            for (i, feature) in row.features.iter().enumerate() {
                slope[i] += share * miss * feature;
                for (cell, other) in curve[i].iter_mut().zip(&row.features) {
                    *cell += share * guess * (1.0 - guess) * feature * other;
                }
            }
        }
        for i in 0..width {
            slope[i] -= 1e-4 * weights[i];
            curve[i][i] += 1e-4;
        }
        for (weight, step) in weights.iter_mut().zip(solve_linear_system(curve, slope)) {
            *weight += step;
        }
    }
    weights
}

/// Solves a linear system by Gaussian elimination; the matrix is symmetric and positive, so no
/// pivoting is needed.
fn solve_linear_system(mut matrix: Vec<Vec<f64>>, mut right: Vec<f64>) -> Vec<f64> {
    let width = right.len();
    for at in 0..width {
        let pivot = matrix[at].clone();
        for below in at + 1..width {
            let factor = matrix[below][at] / pivot[at];
            for (cell, above) in matrix[below].iter_mut().zip(&pivot).skip(at) {
                *cell -= factor * above;
            }
            right[below] -= factor * right[at];
        }
    }
    for at in (0..width).rev() {
        let known: f64 = (at + 1..width).map(|column| matrix[at][column] * right[column]).sum();
        right[at] = (right[at] - known) / matrix[at][at];
    }
    right
}
