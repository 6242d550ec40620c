//! What is kept of a file for a question, and what holds for every view.

use std::path::Path;

use foveal_code::curate::{Budget, Curator, Question, SourceFile, ToldLine, column_names};
use foveal_code::parse;
use foveal_transcript::LineNumber;
use proptest::prelude::*;

use crate::invariants::{view, views};

const SHAPES: &str = "\
use std::fmt;

/// A shape that has an area.
pub struct Circle {
    radius: f64,
}

impl Circle {
    /// A circle with this radius.
    pub fn new(radius: f64) -> Self {
        assert!(radius >= 0.0);
        Self { radius }
    }

    /// The area in square units.
    pub fn area(&self) -> f64 {
        let square = self.radius * self.radius;
        std::f64::consts::PI * square
    }
}

/// Writes a report to disk.
pub fn write_report(path: &str, text: &str) -> std::io::Result<()> {
    let temporary = format!(\"{path}.tmp\");
    std::fs::write(&temporary, text)?;
    std::fs::rename(&temporary, path)
}

/// Reads a report from disk.
pub fn read_report(path: &str) -> std::io::Result<String> {
    let text = std::fs::read_to_string(path)?;
    Ok(text.trim().to_owned())
}
";

/// What a view that may keep this share of `SHAPES` has to show and to leave out.
fn check(question: &Question, share: f64, shown: &[&str], hidden: &[&str]) {
    let parsed = parse("shapes.rs", SHAPES);
    let view = view("shapes.rs", SHAPES, question, Budget::Share(share));
    let text = view.render(&parsed, SHAPES);
    for needle in shown {
        assert!(text.contains(needle), "{needle} is not in\n{text}");
    }
    for needle in hidden {
        assert!(!text.contains(needle), "{needle} is in\n{text}");
    }
}

#[test]
fn what_is_asked_for_is_kept_with_its_header() {
    let write = Question::of_text("Make write_report atomic: sync the temporary file");
    check(
        &write,
        0.4,
        &["pub fn write_report", "fs::write(&temporary", "[", "area"],
        &["PI * square"],
    );
    let area = Question::of_text("The area of a Circle is wrong");
    check(&area, 0.6, &["impl Circle {", "pub fn area", "let square"], &["&temporary, path"]);
}

#[test]
fn lines_told_by_number_are_kept() {
    let mut question = Question::of_text("it crashes");
    let path = "/work/src/shapes.rs".to_owned();
    question.told.push(ToldLine { path, line: LineNumber(31), age: 0 });
    check(&question, 0.3, &["pub fn read_report", "read_to_string"], &[]);
    question.told[0].path = "other.rs".to_owned();
    let parts = view("src/shapes.rs", SHAPES, &question, Budget::Share(0.3)).parts;
    assert!(parts.iter().all(|part| !part.reasons.contains(&"line told".into())), "{parts:?}");
}

#[test]
fn every_part_has_a_reason() {
    let question = Question::of_text("Circle area");
    for part in view("shapes.rs", SHAPES, &question, Budget::Share(0.5)).parts {
        assert!(!part.reasons.is_empty(), "{part:?}");
    }
}

#[test]
fn trailers_of_a_commit_say_nothing() {
    let plain = Question::of_text("Fix area\n\nIt was wrong.");
    let signed = Question::of_text("Fix area\n\nIt was wrong.\nSigned-off-by: Radius <a@b>");
    assert_eq!(plain, signed);
}

#[test]
fn columns_have_names_of_their_own() {
    let mut names = column_names();
    let count = names.len();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), count);
    let parsed = parse("shapes.rs", SHAPES);
    let file = SourceFile { path: "shapes.rs", text: SHAPES, parsed: &parsed };
    let table = Curator::built_in().table(&file, &Question::of_text("area"));
    assert_eq!(table.columns.len(), count);
    assert!(table.columns.iter().all(|column| column.len() == table.units.len()));
    assert!(table.columns.iter().flatten().all(|value| value.is_finite()));
}

#[test]
fn forests_that_are_not_in_the_form_are_refused() {
    for text in ["", "x", "0\n1:2", "0\n1:2:0:1 3 4", "0\n1:x:1:2 3 4"] {
        assert!(Curator::with_forest(text).is_none(), "{text:?}");
    }
    assert!(Curator::with_forest("0\n1:2.5:1:2 3 4\n").is_some());
}

#[test]
fn views_of_this_repository_hold() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for name in
        ["parse.rs", "entity.rs", "language/mod.rs", "walk/mod.rs", "terms.rs", "curate/mod.rs"]
    {
        let text = std::fs::read_to_string(root.join(name)).expect("a file of this crate");
        views(name, &text, &Question::of_text("Cut long lines of a statement earlier"));
        views(name, &text, &Question::default());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn views_of_any_text_hold(
        path in "[a-z]{1,4}\\.(rs|py|js|go|md|json|txt)",
        text in "([ \\t]{0,4}(fn |class |def |if |x = |\\{|\\}|# |\")?[a-zA-Z_(){}:.é0-9 ]{0,12}\r?\n){0,60}[a-z]{0,5}",
        question in "[a-zA-Z_ é0-9`\n:]{0,60}",
    ) {
        views(&path, &text, &Question::of_text(&question));
    }
}
