//! Vectors of one byte per component, and the search for the nearest of many.
//!
//! The search compares every vector: at the size of repositories that takes milliseconds, is exact,
//! and needs no second structure that could become stale.

use super::Vector;

/// The largest number of components of a vector, so that the product sum fits an `i32`.
const DIMENSIONS_MAX: usize = 1 << 16;

/// A vector whose component `i` is `values[i] * scale`.
#[derive(Debug, Clone, PartialEq)]
pub struct QuantizedVector {
    /// The value of one step; not negative, and 0 for the zero vector.
    pub scale: f32,
    /// Steps, -127 to 127.
    pub values: Vec<i8>,
}

impl QuantizedVector {
    /// Quantises `vector` in 255 steps scaled to its largest component.
    pub fn from_vector(vector: &Vector) -> Self {
        let components = vector.components();
        let largest = components.iter().fold(0.0_f32, |most, c| most.max(c.abs()));
        let scale = largest / 127.0;
        let factor = if scale > 0.0 { 1.0 / scale } else { 0.0 };
        // A cast of a float out of range saturates.
        let values = components.iter().map(|c| (c * factor).round() as i8).collect();
        Self { scale, values }
    }
}

/// Quantised vectors of one model, in order of insertion.
#[derive(Debug, Clone)]
pub struct VectorTable {
    dimensions: usize,
    scales: Vec<f32>,
    values: Vec<i8>,
}

impl VectorTable {
    /// Creates an empty table of vectors with `dimensions` components, at most 65,536.
    pub fn new(dimensions: usize) -> Self {
        Self { dimensions: dimensions.min(DIMENSIONS_MAX), scales: Vec::new(), values: Vec::new() }
    }

    /// Returns the number of vectors.
    pub fn len(&self) -> usize {
        self.scales.len()
    }

    /// Returns whether the table is empty.
    pub fn is_empty(&self) -> bool {
        self.scales.is_empty()
    }

    /// Adds a vector. Missing components count as 0; excess ones are ignored.
    pub fn push(&mut self, vector: &QuantizedVector) {
        self.scales.push(vector.scale);
        self.values.extend(vector.values.iter().take(self.dimensions));
        self.values.resize(self.scales.len() * self.dimensions, 0);
    }

    /// Returns the cosine of every vector with `question`, in table order, at the precision of
    /// int8.
    pub fn cosines(&self, question: &QuantizedVector) -> Vec<f32> {
        let mut asked = question.values.clone();
        asked.resize(self.dimensions, 0);
        if self.dimensions == 0 {
            return vec![0.0; self.len()];
        }
        let rows = self.values.chunks_exact(self.dimensions);
        let cosine =
            |(row, scale): (&[i8], &f32)| dot_product(&asked, row) as f32 * scale * question.scale;
        rows.zip(&self.scales).map(cosine).collect()
    }
}

/// Returns the sum of products, in a form that compilers vectorise.
fn dot_product(a: &[i8], b: &[i8]) -> i32 {
    a.iter().zip(b).map(|(a, b)| i32::from(i16::from(*a) * i16::from(*b))).sum()
}
