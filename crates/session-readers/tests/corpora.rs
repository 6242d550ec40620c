//! The fuzz targets' corpora as an ordinary test, so that fixed faults stay fixed.

use std::fs;
use std::path::Path;

use foveal_session_readers::SessionFormat;

use crate::properties;
use crate::session_files::files;

#[test]
fn every_corpus_file_reads() {
    let corpora = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus");
    let corpus_files = files(&corpora);
    for format in SessionFormat::all() {
        let target = format.name().replace("-", "_");
        let has_seeds = corpus_files.iter().any(|path| path.starts_with(corpora.join(&target)));
        assert!(has_seeds, "{target} has no corpus");
    }
    for path in corpus_files {
        properties::check(&fs::read(&path).expect("the file reads"));
    }
}
