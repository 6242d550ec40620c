//! Unified diffs on a terminal.

use foveal_code::highlight::HighlightClass;

use crate::colour::{Painter, Style};

/// The lines of a unified diff, indented: what is added green, what is removed red.
pub(crate) fn painted(diff: &str, painter: Painter) -> String {
    let mut text = String::new();
    for line in diff.lines() {
        let style = match line.as_bytes().first() {
            Some(b'+') => Some(Style::Code(HighlightClass::Text)),
            Some(b'-') => Some(Style::Code(HighlightClass::Constant)),
            Some(b'@') => Some(Style::Aside),
            _ => None,
        };
        let line = style.map_or_else(|| line.to_owned(), |style| painter.paint(style, line));
        text += &format!("  {line}\n");
    }
    text
}
