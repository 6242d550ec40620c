//! Rule `table`: of the padding that aligns columns, what keeps them apart is kept.
//!
//! Only for what is certainly a table: columns between bars with a rule row (`---+---`), or
//! columns between blanks under a rule row or a heading in capitals, or of file modes. The
//! cells and their order stay, and so does the indentation of a line.

use std::ops::Range;

use crate::tokens::Tokenizer;
use foveal_effects::EffectKind;

use super::draft::Draft;

const RULE: &str = "table";

/// Rows, the heading included, that make a table.
const ROWS_MIN: usize = 3;

/// Columns between blanks that make a table; two may be a list with explanations.
const COLUMNS_MIN: usize = 3;

/// Characters of a line in which columns are looked for.
const WIDTH_MAX: usize = 400;

/// What is left of a rule row's dashes in each column.
const DASHES: usize = 3;

/// A table that loses a smaller share of its tokens than one in so many is left as it is:
/// its lines can then be pointed at.
const SAVED_SHARE: u64 = 20;

/// Compacts every table in the output of a run or a listing; `tokenizer` tells whether it
/// is worth it.
pub fn compact(draft: &mut Draft<'_>, tokenizer: Tokenizer) {
    match draft.facts.kind() {
        EffectKind::Run | EffectKind::List => {}
        EffectKind::Read
        | EffectKind::Search
        | EffectKind::Edit
        | EffectKind::Write
        | EffectKind::Fetch
        | EffectKind::Other => return,
    }
    // Text of files is quoted by edits.
    let is_diff = |at: usize| draft.text(at).starts_with("@@ -");
    if !draft.facts.printed.paths.is_empty() || (0..draft.len()).any(is_diff) {
        return;
    }
    let mut at = 0;
    while at < draft.len() {
        let found = barred(draft, at).or_else(|| aligned(draft, at));
        let Some((rows, cuts)) = found else {
            at += 1;
            continue;
        };
        at = rows.end;
        if is_worth_it(draft, rows, &cuts, tokenizer) {
            for of_line in cuts.chunk_by(|one, other| one.0 == other.0) {
                let ranges = of_line.iter().map(|(_, range)| range.clone());
                draft.cut_all(RULE, of_line[0].0, ranges);
            }
        }
    }
}

/// Bytes of the content to cut, with the line they are in; ascending.
type Cuts = Vec<(usize, Range<u32>)>;

fn is_worth_it(draft: &Draft<'_>, rows: Range<usize>, cuts: &Cuts, tokenizer: Tokenizer) -> bool {
    let (Some(first), Some(last)) = (cuts.first(), cuts.last()) else { return false };
    let start = draft.line(rows.start).whole.start.min(first.1.start);
    let end = draft.line(rows.end - 1).whole.end.max(last.1.end);
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
    after + before / SAVED_SHARE < before
}

/// One line, by characters.
struct Row<'a> {
    text: &'a str,
    chars: Vec<(usize, char)>,
}

/// The text of the line at `at`, if it could be a row of a table.
fn row_text<'a>(draft: &Draft<'a>, at: usize) -> Option<&'a str> {
    let whole = at < draft.len() && draft.keeps_all(at);
    let text = whole.then(|| draft.line(at).whole_in(draft.content))?;
    (!text.contains('\t') && !text.trim().is_empty()).then_some(text)
}

impl<'a> Row<'a> {
    fn of(draft: &Draft<'a>, at: usize) -> Option<Self> {
        let text = row_text(draft, at)?;
        Some(Self { text, chars: text.char_indices().collect() })
    }

    fn char(&self, column: usize) -> Option<char> {
        self.chars.get(column).map(|(_, c)| *c)
    }

    fn is_blank(&self, column: usize) -> bool {
        self.char(column).is_none_or(|c| c == ' ')
    }

    fn len(&self) -> usize {
        self.chars.len()
    }

    /// The byte at which the character at `column` starts.
    fn byte(&self, column: usize) -> usize {
        self.chars.get(column).map_or(self.text.len(), |(byte, _)| *byte)
    }

    fn is_rule(&self) -> bool {
        is_rule(self.text)
    }

