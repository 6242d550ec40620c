//! Runs the fuzz targets of client input on their corpora.

use foveal_testkit::fuzz_corpora;

use crate::fuzzed::TARGETS;

#[test]
fn every_corpus_file_holds() {
    fuzz_corpora::run_corpora(TARGETS);
}

#[test]
fn changed_corpora_hold() {
    fuzz_corpora::run_mutated_corpora(TARGETS);
}
