//! Properties of the bounded output and the decoder, compared with simple implementations.

use foveal_sandbox::{BoundedOutputBuffer, OutputRetention, Utf8StreamDecoder};
use proptest::prelude::*;

fn pieces() -> impl Strategy<Value = Vec<Vec<u8>>> {
    let byte = prop_oneof![
        3 => any::<u8>(),
        3 => Just(b'a'),
        2 => Just(b'\n'),
        1 => Just(0xc3),
        1 => Just(0xa9),
    ];
    prop::collection::vec(prop::collection::vec(byte, 0..40), 0..12)
}

proptest! {
    #[test]
    fn nothing_is_lost_uncounted(pieces in pieces(), head in 0..60_usize, tail in 0..60_usize) {
        let all: Vec<u8> = pieces.concat();
        let mut bounded = BoundedOutputBuffer::new(OutputRetention { head, tail });
        for piece in &pieces {
            bounded.push(piece);
        }
        let output = bounded.finish();
        prop_assert_eq!(output.bytes, all.len() as u64);
        let Some(left_out) = output.left_out else {
            prop_assert_eq!(output.text(), String::from_utf8_lossy(&all));
            return Ok(());
        };
        // Which bytes of the whole the two ends are is found from the counts alone.
        let kept = all.len() - usize::try_from(left_out.bytes).expect("small");
        let agrees = (0..=kept.min(head)).any(|cut| {
            let end = all.len() - (kept - cut);
            let missing = all[cut..end].iter().filter(|byte| **byte == b'\n').count() as u64;
            output.head == String::from_utf8_lossy(&all[..cut])
                && output.tail == String::from_utf8_lossy(&all[end..])
                && left_out.lines == missing
        });
        prop_assert!(agrees, "{:?} of {:?}", output, all);
    }

    #[test]
    fn text_in_pieces_is_the_text_of_the_whole(pieces in pieces()) {
        let mut decoder = Utf8StreamDecoder::default();
        let mut text: String = pieces.iter().map(|piece| decoder.push(piece)).collect();
        text.push_str(&decoder.finish());
        let all = pieces.concat();
        prop_assert_eq!(text, String::from_utf8_lossy(&all));
    }

    #[test]
    fn characters_are_never_cut(text in "[a-zé→😀\n]{0,80}", head in 0..40_usize, tail in 0..40_usize) {
        let mut bounded = BoundedOutputBuffer::new(OutputRetention { head, tail });
        bounded.push(text.as_bytes());
        let output = bounded.finish();
        prop_assert!(text.starts_with(&output.head), "{:?}", output);
        prop_assert!(text.ends_with(&output.tail), "{:?}", output);
        prop_assert_eq!(output.replaced_bytes, 0);
    }
}

#[test]
fn memory_stays_bounded() {
    let keep = OutputRetention { head: 10_000, tail: 30_000 };
    let mut bounded = BoundedOutputBuffer::new(keep);
    let piece = b"y\n".repeat(32 * 1024);
    for _ in 0..3200 {
        bounded.push(&piece);
        assert!(bounded.capacity_bytes() <= 2 * (keep.head + keep.tail));
    }
    assert_eq!(bounded.bytes(), 3200 * 64 * 1024);
    let left_out = bounded.finish().left_out.expect("most of it");
    assert_eq!(left_out.lines, left_out.bytes / 2);
}
