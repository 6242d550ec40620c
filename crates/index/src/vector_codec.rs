//! Encoding of vectors: for each its scale as a little-endian f32, then six bits per component.
//!
//! Six bits instead of eight save a quarter of the largest part of the store. The coarser
//! quantization changes a cosine by about .002.

use foveal_relevance::embedding::{QuantizedVector, VectorTable};

/// The number of quantization steps on either side of 0. With 0 they fit into six bits.
const STORED_STEPS: f32 = 31.0;

/// The number of quantization steps of a [`QuantizedVector`] on either side of 0.
const QUANTIZED_STEPS: f32 = 127.0;

/// Returns the encoded size of one vector: four components take three bytes.
fn encoded_len(dimensions: usize) -> usize {
    4 + dimensions.div_ceil(4) * 3
}

pub(crate) fn encode_vectors(vectors: impl Iterator<Item = QuantizedVector>) -> Vec<u8> {
    let mut bytes = Vec::new();
    for vector in vectors {
        bytes.extend((vector.scale * (QUANTIZED_STEPS / STORED_STEPS)).to_le_bytes());
        for four in vector.values.chunks(4) {
            let mut packed = 0_u32;
            for (place, value) in four.iter().enumerate() {
                let coarse = (f32::from(*value) * (STORED_STEPS / QUANTIZED_STEPS)).round() as i8;
                packed |= u32::from(coarse.cast_unsigned() & 63) << (6 * place);
            }
            bytes.extend(&packed.to_le_bytes()[..3]);
        }
    }
    bytes
}

/// Decodes `count` vectors of `dimensions` components. Returns `None` for other bytes.
pub(crate) fn decode_vectors(bytes: &[u8], dimensions: usize, count: usize) -> Option<VectorTable> {
    let size = encoded_len(dimensions);
    if bytes.len() != size.checked_mul(count)? {
        return None;
    }
    let mut vectors = VectorTable::new(dimensions);
    let mut vector = QuantizedVector { scale: 0.0, values: Vec::new() };
    for row in bytes.chunks_exact(size) {
        let (scale, packed) = row.split_first_chunk::<4>()?;
        vector.scale = f32::from_le_bytes(*scale);
        if !vector.scale.is_finite() || vector.scale < 0.0 {
            return None;
        }
        vector.values.clear();
        for three in packed.as_chunks::<3>().0 {
            let four = u32::from_le_bytes([three[0], three[1], three[2], 0]);
            // The highest of the six bits is the sign.
            let value = |place: u32| ((four >> (6 * place) << 2) as u8).cast_signed() >> 2;
            vector.values.extend([value(0), value(1), value(2), value(3)]);
        }
        vector.values.truncate(dimensions);
        vectors.push(&vector);
    }
    Some(vectors)
}

#[cfg(test)]
mod tests;
