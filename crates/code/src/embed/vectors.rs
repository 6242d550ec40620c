//! Vectors of one byte per component, and the nearest of many.
//!
//! Every vector is compared: at the sizes of repositories that takes milliseconds, is
//! exact, and needs no second structure that could go stale.

use super::Vector;

/// Components of this many bytes or fewer cannot overflow the sum of a product.
const DIMENSIONS_MAX: usize = 1 << 16;

/// A vector whose component `i` is `values[i] * scale`.
#[derive(Debug, Clone, PartialEq)]
pub struct QuantizedVector {
    /// The value of one step; 0 for the vector of 0, never negative.
    pub scale: f32,
    /// Steps, -127 to 127.
    pub values: Vec<i8>,
}

impl QuantizedVector {
    /// `vector` in the 255 steps that fit its largest component.
    pub fn of(vector: &Vector) -> Self {
        let components = vector.components();
        let largest = components.iter().fold(0.0_f32, |most, c| most.max(c.abs()));
        let scale = largest / 127.0;
        let factor = if scale > 0.0 { 1.0 / scale } else { 0.0 };
        // A cast of a float that is out of range takes the nearest number in it.
        let values = components.iter().map(|c| (c * factor).round() as i8).collect();
        Self { scale, values }
    }

    /// The vector it stands for, without what the steps lost.
    pub fn restored(&self) -> Vector {
        Vector::normalized(self.values.iter().map(|v| f32::from(*v) * self.scale).collect())
    }
}

/// Many quantized vectors of one model, in the order in which they came.
#[derive(Debug, Clone)]
pub struct Vectors {
    dimensions: usize,
    scales: Vec<f32>,
    values: Vec<i8>,
}

impl Vectors {
    /// None yet, of `dimensions` components each, at most 65,536.
    pub fn new(dimensions: usize) -> Self {
        Self { dimensions: dimensions.min(DIMENSIONS_MAX), scales: Vec::new(), values: Vec::new() }
    }

    /// The number of vectors.
    pub fn len(&self) -> usize {
        self.scales.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.scales.is_empty()
    }

    /// Adds one vector. Components that are missing count as 0, those too many not at all.
    pub fn push(&mut self, vector: &QuantizedVector) {
        self.scales.push(vector.scale);
        self.values.extend(vector.values.iter().take(self.dimensions));
        self.values.resize(self.scales.len() * self.dimensions, 0);
    }

    /// The cosine of every vector with `question`, in their order, as exact as int8 is.
    pub fn cosines(&self, question: &QuantizedVector) -> Vec<f32> {
        let mut asked = question.values.clone();
        asked.resize(self.dimensions, 0);
        if self.dimensions == 0 {
            return vec![0.0; self.len()];
        }
        let rows = self.values.chunks_exact(self.dimensions);
        let cosine = |(row, scale): (&[i8], &f32)| dot(&asked, row) as f32 * scale * question.scale;
        rows.zip(&self.scales).map(cosine).collect()
    }
}

/// The sum of products; plain enough for the compiler to use vector instructions.
fn dot(a: &[i8], b: &[i8]) -> i32 {
    a.iter().zip(b).map(|(a, b)| i32::from(i16::from(*a) * i16::from(*b))).sum()
}
