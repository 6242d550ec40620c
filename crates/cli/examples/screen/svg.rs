//! A screen as a picture.

use std::fmt::Write as _;

use foveal_testkit::terminal_screen::{CellStyle, ScreenCell};

/// Size of a cell, and room around the screen.
const WIDE: f64 = 8.4;
const HIGH: usize = 19;
const ROOM: usize = 12;

/// What is behind everything, and text without a colour.
const BEHIND: &str = "#16181d";
const TEXT: &str = "#d7dae0";

/// The sixteen colours.
const COLOURS: [&str; 16] = [
    "#3b4048", "#ef7b85", "#98c379", "#e5c07b", "#6cb2f7", "#d58fe8", "#5fc6d0", "#d7dae0",
    "#5c6370", "#ff8f98", "#b0dc8f", "#f5d48c", "#86c3ff", "#e5a5f5", "#7fdbe4", "#ffffff",
];

/// The picture.
pub(crate) fn svg(cells: &[Vec<ScreenCell>]) -> String {
    let columns = cells.first().map_or(0, Vec::len);
    let (wide, high) = (columns as f64 * WIDE + 2.0 * ROOM as f64, cells.len() * HIGH + 2 * ROOM);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{wide:.0}\" height=\"{high}\" \
         viewBox=\"0 0 {wide:.0} {high}\">\n\
         <rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"{BEHIND}\"/>\n\
         <g font-family=\"ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace\" \
         font-size=\"14\" fill=\"{TEXT}\">\n"
    );
    for (row, line) in cells.iter().enumerate() {
        let mut from = 0;
        while from < line.len() {
            let look = line[from].style;
            let same = line[from..].iter().take_while(|cell| cell.style == look).count();
            piece(&mut svg, (row, from), &line[from..from + same], look);
            from += same;
        }
    }
    svg.push_str("</g>\n</svg>\n");
    svg
}

fn piece(svg: &mut String, (row, from): (usize, usize), cells: &[ScreenCell], look: CellStyle) {
    // Browsers measure non-breaking blanks like letters, and a text begins at its first letter.
    let text: String = cells.iter().map(|cell| cell.character).collect();
    let text = text.replace('\u{a0}', " ");
    if text.trim().is_empty() && !look.reversed {
        return;
    }
    let left = ROOM as f64 + from as f64 * WIDE;
    let (top, wide) = (ROOM + row * HIGH, cells.len() as f64 * WIDE);
    let colour = look.colour.and_then(|at| COLOURS.get(usize::from(at))).copied();
    let mut style = String::new();
    if look.reversed {
        let behind = colour.unwrap_or(TEXT);
        let rect = format!("x=\"{left:.1}\" y=\"{top}\" width=\"{wide:.1}\" height=\"{HIGH}\"");
        let _ = writeln!(svg, "<rect {rect} fill=\"{behind}\"/>");
        let _ = write!(style, " fill=\"{BEHIND}\"");
    } else if let Some(colour) = colour {
        let _ = write!(style, " fill=\"{colour}\"");
    }
    for (is_so, say) in [
        (look.bold, " font-weight=\"bold\""),
        (look.dim, " opacity=\"0.6\""),
        (look.italic, " font-style=\"italic\""),
        (look.underlined, " text-decoration=\"underline\""),
    ] {
        style.push_str(if is_so { say } else { "" });
    }
    let mut at = 0;
    for words in text.split_inclusive("  ") {
        let start = words.len() - words.trim_start().len();
        write_words(svg, (left + (at + start) as f64 * WIDE, top + 14), words.trim(), &style);
        at += words.chars().count();
    }
}

/// Writes words with single blanks between them. Browsers drop other blanks, and would spread the
/// letters over the length with them.
fn write_words(svg: &mut String, (left, base): (f64, usize), words: &str, style: &str) {
    if words.is_empty() {
        return;
    }
    let wide = words.chars().count() as f64 * WIDE;
    let words = words.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let _ = writeln!(
        svg,
        "<text x=\"{left:.1}\" y=\"{base}\" textLength=\"{wide:.1}\"{style}>{words}</text>"
    );
}
