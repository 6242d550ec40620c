//! Renders figures as tables.

use super::figures::CurationFigures;
use super::groups::{CaseGroup, GroupKind};
use super::size_classes::{SIZES, SizeFigures};
use crate::case::{BUDGETS, LineBudget};
use crate::curators::CURATORS;

/// The headings after the name of the row.
const HEADINGS: [&str; 11] = [
    "10 %",
    "20 %",
    "30 %",
    "50 %",
    "adaptive",
    "lines",
    "tokens",
    "all kept",
    "functions",
    "time",
    "95 %",
];

/// Returns the figures of all curators over all cases, then those of the first by file size, kind,
/// language and repository.
pub(super) fn render_tables(title: &str, groups: &[CaseGroup]) -> String {
    let mut tables = Vec::new();
    for all in groups.iter().filter(|group| group.kind == GroupKind::All) {
        let curators = CURATORS.iter().zip(&all.figures);
        let rows = curators.map(|(curator, figures)| curator_row(curator.name, figures));
        let title = format!("{title}, {} cases", all.cases);
        tables.push(render_table(&title, "curator", &HEADINGS, rows.collect()));
        tables.extend(all.figures.first().and_then(|figures| size_table(figures)));
    }
    for (kind, first) in [
        (GroupKind::Kind, "kind"),
        (GroupKind::Language, "language"),
        (GroupKind::Repo, "repository"),
    ] {
        let row = |group: &CaseGroup| {
            let name = format!("{} ({})", group.name, group.cases);
            group.figures.first().map(|figures| curator_row(&name, figures))
        };
        let rows: Vec<Vec<String>> =
            groups.iter().filter(|group| group.kind == kind).filter_map(row).collect();
        if !rows.is_empty() {
            let title = format!("{} by {first}", CURATORS[0].name);
            tables.push(render_table(&title, first, &HEADINGS, rows));
        }
    }
    tables.join("\n")
}

fn curator_row(name: &str, figures: &[CurationFigures]) -> Vec<String> {
    let mut cells = vec![name.to_owned()];
    cells.extend(figures.iter().map(|figures| format_fraction(figures.recall())));
    if let Some(adaptive) = adaptive_figures(figures) {
        cells.extend([
            format_percent(adaptive.lines_kept()),
            format_percent(adaptive.tokens_kept()),
            format_fraction(adaptive.complete_case_share()),
            format_fraction(adaptive.whole_functions()),
            format_millis(adaptive.micros_percentile(0.5)),
            format_millis(adaptive.micros_percentile(0.95)),
        ]);
    }
    cells
}

/// Returns the figures of a curator under the adaptive budget, for each class of file sizes with
/// cases.
fn size_table(figures: &[CurationFigures]) -> Option<String> {
    let row = |(at, size): (usize, &SizeFigures)| {
        vec![
            size_range(at),
            size.cases.to_string(),
            format_percent(size.tokens_kept()),
            format_percent(size.lines_kept()),
            format_fraction(size.recall()),
        ]
    };
    let sizes = adaptive_figures(figures)?.by_size().iter().enumerate();
    let rows = sizes.filter(|(_, size)| size.cases > 0).map(row).collect();
    let title = format!("{}: share kept by file size, adaptive", CURATORS[0].name);
    Some(render_table(&title, "file lines", &["cases", "tokens", "lines", "recall"], rows))
}

fn adaptive_figures(figures: &[CurationFigures]) -> Option<&CurationFigures> {
    BUDGETS.iter().zip(figures).find(|(budget, _)| **budget == LineBudget::Adaptive).map(|it| it.1)
}

/// Formats a class of file sizes as `301-600`.
fn size_range(at: usize) -> String {
    let first = at.checked_sub(1).map_or(0, |before| SIZES[before] + 1);
    match SIZES[at] {
        u32::MAX => format!("{first} and more"),
        most => format!("{first}-{most}"),
    }
}

/// Formats a share as `.683`, or `-`.
fn format_fraction(share: Option<f64>) -> String {
    share.map_or_else(|| "-".to_owned(), |share| format!("{share:.3}"))
}

/// Formats a share as `35 %`, or `-`.
fn format_percent(share: Option<f64>) -> String {
    share.map_or_else(|| "-".to_owned(), |share| format!("{:.0} %", share * 100.0))
}

/// Formats microseconds as milliseconds.
fn format_millis(micros: Option<u64>) -> String {
    micros.map_or_else(|| "-".to_owned(), |micros| format!("{:.1} ms", micros as f64 / 1e3))
}

/// Renders rows as aligned lines under a title and headings; `first` heads the first column.
fn render_table(title: &str, first: &str, headings: &[&str], rows: Vec<Vec<String>>) -> String {
    let head = std::iter::once(first).chain(headings.iter().copied()).map(str::to_owned);
    let rows: Vec<Vec<String>> = std::iter::once(head.collect()).chain(rows).collect();
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..=headings.len()).map(width).collect();
    let mut text = format!("{title}\n");
    for row in &rows {
        for (at, (cell, width)) in row.iter().zip(&widths).enumerate() {
            match at {
                0 => text.push_str(&format!("{cell:width$}")),
                _ => text.push_str(&format!("  {cell:>width$}")),
            }
        }
        text.push('\n');
    }
    text
}
