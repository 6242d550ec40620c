//! Fits the trees of the curator and shows how well they choose in repositories they have not
//! seen: `cargo run --release -p foveal-bench --example fit_curator -- TEST.jsonl MORE.jsonl…
//! [--out FILE]`, files as `foveal bench curation --write-cases` writes them.
//!
//! Trees are fitted on the cases of every second repository, of all files, and measured on the
//! cases of the others in the first file; then the other way round; then on all, for `--out`.

#[path = "fit_curator/boost.rs"]
mod boost;
#[path = "fit_curator/sampled.rs"]
mod sampled;

use std::collections::{BTreeSet, HashSet};
use std::fs::File;
use std::io::{BufRead, BufReader};

use anyhow::{Context, bail};
use foveal_bench::{BUDGETS, Budget, Case, Figures, LineTokens, Measurement};
use foveal_index::curate::{self, Curator, SourceFile, column_names};
use foveal_index::parse;
use rayon::prelude::*;

use self::boost::Settings;
use self::sampled::Sampled;

fn main() -> anyhow::Result<()> {
    let mut files: Vec<String> = std::env::args().skip(1).collect();
    let out = match files.iter().position(|file| file == "--out") {
        Some(at) if at + 2 == files.len() => files.drain(at..).nth(1),
        Some(_) => bail!("--out takes a file and stands last"),
        None => None,
    };
    let Some(first) = files.first() else { bail!("name files of cases") };
    let test = read(first)?;
    let mut cases = test.clone();
    for file in &files[1..] {
        cases.extend(read(file)?);
    }
    let mut seen = HashSet::new();
    cases.retain(|case| seen.insert(case.id.clone()));
    let repos: BTreeSet<&str> = cases.iter().map(|case| case.repo.as_str()).collect();
    // Conversations are told apart by their session, commits by their repository.
    let place = |case: &Case| match case.conversation {
        Some(_) => session(&case.id),
        None => repos.iter().position(|repo| *repo == case.repo).unwrap_or(0),
    };
    println!("{} cases to learn from, {} to measure", cases.len(), test.len());
    let curator = Curator::built_in();
    let sampled: Vec<(usize, Sampled)> = cases
        .par_iter()
        .filter_map(|case| Some((place(case), Sampled::of(&curator, case)?)))
        .collect();
    let settings = Settings::default();
    let (mut both, mut in_sessions) = (Vec::new(), Vec::new());
    for half in 0..2 {
        let learned: Vec<&Sampled> =
            sampled.iter().filter(|(place, _)| place % 2 == half).map(|(_, one)| one).collect();
        let forest = boost::fit(&learned, column_names().len(), &settings);
        let fitted = Curator::with_forest(&forest).context("the forest just written")?;
        let others: Vec<&Case> = test.iter().filter(|case| place(case) % 2 != half).collect();
        let figures = measure(&fitted, &others);
        let held: BTreeSet<&str> = others.iter().map(|case| case.repo.as_str()).collect();
        println!("{}", held.into_iter().collect::<Vec<_>>().join(" "));
        print(&sum(&figures));
        both.extend(figures);
        let sessions: Vec<&Case> = cases
            .iter()
            .filter(|case| case.conversation.is_some() && place(case) % 2 != half)
            .collect();
        in_sessions.extend(measure(&fitted, &sessions));
    }
    println!("sessions, each by the trees of the other half");
    print(&sum(&in_sessions));
    println!("both halves, each by the trees of the other");
    print(&sum(&both));
    if let Some(out) = out {
        let all: Vec<&Sampled> = sampled.iter().map(|(_, one)| one).collect();
        std::fs::write(&out, boost::fit(&all, column_names().len(), &settings))?;
        println!("written {out}");
    }
    Ok(())
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
        let tokens = LineTokens::of(&case.content_before);
        let of_budget = |budget: Budget| {
            let asked = match budget {
                Budget::Share(share) => curate::Budget::Share(share),
                Budget::Adaptive => curate::Budget::Adaptive,
            };
            let view = curator.curate(&file, &question, asked);
            let parts = view.parts.iter();
            let kept = parts.map(|part| (part.lines.first.0, part.lines.last.0)).collect();
            Measurement::of(case, budget, &tokens, kept, 0)
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
        println!("  {name:>8}  recall {recall:.3}  lines {lines:.3}");
    }
}
