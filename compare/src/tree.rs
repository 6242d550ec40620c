//! The folder that is indexed, and foveal's index of it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use foveal_transcript::CancelToken;
use foveal_relevance::embedding::{Embedder, StaticModel};
use foveal_index::{Index, SearchOptions, decode_text, file_chunks};

use crate::measuring::milliseconds;

/// Temporary files, removed with the value.
pub(crate) struct Scratch(pub(crate) PathBuf);

impl Scratch {
    pub(crate) fn new() -> anyhow::Result<Self> {
        let folder = std::env::temp_dir().join(format!("foveal-compare-{}", std::process::id()));
        std::fs::create_dir_all(&folder)?;
        Ok(Self(folder))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What cannot be removed is a temporary file.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// foveal's index, just built.
pub(crate) struct Built {
    pub(crate) index: Index,
    /// Milliseconds for all of it.
    pub(crate) cold: f64,
    /// Bytes on disk, all files of the database.
    pub(crate) bytes: u64,
}

/// Builds an index of `folder` in `scratch`.
pub(crate) fn build(folder: &Path, scratch: &Scratch, embedded: bool) -> anyhow::Result<Built> {
    let name = if embedded { "foveal.db" } else { "foveal-words.db" };
    let store = scratch.0.join(name);
    let model = embedded.then(|| Arc::new(StaticModel::built_in()) as Arc<dyn Embedder>);
    let begin = Instant::now();
    let mut index = Index::open(folder, &store, model)?;
    index.update(&mut |_| {}, &CancelToken::NEVER)?;
    let cold = milliseconds(begin);
    // The log beside the database goes into it where it is closed.
    drop(index);
    let bytes = std::fs::metadata(&store)?.len();
    let model = embedded.then(|| Arc::new(StaticModel::built_in()) as Arc<dyn Embedder>);
    Ok(Built { index: Index::open(folder, &store, model)?, cold, bytes })
}

/// Milliseconds of each question, once everything is loaded.
pub(crate) fn ask(index: &mut Index, questions: &[String]) -> anyhow::Result<Vec<f64>> {
    let options = SearchOptions::default();
    index.search("warm up", &options)?;
    let mut times = Vec::new();
    for question in questions {
        let begin = Instant::now();
        index.search(question, &options)?;
        times.push(milliseconds(begin));
    }
    Ok(times)
}

/// A part with the file it is in.
pub(crate) struct Located {
    pub(crate) path: String,
    pub(crate) first_line: u32,
    pub(crate) told: String,
}

/// All parts of all files of the index.
pub(crate) fn located(index: &mut Index) -> anyhow::Result<Vec<Located>> {
    let mut all = Vec::new();
    for path in index.symbols()?.into_iter().map(|file| file.path.into_string()) {
        let bytes = std::fs::read(index.root().join(&path))?;
        let Some(text) = decode_text(&bytes) else { continue };
        all.extend(file_chunks(&path, &text).into_iter().map(|part| Located {
            path: path.clone(),
            first_line: part.lines.first.0,
            told: part.search_text,
        }));
    }
    Ok(all)
}
