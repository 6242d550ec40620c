//! Figures as a page or a drawing.

use std::fs;
use std::path::Path;

use anyhow::Context;
use foveal_bench::{BUDGETS, Budget, CURATORS, Figures};
use foveal_report::{
    CurationCurve, CurationPoint, CurationReport, CurationTable, draw_curation, render_curation,
};

use super::about::About;
use super::groups::{By, Group};
use super::outputs::ReportForm;
use super::text::{self, adaptive};
use crate::numbers::plural;

/// What the figures mean, by name.
const MEASURES: &[(&str, &str)] = &[
    (
        "Case",
        "A file before a commit, with the commit’s message as the question. Gold lines are those \
         that the commit removed or replaced; for what it only added, the line before and the \
         line after.",
    ),
    (
        "10 % … 50 %",
        "Gold recall: the share of a case’s gold lines that is kept in at most this share of the lines; the mean over all cases.",
    ),
    (
        "Adaptive",
        "The same where the curator chooses how much it keeps; lines and tokens: the share of the file that this is.",
    ),
    ("All kept", "The share of cases of which every gold line is kept under the adaptive budget."),
    (
        "Functions",
        "Whole functions: of the functions of up to 60 lines, documentation not counted, that a gold line is in, the share that is kept whole under the adaptive budget.",
    ),
    ("Time", "Of one call under the adaptive budget: for half of the calls and for 95 % of them."),
];

/// Writes the report.
///
/// # Errors
/// If the file cannot be written.
pub(super) fn write(
    path: &Path,
    form: ReportForm,
    about: &About,
    groups: &[Group],
) -> anyhow::Result<()> {
    let report = report(about, groups);
    let text = match form {
        ReportForm::Page => render_curation(&report),
        ReportForm::Drawing => draw_curation(&report),
    };
    fs::write(path, text).with_context(|| format!("`{}` cannot be written", path.display()))
}

fn report(what: &About, groups: &[Group]) -> CurationReport {
    let Some(all) = groups.iter().find(|group| group.by == By::All) else {
        return CurationReport::default();
    };
    let repos = groups.iter().filter(|group| group.by == By::Repo).count().max(1);
    let repos =
        if repos == 1 { "1 repository".to_owned() } else { format!("{repos} repositories") };
    let curves = CURATORS.iter().zip(&all.figures).map(|(curator, figures)| CurationCurve {
        name: curator.name.to_owned(),
        points: BUDGETS
            .iter()
            .zip(figures)
            .filter(|(budget, _)| **budget != Budget::Adaptive)
            .filter_map(|(_, figures)| point(figures))
            .collect(),
        adaptive: figures.get(adaptive()).and_then(point),
    });
    let tables = text::tables(what, groups).into_iter().map(|table| CurationTable {
        columns: table.columns.into_iter().map(|(name, _)| name.to_owned()).collect(),
        title: table.title,
        rows: table.rows,
    });
    let about = CURATORS.iter().map(|curator| (curator.name, curator.about));
    let measures = MEASURES.iter().copied().chain(about);
    CurationReport {
        command: what.command.to_owned(),
        title: what.title.to_owned(),
        about: format!("{} from {repos}", plural(all.cases as u64, "case")),
        curves: curves.collect(),
        tables: tables.collect(),
        measures: measures.map(|(name, about)| (name.to_owned(), about.to_owned())).collect(),
    }
}

fn point(figures: &Figures) -> Option<CurationPoint> {
    Some(CurationPoint { lines: figures.lines_kept()?, recall: figures.recall()? })
}
