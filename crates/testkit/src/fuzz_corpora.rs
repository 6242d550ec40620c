//! Runs the corpora of the fuzz targets as ordinary tests, against regressions.

use std::fs;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::TestRunner;

/// A fuzz target. It panics if the bytes break a promise.
pub type FuzzTarget = fn(&[u8]);

/// The divisor of the usual number of cases, since each case runs all targets.
const CASES_DIVISOR: u32 = 4;

/// Returns the files of a target's corpus, by name.
///
/// # Panics
/// If the corpus is empty or missing.
pub fn corpus_files(target: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(target);
    let entries = fs::read_dir(&folder).expect("every target has a corpus");
    let mut files: Vec<PathBuf> =
        entries.map(|entry| entry.expect("a readable folder").path()).collect();
    files.sort();
    assert!(!files.is_empty(), "{target} has no corpus");
    files
}

/// Runs each target on each file of its corpus.
///
/// # Panics
/// If a target panics.
pub fn run_corpora(targets: &[(&str, FuzzTarget)]) {
    for (name, target) in targets {
        corpus_contents(name).iter().for_each(|bytes| target(bytes));
    }
}

/// Runs each target on randomly mutated files of its corpus.
///
/// # Panics
/// If a target panics.
pub fn run_mutated_corpora(targets: &[(&str, FuzzTarget)]) {
    let mut config = ProptestConfig::default();
    config.cases = config.cases.div_ceil(CASES_DIVISOR);
    // Findings belong in the corpus, not into a regression file.
    config.failure_persistence = None;
    let all: Vec<_> =
        targets.iter().map(|(name, target)| (corpus_contents(name), target)).collect();
    let ran =
        TestRunner::new(config).run(&(any::<Index>(), byte_mutations()), |(file, changes)| {
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

fn corpus_contents(target: &str) -> Vec<Vec<u8>> {
    let read = |path: PathBuf| fs::read(path).expect("the file reads");
    corpus_files(target).into_iter().map(read).collect()
}

/// One mutation: the place, the number of removed bytes, and the inserted ones.
type ByteMutation = (Index, usize, Vec<u8>);

fn byte_mutations() -> impl Strategy<Value = Vec<ByteMutation>> {
    let odd = proptest::sample::select(b"\n\r\0\x1b\"'`$(){}[]<>|&;\\#!*?=:/.- \t\xff0aA".to_vec());
    let byte = prop_oneof![odd, any::<u8>()];
    let put = proptest::collection::vec(byte, 0..12);
    proptest::collection::vec((any::<Index>(), 0_usize..8, put), 1..6)
}
