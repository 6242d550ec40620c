//! Measures the effect of linked chunks (neighbours) on the ranking of a search.
//!
//! ```text
//! cargo run --release -p foveal-index --example neighbours -- commits CASES.jsonl FOLDER…
//! cargo run --release -p foveal-index --example neighbours -- docs FOLDER…
//! ```
//!
//! `commits` searches FOLDER with the commit messages of CASES (`foveal-dev-bench curation
//! --write-cases`) for the changed files and functions. The name of FOLDER is the end of `repo` in
//! the cases; deleted files are left out. `docs` searches with the first paragraph of a function's
//! documentation for the function, in a copy of FOLDER without any function documentation.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use foveal_index::{Index, IndexError, SearchHit, SearchOptions};
use foveal_relevance::embedding::{Embedder, StaticModel};
use foveal_syntax::{Entity, EntityKind};
use foveal_transcript::{CancelToken, LineNumber};

/// The compared weights of neighbours.
const NEIGHBOUR_SHARES: [f32; 6] = [0.0, 0.1, 0.2, 0.3, 0.4, 0.6];

/// The number of hits that count.
const PLACES: usize = 10;

/// The number of requested hits, enough to contain ten files.
const HITS_MAX: usize = 200;

/// The number of functions of one folder in `docs`.
const FUNCTIONS_MAX: usize = 150;

/// The least number of words of a paragraph that is used as a question.
const QUESTION_WORDS_MIN: usize = 5;

/// The least number of lines of a function without its documentation.
const BODY_LINES_MIN: u32 = 4;

/// A question with the files and functions (`path:name`) that answer it.
#[derive(Default)]
struct SearchCase {
    question: String,
    files: BTreeSet<String>,
    functions: BTreeSet<String>,
}

/// Sums of reciprocal ranks and recall, and the number of cases.
#[derive(Default, Clone, Copy)]
struct RecallMetrics {
    reciprocal: f64,
    recall: f64,
    count: f64,
}

impl RecallMetrics {
    /// Adds one case. `places` are the candidate answers of each of the first hits.
    fn add_case(&mut self, places: &[BTreeSet<String>], wanted: &BTreeSet<String>) {
        if wanted.is_empty() {
            return;
        }
        let first = places.iter().position(|names| !names.is_disjoint(wanted));
        self.reciprocal += first.map_or(0.0, |place| 1.0 / (place + 1) as f64);
        let found = wanted.iter().filter(|one| places.iter().any(|names| names.contains(*one)));
        self.recall += found.count() as f64 / wanted.len() as f64;
        self.count += 1.0;
    }

    fn format_means(self) -> String {
        let of = |sum: f64| sum / self.count.max(1.0);
        format!("{:.3} / {:.3}", of(self.reciprocal), of(self.recall))
    }
}

