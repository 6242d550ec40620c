//! The built-in curator: it combines the models, the signals and the selection of pieces.

use std::fmt;

use foveal_syntax::{Entity, LineRange, OmittedLines};

use super::answering_functions::find_answering_functions;
use super::curated_view::{CuratedView, ViewBudget, ViewPart};
use super::curation_input::{CurationInput, SourceFile};
use super::decision_forest::DecisionForest;
use super::machine_files::machine_file_kind;
use super::piece_selection::{
    FirstRows, SelectionGoal, StopCriterion, join_selections, select_rows,
};
use super::query::CurationQuery;
use super::{signal, structural_scores};
use crate::embedding::StaticModel;

/// The fitted trees, written by `fit-curator` of `crates/dev-bench`.
const FOREST_TEXT: &str = include_str!("forest.txt");

/// The least strength of a signal, 0 to 1, that makes it a reason.
const REASON_STRENGTH_MIN: f32 = 0.4;
/// The addend of a mentioned line to the log-odds of nearby units, and the least nearness of these.
/// Set by hand: the trees are fitted on commit messages, which mention no lines.
const MENTIONED_LINE_LOG_ODDS: f32 = 2.5;
const MENTIONED_LINE_NEARNESS_MIN: f32 = 0.85;
/// The stop criterion under [`ViewBudget::Adaptive`], for plain queries and for conversations. The
/// share of conversations is higher, because they go on to use more of a file than one change
/// touches. Chosen on held-out cases.
const TEXT_QUERY_STOP: StopCriterion = StopCriterion::ScoreShare(0.58);
const CONVERSATION_STOP: StopCriterion = StopCriterion::ScoreShare(0.64);
/// The stop criterion without a query, which keeps signatures and types and omits bodies.
const STRUCTURE_STOP: StopCriterion = StopCriterion::LineScore(0.3);
/// The number of reasons given for a part.
const REASONS_MAX: usize = 3;

/// A curator that chooses the lines of files to show. Construction reads two models, so share one
/// instance.
pub struct Curator {
    model: StaticModel,
    forest: DecisionForest,
}

impl fmt::Debug for Curator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Curator").finish_non_exhaustive()
    }
}

/// The columns of all signals for the units of a file, for fitting.
#[derive(Debug, Clone)]
pub struct SignalTable {
    /// The lines of each unit.
    pub units: Vec<LineRange>,
    /// Columns in the order of [`signal_column_names`], each with a value for every unit.
    pub columns: Vec<Vec<f32>>,
}

/// Returns the names of all columns, as `signal: column`.
pub fn signal_column_names() -> Vec<String> {
    let of = |signal: &signal::RelevanceSignal| -> Vec<String> {
        signal.columns.iter().map(|column| format!("{}: {column}", signal.name)).collect()
    };
    signal::SIGNALS.iter().flat_map(of).collect()
}

impl Curator {
    /// Returns the curator with the built-in models.
    pub fn built_in() -> Self {
        let forest =
            DecisionForest::parse(FOREST_TEXT).expect("the built-in forest is read by the tests");
        Self { model: StaticModel::built_in(), forest }
    }

    /// Returns a curator with other trees in the form that `fit-curator` writes; `None` if they
    /// cannot be parsed.
    pub fn with_forest(text: &str) -> Option<Self> {
        Some(Self { model: StaticModel::built_in(), forest: DecisionForest::parse(text)? })
    }

    /// Chooses the lines of `file` that matter to `question`, within `budget`.
    pub fn curate(
        &self,
        file: &SourceFile<'_>,
        question: &CurationQuery,
        budget: ViewBudget,
    ) -> CuratedView {
        let split = question.split_questions();
        let scene = CurationInput::new(file, question, &self.model);
        let columns = signal::compute_columns(&scene);
        if split.is_empty() {
            return build_view(&scene, &self.select_rows(&scene, &columns, budget), &columns);
        }
        // Each question gets the lines that it would get alone: the answers to one say nothing of
        // the others.
        let count = split.len() as f64;
        let budget = match budget {
            ViewBudget::Share(share) => ViewBudget::Share(share / count),
            ViewBudget::Adaptive => ViewBudget::Adaptive,
        };
        let select = |one: &CurationQuery| {
            let scene = CurationInput::new(file, one, &self.model);
            self.select_rows(&scene, &signal::compute_columns(&scene), budget)
        };
        let selections: Vec<_> = split.iter().map(select).collect();
        build_view(&scene, &join_selections(&scene, selections, budget), &columns)
    }

