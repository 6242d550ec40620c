//! Tests of outlines rendered as text.

use foveal_relevance::outline_listing::render_outline;
use foveal_syntax::{outline, parse_file};

#[track_caller]
fn check(path: &str, text: &str, expected: &str) {
    let text = text.strip_prefix('\n').unwrap_or(text);
    let parsed = parse_file(path, text);
    let found = render_outline(&outline(&parsed, text), &parsed, text);
    assert!(
        found.trim_end() == expected.trim_matches('\n'),
        "<<<{path}\n{found}>>>\nexpected:\n{expected}"
    );
}

#[test]
fn signatures_stay_and_bodies_are_named_by_range() {
    check(
        "a.rs",
        r#"
//! Lines.

use std::fmt;

/// A line.
/// Of text.
#[derive(Debug)]
pub struct Line {
    /// Where.
    place: usize,
    /// What it says,
    /// without its break.
    text: String,
}

impl Line {
    /// Its length.
    pub fn len(
        &self,
    ) -> usize {
        let length = self.text.len();
        length
    }

    fn short(&self) -> bool {
        self.len() < 10
    }
}
"#,
        r#"
 1→//! Lines.
 2→
 3→use std::fmt;
   [4-6: 3 lines]
 7→#[derive(Debug)]
 8→pub struct Line {
 9→    /// Where.
10→    place: usize,
   [11-12: 2 lines above Line.text]
13→    text: String,
14→}
15→
16→impl Line {
17→    /// Its length.
18→    pub fn len(
19→        &self,
20→    ) -> usize {
   [21-24: 4 lines of Line.len]
25→    fn short(&self) -> bool {
   [26-28: 3 lines of Line.short]
"#,
    );
}

#[test]
fn a_class_of_24_methods_shows_24_methods() {
    let mut text = String::from("class Big:\n");
    for at in 0..24 {
        text.push_str(&format!(
            "    def method_{at}(self):\n        a = {at}\n        return a\n\n"
        ));
    }
    let parsed = parse_file("a.py", &text);
    let found = render_outline(&outline(&parsed, &text), &parsed, &text);
    for at in 0..24 {
        let line = at * 4 + 2;
        assert!(found.contains(&format!("{line:>2}→    def method_{at}(self):\n")), "{found}");
        let gap = format!("[{}-{}: ", line + 1, line + 3);
        assert!(found.contains(&gap), "{gap} not in {found}");
    }
}

#[test]
fn keys_below_the_upper_levels_are_named() {
    check(
        "a.json",
        r#"
{
  "scripts": {
    "test": {
      "run": "x",
      "with": 1
    }
  },
  "files": [
    "a",
    "b"
  ]
}
"#,
        r#"
 1→{
 2→  "scripts": {
 3→    "test": {
   [4-7: 4 lines of scripts.test; with run, with]
 8→  "files": [
   [9-12: 4 lines of files]
"#,
    );
}

#[test]
fn a_text_without_structure_is_one_gap() {
    check("a.txt", "a\nb\nc\n", "1→a\n  [2-3: 2 lines of a]");
    check("a.rs", "", "");
    check("a.rs", "// only\n// comments\n// here\n", "  [1-3: 3 lines]");
}
