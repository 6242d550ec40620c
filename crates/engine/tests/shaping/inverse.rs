//! The rules that lose nothing, undone by a naive reader of what is left.

use foveal_engine::shaping::draft::ShapeDraft;
use foveal_engine::shaping::gutter::{self, GutterNumbers};
use foveal_engine::shaping::{file_heading, json, repeated_lines, table, terminal_noise};
use foveal_pricing::tokens::Tokenizer;
use proptest::prelude::*;

use super::laws::{Rule, contents, conversation, each_result};

/// Shows `content` as the result of a read, a search, a run and something else under `rule`,
/// and checks that `undo` and the original agree after `plain`.
fn check(content: &str, rule: Rule, undo: fn(&str) -> String, plain: fn(&str) -> String) {
    each_result(&conversation(&[content.to_owned()]), |content, facts| {
        let mut draft = ShapeDraft::new(content, facts);
        rule(&mut draft);
        let shown = draft.compose().render(content);
        assert_eq!(undo(&shown), plain(content), "shown as {shown}");
    });
}

/// Repeats lines as the notes of `repeated_lines` say.
fn unfold(shown: &str) -> String {
    let mut lines: Vec<&str> = Vec::new();
    for line in shown.split('\n') {
        let note = line.strip_prefix("[last ").and_then(|rest| rest.strip_suffix(" more times]"));
        let Some((what, times)) = note.and_then(|note| note.split_once(" repeated ")) else {
            lines.push(line);
            continue;
        };
        let period = what.split(' ').next().and_then(|word| word.parse().ok()).unwrap_or(1);
        let pattern = lines[lines.len() - period..].to_vec();
        for _ in 0..times.parse::<usize>().expect("a count") {
            lines.extend(&pattern);
        }
    }
    lines.join("\n")
}

/// Puts the path of a heading before each line that starts with a number.
fn with_paths(shown: &str) -> String {
    let mut heading: Option<&str> = None;
    let mut lines = Vec::new();
    for line in shown.split('\n') {
        let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
        let mark =
            rest.chars().next().filter(|mark| rest.len() < line.len() && "-:".contains(*mark));
        match (heading, mark) {
            (Some(path), Some(mark)) => lines.push(format!("{path}{mark}{line}")),
            _ if ["/w/src/a.rs", "/w/b.rs"].contains(&line) => heading = Some(line),
            _ => {
                heading = None;
                lines.push(line.to_owned());
            }
        }
    }
    lines.join("\n")
}

/// Counts up the numbers that a gutter leaves out.
fn with_numbers(shown: &str) -> String {
    let mut lines = Vec::new();
    let mut last = 0u32;
    for line in shown.split('\n').filter(|line| *line != "[every 10th line numbered]") {
        let text = match line.split_once('→') {
            Some((number, text)) => {
                last = number.trim().parse().expect("a number");
                text
            }
            None => {
                last += 1;
                line
            }
        };
        lines.push(format!("{last:6}→{text}"));
    }
    lines.join("\n")
}

