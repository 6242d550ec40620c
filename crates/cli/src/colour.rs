//! Colours for text on a terminal: escape codes around what is printed, and nothing else
//! changed. Of the sixteen basic colours only those that can be read on dark and on light.

use foveal_code::highlight::{Highlight, HighlightClass, highlights, highlights_of_piece};

/// Pieces of one output that have highlights; further ones are plain.
const PIECES_MAX: usize = 2_000;

/// When to print in colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub(crate) enum ColourChoice {
    /// On a terminal, unless NO_COLOR is set or TERM is `dumb`.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// How something is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    /// Where something is.
    Place,
    /// What it is about.
    Name,
    /// What is said beside it.
    Aside,
    /// Code.
    Code(HighlightClass),
}

impl Style {
    /// What stands between `ESC [` and `m`.
    fn code(self) -> &'static str {
        match self {
            Self::Place
            | Self::Code(HighlightClass::Type | HighlightClass::Escape | HighlightClass::Key) => {
                "36"
            }
            Self::Name | Self::Code(HighlightClass::Function) => "1",
            Self::Aside | Self::Code(HighlightClass::Comment) => "2",
            Self::Code(HighlightClass::Keyword | HighlightClass::Attribute) => "35",
            Self::Code(HighlightClass::Text) => "32",
            Self::Code(HighlightClass::Constant) => "31",
        }
    }
}

/// Prints in colours, or not.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Painter {
    /// Whether there are colours; without them every text stays as it is.
    pub(crate) on: bool,
}

impl Painter {
    /// `text`, which has one line, in a style.
    pub(crate) fn paint(self, style: Style, text: &str) -> String {
        if self.on && !text.is_empty() {
            format!("\x1b[{}m{text}\x1b[0m", style.code())
        } else {
            text.to_owned()
        }
    }

    /// The whole text of the file at `path`.
    pub(crate) fn file(self, path: &str, text: &str) -> String {
        if self.on { painted(text, 0, &highlights(path, text)) } else { text.to_owned() }
    }

    /// A part of the file at `path`, such as a signature.
    pub(crate) fn piece(self, path: &str, piece: &str) -> String {
        if self.on {
            painted(piece, 0, &highlights_of_piece(path, piece))
        } else {
            piece.to_owned()
        }
    }

    /// `listing`, which has lines of the file at `path` that holds `text` as `12→…`, and notes
    /// between them.
    pub(crate) fn listing(self, path: &str, text: &str, listing: &str) -> String {
        if !self.on {
            return listing.to_owned();
        }
        let found = highlights(path, text);
        let mut starts = vec![0];
        for line in text.split_inclusive('\n') {
            starts.push(starts.last().map_or(0, |start| start + line.len()));
        }
        self.rows(listing, |row| match row {
            Row::Code(number, line) => {
                let start = number.checked_sub(1).and_then(|row| starts.get(row));
                start.map_or_else(|| line.to_owned(), |start| painted(line, *start, &found))
            }
            Row::Note(note) => self.paint(Style::Aside, note),
        })
    }

    /// The text of a map: lines of files as `12→…` below their paths.
    pub(crate) fn map(self, map: &str) -> String {
        if !self.on {
            return map.to_owned();
        }
        let (mut path, mut pieces) = ("", 0);
        self.rows(map, |row| match row {
            Row::Code(..) if pieces == PIECES_MAX => row.text().to_owned(),
            Row::Code(_, line) => {
                pieces += 1;
                self.piece(path, line)
            }
            Row::Note(note) => match note.rsplit_once(" (") {
                Some((file, _)) => {
                    path = file;
                    let lines = &note[file.len()..];
                    self.paint(Style::Place, file) + &self.paint(Style::Aside, lines)
                }
                None => self.paint(Style::Aside, note),
            },
        })
    }

    /// A text of numbered lines and notes: the numbers as asides, the rest as `paint_row` says.
    fn rows<'a>(self, text: &'a str, mut paint_row: impl FnMut(Row<'a>) -> String) -> String {
        let mut out = String::new();
        for line in text.split_inclusive('\n') {
            let row = line.strip_suffix('\n').unwrap_or(line);
            let numbered = row.split_once('→').and_then(|(gutter, code)| {
                gutter.trim_start().parse().ok().map(|number| Row::Code(number, code))
            });
            let row = numbered.unwrap_or(Row::Note(row));
            let gutter = line.len() - line.strip_suffix('\n').map_or(0, |_| 1) - row.text().len();
            out += &self.paint(Style::Aside, &line[..gutter]);
            out += &paint_row(row);
            out += &line[gutter + row.text().len()..];
        }
        out
    }
}

