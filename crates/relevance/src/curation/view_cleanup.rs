//! The clean-up of a view, so that it reads well: no statement or header is cut, no opening row of
//! a list stands without elements, and no run of rows has only blank rows and brackets.

use std::ops::Range;

use foveal_syntax::{
    BYTES_PARSED_MAX, Entity, EntityKind, LineRange, ParsedFile, SourceStatement, parse_file,
};
use foveal_transcript::LineNumber;

use super::curation_input::CurationInput;
use super::piece::{FUNCTION_LINES_MAX, STATEMENT_LINES_MAX};
use super::unit::{CurationUnit, UnitPart, has_content, line_rows};

/// The largest number of rows of a header, or of the opening of a nested statement, that is not
/// cut.
pub(crate) const HEADER_LINES_MAX: usize = 12;
/// The largest part of the kept lines, as a divisor, that is dropped to avoid a cut function.
const DROPPED_END_DIVISOR: usize = 4;
/// The least number of rows of a run, unless its unit is shorter.
const RUN_LINES_MIN: usize = 3;
/// The number of passes over statements; completing one may touch another.
const COMPLETION_PASSES: usize = 2;

/// The segments of a file that are kept as wholes.
pub(crate) struct StatementSegments {
    /// Short statements, parts of longer ones, and headers.
    all: Vec<Range<usize>>,
    /// The segments that fit the limit and are therefore never cut.
    whole: Vec<Range<usize>>,
    /// For each row, the outermost of `whole` around it.
    pub(crate) segment_of_row: Vec<Option<usize>>,
}

impl StatementSegments {
    /// Finds the segments of a file; those of more than `lines_max` lines may be cut.
    pub(crate) fn new(scene: &CurationInput<'_>, lines_max: usize) -> Self {
        let count = scene.rows.len();
        let all = statement_segments(scene.parsed, count);
        let whole: Vec<_> = all.iter().filter(|rows| rows.len() <= lines_max).cloned().collect();
        let mut segment_of_row = vec![None; count];
        for (at, rows) in whole.iter().enumerate() {
            segment_of_row[rows.clone()].iter_mut().for_each(|of| *of = of.or(Some(at)));
        }
        Self { all, whole, segment_of_row }
    }
}

/// The parameters of a clean-up.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CleanupOptions {
    /// The number of rows that may be kept.
    pub(crate) rows_max: usize,
    /// Whether there is a query.
    pub(crate) has_query: bool,
}

/// Completes segments that are kept in part, as far as there is room, and drops those that stay
/// incomplete and runs without content. `rows` has for each kept row the unit for which it is kept.
pub(crate) fn clean_up_view(
    scene: &CurationInput<'_>,
    rows: &mut [Option<usize>],
    statements: &StatementSegments,
    CleanupOptions { rows_max: most, has_query: asks }: CleanupOptions,
) {
    let kept = rows.iter().flatten().count();
    let mut tidying = ViewCleanup { scene, rows, room: most.saturating_sub(kept) };
    for _ in 0..COMPLETION_PASSES {
        statements.all.iter().for_each(|rows| tidying.complete_rows(rows.clone()));
    }
    statements.whole.iter().for_each(|rows| tidying.drop_incomplete_rows(rows.clone()));
    if asks {
        tidying.drop_lone_openers();
    }
    tidying.repair_runs();
    tidying.keep_entity_headers(most);
}

/// Returns the last line, at most the end of `kept`, after which a text can end without cutting a
/// statement or header that views keep whole, nor a short function, unless that would drop more
/// than a quarter of the lines. The result may lie before `kept`; it is 0 if there is no such line.
pub fn last_uncut_line(parsed: &ParsedFile, kept: LineRange) -> LineNumber {
    let end = kept.last.0 as usize;
    let mut whole = statement_segments(parsed, parsed.line_count as usize);
    let by_statements = end_outside_ranges(&mut whole, end);
    let functions = parsed.entities.iter().filter(|entity| entity.kind.is_function());
    let functions = functions.map(|entity| line_rows(entity.lines));
    whole.extend(functions.filter(|rows| rows.len() <= FUNCTION_LINES_MAX));
    let by_functions = end_outside_ranges(&mut whole, end);
    let least = end - kept.line_count() as usize / DROPPED_END_DIVISOR;
    let end = if by_functions >= least { by_functions } else { by_statements };
    LineNumber(u32::try_from(end).unwrap_or(u32::MAX))
}

