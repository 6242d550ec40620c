//! The last touch to a view: what is kept can be read. No statement or header is kept in part, no
//! opening row of a list without what it holds, and no run of rows that says nothing.

use std::ops::Range;

use super::scene::Scene;
use super::unit::{Part, Unit, rows_of, says_something};
use crate::entity::{Block, EntityKind, Parsed};
use foveal_transcript::LineNumber;

/// Rows of a header, or of the opening of a statement that holds others, that are never cut.
pub(crate) const HEADER_LINES_MAX: usize = 12;
/// The same of a statement that holds no other.
const STATEMENT_LINES_MAX: usize = 30;
/// Rows of a run at least, unless it is as much as stands together.
const RUN_LINES_MIN: usize = 3;
/// How often statements are looked at: what is kept of one may be a part of another.
const PASSES: usize = 2;

/// Makes what is kept whole where it is cut, as far as `most` rows reach, and takes out what says
/// nothing. `rows` has for each row the unit for whose sake it is kept.
pub(crate) fn tidy(scene: &Scene<'_>, rows: &mut [Option<usize>], most: usize, asks: bool) {
    let kept = rows.iter().flatten().count();
    let mut tidying = Tidying { scene, rows, left: most.saturating_sub(kept) };
    let segments = segments(scene.parsed, scene.rows.len());
    for _ in 0..PASSES {
        segments.iter().for_each(|segment| tidying.complete(segment.clone()));
    }
    if asks {
        tidying.leave_openers_out();
    }
    tidying.mend_runs();
    tidying.name_what_is_kept(most);
}

/// The last line, `last` or one before it, after which a text can end without a cut in a statement
/// or a header that views keep whole; 0 if there is none.
pub fn whole_until(parsed: &Parsed, last: LineNumber) -> LineNumber {
    let mut end = last.0 as usize;
    let mut segments = segments(parsed, parsed.line_count as usize);
    segments.sort_unstable_by_key(|rows| std::cmp::Reverse(rows.start));
    for rows in segments.into_iter().filter(|rows| rows.len() > 1) {
        if rows.start < end && end < rows.end {
            end = rows.start;
        }
    }
    LineNumber(u32::try_from(end).unwrap_or(u32::MAX))
}

struct Tidying<'a> {
    scene: &'a Scene<'a>,
    rows: &'a mut [Option<usize>],
    /// How many more rows there is room for.
    left: usize,
}

