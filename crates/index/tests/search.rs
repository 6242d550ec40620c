//! What is found, in which order, and why.

use std::fmt::Write;

use foveal_index::SearchOptions;
use foveal_relevance::bm25::{Bm25Settings, TextIndex, WeightedField};
use foveal_syntax::{EntityKind, LineRange};

use crate::world::{World, found, update};

const PARSER: &str = "\
//! Reads settings.

/// What can be set.
pub struct Settings {
    depth: usize,
    verbose: bool,
}

impl Settings {
    /// Reads settings from a file.
    pub fn load(path: &Path) -> Result<Self> {
        let text = read_to_string(path)?;
        parse_settings(&text)
    }

    /// How many nested folders are followed.
    pub fn folder_depth(&self) -> usize {
        self.depth
    }
}

fn parse_settings(text: &str) -> Result<Settings> {
    for line in text.lines() {
        let (key, value) = line.split_once('=')?;
        assign(key, value);
    }
    finish()
}
";

const NOTES: &str = "\
# Notes

## Building

Run the compiler with all warnings.

## Settings file

One setting a line, its name, an equals sign and the value.
";

fn check(world: &World, questions: &[(&str, &[EntityKind])], expected: &str) {
    let mut index = world.open();
    let mut text = String::new();
    for (query, kinds) in questions {
        writeln!(text, "{query}").expect("a string takes all text");
        let options = SearchOptions { limit: 2, kinds: kinds.to_vec() };
        for hit in index.search(query, &options).expect("a store of this test") {
            let kind = hit.kind.map_or("lines", EntityKind::name);
            let words = hit.reason.words.join("+");
            writeln!(text, "  {}:{} {kind} {} [{words}]", hit.path, hit.lines, hit.name)
                .expect("a string takes all text");
        }
    }
    assert_eq!(text, expected);
}

fn world(test: &str) -> World {
    let world = World::embedded(test);
    world.write("src/settings.rs", PARSER);
    world.write("notes.md", NOTES);
    update(&mut world.open());
    world
}

#[test]
fn entities_are_found_by_words_and_meaning() {
    let world = world("found");
    check(
        &world,
        &[
            ("parse settings", &[]),
            ("depth of folders", &[EntityKind::Method]),
            ("verbose", &[EntityKind::Field]),
            ("equals sign", &[]),
            ("building", &[]),
            ("settings", &[EntityKind::Enum]),
            ("", &[]),
        ],
        "\
parse settings\n\
\x20 src/settings.rs:22-28 function parse_settings [parse+settings]\n\
\x20 src/settings.rs:10-14 method Settings.load [parse+settings]\n\
depth of folders\n\
\x20 src/settings.rs:16-19 method Settings.folder_depth [depth+folders]\n\
verbose\n\
\x20 src/settings.rs:6 field Settings.verbose [verbose]\n\
equals sign\n\
\x20 notes.md:3-9 section Notes.Building [equals+sign]\n\
\x20 src/settings.rs:22-28 function parse_settings []\n\
building\n\
\x20 notes.md:3-6 section Notes.Building [building]\n\
\x20 src/settings.rs:10-19 method Settings.load []\n\
settings\n\
\n",
    );
}

/// A text as the index takes it: names stand twice before it.
struct Part {
    lines: LineRange,
    scored: f32,
}

#[test]
fn words_score_as_bm25_over_all_texts_does() {
    let world = World::new("bm25");
    let mut reference = TextIndex::new();
    let mut places = Vec::new();
    for n in 0..30 {
        // Paragraphs of a text have no names of their own but their first words.
        let name = format!("alpha{} beta{}", n % 3, n % 5);
        let rest = format!("gamma{} delta epsilon", n % 2).repeat(1 + n % 4);
        let text = (0..10).map(|_| format!("{name}\n{rest}\n")).collect::<String>();
        world.write(&format!("f{n:02}.rs"), format!("fn part{n}() {{\n/*\n{text}*/\n}}\n"));
        let body = format!("fn part{n}() {{\n/*\n{text}*/\n}}\n");
        let name = format!("part{n}");
        let name = WeightedField { text: &name, weight: 2.0 };
        reference.push(&[WeightedField { text: &body, weight: 1.0 }, name]);
        places.push(format!("f{n:02}.rs"));
    }
    let mut index = world.open();
    update(&mut index);
    for query in ["alpha beta", "part 7", "gamma1 delta", "epsilon 4 4 4", "zeta", "PartAlpha"] {
        let scores = reference.scores(query, Bm25Settings::default());
        let mut expected: Vec<(&str, f32)> = places
            .iter()
            .map(String::as_str)
            .zip(scores)
            .filter(|(_, score)| *score > 0.0)
            .collect();
        expected.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(b.0)));
        let options = SearchOptions { limit: 100, ..SearchOptions::default() };
        let hits = index.search(query, &options).expect("a store of this test");
        let hits: Vec<(&str, Part)> = hits
            .iter()
            .map(|hit| (&*hit.path, Part { lines: hit.lines, scored: hit.reason.words_score }))
            .collect();
        let paths = |list: &[(&str, f32)]| {
            list.iter().map(|(path, _)| (*path).to_owned()).collect::<Vec<_>>()
        };
        let found: Vec<(&str, f32)> =
            hits.iter().map(|(path, part)| (*path, part.scored)).collect();
        assert_eq!(paths(&found), paths(&expected), "{query}");
        for ((_, part), (_, score)) in hits.iter().zip(&expected) {
            assert!((part.scored - score).abs() < 1e-3, "{query} {:?}", part.lines);
        }
    }
}

