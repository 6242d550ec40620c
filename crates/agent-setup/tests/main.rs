//! Runs the fuzz target of hook events on its corpus.

mod fuzzed;

use foveal_testkit::fuzz_corpora::{self, FuzzTarget};

const TARGETS: &[(&str, FuzzTarget)] = &[("hook_input", fuzzed::hook_input)];

#[test]
fn every_corpus_file_holds() {
    fuzz_corpora::run_corpora(TARGETS);
}

#[test]
fn changed_corpora_hold() {
    fuzz_corpora::run_mutated_corpora(TARGETS);
}
