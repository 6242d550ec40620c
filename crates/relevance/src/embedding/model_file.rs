//! The file format of static models.
//!
//! All numbers are little-endian: the 8 bytes `foveal-e`; as u32 the format, the number of tokens,
//! the dimensions, and the length of the vocabulary in bytes; the vocabulary, one token per line
//! without a final newline; an f32 scale per token; a row of i8 per token.

use super::StaticModelError;

const MAGIC: &[u8; 8] = b"foveal-e";
const FORMAT: u32 = 1;
const HEADER_BYTES: usize = 24;
const TOKENS_MAX: u32 = 1 << 20;
const DIMENSIONS_MAX: u32 = 1 << 12;

/// The sections of a model file, with all lengths checked.
#[derive(Debug)]
pub(super) struct ModelFileSections<'a> {
    pub(super) dimensions: usize,
    /// The token of each row; all are different and not empty.
    pub(super) vocabulary: Vec<&'a str>,
    /// The factor of each row's components; finite and not negative.
    pub(super) scales: Vec<f32>,
    /// The offset of the first row.
    pub(super) rows_offset: usize,
}

pub(super) fn parse_model_file(bytes: &[u8]) -> Result<ModelFileSections<'_>, StaticModelError> {
    if !bytes.starts_with(MAGIC) {
        return Err(StaticModelError::NotAModel);
    }
    let number = |place: usize| -> Result<u32, StaticModelError> {
        let start = MAGIC.len() + 4 * place;
        let four = bytes.get(start..start + 4).and_then(|b| <[u8; 4]>::try_from(b).ok());
        four.map(u32::from_le_bytes).ok_or(StaticModelError::NotAModel)
    };
    let (format, tokens, dimensions) = (number(0)?, number(1)?, number(2)?);
    let vocabulary_bytes = number(3)?;
    if format != FORMAT {
        return Err(StaticModelError::Format { found: format, expected: FORMAT });
    }
    if !(1..=TOKENS_MAX).contains(&tokens) || !(1..=DIMENSIONS_MAX).contains(&dimensions) {
        return Err(StaticModelError::Size { tokens, dimensions });
    }
    let expected = HEADER_BYTES as u64
        + u64::from(vocabulary_bytes)
        + u64::from(tokens) * (4 + u64::from(dimensions));
    if expected != bytes.len() as u64 {
        return Err(StaticModelError::Length { expected, actual: bytes.len() as u64 });
    }
    let scales_at = HEADER_BYTES + vocabulary_bytes as usize;
    let rows_at = scales_at + 4 * tokens as usize;
    Ok(ModelFileSections {
        dimensions: dimensions as usize,
        vocabulary: parse_vocabulary(&bytes[HEADER_BYTES..scales_at], tokens as usize)?,
        scales: parse_scales(&bytes[scales_at..rows_at])?,
        rows_offset: rows_at,
    })
}

fn parse_vocabulary(bytes: &[u8], tokens: usize) -> Result<Vec<&str>, StaticModelError> {
    let text = std::str::from_utf8(bytes).map_err(|_| StaticModelError::Vocabulary)?;
    let words: Vec<&str> = text.split('\n').collect();
    let mut sorted = words.clone();
    sorted.sort_unstable();
    sorted.dedup();
    if words.len() != tokens || sorted.len() != tokens || sorted.contains(&"") {
        return Err(StaticModelError::Vocabulary);
    }
    Ok(words)
}

fn parse_scales(bytes: &[u8]) -> Result<Vec<f32>, StaticModelError> {
    let (numbers, _) = bytes.as_chunks::<4>();
    let mut scales = Vec::with_capacity(numbers.len());
    for (row, number) in numbers.iter().enumerate() {
        let scale = f32::from_le_bytes(*number);
        if !scale.is_finite() || scale < 0.0 {
            return Err(StaticModelError::Scale { row });
        }
        scales.push(scale);
    }
    Ok(scales)
}
