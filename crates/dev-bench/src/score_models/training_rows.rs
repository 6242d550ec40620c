//! Weighted rows of features that trees are grown on.

/// Rows with the weights of what is wanted and what is not.
#[derive(Debug, Default)]
pub(crate) struct TrainingRows {
    /// The features of each row.
    pub(crate) rows: Vec<Vec<f32>>,
    /// The weight of each row as an example of what is wanted.
    pub(crate) gold: Vec<f32>,
    /// The weight of each row as an example of the rest.
    pub(crate) rest: Vec<f32>,
}
