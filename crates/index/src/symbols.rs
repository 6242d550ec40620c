//! A compact encoding of a file's symbols.
//!
//! Two parts in one deflated stream: the definitions, which can be decoded alone, and the further
//! data for relations. Numbers of one kind stand together, as differences where they grow. Each
//! name is stored once, and signatures contain a mark in its place.

mod definitions;
mod name_uses;

use foveal_relevance::relations::FileSymbols;

use crate::compression::{compress, decompress, decompress_prefix};

/// The bytes of the length of the first part.
const HEAD_BYTES: usize = 4;

/// Encodes `symbols` without the path.
pub(crate) fn encode_symbols(symbols: &FileSymbols) -> Vec<u8> {
    let mut parts = definitions::encode_definitions(symbols);
    let length = u32::try_from(parts.len()).unwrap_or(u32::MAX);
    parts.extend(name_uses::encode_uses(symbols));
    let mut bytes = length.to_le_bytes().to_vec();
    bytes.extend(compress(&parts));
    bytes
}

/// Decodes the output of [`encode_symbols`] for the file at `path`. Returns `None` for other bytes.
pub(crate) fn decode_symbols(path: &str, bytes: &[u8]) -> Option<FileSymbols> {
    let (length, packed) = split_header(bytes)?;
    let parts = decompress(packed)?;
    let (first, second) = parts.split_at_checked(length)?;
    name_uses::decode_uses(definitions::decode_definition_part(path, first)?, second)
}

/// Decodes only the definitions: without imports, uses and their names.
pub(crate) fn decode_definitions(path: &str, bytes: &[u8]) -> Option<FileSymbols> {
    let (length, packed) = split_header(bytes)?;
    definitions::decode_definition_part(path, &decompress_prefix(packed, length)?)
}

fn split_header(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let (head, packed) = bytes.split_first_chunk::<HEAD_BYTES>()?;
    Some((usize::try_from(u32::from_le_bytes(*head)).ok()?, packed))
}

#[cfg(test)]
mod tests;
