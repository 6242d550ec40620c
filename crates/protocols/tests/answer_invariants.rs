//! Invariants of answers read from arbitrary bytes; `fuzz/src/lib.rs` includes this file.

use foveal_protocols::Protocol;
use foveal_protocols::response::{
    AnswerMetadata, AnswerReader, ERROR_BYTES_MAX, EventSplitter, METADATA_TEXT_BYTES_MAX,
};

/// Reads `bytes` as answers of all APIs, streamed and not, whole and in pieces. Pieces must not
/// change the result, and its texts must be within their limits.
pub(crate) fn answers(bytes: &[u8]) {
    for protocol in Protocol::ALL {
        for content_type in [Some("text/event-stream"), Some("application/json"), None] {
            for status in [200, 500] {
                let whole = answer(protocol, content_type, status, &[bytes]);
                let size = 1 + bytes.first().map_or(0, |byte| usize::from(byte % 13));
                let pieces: Vec<&[u8]> = bytes.chunks(size).collect();
                assert_eq!(whole, answer(protocol, content_type, status, &pieces));
                bounded(&whole);
            }
        }
    }
    for bytes_max in [8, 1 << 20] {
        let whole = events(&[bytes], bytes_max);
        let pieces: Vec<&[u8]> = bytes.chunks(3).collect();
        assert_eq!(whole, events(&pieces, bytes_max));
        assert!(whole.iter().all(|(name, data)| name.len().max(data.len()) <= bytes_max));
    }
}

fn answer(
    protocol: Protocol,
    content_type: Option<&str>,
    status: u16,
    pieces: &[&[u8]],
) -> AnswerMetadata {
    let mut reader = AnswerReader::new(protocol, content_type, status);
    pieces.iter().for_each(|piece| reader.push(piece));
    reader.finish()
}

fn bounded(answer: &AnswerMetadata) {
    let texts = [&answer.model, &answer.id, &answer.stop_reason];
    assert!(texts.into_iter().flatten().all(|text| text.len() <= METADATA_TEXT_BYTES_MAX));
    if let Some(error) = &answer.error {
        assert!(error.message.len() <= ERROR_BYTES_MAX);
        assert!(error.kind.as_ref().is_none_or(|kind| kind.len() <= METADATA_TEXT_BYTES_MAX));
    }
}

/// Returns the name and data of each event.
fn events(pieces: &[&[u8]], bytes_max: usize) -> Vec<(Vec<u8>, Vec<u8>)> {
    let mut events = Vec::new();
    let mut splitter = EventSplitter::new(bytes_max);
    for piece in pieces {
        splitter.push(piece, &mut |event| events.push((event.name.to_vec(), event.data.to_vec())));
    }
    splitter.finish(&mut |event| events.push((event.name.to_vec(), event.data.to_vec())));
    events
}
