//! What trees are grown on, in the form that `boost` takes.

pub(crate) struct Sampled {
    pub(crate) rows: Vec<Vec<f32>>,
    pub(crate) gold: Vec<f32>,
    pub(crate) rest: Vec<f32>,
}
