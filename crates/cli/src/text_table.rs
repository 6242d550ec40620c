//! Tables as text: columns as wide as their widest cell.

/// The alignment of a column's cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Alignment {
    /// For names.
    Left,
    /// For numbers.
    Right,
}

/// The fate of a column if the table is too wide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ColumnNarrowing {
    /// The column keeps its width.
    Fixed,
    /// The column is dropped, lower ranks first.
    Dropped(u8),
    /// Cells are cut at the end.
    CutEnd,
    /// Cells are cut at the start.
    CutStart,
}

/// A table under construction.
#[derive(Debug, Clone)]
pub(crate) struct TextTable {
    columns: Vec<TextColumn>,
    rows: Vec<TextTableRow>,
}

#[derive(Debug, Clone, Copy)]
struct TextColumn {
    heading: &'static str,
    alignment: Alignment,
    narrowing: ColumnNarrowing,
    width: usize,
    /// The smallest width to which the column is cut.
    width_min: usize,
}

#[derive(Debug, Clone)]
enum TextTableRow {
    Cells(Vec<String>),
    Rule(&'static str),
}

/// The usual smallest width to which a column is cut.
const COLUMN_CHARS_MIN: usize = 8;

impl TextTable {
    /// Creates an empty table with these headings.
    pub(crate) fn new(columns: Vec<(&'static str, Alignment)>) -> Self {
        let column = |(heading, side)| TextColumn {
            heading,
            alignment: side,
            narrowing: ColumnNarrowing::Fixed,
            width: 0,
            width_min: COLUMN_CHARS_MIN,
        };
        Self { columns: columns.into_iter().map(column).collect(), rows: Vec::new() }
    }

    /// Sets the narrowing of the columns with these headings.
    #[must_use]
    pub(crate) fn with_narrowing(mut self, headings: &[&str], narrow: ColumnNarrowing) -> Self {
        for column in self.columns.iter_mut().filter(|column| headings.contains(&column.heading)) {
            column.narrowing = narrow;
        }
        self
    }

    /// Sets the smallest width to which a column is cut.
    #[must_use]
    pub(crate) fn with_width_min(mut self, heading: &str, chars: usize) -> Self {
        for column in self.columns.iter_mut().filter(|column| column.heading == heading) {
            column.width_min = chars;
        }
        self
    }

    /// Adds a row. Surplus cells are dropped; missing ones are empty.
    pub(crate) fn push_row(&mut self, cells: Vec<String>) {
        let in_one_line = |cell: String| foveal_screen::escape_one_line(&cell).into_owned();
        self.rows.push(TextTableRow::Cells(cells.into_iter().map(in_one_line).collect()));
    }

    /// Adds a separator line between groups of rows, with `label` as the name of the next group
    /// unless it is empty.
    pub(crate) fn push_separator(&mut self, label: &'static str) {
        self.rows.push(TextTableRow::Rule(label));
    }

    /// Renders the table as lines without trailing spaces, each ended by a line break, in at most
    /// `width` columns, or unbounded if `width` is `None`. A last line names dropped columns and,
    /// by `where_else`, the place to find them.
    pub(crate) fn render(&self, width: Option<usize>, where_else: &str) -> String {
        let mut columns = self.measured_columns();
        let Some(width) = width else { return self.render_lines(&columns) };
        let mut gone = Vec::new();
        while minimum_width(&columns) > width {
            let rank = |column: &(usize, TextColumn)| match column.1.narrowing {
                ColumnNarrowing::Dropped(rank) => Some(rank),
                _ => None,
            };
            let Some(first) = columns.iter().filter_map(rank).min() else { break };
            let Some(at) = columns.iter().rposition(|column| rank(column) == Some(first)) else {
                break;
            };
            gone.push(columns.remove(at));
        }
        shrink_columns(&mut columns, width);
        let mut text = self.render_lines(&columns);
        if !gone.is_empty() {
            gone.sort_by_key(|(at, _)| *at);
            let names: Vec<&str> = gone.iter().map(|(_, column)| column.heading).collect();
            text += &wrap_text(
                &format!("columns not shown: {}; {where_else}", names.join(", ")),
                width,
                "",
            );
        }
        text
    }

    /// Returns the columns with their positions, as wide as their widest cells.
    fn measured_columns(&self) -> Vec<(usize, TextColumn)> {
        let mut columns = self.columns.clone();
        for column in &mut columns {
            column.width = column.heading.chars().count();
        }
        for row in &self.rows {
            if let TextTableRow::Cells(cells) = row {
                for (column, cell) in columns.iter_mut().zip(cells) {
                    column.width = column.width.max(cell.chars().count());
                }
            }
        }
        columns.into_iter().enumerate().collect()
    }

    fn render_lines(&self, columns: &[(usize, TextColumn)]) -> String {
        let mut text = String::new();
        let is_narrowed = total_width(columns) < total_width(&self.measured_columns());
        let headings: Vec<&str> = self.columns.iter().map(|column| column.heading).collect();
        push_line(&mut text, columns, &headings);
        for row in &self.rows {
            match row {
                TextTableRow::Cells(cells) => {
                    let cells: Vec<&str> = cells.iter().map(String::as_str).collect();
                    push_line(&mut text, columns, &cells);
                }
                TextTableRow::Rule(label) => {
                    let width = total_width(columns);
                    let start =
                        if label.is_empty() { String::new() } else { format!("-- {label} ") };
                    let rule = match start.chars().count() > width && is_narrowed {
                        true => start.chars().take(width).collect(),
                        false => format!("{start:-<width$}"),
                    };
                    text.push_str(rule.trim_end());
                    text.push('\n');
                }
            }
        }
        text
    }
}

fn push_line(text: &mut String, columns: &[(usize, TextColumn)], cells: &[&str]) {
    let mut line = String::new();
    for (place, (at, column)) in columns.iter().enumerate() {
        if place > 0 {
            line.push_str(COLUMN_GAP);
        }
        let width = column.width;
        let cell = truncate_cell(cells.get(*at).copied().unwrap_or_default(), column);
        match column.alignment {
            Alignment::Left => line.push_str(&format!("{cell:<width$}")),
            Alignment::Right => line.push_str(&format!("{cell:>width$}")),
        }
    }
    text.push_str(line.trim_end());
    text.push('\n');
}

/// Cuts a cell to the width of its column.
fn truncate_cell(cell: &str, column: &TextColumn) -> String {
    let (count, width) = (cell.chars().count(), column.width);
    if count <= width {
        return cell.to_owned();
    }
    let kept = width.saturating_sub(1);
    match column.narrowing {
        ColumnNarrowing::CutStart => {
            format!("…{}", cell.chars().skip(count - kept).collect::<String>())
        }
        _ => format!("{}…", cell.chars().take(kept).collect::<String>()),
    }
}

fn total_width(columns: &[(usize, TextColumn)]) -> usize {
    let gaps = COLUMN_GAP.len() * columns.len().saturating_sub(1);
    columns.iter().map(|(_, column)| column.width).sum::<usize>() + gaps
}

/// Returns the smallest total width of the columns.
fn minimum_width(columns: &[(usize, TextColumn)]) -> usize {
    let saved = columns.iter().filter(|(_, column)| column.is_shrinkable());
    total_width(columns)
        - saved.map(|(_, column)| column.width.saturating_sub(column.width_min)).sum::<usize>()
}

/// Narrows the widest shrinkable column again and again until all fit.
fn shrink_columns(columns: &mut [(usize, TextColumn)], width: usize) {
    for _ in width..total_width(columns) {
        let shrinking = columns
            .iter_mut()
            .filter(|(_, column)| column.is_shrinkable() && column.width > column.width_min);
        match shrinking.max_by_key(|(_, column)| column.width) {
            Some((_, column)) => column.width -= 1,
            None => return,
        }
    }
}

impl TextColumn {
    fn is_shrinkable(&self) -> bool {
        matches!(self.narrowing, ColumnNarrowing::CutEnd | ColumnNarrowing::CutStart)
    }
}

/// Wraps text between words to lines of at most `width` characters, as far as its words allow.
/// Further lines get the indentation of the text plus `indent`. The result ends with a line break.
pub(crate) fn wrap_text(text: &str, width: usize, indent: &str) -> String {
    let words = text.trim_start_matches(' ');
    let start = &text[..text.len() - words.len()];
    let mut lines = String::new();
    let mut line = start.to_owned();
    let mut has_word = false;
    for word in words.split(' ') {
        if has_word && line.chars().count() + 1 + word.chars().count() > width {
            lines += line.trim_end();
            lines.push('\n');
            line = format!("{start}{indent}{word}");
        } else if has_word {
            line = format!("{line} {word}");
        } else {
            line.push_str(word);
        }
        has_word = true;
    }
    lines + line.trim_end() + "\n"
}

const COLUMN_GAP: &str = "  ";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let mut table = TextTable::new(vec![
            ("name", Alignment::Left),
            ("n", Alignment::Right),
            ("é", Alignment::Left),
        ]);
        table.push_row(vec!["a".into(), "1 000".into(), "x".into()]);
        table.push_separator("");
        table.push_row(vec!["longer".into(), "2".into()]);
        table.push_separator("more");
        table.push_separator("wider than the table");
        assert_eq!(
            table.render(None, ""),
            "name        n  é\n\
             a       1 000  x\n\
             ----------------\n\
             longer      2\n\
             -- more --------\n\
             -- wider than the table\n"
        );
        assert_eq!(TextTable::new(vec![("name", Alignment::Left)]).render(None, ""), "name\n");
    }