    /// Selects the rows of a file for its query. `columns` are the signals of its units.
    fn select_rows(
        &self,
        scene: &CurationInput<'_>,
        columns: &[Vec<f32>],
        budget: ViewBudget,
    ) -> Vec<Option<usize>> {
        let question = scene.question;
        let likely = || self.unit_likelihoods(columns, scene.units.len());
        let (worth, enough) = match (question.is_empty(), question.is_from_conversation()) {
            (true, _) => (structural_scores::score_units(scene), STRUCTURE_STOP),
            (false, true) => (likely(), CONVERSATION_STOP),
            (false, false) => (likely(), TEXT_QUERY_STOP),
        };
        let ends = machine_file_kind(scene.parsed).is_some();
        let answers = if ends { Vec::new() } else { find_answering_functions(scene) };
        // Without a query the ends of a machine-written file are enough.
        let enough = if ends && question.is_empty() {
            StopCriterion::LineScore(f32::INFINITY)
        } else {
            enough
        };
        let first = match (ends, question.is_empty()) {
            (true, _) => FirstRows::Ends,
            (false, true) => FirstRows::Structure,
            (false, false) => FirstRows::None,
        };
        let demand = SelectionGoal { unit_scores: worth, answers, first, budget, stop: enough };
        select_rows(scene, &demand)
    }

    /// Returns the columns of all signals for the units of `file`.
    pub fn signal_table(&self, file: &SourceFile<'_>, question: &CurationQuery) -> SignalTable {
        let scene = CurationInput::new(file, question, &self.model);
        let units = scene.units.iter().map(|unit| line_range(unit.first, unit.end)).collect();
        SignalTable { units, columns: signal::compute_columns(&scene) }
    }

    /// Returns the likelihood, 0 to 1, that the lines of each unit are needed.
    fn unit_likelihoods(&self, columns: &[Vec<f32>], units: usize) -> Vec<f32> {
        let mut row = vec![0.0; columns.len()];
        let told = signal::mentioned_lines_column();
        let mut worth = Vec::with_capacity(units);
        for unit in 0..units {
            for (value, column) in row.iter_mut().zip(columns) {
                *value = column[unit];
            }
            let told = if row.get(told).is_some_and(|near| *near >= MENTIONED_LINE_NEARNESS_MIN) {
                MENTIONED_LINE_LOG_ODDS
            } else {
                0.0
            };
            worth.push(1.0 / (1.0 + (-self.forest.log_odds(&row) - told).exp()));
        }
        worth
    }
}

/// Builds the view of the chosen rows. `columns` are those of [`signal::compute_columns`], or
/// empty.
fn build_view(
    scene: &CurationInput<'_>,
    rows: &[Option<usize>],
    columns: &[Vec<f32>],
) -> CuratedView {
    let of_entity = |entity: &Entity| {
        let row = entity.signature.first.0 as usize - 1;
        rows.get(row).is_some_and(Option::is_some)
    };
    let shown: Vec<bool> = scene.parsed.entities.iter().map(of_entity).collect();
    let mut view = CuratedView {
        parts: Vec::new(),
        gaps: Vec::new(),
        line_count: scene.parsed.line_count,
        sort: machine_file_kind(scene.parsed),
    };
    let mut row = 0;
    while row < rows.len() {
        let kept = rows[row].is_some();
        let length = rows[row..].iter().take_while(|of| of.is_some() == kept).count();
        let lines = line_range(row, row + length);
        if kept {
            let reasons = keep_reasons(scene, &rows[row..row + length], row, columns);
            view.parts.push(ViewPart { lines, reasons });
        } else {
            view.gaps.push(OmittedLines::new(scene.parsed, lines, &shown));
        }
        row += length;
    }
    view
}

/// Returns the names of the signals that favour the rows from `first` on, the strongest first.
fn keep_reasons(
    scene: &CurationInput<'_>,
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
        let column = signal.reason_column.and_then(|at| columns.get(start + at));
        start += signal.columns.len();
        let strengths = units.iter().filter_map(|unit| column?.get(*unit));
        let strength = strengths.copied().fold(0.0, f32::max);
        if strength >= REASON_STRENGTH_MIN {
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

/// Returns the lines of the rows from `first` up to but not including `end`.
fn line_range(first: usize, end: usize) -> LineRange {
    let row = |row: usize| u32::try_from(row).unwrap_or(u32::MAX);
    LineRange::from_rows(row(first), row(end.saturating_sub(1)))
}
