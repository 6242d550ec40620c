use std::io::Write;

use hyper::body::Bytes;
use hyper::header::HeaderMap;

use super::{UnreadableEncoding, decode_body};

const TEXT: &[u8] = b"{\"messages\":[]} {\"messages\":[]} {\"messages\":[]}";

fn encoded(name: &str, body: &[u8], max: usize) -> Result<Option<Vec<u8>>, UnreadableEncoding> {
    let mut headers = HeaderMap::new();
    headers.insert("content-encoding", name.parse().unwrap());
    decode_body(&headers, &Bytes::copy_from_slice(body), max)
}

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn encodings_are_read() {
    assert_eq!(encoded("gzip", &gzip(TEXT), 1_000), Ok(Some(TEXT.to_vec())));
    let zstd = zstd::stream::encode_all(TEXT, 1).unwrap();
    assert_eq!(encoded("zstd", &zstd, 1_000), Ok(Some(TEXT.to_vec())));
    assert_eq!(encoded("identity", TEXT, 1_000), Ok(None));
    assert_eq!(encoded("GZIP", &gzip(TEXT), 1_000), Ok(Some(TEXT.to_vec())));
}

#[test]
fn what_cannot_be_read_is_said() {
    assert_eq!(encoded("lzma", TEXT, 1_000), Err(UnreadableEncoding));
    assert_eq!(encoded("gzip", TEXT, 1_000), Err(UnreadableEncoding));
    assert_eq!(encoded("gzip", &gzip(TEXT)[..20], 1_000), Err(UnreadableEncoding));
    // A small body that decodes to a large one.
    assert_eq!(encoded("gzip", &gzip(&vec![b' '; 1 << 20]), 1_000), Err(UnreadableEncoding));
}
