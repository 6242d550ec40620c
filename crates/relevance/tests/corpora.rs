//! Runs the fuzz targets on their corpora as an ordinary test, so that fixed crashes stay fixed.

use std::fs;
use std::path::{Path, PathBuf};

use foveal_syntax::Language;

use crate::fuzzed::{self, Input};

fn corpus(target: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(target);
    let entries = fs::read_dir(&folder).expect("every target has a corpus");
    let mut files: Vec<PathBuf> =
        entries.map(|entry| entry.expect("a readable folder").path()).collect();
    files.sort();
    files
}

fn check(target: &str, holds: fn(&[u8])) {
    let files = corpus(target);
    assert!(!files.is_empty(), "{target} has no corpus");
    for path in files {
        holds(&fs::read(&path).expect("the file reads"));
    }
}

#[test]
fn every_corpus_file_holds() {
    check("structure", fuzzed::structure);
    check("curate", fuzzed::curate);
    check("symbols", fuzzed::symbols);
    check("highlight", fuzzed::highlight);
}

#[test]
fn every_language_is_in_a_corpus() {
    let read = |path: PathBuf| fs::read(path).expect("the file reads");
    let inputs: Vec<Vec<u8>> = corpus("structure").into_iter().map(read).collect();
    for language in Language::all() {
        let has = inputs.iter().any(|bytes| {
            let Input { path, text, .. } = Input::of(bytes);
            Language::detect(path, &text) == Some(language)
        });
        assert!(has, "{} is in no file", language.name());
    }
}