    /// Places of the bars, for a rule row of its joints.
    fn bars(&self) -> Vec<usize> {
        (0..self.len()).filter(|at| self.char(*at).is_some_and(is_joint)).collect()
    }

    /// Runs of blanks, as ranges of columns, but for the indentation.
    fn blanks(&self) -> Vec<Range<usize>> {
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

/// Whether a line only separates others: dashes, and what joins them.
fn is_rule(text: &str) -> bool {
    text.chars().all(|c| is_dash(c) || is_joint(c) || " :".contains(c))
        && text.chars().filter(|c| is_dash(*c)).count() >= DASHES
}

fn is_dash(c: char) -> bool {
    matches!(c, '-' | '=' | '─' | '━' | '═')
}

/// A bar, or where a rule row meets one.
fn is_joint(c: char) -> bool {
    matches!(c, '|' | '+') || (('\u{2500}'..='\u{257f}').contains(&c) && !is_dash(c))
}

/// Cuts under construction for the lines of one table.
struct Cutter<'d, 'a> {
    draft: &'d Draft<'a>,
    cuts: Cuts,
}

impl Cutter<'_, '_> {
    /// Leaves `kept` of the characters in `columns` of the line at `at`.
    fn shorten(&mut self, at: usize, row: &Row<'_>, columns: Range<usize>, kept: usize) {
        if columns.len() > kept {
            let start = self.draft.line(at).whole.start;
            let (from, to) = (row.byte(columns.start + kept), row.byte(columns.end));
            self.cuts.push((at, start + from as u32..start + to as u32));
        }
    }

    fn shorten_rule(&mut self, at: usize, row: &Row<'_>) {
        let mut column = 0;
        while let Some(c) = row.char(column) {
            let end = (column..row.len()).find(|next| row.char(*next) != Some(c));
            let end = end.unwrap_or(row.len());
            if is_dash(c) {
                self.shorten(at, row, column..end, DASHES);
            }
            column = end;
        }
    }
}

/// The table between bars that starts at `at`. All its lines have bars where its rule row
/// has joints.
fn barred(draft: &Draft<'_>, at: usize) -> Option<(Range<usize>, Cuts)> {
    // The rule row stands above the heading or below it.
    let first_is_rule = is_rule(row_text(draft, at)?);
    let bars = Row::of(draft, if first_is_rule { at } else { at + 1 })
        .filter(Row::is_rule)
        .map(|rule| rule.bars())
        .filter(|bars| !bars.is_empty())?;
    let fits = |row: &Row<'_>| bars.iter().all(|bar| row.char(*bar).is_some_and(is_joint));
    let rows: Vec<_> =
        (at..draft.len()).map_while(|line| Row::of(draft, line)).take_while(fits).collect();
    let cells: Vec<_> = rows.iter().filter(|row| !row.is_rule()).collect();
    if rows.len() < ROWS_MIN || cells.is_empty() || rows.len() == cells.len() {
        return None;
    }
    // What stands at the right of its column is indented for that reason alone.
    let data = &cells[1..];
    let at_right = |bar: usize| data.iter().all(|row| bar < 2 || !row.is_blank(bar - 2));
    let right: Vec<bool> = bars.iter().map(|bar| at_right(*bar)).collect();
    let mut cutter = Cutter { draft, cuts: Vec::new() };
    let mut heading = true;
    for (line, row) in (at..).zip(&rows) {
        if row.is_rule() {
            cutter.shorten_rule(line, row);
            continue;
        }
        for run in row.blanks() {
            let next = bars.iter().position(|bar| *bar == run.end);
            let after = bars.iter().position(|bar| bar + 1 == run.start);
            let indents = after.is_some_and(|bar| right.get(bar + 1).copied().unwrap_or(false));
            if run.end == row.len() {
                cutter.shorten(line, row, run, 0);
            } else if next.is_some() || (after.is_some() && (indents || heading)) {
                cutter.shorten(line, row, run, 1);
            }
        }
        heading = false;
    }
    Some((at..at + rows.len(), cutter.cuts))
}

/// The table between blanks that starts at `at`.
fn aligned(draft: &Draft<'_>, at: usize) -> Option<(Range<usize>, Cuts)> {
    let first = row_text(draft, at)?;
    let below = row_text(draft, at + 1)?;
    let ruled = is_rule(below) && !below.contains(is_joint);
    let modes = is_mode(first);
    if is_rule(first) || !(ruled || modes || is_in_capitals(first)) {
        return None;
    }
    let first = Row::of(draft, at)?;
    let mut mask: Vec<bool> = (0..first.len().min(WIDTH_MAX)).map(|c| first.is_blank(c)).collect();
    let mut rows = Vec::new();
    for row in (at..draft.len()).map_while(|line| Row::of(draft, line)) {
        if !row.is_rule() {
            mask.resize(mask.len().max(row.len().min(WIDTH_MAX)), true);
            let both: Vec<_> =
                (0..).zip(&mask).map(|(c, blank)| *blank && row.is_blank(c)).collect();
            let apart = columns(&both).len() >= COLUMNS_MIN && (!modes || is_mode(row.text));
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
    let kept = blanks_kept(&rows, &columns(&mask));
    let mut cutter = Cutter { draft, cuts: Vec::new() };
    for (line, row) in (at..).zip(&rows) {
        if row.is_rule() {
            cutter.shorten_rule(line, row);
            continue;
        }
        for run in row.blanks() {
            let column = kept.iter().find(|(from, _)| run.contains(&(from - 1)));
            if run.end == row.len() {
                cutter.shorten(line, row, run, 0);
            } else if let Some((_, kept)) = column {
                cutter.shorten(line, row, run, *kept);
            }
        }
    }
    Some((at..at + rows.len(), cutter.cuts))
}

/// The columns apart from what is blank in every row.
fn columns(mask: &[bool]) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for at in (0..mask.len()).filter(|at| !mask[*at]) {
        match found.last_mut() {
            Some(column) if column.end == at => column.end += 1,
            _ => found.push(at..at + 1),
        }
    }
    found
}

/// For each column but the first, where it starts and how many blanks before it keep the
/// columns apart: one while every cell so far has as many words in all rows, so that they
/// can be counted off; two while no cell is empty; after that, all.
fn blanks_kept(rows: &[Row<'_>], columns: &[Range<usize>]) -> Vec<(usize, usize)> {
    let mut kept = Vec::new();
    let mut least = 1;
    for pair in columns.windows(2) {
        let (fewest, most) = words_in(rows, &pair[0]);
        // Blanks over an empty cell must stay: the next cell would move into its place.
        if fewest == 0 || words_in(rows, &pair[1]).0 == 0 {
            break;
        }
        if fewest != most {
            least = 2;
        }
        kept.push((pair[1].start, least));
    }
    kept
}

/// The fewest and the most words in a column's cells.
fn words_in(rows: &[Row<'_>], column: &Range<usize>) -> (usize, usize) {
    let words = rows.iter().filter(|row| !row.is_rule()).map(|row| {
        let cell = &row.text[row.byte(column.start)..row.byte(column.end)];
        cell.split(' ').filter(|word| !word.is_empty()).count()
    });
    words.fold((usize::MAX, 0), |(fewest, most), count| (fewest.min(count), most.max(count)))
}

/// Three words and more in capitals, as `ps` and `docker ps` have above their columns.
fn is_in_capitals(text: &str) -> bool {
    let is_capital = |c: char| c.is_ascii_uppercase() || "%#_/()-".contains(c);
    let words: Vec<_> = text.split_whitespace().collect();
    words.len() >= COLUMNS_MIN
        && text.trim().contains("  ")
        && words.iter().all(|word| word.chars().all(is_capital))
        && words.iter().any(|word| word.len() > 1)
}

/// Whether a line starts with a file's mode as `ls -l` prints it.
fn is_mode(text: &str) -> bool {
    let word = text.split(' ').next().unwrap_or_default().as_bytes();
    (10..=11).contains(&word.len())
        && b"-dlbcps".contains(&word[0])
        && word[1..10].iter().all(|byte| b"-rwxsStT".contains(byte))
}
