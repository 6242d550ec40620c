//! Content encodings, of answers part by part and of request bodies as a whole.

use std::io::{self, Read, Write};

use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;

/// How a body is encoded.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Encoding {
    /// As it is.
    #[default]
    Identity,
    /// gzip.
    Gzip,
    /// Brotli, without compression: its decoders see what they know, and no encoder is needed.
    Brotli,
    /// Zstandard.
    Zstd,
}

/// A request body in an encoding that this server does not read.
#[derive(Debug, thiserror::Error)]
pub enum UnknownEncoding {
    /// The name is not known.
    #[error("the content encoding `{0}` is not known here")]
    Name(String),
    /// The bytes are not in the encoding that the header names.
    #[error("the body is not in the encoding that its header names")]
    Bytes(#[from] io::Error),
}

impl Encoding {
    /// The value of `Content-Encoding`, `None` for no encoding.
    pub fn name(self) -> Option<&'static str> {
        match self {
            Encoding::Identity => None,
            Encoding::Gzip => Some("gzip"),
            Encoding::Brotli => Some("br"),
            Encoding::Zstd => Some("zstd"),
        }
    }

    /// Encodes `parts` so that each can be decoded as soon as it is there, as servers of streams
    /// do. There is one part more than before: the end.
    pub(crate) fn encode(self, parts: &[Vec<u8>]) -> io::Result<Vec<Vec<u8>>> {
        let mut encoded = Vec::new();
        match self {
            Encoding::Identity => encoded = parts.to_vec(),
            Encoding::Gzip => {
                let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
                for part in parts {
                    encoder.write_all(part)?;
                    encoder.flush()?;
                    encoded.push(std::mem::take(encoder.get_mut()));
                }
                encoded.push(encoder.finish()?);
            }
            Encoding::Brotli => {
                encoded.extend(parts.iter().enumerate().map(|(at, part)| stored(part, at == 0)));
                // An empty last meta-block.
                encoded.push(vec![0b11]);
            }
            Encoding::Zstd => {
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

/// `part` as uncompressed meta-blocks of Brotli (RFC 7932, section 9.2), each of at most 64 KiB.
fn stored(part: &[u8], is_first: bool) -> Vec<u8> {
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

/// The body of a request whose `Content-Encoding` is `name`.
pub(crate) fn decode(name: Option<&str>, bytes: &[u8]) -> Result<Vec<u8>, UnknownEncoding> {
    match name.unwrap_or("identity") {
        "identity" | "" => Ok(bytes.to_vec()),
        "gzip" => {
            let mut decoded = Vec::new();
            MultiGzDecoder::new(bytes).read_to_end(&mut decoded)?;
            Ok(decoded)
        }
        "zstd" => Ok(zstd::stream::decode_all(bytes)?),
        other => Err(UnknownEncoding::Name(other.to_owned())),
    }
}