/// A line of a listing.
#[derive(Clone, Copy)]
enum Row<'a> {
    /// A line of a file with its number.
    Code(usize, &'a str),
    /// Anything else.
    Note(&'a str),
}

impl<'a> Row<'a> {
    /// What it says, the number aside.
    fn text(self) -> &'a str {
        match self {
            Self::Code(_, text) | Self::Note(text) => text,
        }
    }
}

/// `text`, which begins at byte `start` of what `found` was found in, with codes around each
/// highlight in each line.
fn painted(text: &str, start: usize, found: &[Highlight]) -> String {
    let mut out = String::with_capacity(text.len() * 2);
    let from = found.partition_point(|highlight| highlight.bytes.end <= start);
    let mut at = 0;
    for highlight in &found[from..] {
        let begin = highlight.bytes.start.saturating_sub(start).max(at);
        let end = (highlight.bytes.end - start).min(text.len());
        if begin >= end {
            break;
        }
        let (Some(before), Some(inside)) = (text.get(at..begin), text.get(begin..end)) else {
            break;
        };
        out += before;
        for line in inside.split_inclusive('\n') {
            // A colour that is left on at the end of a line can fill the rest of it.
            let shown = line.trim_end_matches(['\n', '\r']);
            out += &Painter { on: true }.paint(Style::Code(highlight.class), shown);
            out += &line[shown.len()..];
        }
        at = end;
    }
    out + &text[at..]
}

#[cfg(test)]
mod tests {
    use super::*;
    use foveal_code::{outline, parse};
    use proptest::prelude::*;

    const COLOURED: Painter = Painter { on: true };

    /// The text without escape codes for colours.
    fn stripped(text: &str) -> String {
        let mut parts = text.split("\x1b[");
        let mut out = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            out += part.split_once('m').map_or(part, |(_, rest)| rest);
        }
        out
    }

    /// Colours change no text, and none goes on at the end of a line.
    fn holds(coloured: &str, plain: &str) {
        assert_eq!(stripped(coloured), plain);
        for line in coloured.lines() {
            let begins = line.matches("\x1b[").count() - line.matches("\x1b[0m").count();
            assert_eq!(begins, line.matches("\x1b[0m").count(), "{line:?}");
        }
    }

    fn text_of(path: &str, text: &str) {
        let parsed = parse(path, text);
        let listing = outline(&parsed, text).render(&parsed, text);
        holds(&COLOURED.listing(path, text, &listing), &listing);
        holds(&COLOURED.file(path, text), text);
        holds(&COLOURED.piece(path, text), text);
        let map = format!("{path} (7 lines)\n{listing}[3 more files]\n");
        holds(&COLOURED.map(&map), &map);
        assert_eq!(Painter { on: false }.listing(path, text, &listing), listing);
    }

    #[test]
    fn words_of_code_have_colours() {
        let text = "/* one\n two */\nfn go() -> u32 { 1 }\n";
        let shown = "1→/* one\n2→ two */\n3→fn go() -> u32 { 1 }\n  [4: 1 line]\n";
        assert_eq!(
            COLOURED.listing("a.rs", text, shown).replace('\x1b', "^"),
            "^[2m1→^[0m^[2m/* one^[0m\n^[2m2→^[0m^[2m two */^[0m\n\
             ^[2m3→^[0m^[35mfn^[0m ^[1mgo^[0m() -> ^[36mu32^[0m { ^[31m1^[0m }\n\
             ^[2m  [4: 1 line]^[0m\n"
        );
        assert_eq!(
            COLOURED.map("a.rs (9 lines)\n 3→fn go() {\n").replace('\x1b', "^"),
            "^[36ma.rs^[0m^[2m (9 lines)^[0m\n^[2m 3→^[0m^[35mfn^[0m ^[1mgo^[0m() {\n"
        );
    }

    #[test]
    fn only_so_many_lines_of_a_map_have_highlights() {
        let map = format!("a.rs (9 lines)\n{}", "1→fn go() {\n".repeat(PIECES_MAX + 1));
        let coloured = COLOURED.map(&map);
        assert_eq!(coloured.matches("\x1b[35m").count(), PIECES_MAX);
        holds(&coloured, &map);
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
}