impl Tidying<'_> {
    /// Keeps all of some rows if any are kept, and there is room.
    fn complete(&mut self, all: Range<usize>) {
        let missing = self.rows[all.clone()].iter().filter(|row| row.is_none()).count();
        if missing < all.len() && missing <= self.left {
            self.left -= missing;
            for row in all {
                self.rows[row].get_or_insert(self.scene.unit_of[row]);
            }
        }
    }

    /// Leaves out the first row of a constant of which nothing else is kept: the note on what is
    /// left out names it.
    fn leave_openers_out(&mut self) {
        let scene = self.scene;
        for entity in scene.parsed.entities.iter().filter(|of| of.kind == EntityKind::Constant) {
            let all = scene.rows_of(entity);
            let rest = rows_of(entity.signature).end.min(all.end)..all.end;
            let says = |row: usize| says_something(scene.rows[row]);
            let mut others = rest.clone().filter(|row| self.rows[*row].is_some());
            let is_alone = !rest.is_empty() && !others.any(says);
            if all.len() >= RUN_LINES_MIN && is_alone {
                self.rows[all].fill(None);
            }
        }
    }

    /// Takes out runs that say nothing, and makes short ones whole.
    fn mend_runs(&mut self) {
        let scene = self.scene;
        let says = |row: &usize| says_something(scene.rows[*row]);
        let openers = openers(scene);
        for run in runs(self.rows).into_iter().filter(|run| run.len() < scene.rows.len()) {
            if run.len() >= RUN_LINES_MIN {
                if !run.clone().any(|row| says(&row)) {
                    let stays = |row: &usize| self.names_what_stays(*row, &run);
                    let stay: Vec<usize> = run.clone().filter(stays).collect();
                    for row in run.filter(|row| !stay.contains(row)) {
                        self.rows[row] = None;
                    }
                }
                continue;
            }
            // What a statement opens with is little without what is in it.
            let is_opener = |row: &usize| openers.iter().any(|rows| rows.contains(row));
            let goes =
                |row: &usize| (is_opener(row) || !says(row)) && !self.names_what_stays(*row, &run);
            let gone = run.clone().rev().take_while(goes).count();
            self.rows[run.end - gone..run.end].fill(None);
            if let Some(row) = run.clone().find(|row| self.rows[*row].is_some() && says(row)) {
                self.complete_unit(scene.unit_of[row]);
            }
        }
    }

    /// Keeps the header of everything that rows are kept of, or none of these where there is no room.
    fn name_what_is_kept(&mut self, most: usize) {
        let scene = self.scene;
        for entity in &scene.parsed.entities {
            let (header, all) = (rows_of(entity.signature).start, scene.rows_of(entity));
            let is_named = self.rows.get(header).is_none_or(Option::is_some);
            if is_named || self.rows[all.clone()].iter().all(Option::is_none) {
                continue;
            }
            match self.rows.iter().flatten().count() < most {
                true => self.rows[header] = Some(scene.unit_of[header]),
                false => self.rows[all].fill(None),
            }
        }
    }

    /// Whether a row is the header of something of which other rows than those of `run` are kept:
    /// without it nobody knows what they belong to.
    fn names_what_stays(&self, row: usize, run: &Range<usize>) -> bool {
        let scene = self.scene;
        let named = scene.parsed.entities.iter().filter(|of| rows_of(of.signature).start == row);
        let mut rows = named.flat_map(|of| scene.rows_of(of));
        rows.any(|row| !run.contains(&row) && self.rows[row].is_some())
    }

    /// Keeps all of a unit; of one that is a scrap, as the last lines of a long comment may be, as
    /// many rows before it of the same part as make a run.
    fn complete_unit(&mut self, unit: usize) {
        let units = &self.scene.units;
        let mut rows = units[unit].rows();
        let before = unit.checked_sub(1).map(|at| &units[at]);
        let is_same = |of: &&Unit| (of.entity, of.part) == (units[unit].entity, units[unit].part);
        if let Some(before) = before.filter(is_same).filter(|of| of.part == Part::Doc) {
            let missing = RUN_LINES_MIN.saturating_sub(rows.len());
            rows.start -= missing.min(before.len());
        }
        self.complete(rows);
    }
}

/// What statements open with that hold others: the rows before the first one in them.
fn openers(scene: &Scene<'_>) -> Vec<Range<usize>> {
    let blocks = &scene.parsed.blocks;
    let inner = |at: usize| blocks.get(at + 1).map(|next| rows_of(next.lines).start);
    let opener = |(at, block): (usize, &Block)| {
        let rows = rows_of(block.lines);
        let first_in = inner(at).filter(|start| (rows.start + 1..rows.end).contains(start))?;
        Some(rows.start..first_in)
    };
    blocks.iter().enumerate().filter_map(opener).collect()
}

/// Rows that are kept together: statements without others in them, and what stands before the
/// first one in others and in what has a name.
fn segments(parsed: &Parsed, count: usize) -> Vec<Range<usize>> {
    let blocks = || parsed.blocks.iter().map(|block| rows_of(block.lines));
    let mut starts: Vec<usize> = blocks().map(|rows| rows.start).collect();
    starts.extend(parsed.entities.iter().map(|entity| rows_of(entity.lines).start));
    starts.sort_unstable();
    let statement = |rows: Range<usize>| {
        let first_in = starts.get(starts.partition_point(|start| *start <= rows.start));
        match first_in.filter(|start| **start < rows.end) {
            Some(start) => (rows.start..*start, HEADER_LINES_MAX),
            None => (rows, STATEMENT_LINES_MAX),
        }
    };
    let headers = parsed.entities.iter().map(|entity| rows_of(entity.signature));
    let headers = headers.map(|rows| (rows, HEADER_LINES_MAX));
    let all = blocks().map(statement).chain(headers);
    let all = all.map(|(rows, most)| (rows.start..rows.end.min(count), most));
    all.filter(|(rows, most)| (2..=*most).contains(&rows.len())).map(|(rows, _)| rows).collect()
}

/// The rows kept, run by run.
fn runs(rows: &[Option<usize>]) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for row in (0..rows.len()).filter(|row| rows[*row].is_some()) {
        match runs.last_mut() {
            Some(run) if run.end == row => run.end += 1,
            _ => runs.push(row..row + 1),
        }
    }
    runs
}
