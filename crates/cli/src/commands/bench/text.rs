//! Figures as tables.

use std::fmt::Write as _;

use foveal_bench::{BUDGETS, Budget, CURATORS, Figures};

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
    /// The heading of the first column; [`columns`] has the others.
    pub(super) first: &'static str,
    /// Its cells.
    pub(super) rows: Vec<Vec<String>>,
}

/// All curators over all cases, then the first for every kind, language and repository.
pub(super) fn tables(about: &About, groups: &[Group]) -> Vec<Texts> {
    let mut tables = Vec::new();
    let Some(all) = groups.iter().find(|group| group.by == By::All) else { return tables };
    let curators = CURATORS.iter().zip(&all.figures);
    tables.push(Texts {
        title: format!("{}, {}", about.title, plural(all.cases as u64, "case")),
        first: "curator",
        rows: curators.map(|(curator, figures)| row(curator.name, figures)).collect(),
    });
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
            tables.push(Texts { title, first, rows });
        }
    }
    tables
}

/// The tables as lines.
pub(super) fn render(about: &About, groups: &[Group]) -> String {
    let mut text = String::new();
    for (at, texts) in tables(about, groups).into_iter().enumerate() {
        let mut table = Table::new(columns(texts.first));
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

/// The headings of all tables.
pub(super) fn columns(first: &'static str) -> Vec<(&'static str, Side)> {
    let numbers =
        ["10 %", "20 %", "30 %", "50 %", "adaptive", "lines", "tokens", "all kept", "time", "95 %"];
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
            millis(adaptive.micros(0.5)),
            millis(adaptive.micros(0.95)),
        ]);
    }
    cells
}
