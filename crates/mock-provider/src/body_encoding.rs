//! Content encodings of answers, part by part, and of whole request bodies.

use std::io::{self, Read, Write};

use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;

/// The content encoding of a body.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum BodyEncoding {
    /// No encoding.
    #[default]
    Identity,
    /// gzip.
    Gzip,
    /// Brotli, uncompressed, which needs no encoder; all decoders support it.
    Brotli,
    /// Zstandard.
    Zstd,
}

/// An error in decoding a request body.
#[derive(Debug, thiserror::Error)]
pub enum BodyDecodeError {
    /// The encoding is not supported.
    #[error("unknown content encoding `{0}`")]
    Name(String),
    /// The bytes are not in the named encoding.
    #[error("the body is not in the encoding that its header names")]
    Bytes(#[from] io::Error),
}

impl BodyEncoding {
    /// Returns the value of `Content-BodyEncoding`; `None` for no encoding.
    pub fn name(self) -> Option<&'static str> {
        match self {
            BodyEncoding::Identity => None,
            BodyEncoding::Gzip => Some("gzip"),
            BodyEncoding::Brotli => Some("br"),
            BodyEncoding::Zstd => Some("zstd"),
        }
    }

    /// Encodes `parts` so that each can be decoded when it arrives, as servers of streams do.
    /// Encodings other than identity add a part at the end.
    pub(crate) fn encode(self, parts: &[Vec<u8>]) -> io::Result<Vec<Vec<u8>>> {
        let mut encoded = Vec::new();
        match self {
            BodyEncoding::Identity => encoded = parts.to_vec(),
            BodyEncoding::Gzip => {
                let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
                for part in parts {
                    encoder.write_all(part)?;
                    encoder.flush()?;
                    encoded.push(std::mem::take(encoder.get_mut()));
                }
                encoded.push(encoder.finish()?);
            }
            BodyEncoding::Brotli => {
                encoded.extend(
                    parts.iter().enumerate().map(|(at, part)| brotli_stored_blocks(part, at == 0)),
                );
                // An empty last meta-block.
                encoded.push(vec![0b11]);
            }
            BodyEncoding::Zstd => {
                let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), 1)?;
                for part in parts {
                    encoder.write_all(part)?;
                    encoder.flush()?;
                    encoded.push(std::mem::take(encoder.get_mut()));
                }
                encoded.push(encoder.finish()?);
            }
        }
        Ok(encoded)
    }
}

/// Returns `part` as uncompressed Brotli meta-blocks (RFC 7932, section 9.2), each of at most 64
/// KiB.
fn brotli_stored_blocks(part: &[u8], is_first: bool) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (at, chunk) in part.chunks(1 << 16).enumerate() {
        // From the lowest bit: the stream's window of 16 bits (`0`, once), not the last (`0`),
        // four nibbles of length (`00`), the length less one, uncompressed (`1`), and zeros up to
        // the next byte.
        let length = u32::try_from(chunk.len() - 1).unwrap_or(0);
        let mut head = (length << 3) | (1 << 19);
        if is_first && at == 0 {
            head <<= 1;
        }
        bytes.extend_from_slice(&head.to_le_bytes()[..3]);
        bytes.extend_from_slice(chunk);
    }
    bytes
}

/// Decodes the body of a request whose `Content-BodyEncoding` is `name`.
pub(crate) fn decode_body(name: Option<&str>, bytes: &[u8]) -> Result<Vec<u8>, BodyDecodeError> {
    match name.unwrap_or("identity") {
        "identity" | "" => Ok(bytes.to_vec()),
        "gzip" => {
            let mut decoded = Vec::new();
            MultiGzDecoder::new(bytes).read_to_end(&mut decoded)?;
            Ok(decoded)
        }
        "zstd" => Ok(zstd::stream::decode_all(bytes)?),
        other => Err(BodyDecodeError::Name(other.to_owned())),
    }
}
