//! The selection of pieces: the highest expected score for the lines they take.

use std::cmp::Ordering;
use std::collections::{BTreeSet, BinaryHeap};

use foveal_syntax::{Entity, EntityIndex, EntityKind};

use super::curated_view::ViewBudget;
use super::curation_input::CurationInput;
use super::piece::{self, CurationPiece};
use super::unit::line_rows;
use super::view_cleanup::{CleanupOptions, HEADER_LINES_MAX, StatementSegments, clean_up_view};

/// The bounds of the share of lines kept under [`ViewBudget::Adaptive`].
const SHARE_MIN: f32 = 0.1;
const SHARE_MAX: f32 = 0.6;
/// Two pairs of a file's length and the largest share that is kept of it.
const SHARE_BY_LENGTH: ((f32, f32), (f32, f32)) = ((300.0, 0.5), (1_200.0, 0.2));
/// The exponent of the length by which the share falls beyond the longer of these files.
const SHARE_FALL_EXPONENT: f32 = 0.66;
/// The largest part of the room under [`ViewBudget::Share`] for one piece, as a divisor. Larger
/// pieces would leave no room for others.
const PIECE_SHARE_DIVISOR: usize = 4;
/// The cost in lines of the note around an isolated piece. A piece next to kept lines needs none.
const NOTE_COST_LINES: f32 = 0.2;
/// The factor for the score of an example's lines in documentation.
const EXAMPLE_SCORE_FACTOR: f32 = 0.05;
/// The weight of a function's best line against the mean of its lines.
const PEAK_LINE_FACTOR: f32 = 0.2;
/// The bonus of an answering function; it exceeds the score of any line.
const ANSWER_BONUS: f32 = 1.0;
/// The share of lines above which the whole file is shown.
const WHOLE_SHARE: f32 = 0.8;
/// The lines kept at the head and at the end of a machine-written file, and in all.
const HEAD_LINES: usize = 25;
const TAIL_LINES: usize = 10;
const ENDS_LINES_MAX: usize = 80;
/// The largest gap that is filled under [`ViewBudget::Adaptive`], because a note takes as much
/// room.
const FILLED_GAP_MAX: usize = 2;

/// Returns the number of lines that may be kept of a file of `count` lines under
/// [`ViewBudget::Adaptive`]: half of 300, a fifth of 1,200, linear in between, and a falling share
/// of longer files.
fn adaptive_lines_max(count: usize) -> usize {
    let length = count as f32;
    let (short, long) = (SHARE_BY_LENGTH.0, SHARE_BY_LENGTH.1);
    let falls = (short.1 - long.1) / (long.0 - short.0);
    let share = if length <= long.0 {
        short.1 - falls * (length - short.0)
    } else {
        long.1 * (long.0 / length).powf(SHARE_FALL_EXPONENT)
    };
    (length * share.min(SHARE_MAX)).ceil() as usize
}

/// A piece with its score per line when it was last computed.
struct PieceCandidate {
    density: f32,
    piece: usize,
}

impl PartialEq for PieceCandidate {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}
impl Eq for PieceCandidate {}
impl PartialOrd for PieceCandidate {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for PieceCandidate {
    fn cmp(&self, other: &Self) -> Ordering {
        self.density.total_cmp(&other.density).then_with(|| other.piece.cmp(&self.piece))
    }
}

struct PieceSelection<'a> {
    scene: &'a CurationInput<'a>,
    /// The expected score of each line, by unit.
    unit_scores: &'a [f32],
    pieces: Vec<CurationPiece>,
    /// The answering functions, which are selected first.
    answers: &'a [EntityIndex],
    rows: Vec<Option<usize>>,
    kept_count: usize,
    /// The sum of the scores of the kept rows.
    kept_score: f32,
}

/// The condition that ends the selection under [`ViewBudget::Adaptive`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum StopCriterion {
    /// The kept lines have this share, 0 to 1, of the score of all lines.
    ScoreShare(f32),
    /// The remaining pieces have less than this score per line.
    LineScore(f32),
}

/// The rows that are selected before all others, whatever they score.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FirstRows {
    /// None.
    None,
    /// The head and the end of the file.
    Ends,
    /// Imports, types and signatures.
    Structure,
}

/// The parameters of a selection.
#[derive(Debug)]
pub(crate) struct SelectionGoal {
    /// The expected score of each line, by unit; not negative.
    pub(crate) unit_scores: Vec<f32>,
    /// The answering functions, which are selected first.
    pub(crate) answers: Vec<EntityIndex>,
    /// The rows that are selected before all others.
    pub(crate) first: FirstRows,
    /// The number of lines that may be kept.
    pub(crate) budget: ViewBudget,
    /// The condition that ends the selection.
    pub(crate) stop: StopCriterion,
}

