//! Figures of all cases, of code and tests, of each language and of each repository.

use std::collections::BTreeMap;

use foveal_bench::{BUDGETS, CURATORS, Case, Figures, language};

use super::measure::Measured;

/// What a group is made by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum By {
    All,
    Kind,
    Language,
    Repo,
}

impl By {
    pub(super) fn word(self) -> &'static str {
        match self {
            By::All => "all",
            By::Kind => "kind",
            By::Language => "language",
            By::Repo => "repo",
        }
    }
}

/// Some cases and their figures.
#[derive(Debug, Clone)]
pub(super) struct Group {
    pub(super) by: By,
    pub(super) name: String,
    pub(super) cases: usize,
    /// For each curator and each budget.
    pub(super) figures: Vec<Vec<Figures>>,
}

impl Group {
    fn new(by: By, name: &str) -> Self {
        let figures = vec![vec![Figures::default(); BUDGETS.len()]; CURATORS.len()];
        Self { by, name: name.to_owned(), cases: 0, figures }
    }

    fn add(&mut self, measured: &Measured) {
        self.cases += 1;
        for (figures, measured) in self.figures.iter_mut().zip(measured) {
            figures.iter_mut().zip(measured).for_each(|(figures, one)| figures.add(one));
        }
    }
}

/// All cases first, then code and tests, the languages, the repositories, each by name. Where all cases
/// are of one kind there is no group for it.
pub(super) fn groups(cases: &[Case], measured: &[Option<Measured>]) -> Vec<Group> {
    let mut groups: BTreeMap<(By, &str), Group> = BTreeMap::new();
    let mut add = |by, name, measured: &Measured| {
        groups.entry((by, name)).or_insert_with(|| Group::new(by, name)).add(measured);
    };
    for (case, measured) in cases.iter().zip(measured) {
        let Some(measured) = measured else { continue };
        add(By::All, "all cases", measured);
        let kind = if language::is_test(&case.path) { "tests" } else { "code" };
        add(By::Kind, kind, measured);
        add(By::Language, or_unknown(&case.language), measured);
        add(By::Repo, or_unknown(&case.repo), measured);
    }
    let groups: Vec<Group> = groups.into_values().collect();
    let count = |by| groups.iter().filter(|group| group.by == by).count();
    let shown = |group: &&Group| group.by == By::All || count(group.by) > 1;
    groups.iter().filter(shown).cloned().collect()
}

fn or_unknown(name: &str) -> &str {
    if name.is_empty() { "unknown" } else { name }
}
