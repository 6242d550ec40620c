//! Groups of cases: all, code and tests, each language and each repository.

use std::collections::BTreeMap;

use super::figures::CurationFigures;
use super::measure::CaseMeasurements;
use crate::case::{BUDGETS, CurationCase};
use crate::curators::CURATORS;
use crate::language;

/// The common property of the cases of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum GroupKind {
    All,
    Kind,
    Language,
    Repo,
}

impl GroupKind {
    pub(super) fn label(self) -> &'static str {
        match self {
            GroupKind::All => "all",
            GroupKind::Kind => "kind",
            GroupKind::Language => "language",
            GroupKind::Repo => "repo",
        }
    }
}

/// A group of cases with its figures.
#[derive(Debug, Clone)]
pub(super) struct CaseGroup {
    pub(super) kind: GroupKind,
    pub(super) name: String,
    pub(super) cases: usize,
    /// The figures of each curator and each budget.
    pub(super) figures: Vec<Vec<CurationFigures>>,
}

impl CaseGroup {
    fn new(kind: GroupKind, name: &str) -> Self {
        let figures = vec![vec![CurationFigures::default(); BUDGETS.len()]; CURATORS.len()];
        Self { kind, name: name.to_owned(), cases: 0, figures }
    }

    fn add(&mut self, measurements: &CaseMeasurements) {
        self.cases += 1;
        for (figures, measurements) in self.figures.iter_mut().zip(measurements) {
            figures.iter_mut().zip(measurements).for_each(|(figures, one)| figures.add(one));
        }
    }
}

/// Returns all cases first, then code and tests, the languages and the repositories, each by name.
/// A property that is equal for all cases makes no group.
pub(super) fn group_cases(
    cases: &[CurationCase],
    measurements: &[CaseMeasurements],
) -> Vec<CaseGroup> {
    let mut groups: BTreeMap<(GroupKind, &str), CaseGroup> = BTreeMap::new();
    for (case, measurements) in cases.iter().zip(measurements) {
        let kind = if language::is_test(&case.path) { "tests" } else { "code" };
        for (kind, name) in [
            (GroupKind::All, "all cases"),
            (GroupKind::Kind, kind),
            (GroupKind::Language, name_or_unknown(&case.language)),
            (GroupKind::Repo, name_or_unknown(&case.repo)),
        ] {
            let group = groups.entry((kind, name)).or_insert_with(|| CaseGroup::new(kind, name));
            group.add(measurements);
        }
    }
    let groups: Vec<CaseGroup> = groups.into_values().collect();
    let count = |kind| groups.iter().filter(|group| group.kind == kind).count();
    let tells_apart = |group: &&CaseGroup| group.kind == GroupKind::All || count(group.kind) > 1;
    groups.iter().filter(tells_apart).cloned().collect()
}

/// Returns the figures over all cases, of every curator and budget.
pub(super) fn all_figures(groups: &[CaseGroup]) -> impl Iterator<Item = &CurationFigures> {
    let all = groups.iter().filter(|group| group.kind == GroupKind::All);
    all.flat_map(|group| &group.figures).flatten()
}

fn name_or_unknown(name: &str) -> &str {
    if name.is_empty() { "unknown" } else { name }
}
