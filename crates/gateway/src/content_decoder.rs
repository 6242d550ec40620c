//! Decodes a copy of a response while its bytes pass.

use std::io::Write;

use hyper::header::{CONTENT_ENCODING, HeaderMap};

/// The buffer size of the Brotli decoder.
const DECODER_BUFFER_BYTES: usize = 16 << 10;

/// The largest decoded size of one chunk, in bytes. A model's text compresses about tenfold; a
/// chunk that exceeds this limit is not a model's, and is no longer read.
const DECODED_CHUNK_BYTES_MAX: usize = 16 << 20;

/// Decodes a response chunk by chunk. Ends at the first error.
pub(crate) enum ContentDecoder {
    Identity,
    Gzip(Box<flate2::write::MultiGzDecoder<BoundedBuffer>>),
    Deflate(Box<flate2::write::ZlibDecoder<BoundedBuffer>>),
    Brotli(Box<brotli_decompressor::DecompressorWriter<BoundedBuffer>>),
    Zstd(Box<zstd::stream::write::Decoder<'static, BoundedBuffer>>),
    Unreadable,
}

/// The decoded bytes of one chunk, up to [`DECODED_CHUNK_BYTES_MAX`].
#[derive(Default)]
pub(crate) struct BoundedBuffer(Vec<u8>);

impl Write for BoundedBuffer {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if self.0.len() + bytes.len() > DECODED_CHUNK_BYTES_MAX {
            return Err(std::io::ErrorKind::FileTooLarge.into());
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl ContentDecoder {
    /// Returns the decoder for the encoding in a response's headers.
    pub(crate) fn from_headers(headers: &HeaderMap) -> Self {
        let Some(name) = headers.get(CONTENT_ENCODING) else { return Self::Identity };
        match name.to_str().map(|name| name.trim().to_ascii_lowercase()).as_deref() {
            Ok("" | "identity") => Self::Identity,
            Ok("gzip" | "x-gzip") => {
                Self::Gzip(Box::new(flate2::write::MultiGzDecoder::new(BoundedBuffer::default())))
            }
            Ok("deflate") => {
                Self::Deflate(Box::new(flate2::write::ZlibDecoder::new(BoundedBuffer::default())))
            }
            Ok("br") => {
                let writer = brotli_decompressor::DecompressorWriter::new(
                    BoundedBuffer::default(),
                    DECODER_BUFFER_BYTES,
                );
                Self::Brotli(Box::new(writer))
            }
            Ok("zstd") => match zstd::stream::write::Decoder::new(BoundedBuffer::default()) {
                Ok(decoder) => Self::Zstd(Box::new(decoder)),
                Err(_) => Self::Unreadable,
            },
            Ok(_) | Err(_) => Self::Unreadable,
        }
    }

    /// Decodes the next chunk, and calls `plain` with the result.
    pub(crate) fn decode(&mut self, bytes: &[u8], mut plain: impl FnMut(&[u8])) {
        let read =
            match self {
                Self::Identity => {
                    plain(bytes);
                    return;
                }
                Self::Gzip(decoder) => write_and_flush(&mut **decoder, bytes)
                    .map(|()| std::mem::take(decoder.get_mut())),
                Self::Deflate(decoder) => write_and_flush(&mut **decoder, bytes)
                    .map(|()| std::mem::take(decoder.get_mut())),
                Self::Brotli(decoder) => write_and_flush(&mut **decoder, bytes)
                    .map(|()| std::mem::take(decoder.get_mut())),
                Self::Zstd(decoder) => write_and_flush(&mut **decoder, bytes)
                    .map(|()| std::mem::take(decoder.get_mut())),
                Self::Unreadable => return,
            };
        match read {
            Ok(BoundedBuffer(read)) => plain(&read),
            Err(_) => *self = Self::Unreadable,
        }
    }
}

/// Writes bytes to a decoder, and makes it emit all output for them.
fn write_and_flush(decoder: &mut impl Write, bytes: &[u8]) -> std::io::Result<()> {
    decoder.write_all(bytes)?;
    decoder.flush()
}

#[cfg(test)]
mod tests {
    use hyper::header::HeaderMap;

    use super::ContentDecoder;

    const TEXT: &[u8] = b"data: one\n\ndata: two\n\ndata: three and some more of the same\n\n";

    fn read(name: &str, bytes: &[u8], piece: usize) -> Vec<u8> {
        let mut headers = HeaderMap::new();
        headers.insert("content-encoding", name.parse().unwrap());
        let mut decoding = ContentDecoder::from_headers(&headers);
        let mut plain = Vec::new();
        for piece in bytes.chunks(piece) {
            decoding.decode(piece, |read| plain.extend_from_slice(read));
        }
        plain
    }

    fn gzip() -> Vec<u8> {
        let mut gzip = flate2::read::GzEncoder::new(TEXT, flate2::Compression::fast());
        let mut bytes = Vec::new();
        std::io::Read::read_to_end(&mut gzip, &mut bytes).unwrap();
        bytes
    }

    #[test]
    fn encodings_are_undone_in_any_pieces() {
        let bytes = gzip();
        let zstd = zstd::stream::encode_all(TEXT, 1).unwrap();
        for piece in [1, 7, 1_000] {
            assert_eq!(read("gzip", &bytes, piece), TEXT);
            assert_eq!(read("zstd", &zstd, piece), TEXT);
            assert_eq!(read("identity", TEXT, piece), TEXT);
            assert_eq!(read("lzma", TEXT, piece), b"");
            assert_eq!(read("gzip", TEXT, piece), b"");
        }
    }
}
