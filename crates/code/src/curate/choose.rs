//! Which pieces to keep: the most expected use for the lines they cost.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::piece::{self, Piece};
use super::scene::Scene;
use super::tidy::{HEADER_LINES_MAX, Limits, Statements, tidy};
use super::unit::rows_of;
use super::view::Budget;
use crate::entity::EntityIndex;

/// The least and the most share of lines kept under [`Budget::Adaptive`].
const SHARE_MIN: f32 = 0.1;
const SHARE_MAX: f32 = 0.6;
/// Two lengths of files with the most share that is kept of each.
const SHARE_AT: ((f32, f32), (f32, f32)) = ((300.0, 0.5), (1_200.0, 0.2));
/// How fast the share falls beyond the longer one: by this power of the length.
const SHARE_FALLS: f32 = 0.66;
/// The part of the room under [`Budget::Share`] that one piece may take: with little room, large
/// ones would leave none for others.
const PIECE_PARTS: usize = 4;
/// What a note between lines takes beside them, in lines. A piece that touches what is kept needs
/// none.
const NOTE_LINES: f32 = 0.2;
/// What of its worth a line of an example in documentation keeps.
const EXAMPLE_WORTH: f32 = 0.05;
/// How much a function counts by its best line, and not by all of them.
const BEST_LINE: f32 = 0.2;
/// What a function gains that answers: more than any line is worth.
const ANSWER: f32 = 1.0;
/// Above this share of lines, the whole file is shown.
const WHOLE_SHARE: f32 = 0.8;
/// Lines kept at the head and at the end of a file that is not read from top to end, and in all.
const HEAD_LINES: usize = 25;
const TAIL_LINES: usize = 10;
const ENDS_LINES_MAX: usize = 80;
/// A gap of so many lines under [`Budget::Adaptive`] is filled: naming it takes as much room.
const GAP_MAX: usize = 2;

/// The most lines kept of a file of `count` lines under [`Budget::Adaptive`]: half of 300, a
/// fifth of 1,200, evenly less in between; of longer ones a share that goes on to fall.
fn lines_max(count: usize) -> usize {
    let length = count as f32;
    let (short, long) = (SHARE_AT.0, SHARE_AT.1);
    let falls = (short.1 - long.1) / (long.0 - short.0);
    let share = if length <= long.0 {
        short.1 - falls * (length - short.0)
    } else {
        long.1 * (long.0 / length).powf(SHARE_FALLS)
    };
    (length * share.min(SHARE_MAX)).ceil() as usize
}

/// A piece with what it brings for each line, when that was last computed.
struct Candidate {
    density: f32,
    piece: usize,
}

impl PartialEq for Candidate {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}
impl Eq for Candidate {}
impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Candidate {
    fn cmp(&self, other: &Self) -> Ordering {
        self.density.total_cmp(&other.density).then_with(|| other.piece.cmp(&self.piece))
    }
}

struct Choosing<'a> {
    scene: &'a Scene<'a>,
    /// What each row of a unit is expected to bring.
    worth: &'a [f32],
    pieces: Vec<Piece>,
    /// The functions that answer: they come first.
    answers: &'a [EntityIndex],
    rows: Vec<Option<usize>>,
    kept: usize,
    /// What the rows kept are worth together.
    brought: f32,
}

/// When enough is kept under [`Budget::Adaptive`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Enough {
    /// The lines kept have this share, 0 to 1, of what all are worth.
    Share(f32),
    /// Every line worth so much is kept.
    Worth(f32),
}

/// What is wanted of a file.
#[derive(Debug)]
pub(crate) struct Demand {
    /// The expected use of each line of every unit, not negative.
    pub(crate) worth: Vec<f32>,
    /// Functions that come first.
    pub(crate) answers: Vec<EntityIndex>,
    /// Whether its ends come first, and little else.
    pub(crate) ends: bool,
    /// How much may be kept.
    pub(crate) budget: Budget,
    /// How much is enough.
    pub(crate) enough: Enough,
}

impl Demand {
    /// The least and the most lines to keep of a file of `count` lines.
    fn room(&self, count: usize) -> (usize, usize) {
        match self.budget {
            Budget::Share(_) => (count, self.budget.lines_max(count)),
            Budget::Adaptive if self.ends => (0, ENDS_LINES_MAX.min(count)),
            Budget::Adaptive => {
                let most = lines_max(count);
                (((SHARE_MIN * count as f32) as usize).min(most / 2), most)
            }
        }
    }
}

