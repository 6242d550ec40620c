//! Tables as text: columns as wide as their widest cell.

/// Which side a column's cells keep to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    /// Names.
    Left,
    /// Numbers.
    Right,
}

/// A table under construction.
#[derive(Debug, Clone)]
pub(crate) struct Table {
    columns: Vec<(&'static str, Side)>,
    rows: Vec<Row>,
}

#[derive(Debug, Clone)]
enum Row {
    Cells(Vec<String>),
    Rule(&'static str),
}

impl Table {
    /// An empty table with these headings.
    pub(crate) fn new(columns: Vec<(&'static str, Side)>) -> Self {
        Self { columns, rows: Vec::new() }
    }

    /// Adds a row. Cells beyond the columns are left out; missing ones are empty.
    pub(crate) fn row(&mut self, cells: Vec<String>) {
        self.rows.push(Row::Cells(cells));
    }

    /// Adds a line between groups of rows that names the group below, if `label` is not empty.
    pub(crate) fn rule(&mut self, label: &'static str) {
        self.rows.push(Row::Rule(label));
    }

    /// The table as lines, each ended by a line break, without spaces at the ends.
    pub(crate) fn render(&self) -> String {
        let widths = self.widths();
        let mut text = String::new();
        let headings: Vec<&str> = self.columns.iter().map(|(heading, _)| *heading).collect();
        self.line(&mut text, &widths, &headings);
        for row in &self.rows {
            match row {
                Row::Cells(cells) => {
                    let cells: Vec<&str> = cells.iter().map(String::as_str).collect();
                    self.line(&mut text, &widths, &cells);
                }
                Row::Rule(label) => {
                    let gaps = GAP.len() * widths.len().saturating_sub(1);
                    let width = widths.iter().sum::<usize>() + gaps;
                    let start =
                        if label.is_empty() { String::new() } else { format!("-- {label} ") };
                    text.push_str(format!("{start:-<width$}").trim_end());
                    text.push('\n');
                }
            }
        }
        text
    }

    fn widths(&self) -> Vec<usize> {
        let mut widths: Vec<usize> =
            self.columns.iter().map(|(heading, _)| heading.chars().count()).collect();
        for row in &self.rows {
            if let Row::Cells(cells) = row {
                for (width, cell) in widths.iter_mut().zip(cells) {
                    *width = (*width).max(cell.chars().count());
                }
            }
        }
        widths
    }

    fn line(&self, text: &mut String, widths: &[usize], cells: &[&str]) {
        let mut line = String::new();
        for (at, ((_, side), width)) in self.columns.iter().zip(widths).enumerate() {
            if at > 0 {
                line.push_str(GAP);
            }
            let cell = cells.get(at).copied().unwrap_or_default();
            match side {
                Side::Left => line.push_str(&format!("{cell:<width$}")),
                Side::Right => line.push_str(&format!("{cell:>width$}")),
            }
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
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
            table.render(),
            "name        n  é\n\
             a       1 000  x\n\
             ----------------\n\
             longer      2\n\
             -- more --------\n\
             -- wider than the table\n"
        );
        assert_eq!(Table::new(vec![("name", Side::Left)]).render(), "name\n");
    }
}
