//! What searches and listings find. After the findings come notes on what is missing.

use std::fmt::Write;

use foveal_code::EntityKind;
use foveal_files::tree::{Form, GlobAnswer, GrepAnswer, GrepMode, GrepRow, ListAnswer};
use foveal_index::Hit;
use serde_json::{Value, json};

use super::typed::TypedLines;

/// Lines that match.
#[derive(Debug, Clone)]
pub struct Hits {
    pub(crate) answer: GrepAnswer,
    pub(crate) mode: GrepMode,
    pub(crate) missing: String,
}

impl Hits {
    pub(super) fn typed(&self) -> TypedLines {
        let mut lines = TypedLines::default();
        for row in self.answer.rows(self.mode, Form::Headings) {
            match row {
                GrepRow::Line { line, .. } => {
                    lines.line(line.number.0, &row.gutter(), &line.text);
                }
                GrepRow::File { .. } => lines.file(&row.to_string()),
                GrepRow::Blank | GrepRow::Apart | GrepRow::Said(_) => {
                    lines.said(&format!("{row}\n"));
                }
            }
        }
        lines.said(&self.missing);
        lines
    }

    pub(super) fn data(&self) -> Value {
        json!({
            "total": self.answer.total,
            "files": self.answer.files_with_hits,
            "shown": self.answer.shown,
            "next_offset": self.answer.next_offset(),
        })
    }
}

/// Paths that match.
#[derive(Debug, Clone)]
pub struct Paths {
    pub(crate) answer: GlobAnswer,
    pub(crate) missing: String,
}

impl Paths {
    pub(super) fn render(&self) -> String {
        self.answer.render() + &self.missing
    }

    pub(super) fn data(&self) -> Value {
        json!({ "total": self.answer.total, "next_offset": self.answer.next_offset() })
    }
}

/// What folders hold.
#[derive(Debug, Clone)]
pub struct Entries {
    pub(crate) folders: Vec<ListAnswer>,
    pub(crate) missing: String,
}

impl Entries {
    pub(super) fn render(&self) -> String {
        self.folders.iter().map(ListAnswer::render).collect::<String>() + &self.missing
    }
}

/// Parts of files that the index found.
#[derive(Debug, Clone)]
pub struct CodeHits {
    pub(crate) query: String,
    pub(crate) hits: Vec<Hit>,
    pub(crate) missing: String,
}

impl CodeHits {
    pub(super) fn render(&self) -> String {
        let mut text: String = self.hits.iter().map(line).collect();
        if text.is_empty() {
            text = format!("[nothing found for `{}`; try grep]\n", self.query);
        }
        text + &self.missing
    }

    pub(super) fn data(&self) -> Value {
        json!({ "hits": self.hits.iter().map(data).collect::<Vec<_>>() })
    }
}

/// Where a hit is and what it is, on one line.
fn line(hit: &Hit) -> String {
    let kind = hit.kind.map_or("lines", EntityKind::name);
    let what = if hit.signature.is_empty() { &hit.name } else { &hit.signature };
    let mut line = format!("{}:{} {kind} {}", hit.path, hit.lines, hit.name);
    if !what.is_empty() && *what != hit.name {
        // Writing to a string cannot fail.
        let _ = write!(line, ": {what}");
    }
    line.push('\n');
    line
}

fn data(hit: &Hit) -> Value {
    json!({
        "path": hit.path,
        "first_line": hit.lines.first.0,
        "last_line": hit.lines.last.0,
        "kind": hit.kind.map(EntityKind::name),
        "name": hit.name,
        "signature": hit.signature,
    })
}
