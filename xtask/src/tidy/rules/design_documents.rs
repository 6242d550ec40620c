//! The list of what the five documents ask for is true: each test that a row names is there, and the
//! sums above are those of the rows.

use std::collections::BTreeMap;

use crate::tidy::finding::Place;
use crate::tidy::source::Source;
use crate::tidy::tree::Tree;

/// The list.
const LIST: &str = "docs/design-documents.md";

/// States of an item, in the order of their columns among the sums, after that of all items.
const STATES: [&str; 4] = ["as asked", "differently", "partly", "not built"];

pub(crate) fn check(tree: &Tree) -> Vec<Place> {
    let Some(list) = &tree.design_documents else { return Vec::new() };
    let lines: Vec<(usize, &str)> =
        list.lines().enumerate().map(|(at, line)| (at + 1, line)).collect();
    let named = lines.iter().flat_map(|(at, line)| named(line).map(|test| (*at, test)));
    let gone = named.filter(|(_, (path, name))| !is_there(&tree.sources, path, name));
    let gone = gone.map(|(at, (path, name))| {
        Place::new(LIST, at, format!("there is no test `{name}` in `crates/{path}`"))
    });
    gone.chain(wrong_sums(&lines)).collect()
}

/// The tests that a line names, as `crate/tests/file.rs::name`, each with its file.
fn named(line: &str) -> impl Iterator<Item = (&str, &str)> {
    let quoted = line.split('`').skip(1).step_by(2);
    quoted.filter_map(|text| {
        let (path, name) = text.split_once(".rs::")?;
        let name = name.rsplit("::").next().unwrap_or(name);
        let is_name = name.chars().all(|sign| sign.is_ascii_alphanumeric() || sign == '_');
        is_name.then(|| (&text[..path.len() + ".rs".len()], name))
    })
}

fn is_there(sources: &[Source], path: &str, name: &str) -> bool {
    let path = format!("crates/{path}");
    let mut sources = sources.iter();
    sources.any(|source| source.path == path && source.words(name).next().is_some())
}

/// Sums that are not those of the rows below. Each part of the list has a number, which its row among
/// the sums begins with.
fn wrong_sums(lines: &[(usize, &str)]) -> Vec<Place> {
    let mut counted: BTreeMap<String, [usize; 5]> = BTreeMap::new();
    let mut part = None;
    for (_, line) in lines {
        if let Some(heading) = line.strip_prefix("## ") {
            part = heading.split_once('.').map(|(number, _)| number.to_owned());
        }
        let Some(part) = &part else { continue };
        // The name of an item may contain the sign that separates cells.
        let mut cells = cells(line).into_iter();
        let state = cells.find_map(|cell| STATES.iter().position(|state| *state == cell));
        if let Some(state) = state {
            let sums = counted.entry(part.clone()).or_default();
            sums[0] += 1;
            sums[state + 1] += 1;
        }
    }
    let all =
        counted.values().fold([0; 5], |all, sums| [0, 1, 2, 3, 4].map(|at| all[at] + sums[at]));
    let wrong = |(at, line): &(usize, &str)| {
        let cells = cells(line);
        let [number, title, ref sums @ ..] = cells[..] else {
            return None;
        };
        let told = sums.iter().map(|sum| sum.trim_matches('*').parse().ok());
        let there = counted.get(number).or((title == "**all**").then_some(&all))?;
        let is_right = told.eq(there.iter().map(|sum| Some(*sum)));
        let what = format!("the rows have {there:?}: items, {}", STATES.join(", "));
        (!is_right).then(|| Place::new(LIST, *at, what))
    };
    lines.iter().filter_map(wrong).collect()
}

/// The cells of a row of a table.
fn cells(line: &str) -> Vec<&str> {
    let row = line.strip_prefix('|').and_then(|line| line.trim_end().strip_suffix('|'));
    row.map(|row| row.split('|').map(str::trim).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests;
