//! The bytes of a static model.
//!
//! All numbers are little-endian: the 8 bytes `foveal-e`; as u32 the format, the number
//! of tokens, the dimensions, the bytes of the vocabulary; the vocabulary, one token a
//! line, no newline at the end; an f32 scale for each token; a row of i8 for each token.

use super::ModelError;

const MAGIC: &[u8; 8] = b"foveal-e";
const FORMAT: u32 = 1;
const HEADER_BYTES: usize = 24;
const TOKENS_MAX: u32 = 1 << 20;
const DIMENSIONS_MAX: u32 = 1 << 12;

/// The parts of a model file; every length is checked.
#[derive(Debug)]
pub(super) struct Parts<'a> {
    pub(super) dimensions: usize,
    /// The token of each row, all different, none empty.
    pub(super) vocabulary: Vec<&'a str>,
    /// What a row's components are multiplied by, one for each token, finite and not negative.
    pub(super) scales: Vec<f32>,
    /// Where the rows begin.
    pub(super) rows_at: usize,
}

pub(super) fn parse(bytes: &[u8]) -> Result<Parts<'_>, ModelError> {
    if !bytes.starts_with(MAGIC) {
        return Err(ModelError::NotAModel);
    }
    let number = |place: usize| -> Result<u32, ModelError> {
        let start = MAGIC.len() + 4 * place;
        let four = bytes.get(start..start + 4).and_then(|b| <[u8; 4]>::try_from(b).ok());
        four.map(u32::from_le_bytes).ok_or(ModelError::NotAModel)
    };
    let (format, tokens, dimensions) = (number(0)?, number(1)?, number(2)?);
    let vocabulary_bytes = number(3)?;
    if format != FORMAT {
        return Err(ModelError::Format { found: format, expected: FORMAT });
    }
    if !(1..=TOKENS_MAX).contains(&tokens) || !(1..=DIMENSIONS_MAX).contains(&dimensions) {
        return Err(ModelError::Size { tokens, dimensions });
    }
    let expected = HEADER_BYTES as u64
        + u64::from(vocabulary_bytes)
        + u64::from(tokens) * (4 + u64::from(dimensions));
    if expected != bytes.len() as u64 {
        return Err(ModelError::Length { expected, actual: bytes.len() as u64 });
    }
    let scales_at = HEADER_BYTES + vocabulary_bytes as usize;
    let rows_at = scales_at + 4 * tokens as usize;
    Ok(Parts {
        dimensions: dimensions as usize,
        vocabulary: vocabulary(&bytes[HEADER_BYTES..scales_at], tokens as usize)?,
        scales: scales(&bytes[scales_at..rows_at])?,
        rows_at,
    })
}

fn vocabulary(bytes: &[u8], tokens: usize) -> Result<Vec<&str>, ModelError> {
    let text = std::str::from_utf8(bytes).map_err(|_| ModelError::Vocabulary)?;
    let words: Vec<&str> = text.split('\n').collect();
    let mut sorted = words.clone();
    sorted.sort_unstable();
    sorted.dedup();
    if words.len() != tokens || sorted.len() != tokens || sorted.contains(&"") {
        return Err(ModelError::Vocabulary);
    }
    Ok(words)
}

fn scales(bytes: &[u8]) -> Result<Vec<f32>, ModelError> {
    let (numbers, _) = bytes.as_chunks::<4>();
    let mut scales = Vec::with_capacity(numbers.len());
    for (row, number) in numbers.iter().enumerate() {
        let scale = f32::from_le_bytes(*number);
        if !scale.is_finite() || scale < 0.0 {
            return Err(ModelError::Scale { row });
        }
        scales.push(scale);
    }
    Ok(scales)
}