/// What a terminal shows in the end, without colours: a carriage return goes back to the first
/// column, what is printed there takes the place of what stood there, and `ESC[K` erases the rest.
fn on_screen(content: &str) -> String {
    let line = |line: &str| {
        let (mut cells, mut column): (Vec<char>, usize) = (Vec::new(), 0);
        let line = line.replace("\u{1b}[1m", "").replace("\u{1b}[0m", "");
        for sign in line.replace("\u{1b}[K", "\u{1b}").chars() {
            match sign {
                '\r' => column = 0,
                '\u{1b}' => cells.truncate(column),
                _ => {
                    cells.splice(column..(column + 1).min(cells.len()), [sign]);
                    column += 1;
                }
            }
        }
        cells.into_iter().collect::<String>()
    };
    content.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

/// The cells of a table, row by row. They stand between bars, or, where `counted` is given,
/// between blanks: so many of one word each, then others two blanks apart.
fn cells(text: &str, counted: Option<usize>) -> Vec<Vec<String>> {
    let rows = text.split('\n').filter(|row| row.contains(|c: char| c.is_alphanumeric()));
    let split = |row: &str| {
        let Some(counted) = counted else {
            return row.split('|').map(|cell| cell.trim().to_owned()).collect();
        };
        let mut cells = Vec::new();
        let mut rest = row.trim();
        for _ in 0..counted {
            let (word, after) = rest.split_once(' ').unwrap_or((rest, ""));
            cells.push(word.to_owned());
            rest = after.trim_start();
        }
        let others = rest.split("  ").map(|cell| cell.trim().to_owned());
        cells.extend(others.filter(|cell| !cell.is_empty()));
        cells
    };
    rows.map(split).collect()
}

/// The columns before the first that has a cell of several words.
fn words_first(rows: &[Vec<String>]) -> usize {
    let is_words = |column: &usize| rows.iter().all(|row| !row[*column].contains(' '));
    (0..rows[0].len()).take_while(is_words).count()
}

/// Lays `rows` out with `bar` between columns, each cell at the side its column has.
fn laid_out(rows: &[Vec<String>], bar: &str, at_right: &[bool], rule: Option<char>) -> String {
    let width = |column: usize| rows.iter().map(|row| row[column].len()).max().unwrap_or(0);
    let line = |cells: &mut dyn Iterator<Item = String>, bar: &str| {
        cells.collect::<Vec<_>>().join(bar) + "\n"
    };
    let mut text = String::new();
    for (at, row) in rows.iter().enumerate() {
        text += &line(
            &mut row.iter().enumerate().map(|(column, cell)| match at_right[column] {
                true => format!("{cell:>0$}", width(column)),
                false => format!("{cell:<0$}", width(column)),
            }),
            bar,
        );
        if let Some(joint) = rule.filter(|_| at == 0) {
            let joint = if bar.contains('|') { format!("-{joint}-") } else { bar.to_owned() };
            text += &line(&mut (0..row.len()).map(|c| "-".repeat(width(c).max(3))), &joint);
        }
    }
    text
}

fn table_rows(cell: &'static str) -> impl Strategy<Value = Vec<Vec<String>>> {
    (3usize..6).prop_flat_map(move |columns| {
        let row = prop::collection::vec(cell, columns);
        (prop::collection::vec("[A-Z]{3,9}", columns), prop::collection::vec(row, 3..9))
            .prop_map(|(heading, rows)| [vec![heading], rows].concat())
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn folded_lines_can_be_repeated(content in contents()) {
        check(&content, repeated_lines::fold_repeated_lines, unfold, str::to_owned);
    }

    #[test]
    fn headings_can_be_put_back(
        hits in prop::collection::vec((prop::bool::ANY, 1u32..99, prop::bool::ANY), 1..20),
    ) {
        let lines = hits.iter().map(|(first, at, context)| {
            let path = if *first { "/w/src/a.rs" } else { "/w/b.rs" };
            let mark = if *context { '-' } else { ':' };
            format!("{path}{mark}{at}{mark}text of {at}")
        });
        let content = lines.collect::<Vec<_>>().join("\n");
        check(&content, file_heading::group_hits_by_file, with_paths, str::to_owned);
    }

    #[test]
    fn numbers_can_be_counted_up(first in 1u32..500, texts in prop::collection::vec("[a-z{} ]{0,9}", 1..40)) {
        let lines = (first..).zip(&texts).map(|(at, text)| format!("{at:6}→{text}"));
        let content = lines.collect::<Vec<_>>().join("\n");
        check(&content, |draft| gutter::thin_gutters(draft, GutterNumbers::All), with_numbers, str::to_owned);
        check(&content, |draft| gutter::thin_gutters(draft, GutterNumbers::Every(10)), with_numbers, str::to_owned);
    }

    #[test]
    fn a_terminal_would_show_the_same(lines in prop::collection::vec("([ab%]|\r|\u{1b}\\[1m|\u{1b}\\[0m|\u{1b}\\[K){0,9}", 1..9)) {
        each_result(&conversation(&[lines.join("\n")]), |content, facts| {
            let mut draft = ShapeDraft::new(content, facts);
            terminal_noise::cut_noise(&mut draft);
            // What a file holds is not a terminal's.
            let is_run = facts.label() == "Bash make all";
            let shown = draft.compose().render(content);
            if is_run {
                assert_eq!(on_screen(&shown), on_screen(content), "{content:?}");
                assert!(!shown.contains('\u{1b}'), "{shown:?}");
            } else {
                assert_eq!(shown, content, "{}", facts.label());
            }
        });
    }

    #[test]
    fn compacted_json_is_the_same_value(keys in prop::collection::vec("[a \"\\\\\\[{]{0,6}", 1..9)) {
        let list: Vec<_> = keys.iter().map(|key| serde_json::json!({ key: [key, null, 1.5] })).collect();
        let content = serde_json::to_string_pretty(&list).expect("values are JSON");
        let value = |text: &str| {
            let value: serde_json::Value = serde_json::from_str(text).expect("still JSON");
            value.to_string()
        };
        check(&content, json::compact_json, value, value);
        each_result(&conversation(&[content]), |content, facts| {
            let mut draft = ShapeDraft::new(content, facts);
            json::compact_json(&mut draft);
            let compacted = !draft.is_unmodified();
            assert_eq!(compacted, facts.label() == "Bash make all", "{}", facts.label());
        });
    }

    #[test]
    fn tables_keep_their_cells(
        rows in table_rows("[a-z0-9.]{1,12}( [a-z]{1,6}){0,2}|"),
        words in table_rows("[a-z0-9.]{1,20}"),
        phrases in table_rows("[a-z0-9.]{1,12}( [a-z]{1,6}){0,2}"),
        at_right in prop::collection::vec(prop::bool::ANY, 6),
        joint in prop_oneof![Just('|'), Just('+')],
    ) {
        let (all, some) = (Some(words_first(&words)), Some(words_first(&phrases)));
        let tables = [
            (laid_out(&rows, " | ", &at_right, Some(joint)), None),
            (laid_out(&words, "  ", &at_right, Some('-')), all),
            (laid_out(&words, "   ", &at_right, None), all),
            (laid_out(&phrases, "   ", &at_right, Some('-')), some),
            (laid_out(&phrases, "    ", &at_right, None), some),
        ];
        for (content, counted) in tables {
            let expected = cells(&content, counted);
            each_result(&conversation(&[content]), |content, facts| {
                let mut draft = ShapeDraft::new(content, facts);
                table::compact_tables(&mut draft, Tokenizer::O200k);
                let shown = draft.compose().render(content);
                assert_eq!(cells(&shown, counted), expected, "shown as {shown}");
                assert!(draft.is_unmodified() || facts.label() == "Bash make all");
            });
        }
    }
}
