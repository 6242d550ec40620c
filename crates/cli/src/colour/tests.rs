use super::*;
use crate::coloured_text::Audience;
use foveal_engine::note::{LineNumberRange, Note, NoteKind};
use foveal_relevance::numbered_listing::render_rows;
use foveal_relevance::outline_listing::outline_rows;
use foveal_syntax::{outline, parse_file};
use foveal_transcript::LineNumber;
use proptest::prelude::*;

const COLOURED: Painter = Painter { on: true, for_person: false };

fn line(number: u32, width: usize, text: &str) -> ListingRow {
    ListingRow::Line { number: LineNumber(number), width, text: text.into() }
}

/// Returns the text without colour codes.
fn stripped(text: &str) -> String {
    let mut parts = text.split("\x1b[");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        out += part.split_once('m').map_or(part, |(_, rest)| rest);
    }
    out
}

fn told(shown: &ColouredText) -> String {
    shown.render(Audience::Person).replace('\x1b', "^")
}

/// Checks that colours change no text, and that none extends beyond its line.
fn holds(coloured: &ColouredText, plain: &str) {
    let coloured = coloured.render(Audience::Program);
    let coloured = coloured.as_str();
    assert_eq!(stripped(coloured), plain);
    for line in coloured.lines() {
        let begins = line.matches("\x1b[").count() - line.matches("\x1b[0m").count();
        assert_eq!(begins, line.matches("\x1b[0m").count(), "{line:?}");
    }
}

fn text_of(path: &str, text: &str) {
    let parsed = parse_file(path, text);
    let rows = outline_rows(&outline(&parsed, text), &parsed, text);
    let listing = render_rows(&rows);
    let plain = Painter { on: false, for_person: false };
    holds(&COLOURED.paint_file_rows(path, text, rows.iter().map(OutputRow::from)), &listing);
    holds(&COLOURED.highlight_file(path, text), text);
    holds(&COLOURED.highlight_fragment(path, text), text);
    assert_eq!(plain.paint_file_rows(path, text, rows.iter().map(OutputRow::from)), listing.into());
    let file = ListingRow::File { path: path.into(), line_count: 7 };
    let map: Vec<_> = [file].into_iter().chain(rows).collect();
    holds(&COLOURED.paint_rows_of_files(map.iter().map(OutputRow::from)), &render_rows(&map));
    let said = [RowKind::Note, RowKind::File, RowKind::Line { number: 2, gutter: 1 }];
    let said = said.map(AnswerRow::from);
    let ended = if text.is_empty() { String::new() } else { format!("{text}\n") };
    holds(&COLOURED.paint_rows_of_files(answer_rows(&ended, &said)), &ended);
}

#[test]
fn words_of_code_have_colours() {
    let text = "/* one\n two */\nfn go() -> u32 { 1 }\n";
    let kind = NoteKind::Hidden { of: None, is_before: false, names: Vec::new(), more: 0 };
    let note = Note { lines: vec![LineNumberRange(4, 4)], ..Note::new(kind) };
    let lines = (1..).zip(text.lines()).map(|(at, text)| line(at, 1, text));
    let rows: Vec<_> = lines.chain([ListingRow::Note { indent: 2, note }]).collect();
    let coloured = |text, rows: &[ListingRow]| {
        told(&COLOURED.paint_file_rows("a.rs", text, rows.iter().map(OutputRow::from)))
    };
    assert_eq!(
        coloured(text, &rows),
        "^[2m1→^[0m^[2m/* one^[0m\n^[2m2→^[0m^[2m two */^[0m\n\
         ^[2m3→^[0m^[35mfn^[0m ^[1mgo^[0m() -> ^[36mu32^[0m { ^[31m1^[0m }\n\
         ^[2m  [4: 1 line]^[0m\n"
    );
    let file = ListingRow::File { path: "a.rs".into(), line_count: 9 };
    let map = [file, line(3, 2, "fn go() {")];
    assert_eq!(
        told(&COLOURED.paint_rows_of_files(map.iter().map(OutputRow::from))),
        "^[36ma.rs^[0m^[2m (9 lines)^[0m\n^[2m 3→^[0m^[35mfn^[0m ^[1mgo^[0m() {\n"
    );
}

#[test]
fn only_so_many_lines_of_a_map_have_highlights() {
    let file = ListingRow::File { path: "a.rs".into(), line_count: 9 };
    let lines = std::iter::repeat_n(line(1, 1, "fn go() {"), HIGHLIGHTED_LINES_MAX + 1);
    let rows: Vec<_> = [file].into_iter().chain(lines).collect();
    let coloured = COLOURED.paint_rows_of_files(rows.iter().map(OutputRow::from));
    assert_eq!(told(&coloured).matches("^[35m").count(), HIGHLIGHTED_LINES_MAX);
    holds(&coloured, &render_rows(&rows));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..Default::default() })]

    #[test]
    fn colours_change_no_text(
        path in proptest::sample::select(&["a.rs", "a.py", "a.ts", "a.php", "a.md", "a.toml", "a"][..]),
        text in "(fn a\\(\\) \\{|\\}|/\\*|\\*/|\"|'|#|def a\\(b: int\\):|[ \\n\\r\\t→a-c0-9]|[^\\x1b]){0,60}",
    ) {
        text_of(path, &text);
    }
}

#[test]
fn a_row_is_cut_to_the_columns_of_a_terminal() {
    let text = "pub fn of(record: &Record, ledger: &Ledger, settings: &Settings) -> Result<Shape>";
    let row = |text: &'static str| OutputRow::Line {
        number: 12,
        gutter: "12│".into(),
        text: text.into(),
    };
    let cut = |columns| match row(text).truncate_to_columns(columns) {
        OutputRow::Line { gutter, text, .. } => format!("{gutter}{text}"),
        OutputRow::File { .. } | OutputRow::Text(_) => String::new(),
    };
    assert_eq!(cut(60), "12│pub fn of(record: &Record, ledger: &Ledger, settings: &S…");
    assert_eq!(cut(60).chars().count(), 60);
    assert_eq!(cut(usize::MAX), format!("12│{text}"));
    assert_eq!(cut(84), format!("12│{text}"));
    assert_eq!(cut(0).chars().count(), 23);
}
