//! `fit-curator`: fits the trees of the curator and measures their choices in held-out
//! repositories.

use std::collections::{BTreeSet, HashSet};
use std::path::PathBuf;

use anyhow::Context;
use foveal_relevance::curation::{Curator, signal_column_names};
use rayon::prelude::*;

use crate::case::{BUDGETS, CurationCase, LineBudget};
use crate::case_file::read_cases;
use crate::curators::curate_case;
use crate::evaluation::{CurationFigures, CurationMeasurement, FileFacts, SIZES};
use crate::score_models::boosted_trees::{TreeSettings, fit_trees};
use crate::score_models::curator_rows::unit_rows;
use crate::score_models::training_rows::TrainingRows;

/// The text after the options in the long help.
const LONG_HELP: &str = "\
The repositories are split into N parts. For each part, trees are fitted on the cases of the other
parts in all files, and measured on its own cases in the first file. Recorded sessions are split in
the same way. With --out, trees are then fitted on all cases. With --trees, nothing is fitted: the
given trees are measured on the first file.";

/// The command line of `fit-curator`.
#[derive(Debug, clap::Args)]
#[command(after_long_help = LONG_HELP)]
pub(crate) struct FitCuratorArguments {
    /// Files of cases, as --write-cases writes them: all for fitting, the first for measuring.
    #[arg(value_name = "CASES.jsonl", required = true)]
    files: Vec<PathBuf>,
    /// Number of parts, each measured with the trees of the others; 0 to measure nothing.
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = parse_folds)]
    folds: usize,
    /// Write trees that are fitted on all cases.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Measure these trees instead.
    #[arg(long, value_name = "FILE")]
    trees: Option<PathBuf>,
}

fn parse_folds(text: &str) -> anyhow::Result<usize> {
    let folds = text.parse().ok().filter(|folds| *folds != 1);
    folds.context("expected 0 to measure nothing, or at least 2")
}

/// Fits, measures and prints.
///
/// # Errors
/// If a file cannot be read or written.
pub(super) fn run(arguments: &FitCuratorArguments) -> anyhow::Result<()> {
    let test = read_cases(&arguments.files[0])?;
    if let Some(path) = &arguments.trees {
        let trees = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
        let curator = Curator::with_forest(&trees)
            .with_context(|| format!("{}: not valid trees", path.display()))?;
        print_figures(&sum_figures(&measure_cases(&curator, &test.iter().collect::<Vec<_>>())));
        return Ok(());
    }
    let mut cases = test.clone();
    for file in &arguments.files[1..] {
        cases.extend(read_cases(file)?);
    }
    let mut seen = HashSet::new();
    cases.retain(|case| seen.insert(case.id.clone()));
    println!("{} training cases, {} test cases", cases.len(), test.len());
    let folds = CaseFolds::new(&cases, arguments.folds);
    let rows = FoldRows::new(&folds, &cases);
    print_held_out(&folds, &rows, &cases, &test)?;
    if let Some(out) = &arguments.out {
        std::fs::write(out, rows.fit(None)).with_context(|| out.display().to_string())?;
        println!("wrote {}", out.display());
    }
    Ok(())
}

/// Prints the quality of the trees in each fold that they were not fitted on, and in all folds.
fn print_held_out(
    folds: &CaseFolds,
    rows: &FoldRows,
    cases: &[CurationCase],
    test: &[CurationCase],
) -> anyhow::Result<()> {
    let (mut in_commits, mut in_sessions) = (Vec::new(), Vec::new());
    for fold in 0..folds.count {
        let curator =
            Curator::with_forest(&rows.fit(Some(fold))).context("the trees as written")?;
        let held_out: Vec<&CurationCase> =
            test.iter().filter(|case| folds.fold(case) == fold).collect();
        let measurements = measure_cases(&curator, &held_out);
        let repos: BTreeSet<&str> = held_out.iter().map(|case| case.repo.as_str()).collect();
        println!("{}", repos.into_iter().collect::<Vec<_>>().join(" "));
        print_figures(&sum_figures(&measurements));
        in_commits.extend(measurements);
        let is_session =
            |case: &&CurationCase| case.conversation.is_some() && folds.fold(case) == fold;
        let sessions: Vec<&CurationCase> = cases.iter().filter(is_session).collect();
        in_sessions.extend(measure_cases(&curator, &sessions));
    }
    println!("sessions, each by the trees of the other parts");
    print_figures(&sum_figures(&in_sessions));
    println!("all of the first file, each by the trees of the other parts");
    print_figures(&sum_figures(&in_commits));
    Ok(())
}