    #[test]
    fn a_narrow_terminal_has_fewer_and_shorter_columns() {
        let columns = ["name", "n", "much", "where"].map(|heading| (heading, Alignment::Left));
        let mut table = TextTable::new(columns.to_vec())
            .with_narrowing(&["n"], ColumnNarrowing::Dropped(2))
            .with_narrowing(&["much"], ColumnNarrowing::Dropped(1))
            .with_narrowing(&["name"], ColumnNarrowing::CutEnd)
            .with_narrowing(&["where"], ColumnNarrowing::CutStart);
        table.push_row(["a long name", "1", "12345", "/home/me/work"].map(str::to_owned).to_vec());
        let within = |width| table.render(width, "see --json");
        assert_eq!(within(None), table.render(None, ""));
        assert_eq!(within(Some(36)), table.render(None, ""));
        assert_eq!(
            within(Some(30)),
            "name       n  much   where\na long n…  1  12345  …/me/work\n"
        );
        assert_eq!(
            within(Some(24)),
            "name        n  where\na long na…  1  …/me/work\ncolumns not shown: much;\nsee --json\n"
        );
        assert_eq!(within(Some(1)).lines().nth(1), Some("a long …  …me/work"));
    }

    #[test]
    fn lines_are_broken_between_words() {
        assert_eq!(wrap_text("one two  three", 8, "  "), "one two\n  three\n");
        assert_eq!(wrap_text("longer-than-that a", 4, ""), "longer-than-that\na\n");
        assert_eq!(wrap_text("  a bc d", 5, " "), "  a\n   bc\n   d\n");
    }
}
