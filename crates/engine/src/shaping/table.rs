//! Rule `table`: padding that aligns columns is cut to what separates them.
//!
//! Only certain tables are changed: columns between bars with a rule row (`---+---`), or columns
//! between blanks under a rule row or a heading in capitals, or of file modes. Cells, their order
//! and the indentation of lines stay.

use std::ops::Range;

use foveal_pricing::tokens::Tokenizer;

use super::draft::ShapeDraft;
use super::quotable_text::is_quotable;

const RULE: &str = "table";

/// Smallest number of rows of a table, heading included.
const ROWS_MIN: usize = 3;

/// Smallest number of columns between blanks of a table; two may be a list with explanations.
const COLUMNS_MIN: usize = 3;

/// Number of characters of a line that are searched for columns.
const WIDTH_MAX: usize = 400;

/// Number of dashes that a rule row keeps in each column.
const RULE_DASHES: usize = 3;

/// A table that saves less than one in this many of its tokens is left as it is, since its lines
/// can then be replaced by pointers.
const SAVING_DIVISOR: u64 = 20;

/// Compacts every table in the output of a run or a listing, if it saves enough tokens by
/// `tokenizer`.
pub fn compact_tables(draft: &mut ShapeDraft<'_>, tokenizer: Tokenizer) {
    let is_diff = |at: usize| draft.line_text(at).starts_with("@@ -");
    if is_quotable(draft) || (0..draft.len()).any(is_diff) {
        return;
    }
    let mut at = 0;
    while at < draft.len() {
        let found = find_barred_table(draft, at).or_else(|| find_aligned_table(draft, at));
        let Some((rows, cuts)) = found else {
            at += 1;
            continue;
        };
        at = rows.end;
        if saves_enough_tokens(draft, rows, &cuts, tokenizer) {
            for of_line in cuts.chunk_by(|one, other| one.0 == other.0) {
                let ranges = of_line.iter().map(|(_, range)| range.clone());
                draft.cut_ranges(RULE, of_line[0].0, ranges);
            }
        }
    }
}

/// Byte ranges of the content to cut, with the line that they are in; ascending.
type TableCuts = Vec<(usize, Range<u32>)>;

fn saves_enough_tokens(
    draft: &ShapeDraft<'_>,
    rows: Range<usize>,
    cuts: &TableCuts,
    tokenizer: Tokenizer,
) -> bool {
    let (Some(first), Some(last)) = (cuts.first(), cuts.last()) else { return false };
    let start = draft.result_line(rows.start).whole.start.min(first.1.start);
    let end = draft.result_line(rows.end - 1).whole.end.max(last.1.end);
    let text = |range: Range<u32>| &draft.content[range.start as usize..range.end as usize];
    let mut left = String::new();
    let mut from = start;
    for (_, range) in cuts {
        left += text(from..range.start);
        from = range.end;
    }
    left += text(from..end);
    let before = tokenizer.count(text(start..end)).0;
    let after = tokenizer.count(&left).0;
    after + before / SAVING_DIVISOR < before
}

/// One line, indexed by characters.
struct TableRow<'a> {
    text: &'a str,
    chars: Vec<(usize, char)>,
}

/// Returns the text of the line at `at`, if it could be a row of a table.
fn row_text<'a>(draft: &ShapeDraft<'a>, at: usize) -> Option<&'a str> {
    let whole = at < draft.len() && draft.is_fully_visible(at);
    let text = whole.then(|| draft.result_line(at).full_text(draft.content))?;
    (!text.contains('\t') && !text.trim().is_empty()).then_some(text)
}

impl<'a> TableRow<'a> {
    fn from_draft(draft: &ShapeDraft<'a>, at: usize) -> Option<Self> {
        let text = row_text(draft, at)?;
        Some(Self { text, chars: text.char_indices().collect() })
    }

    fn char_at(&self, column: usize) -> Option<char> {
        self.chars.get(column).map(|(_, c)| *c)
    }

    fn is_blank(&self, column: usize) -> bool {
        self.char_at(column).is_none_or(|c| c == ' ')
    }

    fn len(&self) -> usize {
        self.chars.len()
    }

    /// Returns the byte at which the character at `column` starts.
    fn byte_offset(&self, column: usize) -> usize {
        self.chars.get(column).map_or(self.text.len(), |(byte, _)| *byte)
    }

    fn is_rule(&self) -> bool {
        is_rule(self.text)
    }

    /// Returns the columns of the bars; in a rule row, of its joints.
    fn bar_columns(&self) -> Vec<usize> {
        (0..self.len()).filter(|at| self.char_at(*at).is_some_and(is_joint)).collect()
    }

