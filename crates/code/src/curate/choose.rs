//! Which units to keep: the most expected use for the lines they cost.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::scene::Scene;
use super::unit::rows_of;
use super::view::Budget;

/// Lines of a header that have to be shown with what is in it.
const SIGNATURE_LINES_MAX: usize = 6;
/// The least and the most share of lines kept under [`Budget::Adaptive`].
const SHARES: (f32, f32) = (0.1, 0.6);
/// Above this share of lines, the whole file is shown.
const WHOLE_SHARE: f32 = 0.8;
/// A gap of so many lines under [`Budget::Adaptive`] is filled: naming it takes as much room.
const GAP_MAX: usize = 1;

/// A unit with what it brings for each line, when that was last computed.
struct Candidate {
    density: f32,
    unit: usize,
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
        self.density.total_cmp(&other.density).then_with(|| other.unit.cmp(&self.unit))
    }
}

struct Choosing<'a> {
    scene: &'a Scene<'a>,
    /// What each row of a unit is expected to bring.
    worth: &'a [f32],
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

/// For every row, the unit for whose sake it is kept. Chosen by `worth`, the expected use of
/// each line of every unit, not negative.
pub(crate) fn choose(
    scene: &Scene<'_>,
    worth: &[f32],
    budget: Budget,
    enough: Enough,
) -> Vec<Option<usize>> {
    let count = scene.rows.len();
    let all: f32 =
        scene.units.iter().zip(worth).map(|(unit, worth)| worth * unit.len() as f32).sum();
    let (least, most) = match budget {
        Budget::Share(_) => (count, budget.lines_max(count)),
        Budget::Adaptive => {
            ((SHARES.0 * count as f32) as usize, (SHARES.1 * count as f32) as usize)
        }
    };
    let mut choosing = Choosing { scene, worth, rows: vec![None; count], kept: 0, brought: 0.0 };
    let mut heap: BinaryHeap<Candidate> = (0..scene.units.len())
        .map(|unit| Candidate { density: choosing.density(unit).0, unit })
        .collect();
    while let Some(candidate) = heap.pop() {
        let unit = candidate.unit;
        let (density, cost) = choosing.density(unit);
        if cost == 0 {
            continue;
        }
        // A shared header may have been kept since, which makes the unit cheaper.
        if heap.peek().is_some_and(|next| next.density > density) {
            heap.push(Candidate { density, unit });
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
            choosing.keep(unit);
        }
    }
    if budget == Budget::Adaptive {
        choosing.fill_gaps();
        if choosing.kept as f32 > WHOLE_SHARE * count as f32 {
            choosing.keep_all();
        }
    }
    choosing.rows
}

impl Choosing<'_> {
    /// What keeping a unit brings for each further line, and how many further lines it takes.
    fn density(&self, unit: usize) -> (f32, usize) {
        let own = self.scene.units[unit].rows();
        let mut cost = own.clone().filter(|row| self.rows[*row].is_none()).count();
        let mut worth = self.worth[unit] * cost as f32;
        if cost == 0 {
            return (0.0, 0);
        }
        let mut inner = own.clone();
        for rows in headers(self.scene, unit) {
            let further = |row: &usize| self.rows[*row].is_none() && !inner.contains(row);
            for row in rows.clone().filter(further).filter(|row| !own.contains(row)) {
                worth += self.worth[self.scene.unit_of[row]];
                cost += 1;
            }
            inner = rows;
        }
        (worth / cost as f32, cost)
    }

    fn keep(&mut self, unit: usize) {
        let own = std::iter::once(self.scene.units[unit].rows());
        for rows in own.chain(headers(self.scene, unit)) {
            for row in rows {
                if self.rows[row].is_none() {
                    self.rows[row] = Some(unit);
                    self.kept += 1;
                    self.brought += self.worth[self.scene.unit_of[row]];
                }
            }
        }
    }

    fn fill_gaps(&mut self) {
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
        let end = rows.end.min(rows.start + SIGNATURE_LINES_MAX).min(scene.rows.len());
        rows.start.min(end)..end
    })
}
