//! Figures as tables.

use std::fmt::Write as _;

use foveal_bench::{BUDGETS, Budget, CURATORS, Figures, SIZES, SizeFigures};

use super::about::About;
use super::groups::{By, Group};
use crate::numbers::plural;
use crate::table::{Side, Table};

/// Where [`BUDGETS`] has the adaptive one.
pub(super) fn adaptive() -> usize {
    BUDGETS.iter().position(|budget| *budget == Budget::Adaptive).unwrap_or(0)
}

/// A share as `.683`, or `-`.
fn share(share: Option<f64>) -> String {
    share.map_or_else(|| "-".to_owned(), |share| format!("{share:.3}"))
}

/// A share as `35 %`, or `-`.
fn percent(share: Option<f64>) -> String {
    share.map_or_else(|| "-".to_owned(), |share| format!("{:.0} %", share * 100.0))
}

/// Microseconds as milliseconds.
fn millis(micros: Option<u64>) -> String {
    micros.map_or_else(|| "-".to_owned(), |micros| format!("{:.1} ms", micros as f64 / 1e3))
}

/// A table as texts.
#[derive(Debug, Clone)]
pub(super) struct Texts {
    /// What is above it.
    pub(super) title: String,
    /// The headings of its columns.
    pub(super) columns: Vec<(&'static str, Side)>,
    /// Its cells.
    pub(super) rows: Vec<Vec<String>>,
}

/// All curators over all cases, then the first by size of file, and for every kind, language
/// and repository.
pub(super) fn tables(about: &About, groups: &[Group]) -> Vec<Texts> {
    let mut tables = Vec::new();
    let Some(all) = groups.iter().find(|group| group.by == By::All) else { return tables };
    let curators = CURATORS.iter().zip(&all.figures);
    tables.push(Texts {
        title: format!("{}, {}", about.title, plural(all.cases as u64, "case")),
        columns: columns("curator"),
        rows: curators.map(|(curator, figures)| row(curator.name, figures)).collect(),
    });
    tables.extend(all.figures.first().and_then(|figures| by_size(figures)));
    for (by, first) in [(By::Kind, "kind"), (By::Language, "language"), (By::Repo, "repository")] {
        let of_kind = groups.iter().filter(|group| group.by == by);
        let rows: Vec<Vec<String>> = of_kind
            .filter_map(|group| {
                let name = format!("{} ({})", clean(&group.name), group.cases);
                group.figures.first().map(|figures| row(&name, figures))
            })
            .collect();
        if !rows.is_empty() {
            let title = format!("{} by {first}", CURATORS[0].name);
            tables.push(Texts { title, columns: columns(first), rows });
        }
    }
    tables
}

/// The tables as lines.
pub(super) fn render(about: &About, groups: &[Group]) -> String {
    let mut text = String::new();
    for (at, texts) in tables(about, groups).into_iter().enumerate() {
        let mut table = Table::new(texts.columns);
        texts.rows.into_iter().for_each(|row| table.row(row));
        let gap = if at == 0 { "" } else { "\n" };
        let _ = write!(text, "{gap}{}\n{}", texts.title, table.render());
    }
    text
}

/// Control characters of a path or a file must not reach the terminal.
fn clean(name: &str) -> String {
    name.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// The headings of the tables of curators.
fn columns(first: &'static str) -> Vec<(&'static str, Side)> {
    let numbers = [
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
    std::iter::once((first, Side::Left))
        .chain(numbers.map(|heading| (heading, Side::Right)))
        .collect()
}

fn row(name: &str, figures: &[Figures]) -> Vec<String> {
    let mut cells = vec![name.to_owned()];
    cells.extend(figures.iter().map(|figures| share(figures.recall())));
    if let Some(adaptive) = figures.get(adaptive()) {
        cells.extend([
            percent(adaptive.lines_kept()),
            percent(adaptive.tokens_kept()),
            share(adaptive.all_kept()),
            share(adaptive.whole_functions()),
            millis(adaptive.micros(0.5)),
            millis(adaptive.micros(0.95)),
        ]);
    }
    cells
}

/// The first curator under the adaptive budget, for each class of file sizes that has cases.
fn by_size(figures: &[Figures]) -> Option<Texts> {
    let sizes = figures.get(adaptive())?.by_size();
    let headings = ["cases", "tokens", "lines", "recall"];
    let columns = std::iter::once(("file lines", Side::Left))
        .chain(headings.map(|heading| (heading, Side::Right)));
    let row = |(at, of): (usize, &SizeFigures)| {
        let shares = [percent(of.tokens_kept()), percent(of.lines_kept()), share(of.recall())];
        let mut cells = vec![size_name(at), of.cases.to_string()];
        cells.extend(shares);
        cells
    };
    let with_cases = sizes.iter().enumerate().filter(|(_, of)| of.cases > 0);
    Some(Texts {
        title: format!("{}: share kept by file size, adaptive", CURATORS[0].name),
        columns: columns.collect(),
        rows: with_cases.map(row).collect(),
    })
}

/// A class of file sizes as `301-600`.
fn size_name(at: usize) -> String {
    let first = at.checked_sub(1).map_or(0, |before| SIZES[before] + 1);
    match SIZES[at] {
        u32::MAX => format!("{first} and more"),
        most => format!("{first}-{most}"),
    }
}