impl SelectionGoal {
    /// Returns the least and the largest number of lines to keep of a file of `count` lines.
    fn line_bounds(&self, count: usize) -> (usize, usize) {
        match self.budget {
            ViewBudget::Share(_) => (count, self.budget.lines_max(count)),
            ViewBudget::Adaptive if self.first == FirstRows::Ends => (0, ENDS_LINES_MAX.min(count)),
            ViewBudget::Adaptive => {
                let most = adaptive_lines_max(count);
                (((SHARE_MIN * count as f32) as usize).min(most / 2), most)
            }
        }
    }
}

/// Selects the rows to keep; each has the unit for which it is kept.
pub(crate) fn select_rows(scene: &CurationInput<'_>, demand: &SelectionGoal) -> Vec<Option<usize>> {
    let SelectionGoal { unit_scores: worth, answers, first, budget, stop: enough } = demand;
    let (budget, enough) = (*budget, *enough);
    let count = scene.rows.len();
    let (least, most) = demand.line_bounds(count);
    let is_adaptive = budget == ViewBudget::Adaptive;
    let piece_max = if is_adaptive { usize::MAX } else { most / PIECE_SHARE_DIVISOR };
    let pieces = match enough {
        StopCriterion::LineScore(_) => piece::unit_pieces(scene),
        StopCriterion::ScoreShare(_) => piece::divide_into_pieces(scene, piece_max),
    };
    let statements = StatementSegments::new(scene, piece_max);
    let mut choosing = PieceSelection {
        scene,
        unit_scores: worth,
        pieces,
        answers,
        rows: vec![None; count],
        kept_count: 0,
        kept_score: 0.0,
    };
    let all: f32 = (0..count).map(|row| choosing.row_score(row)).sum();
    choosing.keep_first_rows(*first, most, is_adaptive);
    let mut heap: BinaryHeap<PieceCandidate> = (0..choosing.pieces.len())
        .map(|piece| PieceCandidate { density: choosing.score_density(piece).0, piece })
        .collect();
    while let Some(candidate) = heap.pop() {
        let piece = candidate.piece;
        let (density, cost) = choosing.score_density(piece);
        if cost == 0 {
            continue;
        }
        // A shared header may have been kept in the meantime, which makes the piece cheaper.
        if heap.peek().is_some_and(|next| next.density > density) {
            heap.push(PieceCandidate { density, piece });
            continue;
        }
        let is_enough = match enough {
            StopCriterion::ScoreShare(share) => choosing.kept_score >= share * all,
            StopCriterion::LineScore(worth) => density < worth,
        };
        if choosing.kept_count >= least && is_enough {
            break;
        }
        if choosing.kept_count + cost <= most {
            choosing.select_piece(piece);
        } else if !is_adaptive {
            for part in
                piece::divide_piece(scene, &statements.segment_of_row, &choosing.pieces[piece])
            {
                choosing.pieces.push(part);
                let piece = choosing.pieces.len() - 1;
                heap.push(PieceCandidate { density: choosing.score_density(piece).0, piece });
            }
        }
    }
    let whole_max = if is_adaptive { count } else { most };
    let asks = matches!(enough, StopCriterion::ScoreShare(_));
    let options = CleanupOptions { rows_max: whole_max, has_query: asks };
    clean_up_view(scene, &mut choosing.rows, &statements, options);
    if is_adaptive {
        fill_short_gaps(scene, &mut choosing.rows);
    }
    choosing.rows
}

/// Joins the selections of several queries of one file.
pub(crate) fn join_selections(
    scene: &CurationInput<'_>,
    selections: Vec<Vec<Option<usize>>>,
    budget: ViewBudget,
) -> Vec<Option<usize>> {
    let mut rows = vec![None; scene.rows.len()];
    for selection in selections {
        rows.iter_mut().zip(selection).for_each(|(row, kept)| *row = row.or(kept));
    }
    if budget == ViewBudget::Adaptive {
        fill_short_gaps(scene, &mut rows);
    }
    rows
}

/// Keeps gaps that are as short as their notes, and all rows if the view would save little.
fn fill_short_gaps(scene: &CurationInput<'_>, rows: &mut [Option<usize>]) {
    let mut row = 0;
    while row < rows.len() {
        let length = rows[row..].iter().take_while(|kept| kept.is_none()).count();
        if (1..=FILLED_GAP_MAX).contains(&length) {
            (row..row + length).for_each(|at| rows[at] = Some(scene.unit_of[at]));
        }
        row += length.max(1);
    }
    if rows.iter().flatten().count() as f32 > WHOLE_SHARE * rows.len() as f32 {
        (0..rows.len()).for_each(|at| {
            rows[at].get_or_insert(scene.unit_of[at]);
        });
    }
}

