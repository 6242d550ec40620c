//! Unified diffs on a terminal.

use foveal_code::highlight::HighlightClass;

use crate::colour::{Painter, Style};
use crate::shown::Shown;

/// The lines of a unified diff, indented: what is added green, what is removed red.
pub(crate) fn painted(diff: &str, painter: Painter) -> Shown {
    let mut text = Shown::default();
    for line in diff.lines() {
        let style = match line.as_bytes().first() {
            Some(b'+') => Some(Style::Code(HighlightClass::Text)),
            Some(b'-') => Some(Style::Code(HighlightClass::Constant)),
            Some(b'@') => Some(Style::Aside),
            _ => None,
        };
        text.push_str("  ");
        text.push(match style {
            Some(style) => painter.in_lines(style, line),
            None => line.into(),
        });
        text.push_str("\n");
    }
    text
}
