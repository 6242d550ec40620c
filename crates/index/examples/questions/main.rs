//! Measures the search with questions of developers, against BM25 over windows of 40 lines.
//!
//! ```text
//! cargo run --release -p foveal-index --example questions -- FOLDER
//! cargo run --release -p foveal-index --example questions -- FOLDER --check
//! cargo run --release -p foveal-index --example questions -- FOLDER --misses a
//! ```
//!
//! FOLDER holds a checkout of each repository of `set.jsonl`, named like the repository.
//! `--check` verifies the location of every answer. `--misses` lists the hits before the answers
//! of one half. README.md describes how the set was made.

mod baseline;
mod question_set;
mod ranking_metrics;

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use foveal_index::{Index, IndexError, SearchOptions};
use foveal_relevance::embedding::{Embedder, StaticModel};
use foveal_transcript::CancelToken;

use self::baseline::LineWindowBaseline;
use self::question_set::{LabelledQuestion, QuestionHalf};
use self::ranking_metrics::{FoundPlace, MetricsTable, PLACES, RankingMetrics};

/// The reason why the measurement failed.
#[derive(Debug, thiserror::Error)]
enum QuestionsError {
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

/// The action of a run.
enum RunMode {
    Measure { misses: Option<QuestionHalf> },
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

fn run() -> Result<(), QuestionsError> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (folder, rest) = arguments.split_first().ok_or(QuestionsError::Usage)?;
    let mode = match rest.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => RunMode::Measure { misses: None },
        ["--check"] => RunMode::Check,
        ["--misses", "a"] => RunMode::Measure { misses: Some(QuestionHalf::A) },
        ["--misses", "b"] => RunMode::Measure { misses: Some(QuestionHalf::B) },
        _ => return Err(QuestionsError::Usage),
    };
    let folder = Path::new(folder);
    let questions = question_set::parse_questions(include_str!("set.jsonl"))?;
    match mode {
        RunMode::Check => check_answers(folder, &questions),
        RunMode::Measure { misses } => measure_questions(folder, &questions, misses),
    }
}

fn check_answers(folder: &Path, questions: &[LabelledQuestion]) -> Result<(), QuestionsError> {
    let mut wrong = 0;
    for question in questions {
        for answer in &question.answers {
            let path = folder.join(question.folder_name()).join(&answer.path);
            let problem = match std::fs::read(&path) {
                Ok(bytes) => answer.find_problem(&String::from_utf8_lossy(&bytes)),
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
    let repositories = question_set::group_by_repository(questions).len();
    println!("{} questions on {repositories} repositories", questions.len());
    if wrong == 0 { Ok(()) } else { Err(QuestionsError::Wrong(wrong)) }
}

fn measure_questions(
    folder: &Path,
    questions: &[LabelledQuestion],
    misses: Option<QuestionHalf>,
) -> Result<(), QuestionsError> {
    let mut table = MetricsTable::default();
    for (repository, asked) in question_set::group_by_repository(questions) {
        let root = folder.join(asked[0].folder_name());
        let model: Arc<dyn Embedder> = Arc::new(StaticModel::built_in());
        let mut index = Index::in_memory(&root, Some(model))?;
        index.update(&mut |_| {}, &CancelToken::NEVER)?;
        let paths = index.symbols()?.into_iter().map(|file| file.path.to_string());
        let baseline = LineWindowBaseline::build(&root, paths)?;
        // The first search of a process loads all rows.
        index.search("load", &SearchOptions::default())?;
        for question in asked {
            let start = Instant::now();
            let options = SearchOptions { limit: PLACES, ..SearchOptions::default() };
            let hits = index.search(&question.question, &options)?;
            table.times.push(start.elapsed());
            let places: Vec<FoundPlace> = hits
                .iter()
                .map(|hit| FoundPlace { path: hit.path.clone(), lines: hit.lines })
                .collect();
            let found = question.answer_rank(&places);
            let plain = question.answer_rank(&baseline.search(&question.question));
            table.add_question(
                repository,
                question.half(),
                RankingMetrics::from_rank(found),
                RankingMetrics::from_rank(plain),
            );
            if misses == Some(question.half()) && found != Some(0) {
                print_miss(question, found, &hits);
            }
        }
    }
    table.print_table();
    Ok(())
}

/// Prints the hits before the answer to a question.
fn print_miss(question: &LabelledQuestion, found: Option<usize>, hits: &[foveal_index::SearchHit]) {
    let rank = found.map_or("-".to_owned(), |rank| (rank + 1).to_string());
    println!("[{}] {} (at {rank})", question.folder_name(), question.question);
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