    /// Returns runs of blanks, as ranges of columns, without the indentation.
    fn blank_runs(&self) -> Vec<Range<usize>> {
        let mut runs: Vec<Range<usize>> = Vec::new();
        let indent = self.text.len() - self.text.trim_start_matches(' ').len();
        for at in (indent..self.len()).filter(|at| self.is_blank(*at)) {
            match runs.last_mut() {
                Some(run) if run.end == at => run.end += 1,
                _ => runs.push(at..at + 1),
            }
        }
        runs
    }
}

/// Returns whether a line only separates others: it consists of dashes and joints.
fn is_rule(text: &str) -> bool {
    text.chars().all(|c| is_dash(c) || is_joint(c) || " :".contains(c))
        && text.chars().filter(|c| is_dash(*c)).count() >= RULE_DASHES
}

fn is_dash(c: char) -> bool {
    matches!(c, '-' | '=' | '─' | '━' | '═')
}

/// Returns whether a character is a bar, or the joint of a bar and a rule row.
fn is_joint(c: char) -> bool {
    matches!(c, '|' | '+') || (('\u{2500}'..='\u{257f}').contains(&c) && !is_dash(c))
}

/// Collects the cuts for the lines of one table.
struct TableCutter<'d, 'a> {
    draft: &'d ShapeDraft<'a>,
    cuts: TableCuts,
}

impl TableCutter<'_, '_> {
    /// Cuts `columns` of the line at `at` to `kept` characters.
    fn shorten_columns(
        &mut self,
        at: usize,
        row: &TableRow<'_>,
        columns: Range<usize>,
        kept: usize,
    ) {
        if columns.len() > kept {
            let start = self.draft.result_line(at).whole.start;
            let (from, to) = (row.byte_offset(columns.start + kept), row.byte_offset(columns.end));
            self.cuts.push((at, start + from as u32..start + to as u32));
        }
    }

    fn shorten_rule(&mut self, at: usize, row: &TableRow<'_>) {
        let mut column = 0;
        while let Some(c) = row.char_at(column) {
            let end = (column..row.len()).find(|next| row.char_at(*next) != Some(c));
            let end = end.unwrap_or(row.len());
            if is_dash(c) {
                self.shorten_columns(at, row, column..end, RULE_DASHES);
            }
            column = end;
        }
    }
}

/// Finds the table between bars that starts at `at`: all its lines have bars where its rule row has
/// joints.
fn find_barred_table(draft: &ShapeDraft<'_>, at: usize) -> Option<(Range<usize>, TableCuts)> {
    // The rule row is above the heading or below it.
    let first_is_rule = is_rule(row_text(draft, at)?);
    let bars = TableRow::from_draft(draft, if first_is_rule { at } else { at + 1 })
        .filter(TableRow::is_rule)
        .map(|rule| rule.bar_columns())
        .filter(|bars| !bars.is_empty())?;
    let fits = |row: &TableRow<'_>| bars.iter().all(|bar| row.char_at(*bar).is_some_and(is_joint));
    let rows: Vec<_> = (at..draft.len())
        .map_while(|line| TableRow::from_draft(draft, line))
        .take_while(fits)
        .collect();
    let cells: Vec<_> = rows.iter().filter(|row| !row.is_rule()).collect();
    if rows.len() < ROWS_MIN || cells.is_empty() || rows.len() == cells.len() {
        return None;
    }
    // Right-aligned cells are indented for alignment only.
    let data = &cells[1..];
    let at_right = |bar: usize| data.iter().all(|row| bar < 2 || !row.is_blank(bar - 2));
    let right: Vec<bool> = bars.iter().map(|bar| at_right(*bar)).collect();
    let mut cutter = TableCutter { draft, cuts: Vec::new() };
    let mut heading = true;
    for (line, row) in (at..).zip(&rows) {
        if row.is_rule() {
            cutter.shorten_rule(line, row);
            continue;
        }
        for run in row.blank_runs() {
            let next = bars.iter().position(|bar| *bar == run.end);
            let after = bars.iter().position(|bar| bar + 1 == run.start);
            let indents = after.is_some_and(|bar| right.get(bar + 1).copied().unwrap_or(false));
            if run.end == row.len() {
                cutter.shorten_columns(line, row, run, 0);
            } else if next.is_some() || (after.is_some() && (indents || heading)) {
                cutter.shorten_columns(line, row, run, 1);
            }
        }
        heading = false;
    }
    Some((at..at + rows.len(), cutter.cuts))
}