#[test]
fn what_the_best_part_uses_comes_before_what_is_as_good_without() {
    let world = World::new("neighbours");
    let part = |name: &str| {
        format!(
            "fn {name}() {{\n    let a = 1;\n    let b = 2;\n    let c = 3;\n    widget();\n    let d = 4;\n    let e = 5;\n    let f = 6;\n}}\n"
        )
    };
    for name in ["aa_one", "bb_one", "cc_one"] {
        world.write(&format!("{name}.rs"), part(name));
    }
    let best = part("draw_widget_frame").replace("widget()", "bb_one()");
    world.write("frame.rs", best);
    let mut index = world.open();
    update(&mut index);
    let options = SearchOptions::default();
    let hits = index.search("draw the widget frame", &options).expect("a store of this test");
    let found: Vec<String> =
        hits.into_iter().map(|hit| format!("{} {:.1}", hit.name, hit.reason.neighbours)).collect();
    assert_eq!(found[1..3], ["bb_one 1.0", "aa_one 0.0"], "{found:?}");
}

#[test]
fn two_words_find_the_one_that_they_make() {
    let world = World::new("joined");
    let rest = "    let a = 1;\n    let b = 2;\n    let c = 3;\n".repeat(3);
    for name in ["branch", "checkout", "revert"] {
        world.write(
            &format!("{name}_it.rs"),
            format!("fn {name}() {{\n{rest}    revision();\n}}\n"),
        );
    }
    let mut index = world.open();
    update(&mut index);
    let options = SearchOptions::default();
    let hits = index.search("check out a revision", &options).expect("a store of this test");
    assert_eq!(hits[0].name, "checkout");
}

#[test]
fn of_short_neighbours_all_are_shown_where_several_meet_the_question() {
    let world = World::new("short");
    world.write(
        "paths.ts",
        "export const mergePath = (a, b) => {\n  return a + b\n}\n\nexport const replaceUrl = (url) => {\n  return url\n}\n\nexport const other = () => {\n  return 1\n}\n",
    );
    let mut index = world.open();
    update(&mut index);
    let mut lines = |query: &str| {
        let hits = index.search(query, &SearchOptions::default()).expect("a store of this test");
        hits[0].lines.to_string()
    };
    assert_eq!(lines("merge a path"), "1-3");
    assert_eq!(lines("fill a path into a url"), "1-11");
}

/// Names of the same words in another order, form or number.
#[test]
fn exactly_the_name_comes_first() {
    let names = [
        "parse",
        "parses",
        "parse_url",
        "url_parse",
        "parse_urls",
        "parseUrl",
        "parse_url_url",
        "url",
        "urls",
        "parse_the_url",
        "UrlParse",
        "parse_url2",
        "_parse_url",
        "re_parse_url",
    ];
    let world = World::new("exact_names");
    for (at, name) in names.iter().enumerate() {
        let others: String = names.iter().map(|other| format!("    {other}();\n")).collect();
        let text = format!("/// Calls parse and url, the parse url.\nfn {name}() {{\n{others}}}\n");
        world.write(&format!("{at:02}.rs"), text);
    }
    let mut index = world.open();
    update(&mut index);
    for name in names {
        let all = found(&mut index, name, 3);
        let first = all.split(' ').nth(2);
        assert_eq!(first, Some(name), "{all}");
        assert_eq!(all.lines().count(), 3);
    }
}
