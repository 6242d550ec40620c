//! The fuzz targets of what others choose, on their corpora and on corpora that were changed at
//! random: whatever once went wrong stays right.

use std::fs;
use std::path::Path;

use proptest::prelude::*;
use proptest::sample::Index;

use crate::fuzzed::TARGETS;

fn corpus(target: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(target);
    let entries = fs::read_dir(&folder).expect("every target has a corpus");
    let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files.into_iter().map(|path| fs::read(path).unwrap()).collect()
}

#[test]
fn every_corpus_file_holds() {
    for (name, target) in TARGETS {
        let files = corpus(name);
        assert!(!files.is_empty(), "{name} has no corpus");
        files.iter().for_each(|bytes| target(bytes));
    }
}

/// One change: bytes at a place are taken out, and others are put in.
type Change = (Index, usize, Vec<u8>);

fn changes() -> impl Strategy<Value = Vec<Change>> {
    let odd = proptest::sample::select(b"\n\r\0\x1b\"'`$(){}[]<>|&;\\#!*?=:/.- \t\xff0aA".to_vec());
    let byte = prop_oneof![odd, any::<u8>()];
    let put = proptest::collection::vec(byte, 0..12);
    proptest::collection::vec((any::<Index>(), 0_usize..8, put), 1..6)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn changed_corpora_hold(file in any::<Index>(), changes in changes()) {
        for (name, target) in TARGETS {
            let files = corpus(name);
            let mut bytes = file.get(&files).clone();
            for (at, taken, put) in &changes {
                let start = at.index(bytes.len() + 1);
                let end = (start + taken).min(bytes.len());
                bytes.splice(start..end, put.iter().copied());
            }
            target(&bytes);
        }
    }
}
