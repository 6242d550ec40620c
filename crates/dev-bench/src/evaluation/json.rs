//! Figures and dumps as JSON.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use anyhow::Context;
use serde_json::{Value, json};

use super::case_sample::CaseSample;
use super::figures::CurationFigures;
use super::groups::CaseGroup;
use super::measure::CaseMeasurements;
use super::size_classes::SIZES;
use crate::case::{BUDGETS, CurationCase, LineBudget};
use crate::curators::CURATORS;

/// Returns the document of `--json`, ended by a line break.
pub(super) fn render_groups(sample: &CaseSample, groups: &[CaseGroup]) -> String {
    let groups: Vec<Value> = groups.iter().map(group_value).collect();
    let document = json!({"seed": sample.seed, "cases": sample.cases.len(), "groups": groups});
    format!("{document:#}\n")
}

fn group_value(group: &CaseGroup) -> Value {
    let curators: Vec<Value> = CURATORS
        .iter()
        .zip(&group.figures)
        .map(|(curator, figures)| {
            let budgets: Vec<Value> = BUDGETS
                .iter()
                .zip(figures)
                .map(|(budget, figures)| figures_value(*budget, figures))
                .collect();
            json!({"curator": curator.name, "budgets": budgets})
        })
        .collect();
    json!({"group": group.kind.label(), "name": group.name, "cases": group.cases, "curators": curators})
}

fn figures_value(budget: LineBudget, figures: &CurationFigures) -> Value {
    let sizes = SIZES.iter().zip(figures.by_size()).map(|(lines_max, size)| {
        json!({
            "lines_max": (*lines_max < u32::MAX).then_some(lines_max),
            "cases": size.cases,
            "tokens_kept": size.tokens_kept(),
            "lines_kept": size.lines_kept(),
            "recall": size.recall(),
        })
    });
    json!({
        "budget": budget_value(budget),
        "recall": figures.recall(),
        "recall_pooled": figures.recall_pooled(),
        "all_kept": figures.complete_case_share(),
        "lines_kept": figures.lines_kept(),
        "tokens_kept": figures.tokens_kept(),
        "whole_functions": figures.whole_functions(),
        "sizes": sizes.collect::<Vec<Value>>(),
        "micros_p50": figures.micros_percentile(0.5),
        "micros_p95": figures.micros_percentile(0.95),
        "unsound": figures.unsound,
    })
}

/// Returns a budget as its share, or as a word.
fn budget_value(budget: LineBudget) -> Value {
    match budget {
        LineBudget::Share(share) => json!(share),
        LineBudget::Adaptive => json!("adaptive"),
    }
}

/// Writes a line for each case and budget of the first curator.
///
/// # Errors
/// If the file cannot be written.
pub(super) fn write_dump(
    path: &Path,
    cases: &[CurationCase],
    measurements: &[CaseMeasurements],
) -> anyhow::Result<()> {
    let write = || -> std::io::Result<()> {
        let mut out = BufWriter::new(File::create(path)?);
        for (case, measurements) in cases.iter().zip(measurements) {
            let first = measurements.first().into_iter().flatten();
            for (budget, measurement) in BUDGETS.iter().zip(first) {
                let line = json!({"id": case.id, "budget": budget_value(*budget),
                    "n_lines": measurement.lines, "kept": measurement.kept,
                    "micros": measurement.micros});
                writeln!(out, "{line}")?;
            }
        }
        out.flush()
    };
    write().with_context(|| format!("`{}` cannot be written", path.display()))
}
