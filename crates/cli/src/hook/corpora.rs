//! The fuzz target of events, on its corpus.

use foveal_testkit::corpora::{self, Target};

use super::fuzzed;

const TARGETS: &[(&str, Target)] = &[("hook_input", fuzzed::hook_input)];

#[test]
fn every_corpus_file_holds() {
    corpora::hold(TARGETS);
}

#[test]
fn changed_corpora_hold() {
    corpora::hold_changed(TARGETS);
}