impl PieceSelection<'_> {
    /// Returns the score of a piece per additional line, and the number of additional lines.
    fn score_density(&self, piece: usize) -> (f32, usize) {
        let CurationPiece { rows: own, function } = &self.pieces[piece];
        let worth_of = |row| self.row_score(row);
        let (mut cost, mut worth, mut best) = (0, 0.0, 0.0_f32);
        for row in own.iter().filter(|row| self.rows[**row].is_none()) {
            cost += 1;
            worth += worth_of(*row);
            best = best.max(worth_of(*row));
        }
        if cost == 0 {
            return (0.0, 0);
        }
        let unit = self.scene.unit_of[own[0]];
        let mut inner: Option<std::ops::Range<usize>> = None;
        for rows in enclosing_headers(self.scene, unit) {
            for row in rows.clone().filter(|row| self.rows[*row].is_none()) {
                let is_counted = own.binary_search(&row).is_ok()
                    || inner.as_ref().is_some_and(|inner| inner.contains(&row));
                if !is_counted {
                    worth += worth_of(row);
                    cost += 1;
                }
            }
            inner = Some(rows);
        }
        let (first, last) = (own[0], own[own.len() - 1]);
        let touches = |row: Option<usize>| {
            row.and_then(|row| self.rows.get(row)).is_some_and(Option::is_some)
        };
        let alone = !touches(first.checked_sub(1)) && !touches(Some(last + 1));
        let note = if alone { NOTE_COST_LINES } else { 0.0 };
        let mut density = worth / (cost as f32 + note);
        if function.is_some() {
            density += PEAK_LINE_FACTOR * (best - density).max(0.0);
        }
        if function.is_some_and(|function| self.answers.contains(&function)) {
            density += ANSWER_BONUS;
        }
        (density, cost)
    }

    fn row_score(&self, row: usize) -> f32 {
        let worth = self.unit_scores[self.scene.unit_of[row]];
        if self.scene.is_example[row] { EXAMPLE_SCORE_FACTOR * worth } else { worth }
    }

    fn select_piece(&mut self, piece: usize) {
        let scene = self.scene;
        let own = std::mem::take(&mut self.pieces[piece].rows);
        let unit = scene.unit_of[own[0]];
        for row in &own {
            self.keep_row(*row, scene.unit_of[*row]);
        }
        for row in enclosing_headers(scene, unit).flatten() {
            self.keep_row(row, unit);
        }
        self.pieces[piece].rows = own;
    }

    fn keep_row(&mut self, row: usize, sake: usize) {
        if self.rows[row].is_none() {
            self.rows[row] = Some(sake);
            self.kept_count += 1;
            self.kept_score += self.row_score(row);
        }
    }

    /// Keeps the rows that come before all others, within `most` lines. The structure is kept whole
    /// or, in a small share of the file, by score.
    fn keep_first_rows(&mut self, first: FirstRows, most: usize, is_adaptive: bool) {
        match first {
            FirstRows::None => {}
            FirstRows::Ends => self.keep_ends(most),
            FirstRows::Structure => {
                let rows = structure_rows(self.scene);
                if is_adaptive || rows.len() <= most {
                    rows.into_iter().for_each(|row| self.keep_row(row, self.scene.unit_of[row]));
                }
            }
        }
    }

    /// Keeps the head and the end of the file, within `most` lines.
    fn keep_ends(&mut self, most: usize) {
        let count = self.rows.len();
        for row in (0..HEAD_LINES.min(count)).chain(count.saturating_sub(TAIL_LINES)..count) {
            let unit = self.scene.unit_of[row];
            let missing = |row: &usize| self.rows[*row].is_none();
            let cost = enclosing_headers(self.scene, unit).flatten().filter(missing).count() + 1;
            if self.kept_count + cost <= most {
                self.keep_row(row, unit);
                for header in enclosing_headers(self.scene, unit).flatten() {
                    self.keep_row(header, unit);
                }
            }
        }
    }
}

/// Returns the rows of imports, types and signatures with their attributes, ascending. Keys of data
/// files are data.
fn structure_rows(scene: &CurationInput<'_>) -> Vec<usize> {
    let entities = scene.parsed.entities.iter().filter(|entity| entity.kind != EntityKind::Key);
    let rows = entities.flat_map(|entity| {
        let header = match entity.kind {
            EntityKind::Imports => scene.entity_rows(entity),
            _ => header_rows(scene, entity),
        };
        entity.attributes.map(line_rows).into_iter().chain([header]).flatten()
    });
    let rows: BTreeSet<usize> = rows.filter(|row| *row < scene.rows.len()).collect();
    rows.into_iter().collect()
}

/// Returns the rows of an entity's header. The first line of a long header is the most informative.
fn header_rows(scene: &CurationInput<'_>, entity: &Entity) -> std::ops::Range<usize> {
    let rows = line_rows(entity.signature);
    let lines = if rows.len() <= HEADER_LINES_MAX { rows.len() } else { 1 };
    let end = (rows.start + lines).min(scene.rows.len());
    rows.start.min(end)..end
}

/// Returns the headers of the entities around a unit, the innermost first.
pub(crate) fn enclosing_headers(
    scene: &CurationInput<'_>,
    unit: usize,
) -> impl Iterator<Item = std::ops::Range<usize>> {
    let entity = scene.units[unit].entity;
    let around = entity.into_iter().flat_map(|at| scene.parsed.ancestry(at));
    around.map(|(_, entity)| header_rows(scene, entity))
}
