//! Arbitrary bytes, and the corpus of the fuzz target.

use std::fs;
use std::path::Path;

use foveal_protocols::Protocol;
use proptest::prelude::*;

use super::answer_encoding::{any_said, spelled};
use crate::answer_invariants;
use crate::session_files::files;

#[test]
fn the_corpus_reads() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/answers");
    let paths = files(&corpus);
    assert!(paths.len() >= 8, "streams and documents of four protocols");
    for path in paths {
        answer_invariants::answers(&fs::read(&path).expect("the file reads"));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..Default::default() })]

    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        answer_invariants::answers(&bytes);
    }

    #[test]
    fn changed_streams(said in any_said(), at in 0usize..3000, byte in any::<u8>(), protocol in 0usize..4) {
        let mut stream = spelled(&said.stream(Protocol::ALL[protocol]), "\n");
        let length = stream.len();
        stream[at % length] = byte;
        answer_invariants::answers(&stream);
    }
}
