//! Tables as text: columns as wide as their widest cell.

/// Which side a column's cells keep to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    /// Names.
    Left,
    /// Numbers.
    Right,
}

/// What becomes of a column where there is no room for all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Narrow {
    /// It stays as it is.
    Stays,
    /// It is left out, those of the lowest number first.
    Goes(u8),
    /// Its cells lose their ends.
    LosesEnd,
    /// Its cells lose their beginnings.
    LosesStart,
}

/// A table under construction.
#[derive(Debug, Clone)]
pub(crate) struct Table {
    columns: Vec<Column>,
    rows: Vec<Row>,
}

#[derive(Debug, Clone, Copy)]
struct Column {
    heading: &'static str,
    side: Side,
    narrow: Narrow,
    width: usize,
}

#[derive(Debug, Clone)]
enum Row {
    Cells(Vec<String>),
    Rule(&'static str),
}

/// Columns that lose characters keep so many.
const CHARS_MIN: usize = 8;

impl Table {
    /// An empty table with these headings.
    pub(crate) fn new(columns: Vec<(&'static str, Side)>) -> Self {
        let column = |(heading, side)| Column { heading, side, narrow: Narrow::Stays, width: 0 };
        Self { columns: columns.into_iter().map(column).collect(), rows: Vec::new() }
    }

    /// Says what becomes of the columns of these headings where there is no room.
    #[must_use]
    pub(crate) fn narrowing(mut self, headings: &[&str], narrow: Narrow) -> Self {
        for column in self.columns.iter_mut().filter(|column| headings.contains(&column.heading)) {
            column.narrow = narrow;
        }
        self
    }

    /// Adds a row. Cells beyond the columns are left out; missing ones are empty.
    pub(crate) fn row(&mut self, cells: Vec<String>) {
        let in_one_line = |cell: String| foveal_screen::in_one_line(&cell).into_owned();
        self.rows.push(Row::Cells(cells.into_iter().map(in_one_line).collect()));
    }

    /// Adds a line between groups of rows that names the group below, if `label` is not empty.
    pub(crate) fn rule(&mut self, label: &'static str) {
        self.rows.push(Row::Rule(label));
    }

    /// Returns the table as lines, each ended by a line break, without spaces at the ends, in so
    /// many columns of a terminal; `None`: as wide as it is. Names what had to be left out, and
    /// `where_else` it can be had.
    pub(crate) fn render_within(&self, width: Option<usize>, where_else: &str) -> String {
        let mut columns = self.measured();
        let Some(width) = width else { return self.lines(&columns) };
        let mut gone = Vec::new();
        while least(&columns) > width {
            let rank = |column: &(usize, Column)| match column.1.narrow {
                Narrow::Goes(rank) => Some(rank),
                _ => None,
            };
            let Some(first) = columns.iter().filter_map(rank).min() else { break };
            let Some(at) = columns.iter().rposition(|column| rank(column) == Some(first)) else {
                break;
            };
            gone.push(columns.remove(at));
        }
        shrink(&mut columns, width);
        let mut text = self.lines(&columns);
        if !gone.is_empty() {
            gone.sort_by_key(|(at, _)| *at);
            let names: Vec<&str> = gone.iter().map(|(_, column)| column.heading).collect();
            text += &wrapped(&format!("left out: {}; {where_else}", names.join(", ")), width, "");
        }
        text
    }

    /// The columns by their places, as wide as their widest cells.
    fn measured(&self) -> Vec<(usize, Column)> {
        let mut columns = self.columns.clone();
        for column in &mut columns {
            column.width = column.heading.chars().count();
        }
        for row in &self.rows {
            if let Row::Cells(cells) = row {
                for (column, cell) in columns.iter_mut().zip(cells) {
                    column.width = column.width.max(cell.chars().count());
                }
            }
        }
        columns.into_iter().enumerate().collect()
    }

    fn lines(&self, columns: &[(usize, Column)]) -> String {
        let mut text = String::new();
        let is_narrowed = whole(columns) < whole(&self.measured());
        let headings: Vec<&str> = self.columns.iter().map(|column| column.heading).collect();
        line(&mut text, columns, &headings);
        for row in &self.rows {
            match row {
                Row::Cells(cells) => {
                    let cells: Vec<&str> = cells.iter().map(String::as_str).collect();
                    line(&mut text, columns, &cells);
                }
                Row::Rule(label) => {
                    let width = whole(columns);
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

fn line(text: &mut String, columns: &[(usize, Column)], cells: &[&str]) {
    let mut line = String::new();
    for (place, (at, column)) in columns.iter().enumerate() {
        if place > 0 {
            line.push_str(GAP);
        }
        let width = column.width;
        let cell = cut(cells.get(*at).copied().unwrap_or_default(), column);
        match column.side {
            Side::Left => line.push_str(&format!("{cell:<width$}")),
            Side::Right => line.push_str(&format!("{cell:>width$}")),
        }
    }
    text.push_str(line.trim_end());
    text.push('\n');
}

/// A cell of no more characters than its column has.
fn cut(cell: &str, column: &Column) -> String {
    let (count, width) = (cell.chars().count(), column.width);
    if count <= width {
        return cell.to_owned();
    }
    let kept = width.saturating_sub(1);
    match column.narrow {
        Narrow::LosesStart => {
            format!("…{}", cell.chars().skip(count - kept).collect::<String>())
        }
        _ => format!("{}…", cell.chars().take(kept).collect::<String>()),
    }
}

fn whole(columns: &[(usize, Column)]) -> usize {
    let gaps = GAP.len() * columns.len().saturating_sub(1);
    columns.iter().map(|(_, column)| column.width).sum::<usize>() + gaps
}

/// How wide columns are at least.
fn least(columns: &[(usize, Column)]) -> usize {
    let saved = columns.iter().filter(|(_, column)| column.shrinks());
    whole(columns) - saved.map(|(_, column)| column.width.saturating_sub(CHARS_MIN)).sum::<usize>()
}

/// Takes from the widest of those that may shrink until all fit.
fn shrink(columns: &mut [(usize, Column)], width: usize) {
    for _ in width..whole(columns) {
        let shrinking = columns.iter_mut().filter(|(_, column)| column.shrinks());
        let widest = shrinking.max_by_key(|(_, column)| column.width);
        match widest {
            Some((_, column)) if column.width > CHARS_MIN => column.width -= 1,
            _ => return,
        }
    }
}

impl Column {
    fn shrinks(&self) -> bool {
        matches!(self.narrow, Narrow::LosesEnd | Narrow::LosesStart)
    }
}

/// Text in lines of at most `width` characters, where its words allow it; lines after the first
/// begin as it does, and with `indent`. Ends with a line break.
pub(crate) fn wrapped(text: &str, width: usize, indent: &str) -> String {
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

const GAP: &str = "  ";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let mut table =
            Table::new(vec![("name", Side::Left), ("n", Side::Right), ("é", Side::Left)]);
        table.row(vec!["a".into(), "1 000".into(), "x".into()]);
        table.rule("");
        table.row(vec!["longer".into(), "2".into()]);
        table.rule("more");
        table.rule("wider than the table");
        assert_eq!(
            table.render_within(None, ""),
            "name        n  é\n\
             a       1 000  x\n\
             ----------------\n\
             longer      2\n\
             -- more --------\n\
             -- wider than the table\n"
        );
        assert_eq!(Table::new(vec![("name", Side::Left)]).render_within(None, ""), "name\n");
    }

    #[test]
    fn a_narrow_terminal_has_fewer_and_shorter_columns() {
        let columns = ["name", "n", "much", "where"].map(|heading| (heading, Side::Left));
        let mut table = Table::new(columns.to_vec())
            .narrowing(&["n"], Narrow::Goes(2))
            .narrowing(&["much"], Narrow::Goes(1))
            .narrowing(&["name"], Narrow::LosesEnd)
            .narrowing(&["where"], Narrow::LosesStart);
        table.row(["a long name", "1", "12345", "/home/me/work"].map(str::to_owned).to_vec());
        let within = |width| table.render_within(width, "see --json");
        assert_eq!(within(None), table.render_within(None, ""));
        assert_eq!(within(Some(36)), table.render_within(None, ""));
        assert_eq!(
            within(Some(30)),
            "name       n  much   where\na long n…  1  12345  …/me/work\n"
        );
        assert_eq!(
            within(Some(24)),
            "name        n  where\na long na…  1  …/me/work\nleft out: much; see\n--json\n"
        );
        assert_eq!(within(Some(1)).lines().nth(1), Some("a long …  …me/work"));
    }

    #[test]
    fn lines_are_broken_between_words() {
        assert_eq!(wrapped("one two  three", 8, "  "), "one two\n  three\n");
        assert_eq!(wrapped("longer-than-that a", 4, ""), "longer-than-that\na\n");
        assert_eq!(wrapped("  a bc d", 5, " "), "  a\n   bc\n   d\n");
    }
}