/// The reason why the measurement failed.
#[derive(Debug, thiserror::Error)]
enum NeighboursError {
    #[error("usage: neighbours commits CASES.jsonl FOLDER… | neighbours docs FOLDER…")]
    Usage,
    #[error("a file cannot be read or written")]
    File(#[from] io::Error),
    #[error("a line of the cases is no JSON")]
    Json(#[from] serde_json::Error),
    #[error("the folder cannot be indexed")]
    Index(#[from] IndexError),
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let done = match arguments.split_first() {
        Some((mode, rest)) if mode == "commits" && rest.len() > 1 => {
            measure_commits(Path::new(&rest[0]), &rest[1..])
        }
        Some((mode, folders)) if mode == "docs" && !folders.is_empty() => {
            measure_documentation(folders)
        }
        _ => Err(NeighboursError::Usage),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn measure_commits(cases: &Path, folders: &[String]) -> Result<(), NeighboursError> {
    let mut all: BTreeMap<String, BTreeMap<String, SearchCase>> = BTreeMap::new();
    for line in fs::read_to_string(cases)?.lines() {
        let value: serde_json::Value = serde_json::from_str(line)?;
        let text = |key: &str| value[key].as_str().unwrap_or_default();
        let repository = text("repo").rsplit(['+', '/']).next().unwrap_or_default();
        let Some(folder) = folders.iter().find(|folder| Path::new(folder).ends_with(repository))
        else {
            continue;
        };
        let path = text("path");
        if !Path::new(folder).join(path).is_file() {
            continue;
        }
        // All files of one commit form one case.
        let commits = all.entry(folder.clone()).or_default();
        let case = commits.entry(text("query").to_owned()).or_default();
        case.question = text("query").to_owned();
        case.files.insert(path.to_owned());
        let parsed = foveal_syntax::parse_file(path, text("content_before"));
        for line in value["gold_lines"].as_array().into_iter().flatten() {
            let line = LineNumber(u32::try_from(line.as_u64().unwrap_or(0)).unwrap_or(0));
            let Some(inside) = parsed.innermost_entity(line) else { continue };
            let named = parsed.ancestry(inside).find(|(_, entity)| is_target_entity(entity));
            let name = named.map(|(at, _)| format!("{path}:{}", parsed.qualified_name(at)));
            case.functions.extend(name);
        }
    }
    let mut measures = ShareComparison::default();
    for (folder, cases) in all {
        let cases: Vec<SearchCase> = cases.into_values().collect();
        measures.run_cases(Path::new(&folder), &cases)?;
    }
    measures.print_table();
    Ok(())
}

fn is_target_entity(entity: &Entity) -> bool {
    matches!(
        entity.kind,
        EntityKind::Function
            | EntityKind::Method
            | EntityKind::Type
            | EntityKind::Trait
            | EntityKind::Enum
            | EntityKind::Test
    )
}

fn measure_documentation(folders: &[String]) -> Result<(), NeighboursError> {
    let mut measures = ShareComparison::default();
    for folder in folders {
        let (copy, cases) = copy_without_documentation(Path::new(folder))?;
        let step = cases.len().div_ceil(FUNCTIONS_MAX).max(1);
        let asked: Vec<SearchCase> = cases.into_iter().step_by(step).collect();
        measures.run_cases(&copy, &asked)?;
        fs::remove_dir_all(copy)?;
    }
    measures.print_table();
    Ok(())
}

/// Copies a folder without the documentation of functions. Returns the copy and the cases made of
/// that documentation.
fn copy_without_documentation(
    folder: &Path,
) -> Result<(PathBuf, Vec<SearchCase>), NeighboursError> {
    let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let copy = std::env::temp_dir().join(format!("neighbours-{}", std::process::id())).join(name);
    let mut index = Index::in_memory(folder, None)?;
    index.update(&mut |_| {}, &CancelToken::NEVER)?;
    let mut cases = Vec::new();
    for file in index.symbols()? {
        let text = String::from_utf8_lossy(&fs::read(folder.join(&*file.path))?).into_owned();
        let parsed = foveal_syntax::parse_file(&file.path, &text);
        let mut lines: Vec<Option<&str>> = text.lines().map(Some).collect();
        for (at, entity) in parsed.indexed_entities() {
            let Some(doc) = entity.doc else { continue };
            let is_function = matches!(entity.kind, EntityKind::Function | EntityKind::Method);
            if !is_function || entity.lines.line_count() < doc.line_count() + BODY_LINES_MIN {
                continue;
            }
            let rows = doc.first.0 as usize - 1..doc.last.0 as usize;
            let question = first_paragraph(&lines[rows.clone()]);
            if question.split_whitespace().count() < QUESTION_WORDS_MIN {
                continue;
            }
            lines[rows].fill(None);
            let function = format!("{}:{}", file.path, parsed.qualified_name(at));
            let files = BTreeSet::from([file.path.to_string()]);
            cases.push(SearchCase { question, files, functions: BTreeSet::from([function]) });
        }
        let text: String = lines.into_iter().flatten().map(|line| format!("{line}\n")).collect();
        let place = copy.join(&*file.path);
        fs::create_dir_all(place.parent().unwrap_or(&copy))?;
        fs::write(place, text)?;
    }
    Ok((copy, cases))
}

fn first_paragraph(doc: &[Option<&str>]) -> String {
    let mut text = String::new();
    for line in doc.iter().flatten() {
        let marks = ['/', '*', '#', '"', '\'', '!'];
        let line = line.trim().trim_start_matches(marks).trim_end_matches(marks).trim();
        if line.is_empty() || line.starts_with('@') {
            if text.is_empty() {
                continue;
            }
            break;
        }
        text.push_str(line);
        text.push(' ');
    }
    text
}

/// The metrics of files and of functions for each of [`NEIGHBOUR_SHARES`].
#[derive(Default)]
struct ShareComparison {
    rows: [(RecallMetrics, RecallMetrics); NEIGHBOUR_SHARES.len()],
    questions: usize,
}

impl ShareComparison {
    fn run_cases(&mut self, folder: &Path, cases: &[SearchCase]) -> Result<(), NeighboursError> {
        let model: Arc<dyn Embedder> = Arc::new(StaticModel::built_in());
        let mut index = Index::in_memory(folder, Some(model))?;
        index.update(&mut |_| {}, &CancelToken::NEVER)?;
        let mut names: BTreeMap<String, Vec<(LineNumber, String)>> = BTreeMap::new();
        for file in index.symbols()? {
            let of = file.definitions.iter();
            let of = of.map(|of| (of.lines.first, format!("{}:{}", file.path, of.qualified_name)));
            names.insert(file.path.to_string(), of.collect());
        }
        eprintln!("{}: {} questions", folder.display(), cases.len());
        self.questions += cases.len();
        for case in cases {
            for (share, (files, functions)) in NEIGHBOUR_SHARES.iter().zip(&mut self.rows) {
                let options = SearchOptions {
                    limit: HITS_MAX,
                    neighbours_share: *share,
                    ..SearchOptions::default()
                };
                let hits = index.search(&case.question, &options)?;
                files.add_case(&distinct_files(&hits), &case.files);
                let named = |hit: &SearchHit| {
                    let all = names.get(&hit.path).into_iter().flatten();
                    let inside = all.filter(|(line, _)| hit.lines.contains(*line));
                    inside.map(|(_, name)| name.clone()).collect()
                };
                let places: Vec<_> = hits.iter().take(PLACES).map(named).collect();
                functions.add_case(&places, &case.functions);
            }
        }
        Ok(())
    }

    fn print_table(&self) {
        println!("{} questions; MRR@10 / recall@10", self.questions);
        println!("share  files          functions");
        for (share, (files, functions)) in NEIGHBOUR_SHARES.iter().zip(&self.rows) {
            println!("{share:<5}  {}  {}", files.format_means(), functions.format_means());
        }
    }
}

fn distinct_files(hits: &[SearchHit]) -> Vec<BTreeSet<String>> {
    let mut files: Vec<BTreeSet<String>> = Vec::new();
    for hit in hits {
        if files.len() < PLACES && !files.iter().any(|file| file.contains(&hit.path)) {
            files.push(BTreeSet::from([hit.path.clone()]));
        }
    }
    files
}
