//! Fits the trees of the curator and shows how well they choose in repositories they have not
//! seen: `cargo run --release -p foveal-bench --example fit_curator -- TEST.jsonl MORE.jsonl…
//! [--folds N] [--out FILE]`, files as `foveal bench curation --write-cases` writes them. With
//! `--trees FILE` nothing is fitted: those trees are measured on the first file.
//!
//! Repositories are dealt into N parts, 2 if not said. For each, trees are fitted on the cases
//! of all others, of all files, and measured on its cases in the first file. Recorded sessions
//! are dealt in the same way. With `--out`, trees are then fitted on everything.

#[path = "fit_curator/boost.rs"]
mod boost;
#[path = "fit_curator/sampled.rs"]
mod sampled;

use std::collections::{BTreeSet, HashSet};
use std::fs::File;
use std::io::{BufRead, BufReader};

use anyhow::{Context, bail};
use foveal_bench::{BUDGETS, Budget, Case, Figures, FileFacts, Measurement, SIZES};
use foveal_code::curate::{self, Curator, SourceFile, column_names};
use foveal_code::parse;
use rayon::prelude::*;

use self::boost::Settings;
use self::sampled::Sampled;

fn main() -> anyhow::Result<()> {
    let Arguments { files, folds, out, trees } = Arguments::read(std::env::args().skip(1))?;
    let test = read(&files[0])?;
    if let Some(trees) = trees {
        let text = std::fs::read_to_string(&trees).with_context(|| trees.clone())?;
        let curator = Curator::with_forest(&text).with_context(|| format!("{trees}: no trees"))?;
        print(&sum(&measure(&curator, &test.iter().collect::<Vec<_>>())));
        return Ok(());
    }
    let mut cases = test.clone();
    for file in &files[1..] {
        cases.extend(read(file)?);
    }
    let mut seen = HashSet::new();
    cases.retain(|case| seen.insert(case.id.clone()));
    let of_commits = cases.iter().filter(|case| case.conversation.is_none());
    let repos: BTreeSet<&str> = of_commits.map(|case| case.repo.as_str()).collect();
    // Conversations are told apart by their session, commits by their repository.
    let fold_of = |case: &Case| match case.conversation {
        Some(_) => session(&case.id) % folds.max(1),
        None => repos.iter().position(|repo| *repo == case.repo).unwrap_or(0) % folds.max(1),
    };
    println!("{} cases to learn from, {} to measure", cases.len(), test.len());
    let curator = Curator::built_in();
    let sampled: Vec<(usize, Sampled)> = cases
        .par_iter()
        .filter_map(|case| Some((fold_of(case), Sampled::of(&curator, case)?)))
        .collect();
    let fit = |without: Option<usize>| {
        let learned: Vec<&Sampled> = sampled
            .iter()
            .filter(|(fold, _)| Some(*fold) != without)
            .map(|(_, sampled)| sampled)
            .collect();
        boost::fit(&learned, column_names().len(), &Settings::default())
    };
    let (mut in_commits, mut in_sessions) = (Vec::new(), Vec::new());
    for fold in 0..folds {
        let fitted = Curator::with_forest(&fit(Some(fold))).context("the forest just written")?;
        let others: Vec<&Case> = test.iter().filter(|case| fold_of(case) == fold).collect();
        let figures = measure(&fitted, &others);
        let held: BTreeSet<&str> = others.iter().map(|case| case.repo.as_str()).collect();
        println!("{}", held.into_iter().collect::<Vec<_>>().join(" "));
        print(&sum(&figures));
        in_commits.extend(figures);
        let is_held = |case: &&Case| case.conversation.is_some() && fold_of(case) == fold;
        let sessions: Vec<&Case> = cases.iter().filter(is_held).collect();
        in_sessions.extend(measure(&fitted, &sessions));
    }
    println!("sessions, each by the trees of the other parts");
    print(&sum(&in_sessions));
    println!("all of the first file, each by the trees of the other parts");
    print(&sum(&in_commits));
    if let Some(out) = out {
        std::fs::write(&out, fit(None))?;
        println!("written {out}");
    }
    Ok(())
}

