//! Unified diffs on a terminal.

use foveal_syntax::highlighting::HighlightClass;

use crate::colour::{OutputStyle, Painter};
use crate::coloured_text::ColouredText;

/// Indents a unified diff and paints added lines green, removed lines red.
pub(crate) fn paint_diff(diff: &str, painter: Painter) -> ColouredText {
    let mut text = ColouredText::default();
    for line in diff.lines() {
        let style = match line.as_bytes().first() {
            Some(b'+') => Some(OutputStyle::Code(HighlightClass::Text)),
            Some(b'-') => Some(OutputStyle::Code(HighlightClass::Constant)),
            Some(b'@') => Some(OutputStyle::Secondary),
            _ => None,
        };
        text.push_str("  ");
        text.push(match style {
            Some(style) => painter.paint_lines(style, line),
            None => line.into(),
        });
        text.push_str("\n");
    }
    text
}
