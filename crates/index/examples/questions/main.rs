//! Questions as developers ask them, beside BM25 over pieces of 40 lines.
//!
//! ```text
//! cargo run --release -p foveal-index --example questions -- FOLDER
//! cargo run --release -p foveal-index --example questions -- FOLDER --check
//! cargo run --release -p foveal-index --example questions -- FOLDER --misses a
//! ```
//!
//! FOLDER holds a checkout of each repository of `set.jsonl`, called as the repository is.
//! `--check` looks whether every answer stands where the set says. `--misses` lists what was
//! found in place of the answers of one half. README.md tells how the set was made.

mod baseline;
mod measure;
mod set;

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use foveal_cancel::Cancel;
use foveal_code::embed::{Embedder, StaticModel};
use foveal_index::{Index, IndexError, SearchOptions};

use self::baseline::Baseline;
use self::measure::{Measure, PLACES, Place, Table};
use self::set::{Half, Question};

/// Why there are no figures.
#[derive(Debug, thiserror::Error)]
enum Trouble {
    #[error("usage: questions FOLDER [--check | --misses a | --misses b]")]
    Usage,
    #[error("{path} cannot be read")]
    File { path: PathBuf, source: io::Error },
    #[error("a line of the set is not as README.md says")]
    Set(#[from] serde_json::Error),
    #[error("the folder cannot be indexed")]
    Index(#[from] IndexError),
    #[error("{0} answers are not where the set says")]
    Wrong(usize),
}

/// What is to be done with the set.
enum Mode {
    Measure { misses: Option<Half> },
    Check,
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Trouble> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (folder, rest) = arguments.split_first().ok_or(Trouble::Usage)?;
    let mode = match rest.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => Mode::Measure { misses: None },
        ["--check"] => Mode::Check,
        ["--misses", "a"] => Mode::Measure { misses: Some(Half::A) },
        ["--misses", "b"] => Mode::Measure { misses: Some(Half::B) },
        _ => return Err(Trouble::Usage),
    };
    let folder = Path::new(folder);
    let questions = set::read(include_str!("set.jsonl"))?;
    match mode {
        Mode::Check => check(folder, &questions),
        Mode::Measure { misses } => measure(folder, &questions, misses),
    }
}

fn check(folder: &Path, questions: &[Question]) -> Result<(), Trouble> {
    let mut wrong = 0;
    for question in questions {
        for answer in &question.answers {
            let path = folder.join(question.folder()).join(&answer.path);
            let problem = match std::fs::read(&path) {
                Ok(bytes) => answer.problem(&String::from_utf8_lossy(&bytes)),
                Err(_) => Some("there is no such file"),
            };
            if let Some(problem) = problem {
                wrong += 1;
                println!(
                    "{}: {} of \u{201c}{}\u{201d}",
                    path.display(),
                    problem,
                    question.question
                );
            }
        }
    }
    let repositories = set::by_repository(questions).len();
    println!("{} questions on {repositories} repositories", questions.len());
    if wrong == 0 { Ok(()) } else { Err(Trouble::Wrong(wrong)) }
}

fn measure(folder: &Path, questions: &[Question], misses: Option<Half>) -> Result<(), Trouble> {
    let mut table = Table::default();
    for (repository, asked) in set::by_repository(questions) {
        let root = folder.join(asked[0].folder());
        let model: Arc<dyn Embedder> = Arc::new(StaticModel::built_in());
        let mut index = Index::in_memory(&root, Some(model))?;
        index.update(&mut |_| {}, &Cancel::NEVER)?;
        let paths = index.symbols()?.into_iter().map(|file| file.path.to_string());
        let baseline = Baseline::of(&root, paths)?;
        // The first search of a process loads all rows.
        index.search("load", &SearchOptions::default())?;
        for question in asked {
            let start = Instant::now();
            let options = SearchOptions { limit: PLACES, ..SearchOptions::default() };
            let hits = index.search(&question.question, &options)?;
            table.times.push(start.elapsed());
            let places: Vec<Place> =
                hits.iter().map(|hit| Place { path: hit.path.clone(), lines: hit.lines }).collect();
            let found = question.rank(&places);
            let plain = question.rank(&baseline.search(&question.question));
            table.add(repository, question.half(), Measure::of(found), Measure::of(plain));
            if misses == Some(question.half()) && found != Some(0) {
                tell(question, found, &hits);
            }
        }
    }
    table.print();
    Ok(())
}

/// What was found in place of an answer.
fn tell(question: &Question, found: Option<usize>, hits: &[foveal_index::Hit]) {
    let rank = found.map_or("-".to_owned(), |rank| (rank + 1).to_string());
    println!("[{}] {} (at {rank})", question.folder(), question.question);
    for answer in &question.answers {
        println!("      = {}:{} {}", answer.path, answer.name_line, answer.entity);
    }
    for hit in hits.iter().take(found.map_or(5, |rank| rank + 1)) {
        println!(
            "  {:.2} {}:{} {} (w {:.1} c {:.2} n {:.2})",
            hit.score,
            hit.path,
            hit.lines,
            hit.name,
            hit.reason.words_score,
            hit.reason.cosine.unwrap_or(0.0),
            hit.reason.neighbours,
        );
    }
}
