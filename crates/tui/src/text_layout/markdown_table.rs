//! Markdown tables.

use ratatui_core::text::{Line, Span};

use super::line_wrap::{WrapMode, display_width, wrap_spans};
use crate::theme::{ColourSupport, TextRole};

/// A table that is being parsed.
#[derive(Debug, Default)]
pub(super) struct MarkdownTable {
    rows: Vec<Vec<String>>,
    row: Vec<String>,
}

impl MarkdownTable {
    /// Adds a cell to the open row.
    pub(super) fn push_cell(&mut self, spans: &[Span<'_>]) {
        self.row.push(spans.iter().map(|span| &*span.content).collect());
    }

    /// Ends the open row.
    pub(super) fn end_row(&mut self) {
        self.rows.push(std::mem::take(&mut self.row));
    }

    /// Returns the table in columns if it fits, else with one line for each cell.
    pub(super) fn render(&self, columns: usize, colours: ColourSupport) -> Vec<Line<'static>> {
        let count = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let wide = |at: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(at));
            cells.map(|cell| display_width(cell)).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..count).map(wide).collect();
        let total = widths.iter().sum::<usize>() + 3 * count.saturating_sub(1);
        match total <= columns {
            true => self.render_columns(&widths, colours),
            false => self.render_cells(columns, colours),
        }
    }

    fn render_columns(&self, widths: &[usize], colours: ColourSupport) -> Vec<Line<'static>> {
        let aside = colours.role_style(TextRole::Aside);
        let mut lines = Vec::new();
        for (at, row) in self.rows.iter().enumerate() {
            let style =
                colours.role_style(if at == 0 { TextRole::Strong } else { TextRole::Plain });
            let mut spans = Vec::new();
            for (place, wide) in widths.iter().enumerate() {
                let cell = row.get(place).map_or("", String::as_str);
                let is_last = place + 1 == widths.len();
                let blank = if is_last { 0 } else { wide.saturating_sub(display_width(cell)) };
                spans.push(Span::styled(format!("{cell}{}", " ".repeat(blank)), style));
                if !is_last {
                    spans.push(Span::styled(" │ ", aside));
                }
            }
            lines.push(Line::from(spans));
            if at == 0 {
                let rules: Vec<String> = widths.iter().map(|wide| "─".repeat(*wide)).collect();
                lines.push(Line::styled(rules.join("─┼─"), aside));
            }
        }
        lines
    }

    fn render_cells(&self, columns: usize, colours: ColourSupport) -> Vec<Line<'static>> {
        let heads = self.rows.first();
        let mut lines = Vec::new();
        for row in self.rows.iter().skip(1) {
            if !lines.is_empty() {
                lines.push(Line::default());
            }
            for (at, cell) in row.iter().enumerate() {
                let head = heads.and_then(|heads| heads.get(at)).map_or("", String::as_str);
                let spans = [
                    Span::styled(format!("{head}: "), colours.role_style(TextRole::Strong)),
                    Span::raw(cell.clone()),
                ];
                lines.extend(wrap_spans(&spans, columns, &[], &[Span::raw("  ")], WrapMode::Words));
            }
        }
        lines
    }
}