/// Finds the table between blanks that starts at `at`.
fn find_aligned_table(draft: &ShapeDraft<'_>, at: usize) -> Option<(Range<usize>, TableCuts)> {
    let first = row_text(draft, at)?;
    let below = row_text(draft, at + 1)?;
    let ruled = is_rule(below) && !below.contains(is_joint);
    let modes = starts_with_file_mode(first);
    if is_rule(first) || !(ruled || modes || is_capitals_heading(first)) {
        return None;
    }
    let first = TableRow::from_draft(draft, at)?;
    let mut mask: Vec<bool> = (0..first.len().min(WIDTH_MAX)).map(|c| first.is_blank(c)).collect();
    let mut rows = Vec::new();
    for row in (at..draft.len()).map_while(|line| TableRow::from_draft(draft, line)) {
        if !row.is_rule() {
            mask.resize(mask.len().max(row.len().min(WIDTH_MAX)), true);
            let both: Vec<_> =
                (0..).zip(&mask).map(|(c, blank)| *blank && row.is_blank(c)).collect();
            let apart = column_ranges(&both).len() >= COLUMNS_MIN
                && (!modes || starts_with_file_mode(row.text));
            if !apart {
                break;
            }
            mask = both;
        }
        rows.push(row);
    }
    if rows.iter().filter(|row| !row.is_rule()).count() < ROWS_MIN {
        return None;
    }
    let kept = blanks_to_keep(&rows, &column_ranges(&mask));
    let mut cutter = TableCutter { draft, cuts: Vec::new() };
    for (line, row) in (at..).zip(&rows) {
        if row.is_rule() {
            cutter.shorten_rule(line, row);
            continue;
        }
        for run in row.blank_runs() {
            let column = kept.iter().find(|(from, _)| run.contains(&(from - 1)));
            if run.end == row.len() {
                cutter.shorten_columns(line, row, run, 0);
            } else if let Some((_, kept)) = column {
                cutter.shorten_columns(line, row, run, *kept);
            }
        }
    }
    Some((at..at + rows.len(), cutter.cuts))
}

/// Returns the columns between those that are blank in every row.
fn column_ranges(mask: &[bool]) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for at in (0..mask.len()).filter(|at| !mask[*at]) {
        match found.last_mut() {
            Some(column) if column.end == at => column.end += 1,
            _ => found.push(at..at + 1),
        }
    }
    found
}

/// Returns for each column but the first its start and the number of blanks before it that keep the
/// columns apart: one while all cells so far have the same number of words in all rows, so that
/// they can be counted; two while no cell is empty; after that, all.
fn blanks_to_keep(rows: &[TableRow<'_>], columns: &[Range<usize>]) -> Vec<(usize, usize)> {
    let mut kept = Vec::new();
    let mut least = 1;
    for pair in columns.windows(2) {
        let (fewest, most) = word_count_range(rows, &pair[0]);
        // Blanks of an empty cell must stay, or the next cell would move into its place.
        if fewest == 0 || word_count_range(rows, &pair[1]).0 == 0 {
            break;
        }
        if fewest != most {
            least = 2;
        }
        kept.push((pair[1].start, least));
    }
    kept
}

/// Returns the smallest and the largest number of words in a column's cells.
fn word_count_range(rows: &[TableRow<'_>], column: &Range<usize>) -> (usize, usize) {
    let words = rows.iter().filter(|row| !row.is_rule()).map(|row| {
        let cell = &row.text[row.byte_offset(column.start)..row.byte_offset(column.end)];
        cell.split(' ').filter(|word| !word.is_empty()).count()
    });
    words.fold((usize::MAX, 0), |(fewest, most), count| (fewest.min(count), most.max(count)))
}

/// Returns whether a line has three or more words in capitals, as the headings of `ps` and
/// `docker ps`.
fn is_capitals_heading(text: &str) -> bool {
    let is_capital = |c: char| c.is_ascii_uppercase() || "%#_/()-".contains(c);
    let words: Vec<_> = text.split_whitespace().collect();
    words.len() >= COLUMNS_MIN
        && text.trim().contains("  ")
        && words.iter().all(|word| word.chars().all(is_capital))
        && words.iter().any(|word| word.len() > 1)
}

/// Returns whether a line starts with a file's mode as `ls -l` prints it.
fn starts_with_file_mode(text: &str) -> bool {
    let word = text.split(' ').next().unwrap_or_default().as_bytes();
    (10..=11).contains(&word.len())
        && b"-dlbcps".contains(&word[0])
        && word[1..10].iter().all(|byte| b"-rwxsStT".contains(byte))
}