/// Parses the text of `path` and returns its [`last_uncut_line`]; `None` if it is too long to be
/// parsed.
pub fn last_uncut_line_of_text(path: &str, text: &str, kept: LineRange) -> Option<LineNumber> {
    (text.len() <= BYTES_PARSED_MAX).then(|| last_uncut_line(&parse_file(path, text), kept))
}

/// Returns the last position up to `end` that is inside none of `whole`.
fn end_outside_ranges(whole: &mut [Range<usize>], end: usize) -> usize {
    whole.sort_unstable_by_key(|rows| std::cmp::Reverse(rows.start));
    let cut = |end: usize, rows: &Range<usize>| {
        if rows.start < end && end < rows.end { rows.start } else { end }
    };
    whole.iter().fold(end, cut)
}

struct ViewCleanup<'a> {
    scene: &'a CurationInput<'a>,
    rows: &'a mut [Option<usize>],
    /// The number of rows that may still be added.
    room: usize,
}

impl ViewCleanup<'_> {
    /// Keeps all of a range of rows if some are kept and there is room.
    fn complete_rows(&mut self, all: Range<usize>) {
        let missing = self.rows[all.clone()].iter().filter(|row| row.is_none()).count();
        if missing < all.len() && missing <= self.room {
            self.room -= missing;
            for row in all {
                self.rows[row].get_or_insert(self.scene.unit_of[row]);
            }
        }
    }

    /// Drops a range of rows unless all are kept.
    fn drop_incomplete_rows(&mut self, all: Range<usize>) {
        if self.rows[all.clone()].iter().any(Option::is_none) {
            self.room += self.rows[all.clone()].iter().flatten().count();
            self.rows[all].fill(None);
        }
    }

    /// Drops the first row of a constant without elements; the note on the gap names the constant.
    fn drop_lone_openers(&mut self) {
        let scene = self.scene;
        for entity in scene.parsed.entities.iter().filter(|of| of.kind == EntityKind::Constant) {
            let all = scene.entity_rows(entity);
            let rest = line_rows(entity.signature).end.min(all.end)..all.end;
            let says = |row: usize| has_content(scene.rows[row]);
            let mut others = rest.clone().filter(|row| self.rows[*row].is_some());
            let is_alone = !rest.is_empty() && !others.any(says);
            if all.len() >= RUN_LINES_MIN && is_alone {
                self.rows[all].fill(None);
            }
        }
    }

    /// Drops runs without content, and completes the units of short runs.
    fn repair_runs(&mut self) {
        let scene = self.scene;
        let says = |row: &usize| has_content(scene.rows[*row]);
        let openers = statement_openers(scene);
        for run in kept_runs(self.rows).into_iter().filter(|run| run.len() < scene.rows.len()) {
            if run.len() >= RUN_LINES_MIN {
                if !run.clone().any(|row| says(&row)) {
                    let stays = |row: &usize| self.is_needed_header(*row, &run);
                    let stay: Vec<usize> = run.clone().filter(stays).collect();
                    for row in run.filter(|row| !stay.contains(row)) {
                        self.rows[row] = None;
                    }
                }
                continue;
            }
            // The opening of a statement says little without its contents.
            let is_opener = |row: &usize| openers.iter().any(|rows| rows.contains(row));
            let goes =
                |row: &usize| (is_opener(row) || !says(row)) && !self.is_needed_header(*row, &run);
            let gone = run.clone().rev().take_while(goes).count();
            self.rows[run.end - gone..run.end].fill(None);
            if let Some(row) = run.clone().find(|row| self.rows[*row].is_some() && says(row)) {
                self.complete_unit(scene.unit_of[row]);
            }
        }
    }

    /// Keeps the header of each entity with kept rows, or drops these rows where there is no room.
    fn keep_entity_headers(&mut self, most: usize) {
        let scene = self.scene;
        for entity in &scene.parsed.entities {
            let (header, all) = (line_rows(entity.signature).start, scene.entity_rows(entity));
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

    /// Returns whether a row is the header of an entity with kept rows outside of `run`, which
    /// needs the header to be understood.
    fn is_needed_header(&self, row: usize, run: &Range<usize>) -> bool {
        let scene = self.scene;
        let named = scene.parsed.entities.iter().filter(|of| line_rows(of.signature).start == row);
        let mut rows = named.flat_map(|of| scene.entity_rows(of));
        rows.any(|row| !run.contains(&row) && self.rows[row].is_some())
    }

    /// Keeps all of a unit. A short one of documentation, such as the last lines of a long comment,
    /// is extended backwards to the least length of a run.
    fn complete_unit(&mut self, unit: usize) {
        let units = &self.scene.units;
        let mut rows = units[unit].rows();
        let before = unit.checked_sub(1).map(|at| &units[at]);
        let is_same =
            |of: &&CurationUnit| (of.entity, of.part) == (units[unit].entity, units[unit].part);
        if let Some(before) = before.filter(is_same).filter(|of| of.part == UnitPart::Doc) {
            let missing = RUN_LINES_MIN.saturating_sub(rows.len());
            rows.start -= missing.min(before.len());
        }
        self.complete_rows(rows);
    }
}

/// Returns the openings of nested statements: the rows before the first inner statement.
fn statement_openers(scene: &CurationInput<'_>) -> Vec<Range<usize>> {
    let blocks = &scene.parsed.blocks;
    let inner = |at: usize| blocks.get(at + 1).map(|next| line_rows(next.lines).start);
    let opener = |(at, block): (usize, &SourceStatement)| {
        let rows = line_rows(block.lines);
        let first_in = inner(at).filter(|start| (rows.start + 1..rows.end).contains(start))?;
        Some(rows.start..first_in)
    };
    blocks.iter().enumerate().filter_map(opener).collect()
}

/// Returns the rows that are kept together: short statements; of longer ones the opening before the
/// first inner statement, or their own parts; fields, constants and types likewise; and headers.
fn statement_segments(parsed: &ParsedFile, count: usize) -> Vec<Range<usize>> {
    let blocks = || parsed.blocks.iter().map(|block| line_rows(block.lines));
    let mut starts: Vec<usize> = blocks().map(|rows| rows.start).collect();
    starts.extend(parsed.entities.iter().map(|entity| line_rows(entity.lines).start));
    starts.sort_unstable();
    let first_in = |rows: &Range<usize>| {
        let first = starts.get(starts.partition_point(|start| *start <= rows.start));
        first.copied().filter(|start| *start < rows.end)
    };
    let is_one = |entity: &&Entity| {
        use EntityKind::{Constant, Enum, Field, Type};
        matches!(entity.kind, Constant | Enum | Field | Type)
    };
    let named = parsed.entities.iter().filter(is_one).map(|entity| line_rows(entity.lines));
    let named = named.filter(|rows| first_in(rows).is_none());
    let mut all: Vec<Range<usize>> = Vec::new();
    for rows in blocks().chain(named) {
        match first_in(&rows).filter(|_| rows.len() > STATEMENT_LINES_MAX) {
            Some(start) if start - rows.start <= HEADER_LINES_MAX => all.push(rows.start..start),
            Some(_) => {}
            None => all.extend(divide_at_seams(parsed, rows)),
        }
    }
    let headers = parsed.entities.iter().map(|entity| line_rows(entity.signature));
    all.extend(headers.filter(|rows| rows.len() <= HEADER_LINES_MAX));
    let within = all.into_iter().map(|rows| rows.start..rows.end.min(count));
    within.filter(|rows| (2..=STATEMENT_LINES_MAX).contains(&rows.len())).collect()
}

/// Returns a statement without inner statements as one range, or divided at its seams if it is
/// long.
fn divide_at_seams(parsed: &ParsedFile, rows: Range<usize>) -> Vec<Range<usize>> {
    if rows.len() <= STATEMENT_LINES_MAX {
        return vec![rows];
    }
    let row = |line: &LineNumber| line_rows(LineRange::new(*line, *line)).start;
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

/// Returns the runs of adjacent kept rows.
fn kept_runs(rows: &[Option<usize>]) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for row in (0..rows.len()).filter(|row| rows[*row].is_some()) {
        match runs.last_mut() {
            Some(run) if run.end == row => run.end += 1,
            _ => runs.push(row..row + 1),
        }
    }
    runs
}