/// For every row, the unit for whose sake it is kept.
pub(crate) fn choose(scene: &Scene<'_>, demand: &Demand) -> Vec<Option<usize>> {
    let Demand { worth, answers, ends, budget, enough } = demand;
    let (budget, enough) = (*budget, *enough);
    let count = scene.rows.len();
    let (least, most) = demand.room(count);
    let is_adaptive = budget == Budget::Adaptive;
    let piece_max = if is_adaptive { usize::MAX } else { most / PIECE_PARTS };
    let pieces = match enough {
        Enough::Worth(_) => piece::units(scene),
        Enough::Share(_) => piece::pieces(scene, piece_max),
    };
    let statements = Statements::of(scene, piece_max);
    let mut choosing =
        Choosing { scene, worth, pieces, answers, rows: vec![None; count], kept: 0, brought: 0.0 };
    let all: f32 = (0..count).map(|row| choosing.worth_of(row)).sum();
    if *ends {
        choosing.keep_ends(most);
    }
    let mut heap: BinaryHeap<Candidate> = (0..choosing.pieces.len())
        .map(|piece| Candidate { density: choosing.density(piece).0, piece })
        .collect();
    while let Some(candidate) = heap.pop() {
        let piece = candidate.piece;
        let (density, cost) = choosing.density(piece);
        if cost == 0 {
            continue;
        }
        // A shared header may have been kept since, which makes the piece cheaper.
        if heap.peek().is_some_and(|next| next.density > density) {
            heap.push(Candidate { density, piece });
            continue;
        }
        let is_enough = match enough {
            Enough::Share(share) => choosing.brought >= share * all,
            Enough::Worth(worth) => density < worth,
        };
        if choosing.kept >= least && is_enough {
            break;
        }
        if choosing.kept + cost <= most {
            choosing.keep(piece);
        } else if !is_adaptive {
            for part in piece::parts(scene, &statements.of_row, &choosing.pieces[piece]) {
                choosing.pieces.push(part);
                let piece = choosing.pieces.len() - 1;
                heap.push(Candidate { density: choosing.density(piece).0, piece });
            }
        }
    }
    let whole_max = if is_adaptive { count } else { most };
    let asks = matches!(enough, Enough::Share(_));
    tidy(scene, &mut choosing.rows, &statements, Limits { most: whole_max, asks });
    if is_adaptive {
        choosing.fill_gaps();
        if choosing.kept as f32 > WHOLE_SHARE * count as f32 {
            choosing.keep_all();
        }
    }
    choosing.rows
}

impl Choosing<'_> {
    /// What keeping a piece brings for each further line, and how many further lines it takes.
    fn density(&self, piece: usize) -> (f32, usize) {
        let Piece { rows: own, function } = &self.pieces[piece];
        let worth_of = |row| self.worth_of(row);
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
        for rows in headers(self.scene, unit) {
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
        let note = if alone { NOTE_LINES } else { 0.0 };
        let mut density = worth / (cost as f32 + note);
        if function.is_some() {
            density += BEST_LINE * (best - density).max(0.0);
        }
        if function.is_some_and(|function| self.answers.contains(&function)) {
            density += ANSWER;
        }
        (density, cost)
    }

    fn worth_of(&self, row: usize) -> f32 {
        let worth = self.worth[self.scene.unit_of[row]];
        if self.scene.examples[row] { EXAMPLE_WORTH * worth } else { worth }
    }

    fn keep(&mut self, piece: usize) {
        let scene = self.scene;
        let own = std::mem::take(&mut self.pieces[piece].rows);
        let unit = scene.unit_of[own[0]];
        for row in &own {
            self.keep_row(*row, scene.unit_of[*row]);
        }
        for row in headers(scene, unit).flatten() {
            self.keep_row(row, unit);
        }
        self.pieces[piece].rows = own;
    }

    fn keep_row(&mut self, row: usize, sake: usize) {
        if self.rows[row].is_none() {
            self.rows[row] = Some(sake);
            self.kept += 1;
            self.brought += self.worth_of(row);
        }
    }

    /// Keeps the head and the end of the file, as far as `most` lines reach.
    fn keep_ends(&mut self, most: usize) {
        let count = self.rows.len();
        for row in (0..HEAD_LINES.min(count)).chain(count.saturating_sub(TAIL_LINES)..count) {
            let unit = self.scene.unit_of[row];
            let missing = |row: &usize| self.rows[*row].is_none();
            let cost = headers(self.scene, unit).flatten().filter(missing).count() + 1;
            if self.kept + cost <= most {
                self.keep_row(row, unit);
                for header in headers(self.scene, unit).flatten() {
                    self.keep_row(header, unit);
                }
            }
        }
    }

    fn fill_gaps(&mut self) {
        self.kept = self.rows.iter().flatten().count();
        let mut row = 0;
        while row < self.rows.len() {
            let length = self.rows[row..].iter().take_while(|kept| kept.is_none()).count();
            if (1..=GAP_MAX).contains(&length) {
                for at in row..row + length {
                    self.rows[at] = Some(self.scene.unit_of[at]);
                }
                self.kept += length;
            }
            row += length.max(1);
        }
    }

    fn keep_all(&mut self) {
        self.kept = self.rows.len();
        for (row, kept) in self.rows.iter_mut().enumerate() {
            kept.get_or_insert(self.scene.unit_of[row]);
        }
    }
}

/// The headers of what a unit is in, from the inside out.
pub(crate) fn headers(
    scene: &Scene<'_>,
    unit: usize,
) -> impl Iterator<Item = std::ops::Range<usize>> {
    let entity = scene.units[unit].entity;
    let around = entity.into_iter().flat_map(|at| scene.parsed.ancestry(at));
    around.map(|(_, entity)| {
        let rows = rows_of(entity.signature);
        // Of a longer one the first line says most.
        let lines = if rows.len() <= HEADER_LINES_MAX { rows.len() } else { 1 };
        let end = (rows.start + lines).min(scene.rows.len());
        rows.start.min(end)..end
    })
}
