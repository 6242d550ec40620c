//! One vector.

/// A direction: components of length 1 together, or all 0 for a text that says nothing.
#[derive(Debug, Clone, PartialEq)]
pub struct Vector(Vec<f32>);

impl Vector {
    /// `components` brought to length 1. What has no length, or one that is no number,
    /// becomes 0 throughout.
    pub fn normalized(mut components: Vec<f32>) -> Self {
        let length = components.iter().map(|c| f64::from(*c).powi(2)).sum::<f64>().sqrt();
        let factor = if length.is_finite() && length > 0.0 { 1.0 / length } else { 0.0 };
        for component in &mut components {
            let scaled = (f64::from(*component) * factor) as f32;
            *component = if scaled.is_finite() { scaled } else { 0.0 };
        }
        Self(components)
    }

    /// The components.
    pub fn components(&self) -> &[f32] {
        &self.0
    }

    /// The cosine between two vectors of the same model, -1 to 1; 0 with a vector of 0.
    pub fn cosine(&self, other: &Self) -> f32 {
        self.0.iter().zip(&other.0).map(|(a, b)| a * b).sum()
    }
}
