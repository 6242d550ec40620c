//! Figures and dumps as JSON.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use anyhow::Context;
use foveal_bench::{BUDGETS, Budget, CURATORS, Case, Figures, SIZES};
use serde_json::{Value, json};

use super::groups::Group;
use super::measure::Measured;

/// The document of `--json`, ended by a line break.
pub(super) fn render(
    groups: &[Group],
    seed: Option<u64>,
    cases: usize,
    interrupted: bool,
) -> String {
    let groups: Vec<Value> = groups.iter().map(group).collect();
    let document =
        json!({"seed": seed, "cases": cases, "interrupted": interrupted, "groups": groups});
    format!("{document:#}\n")
}

fn group(group: &Group) -> Value {
    let curators: Vec<Value> = CURATORS
        .iter()
        .zip(&group.figures)
        .map(|(curator, figures)| {
            let budgets: Vec<Value> = BUDGETS
                .iter()
                .zip(figures)
                .map(|(budget, figures)| of_budget(*budget, figures))
                .collect();
            json!({"curator": curator.name, "budgets": budgets})
        })
        .collect();
    json!({"group": group.by.word(), "name": group.name, "cases": group.cases, "curators": curators})
}

fn of_budget(budget: Budget, figures: &Figures) -> Value {
    let sizes = SIZES.iter().zip(figures.by_size()).map(|(lines_max, of)| {
        json!({
            "lines_max": (*lines_max < u32::MAX).then_some(lines_max),
            "cases": of.cases,
            "tokens_kept": of.tokens_kept(),
            "lines_kept": of.lines_kept(),
            "recall": of.recall(),
        })
    });
    json!({
        "budget": name(budget),
        "recall": figures.recall(),
        "recall_pooled": figures.recall_pooled(),
        "all_kept": figures.all_kept(),
        "lines_kept": figures.lines_kept(),
        "tokens_kept": figures.tokens_kept(),
        "whole_functions": figures.whole_functions(),
        "sizes": sizes.collect::<Vec<Value>>(),
        "micros_p50": figures.micros(0.5),
        "micros_p95": figures.micros(0.95),
        "unsound": figures.unsound,
    })
}

/// A budget as the share that it is, or as a word.
fn name(budget: Budget) -> Value {
    match budget {
        Budget::Share(share) => json!(share),
        Budget::Adaptive => json!("adaptive"),
    }
}

/// Writes a line for each case and budget of the first curator.
///
/// # Errors
/// If the file cannot be written.
pub(super) fn dump(
    path: &Path,
    cases: &[Case],
    measured: &[Option<Measured>],
) -> anyhow::Result<()> {
    let write = || -> std::io::Result<()> {
        let mut out = BufWriter::new(File::create(path)?);
        for (case, measured) in cases.iter().zip(measured) {
            let first = measured.iter().flatten().next();
            for (budget, one) in BUDGETS.iter().zip(first.into_iter().flatten()) {
                let line = json!({"id": case.id, "budget": name(*budget), "n_lines": one.lines,
                    "kept": one.kept, "micros": one.micros});
                writeln!(out, "{line}")?;
            }
        }
        out.flush()
    };
    write().with_context(|| format!("`{}` cannot be written", path.display()))
}
