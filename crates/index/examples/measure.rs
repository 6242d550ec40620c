//! Measures the time and space of indexing and searching a folder.
//!
//! ```text
//! cargo run --release -p foveal-index --example measure -- FOLDER [--no-embeddings]
//! ```
//!
//! Builds an index of FOLDER in a temporary file, indexes one changed file repeatedly, searches
//! for names from the folder, and prints times, sizes and the peak resident memory (on Linux).

mod measuring;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use foveal_index::{Index, IndexError, SearchOptions};
use foveal_relevance::embedding::{Embedder, StaticModel};
use foveal_transcript::CancelToken;

use measuring::{milliseconds, peak_resident, percentile, questions};

/// The number of times that the changed file is indexed.
const REINDEXINGS: usize = 30;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let Some(folder) = arguments.next() else {
        eprintln!("usage: measure FOLDER [--no-embeddings]");
        return ExitCode::FAILURE;
    };
    let embedded = arguments.next().as_deref() != Some("--no-embeddings");
    match measure_folder(Path::new(&folder), embedded) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn measure_folder(folder: &Path, embedded: bool) -> Result<(), IndexError> {
    let store: PathBuf = std::env::temp_dir().join(format!("measure-{}.db", std::process::id()));
    let begin = Instant::now();
    let model = || -> Option<Arc<dyn Embedder>> {
        embedded.then(|| Arc::new(StaticModel::built_in()) as Arc<dyn Embedder>)
    };
    let mut index = Index::open(folder, &store, model())?;
    println!("opened in {:.1} ms", milliseconds(begin));
    let begin = Instant::now();
    let summary = index.update(&mut |_| {}, &CancelToken::NEVER)?;
    println!("cold index: {:.2} s, {summary:?}", begin.elapsed().as_secs_f64());
    println!("peak resident {} MB", peak_resident() >> 20);
    let size = index.size()?;
    drop(index);
    let bytes = std::fs::metadata(&store).map_or(0, |metadata| metadata.len());
    println!("{size:?}, {:.1} MB on disk", bytes as f64 / 1e6);

    let begin = Instant::now();
    let mut index = Index::open(folder, &store, model())?;
    println!("opened again in {:.1} ms", milliseconds(begin));
    let begin = Instant::now();
    index.update(&mut |_| {}, &CancelToken::NEVER)?;
    println!("looked for changes in {:.1} ms", milliseconds(begin));

    let questions = questions(&mut index)?;
    let mut ask = |question: &str| index.search(question, &SearchOptions::default());
    let begin = Instant::now();
    ask("warm up")?;
    println!("first search, everything loaded: {:.1} ms", milliseconds(begin));
    let mut times = Vec::new();
    for question in &questions {
        let begin = Instant::now();
        ask(question)?;
        times.push(milliseconds(begin));
    }
    print_times("search", &times);
    measure_reindexing(&mut index)?;
    println!("peak resident {} MB", peak_resident() >> 20);
    drop(index);
    for ending in ["", "-wal", "-shm"] {
        // A leftover is only a temporary file.
        let _ = std::fs::remove_file(format!("{}{ending}", store.display()));
    }
    Ok(())
}

/// Measures the indexing of one changing file. The file is created in the folder and removed.
fn measure_reindexing(index: &mut Index) -> Result<(), IndexError> {
    let path = index.root().join("measure_changed_file.rs");
    let mut times = Vec::new();
    for turn in 0..REINDEXINGS {
        let function = |n: usize| {
            format!(
                "/// Adds {n}.\npub fn add_{n}(left: u32) -> u32 {{\n    left + {n} * {turn}\n}}\n\n"
            )
        };
        let text: String = (0..100).map(function).collect();
        if std::fs::write(&path, text).is_err() {
            println!("no file can be written there, so none is indexed again");
            return Ok(());
        }
        let begin = Instant::now();
        index.prioritize_file(&path);
        index.update_queued(&CancelToken::NEVER)?;
        times.push(milliseconds(begin));
    }
    print_times("index one changed file of 500 lines again", &times);
    let begin = Instant::now();
    index.search("add numbers", &SearchOptions::default())?;
    println!("search after a change: {:.1} ms", milliseconds(begin));
    // This function created the file.
    let _ = std::fs::remove_file(&path);
    index.prioritize_file(&path);
    index.update_queued(&CancelToken::NEVER)?;
    Ok(())
}

fn print_times(what: &str, times: &[f64]) {
    let [half, most] = [0.5, 0.99].map(|share| percentile(times, share));
    println!("{what}: p50 {half:.2} ms, p99 {most:.2} ms of {}", times.len());
}