/// The folds of the cases.
struct CaseFolds {
    count: usize,
    repos: Vec<String>,
}

impl CaseFolds {
    fn new(cases: &[CurationCase], count: usize) -> Self {
        let commits = cases.iter().filter(|case| case.conversation.is_none());
        let repos: BTreeSet<String> = commits.map(|case| case.repo.clone()).collect();
        Self { count, repos: repos.into_iter().collect() }
    }

    /// Returns the fold of a case: by its session for conversations, by its repository for commits.
    fn fold(&self, case: &CurationCase) -> usize {
        let number = match case.conversation {
            Some(_) => session_number(&case.id),
            None => self.repos.iter().position(|repo| *repo == case.repo).unwrap_or(0),
        };
        number % self.count.max(1)
    }
}

/// Returns a number that is equal for all cases of a session.
fn session_number(id: &str) -> usize {
    let name = id.split(':').next().unwrap_or_default();
    name.bytes().fold(7, |sum: usize, byte| sum.wrapping_mul(31).wrapping_add(usize::from(byte)))
        >> 3
}

/// The rows of all cases with their folds.
struct FoldRows(Vec<(usize, TrainingRows)>);

impl FoldRows {
    fn new(folds: &CaseFolds, cases: &[CurationCase]) -> Self {
        let curator = Curator::built_in();
        let rows = |case: &CurationCase| Some((folds.fold(case), unit_rows(&curator, case)?));
        Self(cases.par_iter().filter_map(rows).collect())
    }

    /// Returns trees fitted on all folds but one.
    fn fit(&self, without: Option<usize>) -> String {
        let rows = self.0.iter().filter(|(fold, _)| Some(*fold) != without).map(|(_, rows)| rows);
        let rows: Vec<&TrainingRows> = rows.collect();
        fit_trees(&rows, signal_column_names().len(), &TreeSettings::default())
    }
}

/// Measures the curator on each case at each budget.
fn measure_cases(curator: &Curator, cases: &[&CurationCase]) -> Vec<Vec<CurationMeasurement>> {
    let measure_case = |case: &&CurationCase| {
        let facts = FileFacts::from_case(case);
        let measure_budget = |budget: LineBudget| {
            let kept = curate_case(curator, case, budget);
            CurationMeasurement::new(case, budget, &facts, kept, 0)
        };
        BUDGETS.map(measure_budget).to_vec()
    };
    cases.par_iter().map(measure_case).collect()
}

fn sum_figures(measurements: &[Vec<CurationMeasurement>]) -> Vec<CurationFigures> {
    let mut figures = vec![CurationFigures::default(); BUDGETS.len()];
    for one in measurements {
        figures.iter_mut().zip(one).for_each(|(figures, one)| figures.add(one));
    }
    figures
}

fn print_figures(figures: &[CurationFigures]) {
    for (budget, figures) in BUDGETS.iter().zip(figures) {
        let name = match budget {
            LineBudget::Share(share) => format!("{:.0} %", share * 100.0),
            LineBudget::Adaptive => "adaptive".to_owned(),
        };
        let recall = figures.recall().unwrap_or(0.0);
        let lines = figures.lines_kept().unwrap_or(0.0);
        let (whole, all) =
            (figures.whole_functions().unwrap_or(0.0), figures.complete_case_share());
        let (tokens, all) = (figures.tokens_kept().unwrap_or(0.0), all.unwrap_or(0.0));
        print!("  {name:>8}  recall {recall:.3}  lines {lines:.3}  tokens {tokens:.3}");
        println!("  all kept {all:.3}  functions {whole:.3}");
    }
    let sizes =
        figures.last().into_iter().flat_map(|adaptive| SIZES.iter().zip(adaptive.by_size()));
    for (most, size) in sizes.filter(|(_, size)| size.cases > 0) {
        let tokens = size.tokens_kept().unwrap_or(0.0);
        let (lines, recall) = (size.lines_kept().unwrap_or(0.0), size.recall().unwrap_or(0.0));
        print!("  up to {most} lines, {} cases: tokens {tokens:.3}", size.cases);
        println!("  lines {lines:.3}  recall {recall:.3}");
    }
}
