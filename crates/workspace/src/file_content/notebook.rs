//! Jupyter notebooks.

use std::fmt::Write as _;

use foveal_screen::numbers::PlainCount;
use serde_json::Value;

/// Lines of one output that are shown.
const OUTPUT_LINES_MAX: usize = 20;

/// Characters of one output line that are shown.
const OUTPUT_LINE_CHARS_MAX: usize = 500;

/// The kind of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CellKind {
    /// Code with its outputs.
    Code,
    /// Markdown text.
    Markdown,
    /// Any other kind.
    Raw,
}

/// A cell of a notebook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotebookCell {
    /// The kind of the cell.
    pub kind: CellKind,
    /// The source text of the cell.
    pub source: String,
    /// The outputs as text; images and the like are named by media type.
    pub outputs: Vec<String>,
}

/// A notebook in nbformat 3 or 4.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notebook {
    /// The language of the code cells, if given.
    pub language: Option<String>,
    /// The cells in order.
    pub cells: Vec<NotebookCell>,
}

impl Notebook {
    /// Parses the text of a notebook file, or returns `None` if it is not one.
    pub fn parse(text: &str) -> Option<Self> {
        let value: Value = serde_json::from_str(text).ok()?;
        value.get("nbformat")?;
        let cells = value.get("cells").or_else(|| value.pointer("/worksheets/0/cells"))?;
        let language = value
            .pointer("/metadata/language_info/name")
            .or_else(|| value.pointer("/metadata/kernelspec/language"))
            .and_then(Value::as_str)
            .map(str::to_owned);
        Some(Self { language, cells: cells.as_array()?.iter().map(parse_cell).collect() })
    }

    /// Returns the cells as text, each below a line with its number from 1. Long outputs are
    /// truncated, with the number of omitted lines.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        for (index, cell) in self.cells.iter().enumerate() {
            let kind = match cell.kind {
                CellKind::Code => self.language.as_deref().unwrap_or("code"),
                CellKind::Markdown => "markdown",
                CellKind::Raw => "raw",
            };
            let number = index + 1;
            let _ =
                writeln!(text, "[cell {number}: {kind}]\n{}", cell.source.trim_end_matches('\n'));
            for output in &cell.outputs {
                let _ = writeln!(text, "[output of cell {number}]\n{}", truncate_output(output));
            }
        }
        text
    }
}

fn parse_cell(value: &Value) -> NotebookCell {
    let kind = match value.get("cell_type").and_then(Value::as_str) {
        Some("code") => CellKind::Code,
        Some("markdown" | "heading") => CellKind::Markdown,
        _ => CellKind::Raw,
    };
    let source =
        value.get("source").or_else(|| value.get("input")).map(join_lines).unwrap_or_default();
    let outputs = value.get("outputs").and_then(Value::as_array);
    NotebookCell {
        kind,
        source,
        outputs: outputs.into_iter().flatten().map(parse_output).collect(),
    }
}

/// Joins a text that may be stored as a list of lines.
fn join_lines(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(lines) => lines.iter().filter_map(Value::as_str).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => String::new(),
    }
}

fn parse_output(value: &Value) -> String {
    if let Some(text) = value.get("text") {
        return join_lines(text);
    }
    if let Some(name) = value.get("ename").and_then(Value::as_str) {
        let what = value.get("evalue").and_then(Value::as_str).unwrap_or_default();
        return format!("{name}: {what}");
    }
    let Some(data) = value.get("data").and_then(Value::as_object) else { return String::new() };
    let mut parts: Vec<String> = data.get("text/plain").map(join_lines).into_iter().collect();
    let others = data.iter().filter(|(kind, _)| *kind != "text/plain");
    parts.extend(others.map(|(kind, value)| match value {
        Value::Object(_) => format!("[{kind}]"),
        value => {
            format!("[{kind}, {}]", PlainCount::new(join_lines(value).len(), "character"))
        }
    }));
    parts.join("\n")
}

/// Truncates an output to its first lines, with the number of omitted ones.
fn truncate_output(output: &str) -> String {
    let output = output.trim_end_matches('\n');
    let lines = output.lines().count();
    let mut shown = String::new();
    for line in output.lines().take(OUTPUT_LINES_MAX) {
        let end = line.char_indices().nth(OUTPUT_LINE_CHARS_MAX).map_or(line.len(), |(at, _)| at);
        shown.push_str(&line[..end]);
        if end < line.len() {
            let _ = write!(shown, " [{}]", PlainCount::new(line.len() - end, "more byte"));
        }
        shown.push('\n');
    }
    if lines > OUTPUT_LINES_MAX {
        let more = PlainCount::new(lines - OUTPUT_LINES_MAX, "more line");
        let _ = writeln!(shown, "[{more}]");
    }
    shown.truncate(shown.trim_end_matches('\n').len());
    shown
}

#[cfg(test)]
mod tests;
