//! The fuzz targets of pages, on their corpora.

use foveal_testkit::corpora;

use crate::fuzzed::TARGETS;

#[test]
fn every_corpus_file_holds() {
    corpora::hold(TARGETS);
}

#[test]
fn changed_corpora_hold() {
    corpora::hold_changed(TARGETS);
}
