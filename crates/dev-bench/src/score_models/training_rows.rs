//! Weighted rows of features for training trees.

/// Rows with their weights as positive and negative examples.
#[derive(Debug, Default)]
pub(crate) struct TrainingRows {
    /// The features of each row.
    pub(crate) rows: Vec<Vec<f32>>,
    /// The weight of each row as a positive example.
    pub(crate) gold: Vec<f32>,
    /// The weight of each row as a negative example.
    pub(crate) rest: Vec<f32>,
}
