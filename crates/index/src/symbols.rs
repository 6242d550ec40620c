//! What a file defines and names, in few bytes.
//!
//! Two parts in one deflated stream: definitions, which whoever shows them reads alone, and
//! what relations need beside them. Numbers of one sort stand together, as differences where
//! they grow; a name is spelled once, and stands as a mark in the signature that has it.

mod definitions;
mod uses;

use foveal_code::relations::FileSymbols;

use crate::packed::{pack, unpack, unpack_beginning};

/// Bytes that say how long the first part is.
const HEAD_BYTES: usize = 4;

/// `symbols` as bytes, without the path.
pub(crate) fn encode(symbols: &FileSymbols) -> Vec<u8> {
    let mut parts = definitions::encode(symbols);
    let length = u32::try_from(parts.len()).unwrap_or(u32::MAX);
    parts.extend(uses::encode(symbols));
    let mut bytes = length.to_le_bytes().to_vec();
    bytes.extend(pack(&parts));
    bytes
}

/// What [`encode`] wrote of the file at `path`; `None` where the bytes are something else.
pub(crate) fn decode(path: &str, bytes: &[u8]) -> Option<FileSymbols> {
    let (length, packed) = split(bytes)?;
    let parts = unpack(packed)?;
    let (first, second) = parts.split_at_checked(length)?;
    uses::decode(definitions::decode(path, first)?, second)
}

/// What [`encode`] wrote, without imports and uses and what they name.
pub(crate) fn decode_definitions(path: &str, bytes: &[u8]) -> Option<FileSymbols> {
    let (length, packed) = split(bytes)?;
    definitions::decode(path, &unpack_beginning(packed, length)?)
}

fn split(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let (head, packed) = bytes.split_first_chunk::<HEAD_BYTES>()?;
    Some((usize::try_from(u32::from_le_bytes(*head)).ok()?, packed))
}

#[cfg(test)]
mod tests;
