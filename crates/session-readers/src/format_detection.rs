//! Detection of a stream's format from its first documents. Each format has keys that no other
//! format has. A document that is cut before such a key is not classified.

use std::io::{self, Read};

use crate::framing::line_reader::LINE_BYTES_MAX;
use crate::key_paths::{KeyPaths, scan_key_paths};
use crate::session_format::SessionFormat;
use crate::sessions::request_bodies;

/// Number of bytes that are read first.
const FIRST_BYTES: usize = 64 << 10;

/// Number of leading bytes whose documents are examined. The last of them is examined to its end.
const DETECT_BYTES: usize = 1 << 20;

/// The start of a stream, as far as it was read to detect the format.
#[derive(Debug)]
pub struct StreamHead {
    /// The bytes of the stream that were read.
    pub bytes: Vec<u8>,
    /// The format, if one matches.
    pub format: Option<SessionFormat>,
}

impl StreamHead {
    /// Reads from `input` until the documents read identify a format. Reads to the end of the
    /// document that holds byte 1 MiB at most.
    ///
    /// # Errors
    /// Returns the error of a failed read.
    pub fn read(input: &mut dyn Read) -> io::Result<Self> {
        let mut bytes = Vec::new();
        let mut wanted = FIRST_BYTES;
        loop {
            let missing = wanted - bytes.len();
            Read::take(&mut *input, missing as u64).read_to_end(&mut bytes)?;
            let ends = bytes.len() < wanted;
            let scan = scan_documents(&bytes, ends);
            if scan.format.is_some() || ends {
                return Ok(Self { bytes, format: scan.format });
            }
            let is_open = scan.open_document.is_some_and(|start| start < DETECT_BYTES);
            let is_examined = wanted >= DETECT_BYTES && !is_open;
            if is_examined || wanted >= LINE_BYTES_MAX {
                let format = detect_format(&bytes, true);
                return Ok(Self { bytes, format });
            }
            wanted = (wanted * 2).min(LINE_BYTES_MAX);
        }
    }
}

/// Returns the format of a stream that starts with `head`, line by line or document by document,
/// until one identifies the format. If the stream is not `complete`, `head` may be cut off anywhere.
pub fn detect_format(head: &[u8], complete: bool) -> Option<SessionFormat> {
    scan_documents(head, complete).format
}

/// The result of examining the documents of a head.
struct DocumentScan {
    format: Option<SessionFormat>,
    /// The start of the document in which the head ends, if it ends in one.
    open_document: Option<usize>,
}

fn scan_documents(head: &[u8], complete: bool) -> DocumentScan {
    let is_listed = head.iter().find(|byte| !is_padding(**byte)) == Some(&b'[');
    let mut rest = head;
    let mut is_message_list = false;
    let mut open_document = None;
    while let Some((mut document, after)) = scan_key_paths(rest, complete) {
        document.is_listed = is_listed;
        if let Some(format) = SessionFormat::from_key_paths(&document) {
            return DocumentScan { format: Some(format), open_document: None };
        }
        is_message_list |= is_plain_message(&document);
        let is_open = after.is_empty() && !document.is_complete;
        open_document = is_open.then(|| head.len() - rest.len());
        rest = after;
    }
    // Messages without a provider's own keys are read by the simpler form.
    let format = (complete && is_message_list).then_some(SessionFormat::OpenAiChat);
    DocumentScan { format, open_document }
}

fn is_plain_message(document: &KeyPaths) -> bool {
    document.is_complete && request_bodies::is_message(document)
}

/// Returns whether a byte is white space or part of a byte order mark.
fn is_padding(byte: u8) -> bool {
    byte.is_ascii_whitespace() || matches!(byte, 0xEF | 0xBB | 0xBF)
}
