//! Pictures in docs: each text is drawn where its characters stand.

use std::fs;
use std::path::Path;

use foveal_testkit::terminal_screen::TerminalScreen;

use super::browser::{DrawnPicture, DrawnText, draw_pictures};
use super::svg::svg;
use crate::world::World;

/// Width and height of a character in the pictures of the screen.
const CELL_WIDTH: f64 = 8.4;
const CELL_HEIGHT: f64 = 19.0;

/// The left edge of the first character, and its base line.
const ORIGIN: (f64, f64) = (12.0, 26.0);

/// How far a letter may lie from its place.
const TOLERANCE: f64 = 0.6;

/// Browsers collapse blanks in text, unless its own element preserves them, and then spread the
/// remaining letters over `textLength`.
#[test]
fn no_text_of_a_picture_depends_on_blanks() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/picture");
    let mut texts = 0;
    for entry in fs::read_dir(folder).expect("a folder of pictures") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|extension| extension != "svg") {
            continue;
        }
        let svg = fs::read_to_string(&path).expect("a picture");
        for element in svg.split("<text ").skip(1) {
            let (attributes, rest) = element.split_once('>').expect("a tag");
            let text = rest.split_once("</text>").expect("a text").0;
            let shown = format!("{}: {attributes}>{text}", path.display());
            if !attributes.contains("xml:space=\"preserve\"") {
                assert!(!text.contains("  ") && text.trim() == text, "{shown}");
            }
            if let Some((_, length)) = attributes.split_once("textLength=\"") {
                let length = length.split('"').next().expect("a value");
                let plain = text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
                let wide = plain.chars().count() as f64 * CELL_WIDTH;
                assert_eq!(length, format!("{wide:.1}"), "{shown}");
            }
            texts += 1;
        }
    }
    assert!(texts > 100, "{texts}");
}

/// Returns the row and column of the cell at whose left edge a character is drawn.
#[track_caller]
fn cell_of(text: &DrawnText, at: usize) -> (usize, usize) {
    let column = (text.starts[at] - ORIGIN.0) / CELL_WIDTH;
    let row = (text.base - ORIGIN.1) / CELL_HEIGHT;
    let off = (column - column.round()).abs() * CELL_WIDTH;
    assert!(off <= TOLERANCE && row.fract() == 0.0, "character {at} is between cells: {text:?}");
    (row as usize, column.round() as usize)
}

/// Returns the rows of a picture of the screen, each character where a browser draws it.
#[track_caller]
fn drawn_rows(picture: &DrawnPicture) -> Vec<String> {
    let [_, _, width, height] = picture.size;
    let columns = ((width - 2.0 * ORIGIN.0) / CELL_WIDTH).round() as usize;
    let rows = ((height - 2.0 * ORIGIN.0) / CELL_HEIGHT).round() as usize;
    let mut cells = vec![vec![' '; columns]; rows];
    for text in &picture.texts {
        let letters: Vec<char> = text.text.chars().collect();
        assert_eq!(letters.len(), text.starts.len(), "letters are lost: {text:?}");
        for (at, letter) in letters.iter().enumerate() {
            let (row, column) = cell_of(text, at);
            let cell = &mut cells[row][column];
            assert_eq!(*cell, ' ', "two letters in one cell: {text:?}");
            *cell = *letter;
        }
        // A single sign of another font may be wider than its cell.
        let width = text.starts.len() as f64 * CELL_WIDTH;
        let off = (text.end - text.starts[0] - width).abs();
        assert!(letters.len() == 1 || off <= TOLERANCE, "{text:?}");
    }
    cells.iter().map(|row| String::from_iter(row).trim_end().to_owned()).collect()
}

/// The pictures of the chat are drawn from a terminal's cells: Chromium draws each letter in its
/// cell.
#[test]
fn a_browser_draws_each_letter_in_its_cell() {
    let mut screen = TerminalScreen::new(40, 4);
    let output = "\x1b[2;3H\x1b[1my\x1b[0m\u{a0}once  \x1b[1ms\x1b[0m\u{a0}this\u{a0}session\
        \x1b[3;2H\x1b[31m-   if a <  b && c > d   { \"x\" }\x1b[0m !\x1b[4;1H────\x1b[7m  ~ ∴ \x1b[0m ✓";
    assert_eq!(screen.write_output(output.as_bytes()), output.len());
    let world = World::new("picture-cells");
    let Some(drawn) = draw_pictures(&world, &[svg(screen.cells())]) else { return };
    let expected: Vec<String> =
        screen.rows().map(|row| row.replace('\u{a0}', " ").trim_end().to_owned()).collect();
    assert_eq!(drawn_rows(&drawn[0]), expected);
}

/// The pictures of the pages: letters of a screen lie in cells, other texts in their boxes.
#[test]
fn a_browser_draws_the_pictures_of_the_pages_as_they_are_meant() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/picture");
    let chat = ["chat", "chat-question", "chat-context", "chat-config"];
    let all: Vec<String> = chat
        .iter()
        .chain(&["before-after"])
        .map(|name| fs::read_to_string(folder.join(format!("{name}.svg"))).expect("a picture"))
        .collect();
    let world = World::new("picture-pages");
    let Some(drawn) = draw_pictures(&world, &all) else { return };
    let words = [
        "Parcels are free at 50 euros and above now:",
        "  y once  s this session  a always  n no",
        "Context: ",
        "Settings in /tmp/shop/home/.config/foveal/config.toml",
    ];
    for ((picture, name), words) in drawn.iter().zip(chat).zip(words) {
        let rows = drawn_rows(picture);
        assert!(rows.iter().any(|row| row.starts_with(words)), "{name}: {rows:#?}");
    }
    let picture = drawn.last().expect("five pictures");
    for text in &picture.texts {
        // The smallest box around its start.
        let (start, base) = (text.starts[0], text.base);
        let around = picture.boxes.iter().filter(|[left, top, right, bottom]| {
            (left..right).contains(&&start) && (top..bottom).contains(&&base)
        });
        let right = around.map(|[_, _, right, _]| *right).fold(f64::INFINITY, f64::min);
        assert!(text.end < right && right.is_finite(), "beyond {right}: {text:?}");
    }
}
