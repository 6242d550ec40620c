//! Embedding vectors.

/// A vector of length 1, or of zeros for a text without known words.
#[derive(Debug, Clone, PartialEq)]
pub struct Vector(Vec<f32>);

impl Vector {
    /// Returns `components` scaled to length 1; zeros if their length is zero or not finite.
    pub fn normalized(mut components: Vec<f32>) -> Self {
        let length = components.iter().map(|c| f64::from(*c).powi(2)).sum::<f64>().sqrt();
        let factor = if length.is_finite() && length > 0.0 { 1.0 / length } else { 0.0 };
        for component in &mut components {
            let scaled = (f64::from(*component) * factor) as f32;
            *component = if scaled.is_finite() { scaled } else { 0.0 };
        }
        Self(components)
    }

    /// Returns the components.
    pub fn components(&self) -> &[f32] {
        &self.0
    }

    /// Returns the cosine of the angle to a vector of the same model, -1 to 1; 0 if either is zero.
    pub fn cosine(&self, other: &Self) -> f32 {
        self.0.iter().zip(&other.0).map(|(a, b)| a * b).sum()
    }
}
