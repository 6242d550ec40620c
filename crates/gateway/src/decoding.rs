//! A copy of an answer's bytes behind their encoding, made while they pass.

use std::io::Write;

use hyper::header::{CONTENT_ENCODING, HeaderMap};

/// Bytes for which a decoder is given at once, at most.
const BUFFER_BYTES: usize = 16 << 10;

/// What one piece of an answer may say, in bytes. The words of a model become ten times as many:
/// what becomes more is none of its answers, and is no longer read.
const PLAIN_BYTES_MAX: usize = 16 << 20;

/// Undoes an encoding piece by piece. What it cannot read ends it.
pub(crate) enum Decoding {
    Plain,
    Gzip(Box<flate2::write::MultiGzDecoder<Plain>>),
    Deflate(Box<flate2::write::ZlibDecoder<Plain>>),
    Brotli(Box<brotli_decompressor::DecompressorWriter<Plain>>),
    Zstd(Box<zstd::stream::write::Decoder<'static, Plain>>),
    Unreadable,
}

/// What a piece says, in bounds.
#[derive(Default)]
pub(crate) struct Plain(Vec<u8>);

impl Write for Plain {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if self.0.len() + bytes.len() > PLAIN_BYTES_MAX {
            return Err(std::io::ErrorKind::FileTooLarge.into());
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Decoding {
    /// What undoes the encoding that an answer's head tells.
    pub(crate) fn of(headers: &HeaderMap) -> Self {
        let Some(name) = headers.get(CONTENT_ENCODING) else { return Self::Plain };
        match name.to_str().map(|name| name.trim().to_ascii_lowercase()).as_deref() {
            Ok("" | "identity") => Self::Plain,
            Ok("gzip" | "x-gzip") => {
                Self::Gzip(Box::new(flate2::write::MultiGzDecoder::new(Plain::default())))
            }
            Ok("deflate") => {
                Self::Deflate(Box::new(flate2::write::ZlibDecoder::new(Plain::default())))
            }
            Ok("br") => {
                let writer =
                    brotli_decompressor::DecompressorWriter::new(Plain::default(), BUFFER_BYTES);
                Self::Brotli(Box::new(writer))
            }
            Ok("zstd") => match zstd::stream::write::Decoder::new(Plain::default()) {
                Ok(decoder) => Self::Zstd(Box::new(decoder)),
                Err(_) => Self::Unreadable,
            },
            Ok(_) | Err(_) => Self::Unreadable,
        }
    }

    /// Takes the next bytes, and hands on what they say.
    pub(crate) fn push(&mut self, bytes: &[u8], mut plain: impl FnMut(&[u8])) {
        let read = match self {
            Self::Plain => {
                plain(bytes);
                return;
            }
            Self::Gzip(decoder) => {
                fed(&mut **decoder, bytes).map(|()| std::mem::take(decoder.get_mut()))
            }
            Self::Deflate(decoder) => {
                fed(&mut **decoder, bytes).map(|()| std::mem::take(decoder.get_mut()))
            }
            Self::Brotli(decoder) => {
                fed(&mut **decoder, bytes).map(|()| std::mem::take(decoder.get_mut()))
            }
            Self::Zstd(decoder) => {
                fed(&mut **decoder, bytes).map(|()| std::mem::take(decoder.get_mut()))
            }
            Self::Unreadable => return,
        };
        match read {
            Ok(Plain(read)) => plain(&read),
            Err(_) => *self = Self::Unreadable,
        }
    }
}

/// Gives a decoder bytes, and has it write all that they say.
fn fed(decoder: &mut impl Write, bytes: &[u8]) -> std::io::Result<()> {
    decoder.write_all(bytes)?;
    decoder.flush()
}

#[cfg(test)]
mod tests {
    use hyper::header::HeaderMap;

    use super::Decoding;

    const TEXT: &[u8] = b"data: one\n\ndata: two\n\ndata: three and some more of the same\n\n";

    fn read(name: &str, bytes: &[u8], piece: usize) -> Vec<u8> {
        let mut headers = HeaderMap::new();
        headers.insert("content-encoding", name.parse().unwrap());
        let mut decoding = Decoding::of(&headers);
        let mut plain = Vec::new();
        for piece in bytes.chunks(piece) {
            decoding.push(piece, |read| plain.extend_from_slice(read));
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
