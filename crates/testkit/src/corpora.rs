//! The corpora of the fuzz targets as ordinary tests: whatever once went wrong stays right.

use std::fs;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::TestRunner;

/// What is done with the bytes of one fuzz target. It panics where they break a promise.
pub type Target = fn(&[u8]);

/// Of the usual number of cases, one in so many: each goes through all targets.
const CASES_SHARE: u32 = 4;

/// The files of a target's corpus, by name.
///
/// # Panics
/// If there is none.
pub fn corpus(target: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(target);
    let entries = fs::read_dir(&folder).expect("every target has a corpus");
    let mut files: Vec<PathBuf> =
        entries.map(|entry| entry.expect("a readable folder").path()).collect();
    files.sort();
    assert!(!files.is_empty(), "{target} has no corpus");
    files
}

/// Each target holds on each file of its corpus.
///
/// # Panics
/// If one does not.
pub fn hold(targets: &[(&str, Target)]) {
    for (name, target) in targets {
        contents(name).iter().for_each(|bytes| target(bytes));
    }
}

/// Each target holds on files of its corpus that were changed at random.
///
/// # Panics
/// If one does not.
pub fn hold_changed(targets: &[(&str, Target)]) {
    let mut config = ProptestConfig::default();
    config.cases = config.cases.div_ceil(CASES_SHARE);
    // What is found is put into the corpus.
    config.failure_persistence = None;
    let all: Vec<_> = targets.iter().map(|(name, target)| (contents(name), target)).collect();
    let ran = TestRunner::new(config).run(&(any::<Index>(), changes()), |(file, changes)| {
        for (files, target) in &all {
            let mut bytes = file.get(files).clone();
            for (at, taken, put) in &changes {
                let start = at.index(bytes.len() + 1);
                let end = (start + taken).min(bytes.len());
                bytes.splice(start..end, put.iter().copied());
            }
            target(&bytes);
        }
        Ok(())
    });
    if let Err(error) = ran {
        panic!("{error}");
    }
}

fn contents(target: &str) -> Vec<Vec<u8>> {
    let read = |path: PathBuf| fs::read(path).expect("the file reads");
    corpus(target).into_iter().map(read).collect()
}

/// One change: bytes at a place are taken out, and others are put in.
type Change = (Index, usize, Vec<u8>);

fn changes() -> impl Strategy<Value = Vec<Change>> {
    let odd = proptest::sample::select(b"\n\r\0\x1b\"'`$(){}[]<>|&;\\#!*?=:/.- \t\xff0aA".to_vec());
    let byte = prop_oneof![odd, any::<u8>()];
    let put = proptest::collection::vec(byte, 0..12);
    proptest::collection::vec((any::<Index>(), 0_usize..8, put), 1..6)
}