/// What the command line says.
struct Arguments {
    /// Files of cases, at least one.
    files: Vec<String>,
    /// Parts that are measured by the trees of the others.
    folds: usize,
    /// Where to write the trees of all.
    out: Option<String>,
    /// Trees that are there already.
    trees: Option<String>,
}

impl Arguments {
    fn read(mut words: impl Iterator<Item = String>) -> anyhow::Result<Self> {
        let mut read = Self { files: Vec::new(), folds: 2, out: None, trees: None };
        while let Some(word) = words.next() {
            match word.as_str() {
                "--out" => read.out = Some(words.next().context("--out takes a file")?),
                "--trees" => read.trees = Some(words.next().context("--trees takes a file")?),
                "--folds" => {
                    let folds = words.next().and_then(|word| word.parse().ok());
                    read.folds = folds
                        .filter(|folds| *folds != 1)
                        .context("--folds takes 0 to measure nothing, or 2 and more")?;
                }
                _ => read.files.push(word),
            }
        }
        if read.files.is_empty() {
            bail!("name files of cases");
        }
        Ok(read)
    }
}

/// A number that is the same for all cases of a session.
fn session(id: &str) -> usize {
    let name = id.split(':').next().unwrap_or_default();
    name.bytes().fold(7, |sum: usize, byte| sum.wrapping_mul(31).wrapping_add(usize::from(byte)))
        >> 3
}

fn read(path: &str) -> anyhow::Result<Vec<Case>> {
    let file = BufReader::new(File::open(path).with_context(|| path.to_owned())?);
    file.lines()
        .map(|line| serde_json::from_str(&line?).with_context(|| format!("{path}: not a case")))
        .collect()
}

/// What the curator kept of each case at each budget.
fn measure(curator: &Curator, cases: &[&Case]) -> Vec<Vec<Measurement>> {
    let one = |case: &&Case| {
        let parsed = parse(&case.path, &case.content_before);
        let file = SourceFile { path: &case.path, text: &case.content_before, parsed: &parsed };
        let question = case.question();
        let facts = FileFacts::of(case);
        let of_budget = |budget: Budget| {
            let asked = match budget {
                Budget::Share(share) => curate::Budget::Share(share),
                Budget::Adaptive => curate::Budget::Adaptive,
            };
            let view = curator.curate(&file, &question, asked);
            let parts = view.parts.iter();
            let kept = parts.map(|part| (part.lines.first.0, part.lines.last.0)).collect();
            Measurement::of(case, budget, &facts, kept, 0)
        };
        BUDGETS.map(of_budget).to_vec()
    };
    cases.par_iter().map(one).collect()
}

fn sum(measured: &[Vec<Measurement>]) -> Vec<Figures> {
    let mut figures = vec![Figures::default(); BUDGETS.len()];
    for one in measured {
        figures.iter_mut().zip(one).for_each(|(figures, one)| figures.add(one));
    }
    figures
}

fn print(figures: &[Figures]) {
    for (budget, figures) in BUDGETS.iter().zip(figures) {
        let name = match budget {
            Budget::Share(share) => format!("{:.0} %", share * 100.0),
            Budget::Adaptive => "adaptive".to_owned(),
        };
        let recall = figures.recall().unwrap_or(0.0);
        let lines = figures.lines_kept().unwrap_or(0.0);
        let (whole, all) = (figures.whole_functions().unwrap_or(0.0), figures.all_kept());
        let (tokens, all) = (figures.tokens_kept().unwrap_or(0.0), all.unwrap_or(0.0));
        print!("  {name:>8}  recall {recall:.3}  lines {lines:.3}  tokens {tokens:.3}");
        println!("  all kept {all:.3}  functions {whole:.3}");
    }
    let sizes =
        figures.last().into_iter().flat_map(|adaptive| SIZES.iter().zip(adaptive.by_size()));
    for (most, of) in sizes.filter(|(_, of)| of.cases > 0) {
        let tokens = of.tokens_kept().unwrap_or(0.0);
        let (lines, recall) = (of.lines_kept().unwrap_or(0.0), of.recall().unwrap_or(0.0));
        print!("  up to {most} lines, {} cases: tokens {tokens:.3}", of.cases);
        println!("  lines {lines:.3}  recall {recall:.3}");
    }
}
