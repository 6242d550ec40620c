//! Jupyter notebooks as their cells.

use std::fmt::Write as _;

use serde_json::Value;

/// Lines shown of one output.
const OUTPUT_LINES_MAX: usize = 20;

/// Characters shown of one line of an output.
const OUTPUT_LINE_CHARS_MAX: usize = 500;

/// What a cell is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CellKind {
    /// A program with its outputs.
    Code,
    /// Text with marks.
    Markdown,
    /// Anything else.
    Raw,
}

/// One cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cell {
    /// What it is.
    pub kind: CellKind,
    /// What was typed into it.
    pub source: String,
    /// What came of it, as text; images and the like are named.
    pub outputs: Vec<String>,
}

/// A notebook, nbformat 3 or 4.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notebook {
    /// The language of its programs, if it says.
    pub language: Option<String>,
    /// The cells in order.
    pub cells: Vec<Cell>,
}

impl Notebook {
    /// The notebook that `text` is, or `None` if it is none.
    pub fn parse(text: &str) -> Option<Self> {
        let value: Value = serde_json::from_str(text).ok()?;
        value.get("nbformat")?;
        let cells = value.get("cells").or_else(|| value.pointer("/worksheets/0/cells"))?;
        let language = value
            .pointer("/metadata/language_info/name")
            .or_else(|| value.pointer("/metadata/kernelspec/language"))
            .and_then(Value::as_str)
            .map(str::to_owned);
        Some(Self { language, cells: cells.as_array()?.iter().map(cell).collect() })
    }

    /// The cells as text, each under a line with its number from 1; long outputs are cut, and
    /// say so.
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
                let _ = writeln!(text, "[output of cell {number}]\n{}", cut(output));
            }
        }
        text
    }
}

fn cell(value: &Value) -> Cell {
    let kind = match value.get("cell_type").and_then(Value::as_str) {
        Some("code") => CellKind::Code,
        Some("markdown" | "heading") => CellKind::Markdown,
        _ => CellKind::Raw,
    };
    let source = value.get("source").or_else(|| value.get("input")).map(joined).unwrap_or_default();
    let outputs = value.get("outputs").and_then(Value::as_array);
    Cell { kind, source, outputs: outputs.into_iter().flatten().map(output).collect() }
}

/// A text that may be stored as a list of its lines.
fn joined(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(lines) => lines.iter().filter_map(Value::as_str).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => String::new(),
    }
}

fn output(value: &Value) -> String {
    if let Some(text) = value.get("text") {
        return joined(text);
    }
    if let Some(name) = value.get("ename").and_then(Value::as_str) {
        let what = value.get("evalue").and_then(Value::as_str).unwrap_or_default();
        return format!("{name}: {what}");
    }
    let Some(data) = value.get("data").and_then(Value::as_object) else { return String::new() };
    let mut parts: Vec<String> = data.get("text/plain").map(joined).into_iter().collect();
    let others = data.iter().filter(|(kind, _)| *kind != "text/plain");
    parts.extend(others.map(|(kind, value)| match value {
        Value::Object(_) => format!("[{kind}]"),
        value => format!("[{kind}, {} characters]", joined(value).len()),
    }));
    parts.join("\n")
}

/// The first lines of an output, and how many more there are.
fn cut(output: &str) -> String {
    let output = output.trim_end_matches('\n');
    let lines = output.lines().count();
    let mut shown = String::new();
    for line in output.lines().take(OUTPUT_LINES_MAX) {
        let end = line.char_indices().nth(OUTPUT_LINE_CHARS_MAX).map_or(line.len(), |(at, _)| at);
        shown.push_str(&line[..end]);
        if end < line.len() {
            let _ = write!(shown, " [{} more bytes]", line.len() - end);
        }
        shown.push('\n');
    }
    if lines > OUTPUT_LINES_MAX {
        let _ = writeln!(shown, "[{} more lines]", lines - OUTPUT_LINES_MAX);
    }
    shown.truncate(shown.trim_end_matches('\n').len());
    shown
}

#[cfg(test)]
mod tests;
