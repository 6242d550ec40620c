//! The last touch to a view: what is kept can be read. No statement or header is kept in part, no
//! opening row of a list without what it holds, and no run of rows that says nothing.

use std::ops::Range;

use super::piece::{FUNCTION_LINES_MAX, STATEMENT_LINES_MAX};
use super::scene::Scene;
use super::unit::{Part, Unit, rows_of, says_something};
use crate::bounds::BYTES_PARSED_MAX;
use crate::entity::{Block, Entity, EntityKind, Parsed};
use crate::lines::LineRange;
use crate::parse::parse;
use foveal_transcript::LineNumber;

/// Rows of a header, or of the opening of a statement that holds others, that are never cut.
pub(crate) const HEADER_LINES_MAX: usize = 12;
/// The part of the lines kept that may go at their end for a function that does not fit.
const END_PARTS: usize = 4;
/// Rows of a run at least, unless it is as much as stands together.
const RUN_LINES_MIN: usize = 3;
/// How often statements are looked at: what is kept of one may be a part of another.
const PASSES: usize = 2;

/// Rows that are kept together.
pub(crate) struct Statements {
    /// Short statements, parts of longer ones, and headers.
    all: Vec<Range<usize>>,
    /// Those that are never cut.
    whole: Vec<Range<usize>>,
    /// For each row, the first of them that it is in: the outermost.
    pub(crate) of_row: Vec<Option<usize>>,
}

impl Statements {
    /// Those of a file; of more than `lines_max` lines they may be cut.
    pub(crate) fn of(scene: &Scene<'_>, lines_max: usize) -> Self {
        let count = scene.rows.len();
        let all = segments(scene.parsed, count);
        let whole: Vec<_> = all.iter().filter(|rows| rows.len() <= lines_max).cloned().collect();
        let mut of_row = vec![None; count];
        for (at, rows) in whole.iter().enumerate() {
            of_row[rows.clone()].iter_mut().for_each(|of| *of = of.or(Some(at)));
        }
        Self { all, whole, of_row }
    }
}

/// What a view is touched up for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// Rows that may be kept.
    pub(crate) most: usize,
    /// Whether something is asked.
    pub(crate) asks: bool,
}

/// Makes what is kept whole where it is cut, as far as there is room, and takes out what cannot be
/// whole or says nothing. `rows` has for each row the unit for whose sake it is kept.
pub(crate) fn tidy(
    scene: &Scene<'_>,
    rows: &mut [Option<usize>],
    statements: &Statements,
    Limits { most, asks }: Limits,
) {
    let kept = rows.iter().flatten().count();
    let mut tidying = Tidying { scene, rows, left: most.saturating_sub(kept) };
    for _ in 0..PASSES {
        statements.all.iter().for_each(|rows| tidying.complete(rows.clone()));
    }
    statements.whole.iter().for_each(|rows| tidying.leave_part_out(rows.clone()));
    if asks {
        tidying.leave_openers_out();
    }
    tidying.mend_runs();
    tidying.name_what_is_kept(most);
}

/// The last of `kept` lines, or one before it, after which a text can end without a cut in a statement
/// or a header that views keep whole, nor in a short function unless that takes more than a part of
/// the lines away; 0 if there is none.
pub fn whole_until(parsed: &Parsed, kept: LineRange) -> LineNumber {
    let end = kept.last.0 as usize;
    let mut whole = segments(parsed, parsed.line_count as usize);
    let by_statements = end_outside(&mut whole, end);
    let functions = parsed.entities.iter().filter(|entity| entity.kind.is_function());
    let functions = functions.map(|entity| rows_of(entity.lines));
    whole.extend(functions.filter(|rows| rows.len() <= FUNCTION_LINES_MAX));
    let by_functions = end_outside(&mut whole, end);
    let least = end - kept.count() as usize / END_PARTS;
    let end = if by_functions >= least { by_functions } else { by_statements };
    LineNumber(u32::try_from(end).unwrap_or(u32::MAX))
}

/// The same of the text of `path`; `None` where it is too long to be parsed.
pub fn whole_until_in(path: &str, text: &str, kept: LineRange) -> Option<LineNumber> {
    (text.len() <= BYTES_PARSED_MAX).then(|| whole_until(&parse(path, text), kept))
}

/// The last of the rows up to `end` before which nothing of `whole` goes on.
fn end_outside(whole: &mut [Range<usize>], end: usize) -> usize {
    whole.sort_unstable_by_key(|rows| std::cmp::Reverse(rows.start));
    let cut = |end: usize, rows: &Range<usize>| {
        if rows.start < end && end < rows.end { rows.start } else { end }
    };
    whole.iter().fold(end, cut)
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

    /// Leaves out what is kept of some rows if not all are.
    fn leave_part_out(&mut self, all: Range<usize>) {
        if self.rows[all.clone()].iter().any(Option::is_none) {
            self.left += self.rows[all.clone()].iter().flatten().count();
            self.rows[all].fill(None);
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

/// Rows that are kept together: short statements, and of longer ones what stands before the first
/// one in them, or their own parts; the same of fields, constants and types; and headers.
fn segments(parsed: &Parsed, count: usize) -> Vec<Range<usize>> {
    let blocks = || parsed.blocks.iter().map(|block| rows_of(block.lines));
    let mut starts: Vec<usize> = blocks().map(|rows| rows.start).collect();
    starts.extend(parsed.entities.iter().map(|entity| rows_of(entity.lines).start));
    starts.sort_unstable();
    let first_in = |rows: &Range<usize>| {
        let first = starts.get(starts.partition_point(|start| *start <= rows.start));
        first.copied().filter(|start| *start < rows.end)
    };
    let is_one = |entity: &&Entity| {
        use EntityKind::{Constant, Enum, Field, Type};
        matches!(entity.kind, Constant | Enum | Field | Type)
    };
    let named = parsed.entities.iter().filter(is_one).map(|entity| rows_of(entity.lines));
    let named = named.filter(|rows| first_in(rows).is_none());
    let mut all: Vec<Range<usize>> = Vec::new();
    for rows in blocks().chain(named) {
        match first_in(&rows).filter(|_| rows.len() > STATEMENT_LINES_MAX) {
            Some(start) if start - rows.start <= HEADER_LINES_MAX => all.push(rows.start..start),
            Some(_) => {}
            None => all.extend(parts(parsed, rows)),
        }
    }
    let headers = parsed.entities.iter().map(|entity| rows_of(entity.signature));
    all.extend(headers.filter(|rows| rows.len() <= HEADER_LINES_MAX));
    let within = all.into_iter().map(|rows| rows.start..rows.end.min(count));
    within.filter(|rows| (2..=STATEMENT_LINES_MAX).contains(&rows.len())).collect()
}

/// A statement without others in it as one, or as its own parts where it is long.
fn parts(parsed: &Parsed, rows: Range<usize>) -> Vec<Range<usize>> {
    if rows.len() <= STATEMENT_LINES_MAX {
        return vec![rows];
    }
    let row = |line: &LineNumber| rows_of(LineRange::new(*line, *line)).start;
    let from = parsed.seams.partition_point(|line| row(line) <= rows.start);
    let inner = parsed.seams[from..].iter().map(row).take_while(|row| *row < rows.end);
    let mut parts = Vec::new();
    let mut start = rows.start;
    for seam in inner.chain([rows.end]) {
        parts.push(start..seam);
        start = seam;
    }
    parts
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
