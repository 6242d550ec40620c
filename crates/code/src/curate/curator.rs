//! The curator: models, signals and choice put together.

use std::fmt;

use super::answers::answers;
use super::choose::{Demand, Enough, choose};
use super::forest::Forest;
use super::question::Question;
use super::scene::{Scene, SourceFile};
use super::sort::sort;
use super::view::{Budget, CuratedView, KeptPart};
use super::{signal, structure};
use crate::embed::StaticModel;
use crate::entity::Entity;
use crate::lines::LineRange;
use crate::outline::Gap;

/// Written by `fit-curator` of `crates/dev-bench`.
const FOREST: &str = include_str!("forest.txt");

/// How strong, 0 to 1, a signal has to be to be given as a reason.
const STRENGTH_MIN: f32 = 0.4;
/// What a line told by its number adds to the logarithm of the odds, and how near a unit has
/// to be to it. Set by hand: commit messages, which the trees are fitted on, tell none.
const TOLD: f32 = 2.5;
const TOLD_NEAR: f32 = 0.85;
/// What is enough under [`Budget::Adaptive`]: a conversation goes on to use more of a file than
/// one change touches. Chosen on cases that the trees had not seen.
const ENOUGH: Enough = Enough::Share(0.58);
const ENOUGH_OF_CONVERSATION: Enough = Enough::Share(0.64);
/// The same where nothing is asked: signatures and types, not what is in functions.
const ENOUGH_OF_STRUCTURE: Enough = Enough::Worth(0.3);
/// Reasons given for a part.
const REASONS_MAX: usize = 3;

/// Chooses the lines of files to show. Building one reads two models; keep it.
pub struct Curator {
    model: StaticModel,
    forest: Forest,
}

impl fmt::Debug for Curator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Curator").finish_non_exhaustive()
    }
}

/// What the signals say about a file's units, for fitting.
#[derive(Debug, Clone)]
pub struct Table {
    /// The lines of each unit.
    pub units: Vec<LineRange>,
    /// Columns in the order of [`column_names`], each with a value for every unit.
    pub columns: Vec<Vec<f32>>,
}

/// The names of all columns, `signal: column`.
pub fn column_names() -> Vec<String> {
    let of = |signal: &signal::Signal| -> Vec<String> {
        signal.columns.iter().map(|column| format!("{}: {column}", signal.name)).collect()
    };
    signal::SIGNALS.iter().flat_map(of).collect()
}

impl Curator {
    /// The curator with the built-in models.
    pub fn built_in() -> Self {
        let forest = Forest::read(FOREST).expect("the built-in forest is read by the tests");
        Self { model: StaticModel::built_in(), forest }
    }

    /// A curator with other trees, as `fit-curator` writes them; `None` if they are not in
    /// that form.
    pub fn with_forest(text: &str) -> Option<Self> {
        Some(Self { model: StaticModel::built_in(), forest: Forest::read(text)? })
    }

    /// The lines of `file` that matter to `question`, within `budget`.
    pub fn curate(
        &self,
        file: &SourceFile<'_>,
        question: &Question,
        budget: Budget,
    ) -> CuratedView {
        let scene = Scene::of(file, question, &self.model);
        let columns = signal::columns(&scene);
        let likely = || self.worth(&columns, scene.units.len());
        let (worth, enough) = match (question.is_empty(), question.is_of_conversation()) {
            (true, _) => (structure::worth(&scene), ENOUGH_OF_STRUCTURE),
            (false, true) => (likely(), ENOUGH_OF_CONVERSATION),
            (false, false) => (likely(), ENOUGH),
        };
        let ends = sort(file.parsed).is_some();
        let answers = if ends { Vec::new() } else { answers(&scene) };
        // Without a question the ends are enough.
        let enough =
            if ends && question.is_empty() { Enough::Worth(f32::INFINITY) } else { enough };
        let demand = Demand { worth, answers, ends, budget, enough };
        view_of(&scene, &choose(&scene, &demand), &columns)
    }

    /// What the signals say about the units of `file`.
    pub fn table(&self, file: &SourceFile<'_>, question: &Question) -> Table {
        let scene = Scene::of(file, question, &self.model);
        let units = scene.units.iter().map(|unit| range(unit.first, unit.end)).collect();
        Table { units, columns: signal::columns(&scene) }
    }

    /// How likely a line of each unit is needed, 0 to 1.
    fn worth(&self, columns: &[Vec<f32>], units: usize) -> Vec<f32> {
        let mut row = vec![0.0; columns.len()];
        let told = signal::told_column();
        let mut worth = Vec::with_capacity(units);
        for unit in 0..units {
            for (value, column) in row.iter_mut().zip(columns) {
                *value = column[unit];
            }
            let told =
                if row.get(told).is_some_and(|near| *near >= TOLD_NEAR) { TOLD } else { 0.0 };
            worth.push(1.0 / (1.0 + (-self.forest.value(&row) - told).exp()));
        }
        worth
    }
}

/// The view of the rows chosen. `columns` are those of [`signal::columns`], or none.
fn view_of(scene: &Scene<'_>, rows: &[Option<usize>], columns: &[Vec<f32>]) -> CuratedView {
    let of_entity = |entity: &Entity| {
        let row = entity.signature.first.0 as usize - 1;
        rows.get(row).is_some_and(Option::is_some)
    };
    let shown: Vec<bool> = scene.parsed.entities.iter().map(of_entity).collect();
    let mut view = CuratedView {
        parts: Vec::new(),
        gaps: Vec::new(),
        line_count: scene.parsed.line_count,
        sort: sort(scene.parsed),
    };
    let mut row = 0;
    while row < rows.len() {
        let kept = rows[row].is_some();
        let length = rows[row..].iter().take_while(|of| of.is_some() == kept).count();
        let lines = range(row, row + length);
        if kept {
            let reasons = reasons(scene, &rows[row..row + length], row, columns);
            view.parts.push(KeptPart { lines, reasons });
        } else {
            view.gaps.push(Gap::of(scene.parsed, lines, &shown));
        }
        row += length;
    }
    view
}

/// The names of the signals that speak for rows from `first` on, the strongest first.
fn reasons(
    scene: &Scene<'_>,
    rows: &[Option<usize>],
    first: usize,
    columns: &[Vec<f32>],
) -> Vec<Box<str>> {
    let own = |(at, unit): (usize, &Option<usize>)| {
        unit.filter(|unit| scene.unit_of[first + at] == *unit)
    };
    let mut units: Vec<usize> = rows.iter().enumerate().filter_map(own).collect();
    units.dedup();
    if units.is_empty() {
        return vec!["header".into()];
    }
    let mut found: Vec<(f32, &str)> = Vec::new();
    let mut start = 0;
    for signal in signal::SIGNALS {
        let column = signal.speaks.and_then(|at| columns.get(start + at));
        start += signal.columns.len();
        let strengths = units.iter().filter_map(|unit| column?.get(*unit));
        let strength = strengths.copied().fold(0.0, f32::max);
        if strength >= STRENGTH_MIN {
            found.push((strength, signal.name));
        }
    }
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut reasons: Vec<Box<str>> =
        found.into_iter().take(REASONS_MAX).map(|(_, name)| name.into()).collect();
    if reasons.is_empty() {
        reasons.push("place".into());
    }
    reasons
}

/// The lines of the rows from `first` up to before `end`.
fn range(first: usize, end: usize) -> LineRange {
    let row = |row: usize| u32::try_from(row).unwrap_or(u32::MAX);
    LineRange::of_rows(row(first), row(end.saturating_sub(1)))
}
