//! Tests of curated views for single queries, and of properties of every view.

use std::path::Path;

use foveal_engine::note::MachineFileKind;
use foveal_relevance::curation::{
    CurationQuery, Curator, MentionedLine, SourceFile, ViewBudget, last_uncut_line,
    signal_column_names,
};
use foveal_syntax::{EntityKind, LineRange, ParsedFile, parse_file};
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

/// Checks the text that a view with this share of `SHAPES` must contain and must omit.
fn check(question: &CurationQuery, share: f64, shown: &[&str], hidden: &[&str]) {
    let parsed = parse_file("shapes.rs", SHAPES);
    let view = view("shapes.rs", SHAPES, question, ViewBudget::Share(share));
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
    let write = CurationQuery::from_text("Make write_report atomic: sync the temporary file");
    check(
        &write,
        0.4,
        &["pub fn write_report", "fs::write(&temporary", "[", "area"],
        &["PI * square"],
    );
    let area = CurationQuery::from_text("The area of a Circle is wrong");
    check(&area, 0.6, &["impl Circle {", "pub fn area", "let square"], &["&temporary, path"]);
}

#[test]
fn lines_told_by_number_are_kept() {
    let mut question = CurationQuery::from_text("it crashes");
    let path = "/work/src/shapes.rs".to_owned();
    question.told.push(MentionedLine { path, line: LineNumber(31), age: 0 });
    check(&question, 0.3, &["pub fn read_report", "read_to_string"], &[]);
    question.told[0].path = "other.rs".to_owned();
    let parts = view("src/shapes.rs", SHAPES, &question, ViewBudget::Share(0.3)).parts;
    assert!(parts.iter().all(|part| !part.reasons.contains(&"line told".into())), "{parts:?}");
}

#[test]
fn every_part_has_a_reason() {
    let question = CurationQuery::from_text("Circle area");
    for part in view("shapes.rs", SHAPES, &question, ViewBudget::Share(0.5)).parts {
        assert!(!part.reasons.is_empty(), "{part:?}");
    }
}

#[test]
fn trailers_of_a_commit_say_nothing() {
    let plain = CurationQuery::from_text("Fix area\n\nIt was wrong.");
    let signed = CurationQuery::from_text("Fix area\n\nIt was wrong.\nSigned-off-by: Radius <a@b>");
    assert_eq!(plain, signed);
}

#[test]
fn columns_have_names_of_their_own() {
    let mut names = signal_column_names();
    let count = names.len();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), count);
    let parsed = parse_file("shapes.rs", SHAPES);
    let file = SourceFile { path: "shapes.rs", text: SHAPES, parsed: &parsed };
    let table = Curator::built_in().signal_table(&file, &CurationQuery::from_text("area"));
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
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for name in [
        "syntax/src/parser.rs",
        "syntax/src/entity.rs",
        "syntax/src/language/mod.rs",
        "syntax/src/tree_walk/mod.rs",
        "relevance/src/terms.rs",
        "relevance/src/curation/mod.rs",
    ] {
        let text = std::fs::read_to_string(root.join(name)).expect("a file of this project");
        views(name, &text, &CurationQuery::from_text("Cut long lines of a statement earlier"));
        views(name, &text, &CurationQuery::default());
    }
}

const REDIRECTS: &str = "\
class Session:
    def keeps_auth(self, old, new):
        \"\"\"Whether the Authorization header may be sent to the place of a redirect.\"\"\"
        before = urlparse(old)
        after = urlparse(new)
        if before.hostname != after.hostname:
            return False
        # A step up to the safe scheme on its usual port is allowed.
        if (
            before.scheme == \"http\"
            and before.port in (80, None)
            and after.scheme == \"https\"
            and after.port in (443, None)
        ):
            return True
        usual = (USUAL_PORTS.get(before.scheme, None), None)
        if before.port in usual and after.port in usual:
            return True
        return before.port == after.port
";

/// Returns the class above among `count` others that the query does not mention.
fn among_others(count: usize) -> String {
    let other = |at: usize| {
        format!(
            "class Pool{at}:\n    def open_{at}(self, size):\n        \"\"\"Opens so many.\"\"\"\n        \
             found = []\n        for number in range(size):\n            if number > {at}:\n                \
             found.append(connect(number))\n            else:\n                log(number)\n        \
             return found\n\n"
        )
    };
    let half: String = (0..count / 2).map(other).collect();
    let rest: String = (count / 2..count).map(other).collect();
    format!("{half}{REDIRECTS}\n{rest}")
}

#[test]
fn a_function_that_answers_comes_whole() {
    for count in [12, 100] {
        let text = among_others(count);
        let question =
            CurationQuery::from_text("When is the authorization header stripped on redirects?");
        let view = view("sessions.py", &text, &question, ViewBudget::Adaptive);
        let rendered = view.render(&parse_file("sessions.py", &text), &text);
        for line in REDIRECTS.lines() {
            assert!(rendered.contains(line), "{line} is not in\n{rendered}");
        }
    }
}

#[test]
fn the_share_kept_falls_with_the_length() {
    let question = CurationQuery::from_text("Open pools of connections in another order");
    let mut before = 1.0;
    for (count, most) in [(25, 0.55), (110, 0.22), (400, 0.11)] {
        let text = among_others(count);
        let view = view("sessions.py", &text, &question, ViewBudget::Adaptive);
        let share = f64::from(view.kept_line_count()) / f64::from(view.line_count);
        assert!(share <= most && share <= before, "{share} of {} lines", view.line_count);
        before = share;
    }
}

#[test]
fn short_functions_are_not_cut() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for name in [
        "syntax/src/parser.rs",
        "syntax/src/entity.rs",
        "syntax/src/outline.rs",
        "relevance/src/terms.rs",
        "relevance/src/bm25.rs",
    ] {
        let text = std::fs::read_to_string(root.join(name)).expect("a file of this project");
        let parsed = parse_file(name, &text);
        let question = CurationQuery::from_text("Count the lines of a name that is cut");
        let view = view(name, &text, &question, ViewBudget::Adaptive);
        let is_kept =
            |line: u32| view.parts.iter().any(|part| part.lines.contains(LineNumber(line)));
        for entity in &parsed.entities {
            let is_function = matches!(entity.kind, EntityKind::Function | EntityKind::Method);
            let body = entity.signature.last.0 + 1..=entity.lines.last.0;
            let few = entity.lines.last.0 - entity.signature.first.0 < 60;
            if is_function && few && body.clone().any(is_kept) {
                assert!(body.clone().all(is_kept), "{name}: {} of {body:?} is cut", entity.name);
            }
        }
    }
}

/// Returns the rows that may not be cut: statements of two to thirty lines, the innermost parts of
/// longer ones, and headers of two to twelve lines.
fn whole_parts(parsed: &ParsedFile) -> Vec<std::ops::RangeInclusive<u32>> {
    let starts: Vec<u32> = parsed
        .blocks
        .iter()
        .map(|block| block.lines.first.0)
        .chain(parsed.entities.iter().map(|entity| entity.lines.first.0))
        .collect();
    let ends = |lines: LineRange| (lines.first.0, lines.last.0);
    let statements = || parsed.blocks.iter().map(|block| ends(block.lines));
    let long = statements().filter(|(first, last)| {
        last - first >= 30 && !starts.iter().any(|start| (first + 1..=*last).contains(start))
    });
    let parts = long.flat_map(|(first, last)| {
        let inner =
            parsed.seams.iter().map(|line| line.0).filter(move |at| first < *at && *at <= last);
        let starts: Vec<u32> = [first].into_iter().chain(inner).chain([last + 1]).collect();
        starts.windows(2).map(|pair| (pair[0], pair[1] - 1)).collect::<Vec<_>>()
    });
    let headers = parsed.entities.iter().map(|entity| ends(entity.signature));
    let few = |(first, last): &(u32, u32), most| (1..most).contains(&(last - first));
    let short = statements().chain(parts).filter(|lines| few(lines, 30));
    let headers = headers.filter(|lines| few(lines, 12));
    short.chain(headers).map(|(first, last)| first..=last).collect()
}

/// Returns a call with `count` arguments of three lines each, and a chain of `count` links.
fn long_statements(count: usize) -> String {
    let argument = |at: usize| format!("        option(\n            \"part_{at}\",\n        ),\n");
    let link = |at: usize| format!("        .with(\n            part_{at},\n        )\n");
    let (arguments, links): (String, String) =
        ((0..count).map(argument).collect(), (0..count).map(link).collect());
    format!(
        "fn options(parser: &mut Parser) {{\n    parser.add(\n{arguments}    );\n    \
         parser\n{links}        .done();\n    check!(\n{arguments}    );\n}}\n"
    )
}

#[test]
fn long_statements_have_parts_that_are_not_cut() {
    let text = format!("{}\n{}", long_statements(40), SHAPES.repeat(2));
    let parsed = parse_file("options.rs", &text);
    let begins = |line: u32| text.lines().nth(line as usize - 1).expect("a line of the text");
    let parts = |sign: &str| {
        parsed.seams.iter().filter(|line| begins(line.0).trim_start().starts_with(sign)).count()
    };
    // The first argument belongs to the part that opens the list; the first ten links are short
    // enough to form one part.
    assert_eq!((parts("option("), parts(".with("), parts(".done")), (78, 30, 1));
    assert_eq!(parsed.seams.len(), 109);
    for asked in ["Add an option for part_17", "With part_30 and part_31"] {
        let view =
            view("options.rs", &text, &CurationQuery::from_text(asked), ViewBudget::Adaptive);
        let keeps = |line: u32| view.parts.iter().any(|of| of.lines.contains(LineNumber(line)));
        let mut kept = 0;
        for mut lines in whole_parts(&parsed) {
            let all = lines.clone().all(keeps);
            kept += usize::from(all);
            assert!(all || !lines.any(keeps), "{}", view.render(&parsed, &text));
        }
        assert!((1..150).contains(&kept), "{kept} parts");
    }
}

const TABLES: &str = "\
class Session:
    __attrs__: list[str] = [
        \"headers\",
        \"cookies\",
        \"hooks\",
        \"params\",
        \"verify\",
        \"stream\",
        \"trust\",
        \"limit\",
        \"proxies\",
        \"adapters\",
        \"retries\",
        \"pools\",
    ]

    def send(self, request):
        return self.adapter.send(
            request,
            stream=self.stream,
            timeout=self.timeout,
            verify=self.verify,
            cert=self.cert,
            proxies=self.proxies,
            allow=False,
            chunked=False,
            retries=self.retries,
            pool=self.pool,
            decode=True,
        )
";

/// Returns a class with a function too long for one piece, which contains a call, a header and
/// documentation longer than a unit.
fn long_function() -> String {
    let words = ["stream", "timeout", "verify", "cert", "proxies", "chunked", "retries", "pool"];
    let parameter = |word: &&str| format!("        {word}: Option[{word}] = None,\n");
    let passed = |at: usize| format!("            part_{at}=part_{at},\n");
    let told = |word: &&str| format!("        The {word} of a transfer.\n");
    let step = |at: usize| format!("        part_{at} = self.count(part_{at}, other)\n");
    let (parameters, calls): (String, String) =
        (words.iter().map(parameter).collect(), (0..9).map(passed).collect());
    let docs: String = words.iter().map(told).collect();
    let steps: String = (0..40).map(step).collect();
    format!(
        "{TABLES}\n    def transfer(\n        self,\n{parameters}    ) -> None:\n        \"\"\"\n{docs}        \
         \"\"\"\n{steps}        sent = self.adapter.put(\n{calls}            last=self.crash(report),\n{calls}        \
         )\n        if sent.verify:\n{steps}        return sent\n\n"
    )
}

#[test]
fn no_statement_is_cut() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut files = vec![("sessions.py", among_others(60) + &long_function() + &among_others(60))];
    for name in [
        "syntax/src/parser.rs",
        "syntax/src/entity.rs",
        "syntax/src/outline.rs",
        "relevance/src/curation/piece_selection.rs",
        "syntax/src/tree_walk/walker.rs",
    ] {
        let text = std::fs::read_to_string(root.join(name)).expect("a file of this project");
        files.push((name, text));
    }
    let mut cut = 0;
    for ((name, text), budget) in files.iter().flat_map(|file| {
        [ViewBudget::Adaptive, ViewBudget::Share(0.4)].map(|budget| (file, budget))
    }) {
        let parsed = parse_file(name, text);
        // Long parts may be cut under a tight budget.
        if budget != ViewBudget::Adaptive && parsed.line_count < 300 {
            continue;
        }
        for asked in [
            "Report the last crash when something is put",
            "Count the lines of a name",
            "The cert is an option",
            "",
        ] {
            let view = view(name, text, &CurationQuery::from_text(asked), budget);
            let keeps =
                |line: u32| view.parts.iter().any(|part| part.lines.contains(LineNumber(line)));
            cut += view.gaps.len();
            for mut lines in whole_parts(&parsed) {
                let kept = lines.clone().filter(|line| keeps(*line)).count();
                let all = lines.clone().count();
                assert!(
                    kept == 0 || lines.all(keeps),
                    "{name}, {asked}: {kept} of {all}\n{}",
                    view.render(&parsed, text)
                );
            }
        }
    }
    assert!(cut > 40, "{cut} gaps");
}

#[test]
fn no_list_is_opened_without_what_it_holds() {
    let text = among_others(60) + TABLES;
    for asked in ["Send the request with retries", "Open pools of connections"] {
        let view =
            view("sessions.py", &text, &CurationQuery::from_text(asked), ViewBudget::Adaptive);
        let rendered = view.render(&parse_file("sessions.py", &text), &text);
        let opened = rendered.contains("__attrs__: list[str] = [");
        assert!(!opened || rendered.contains("\"pools\","), "{rendered}");
    }
}

#[test]
fn a_text_ends_with_a_statement() {
    let parsed = parse_file("sessions.py", TABLES);
    let until = |last| last_uncut_line(&parsed, LineRange::new(LineNumber(1), LineNumber(last))).0;
    assert_eq!(
        [until(16), until(17), until(18), until(24), until(29), until(30)],
        [16, 16, 16, 17, 17, 30]
    );
}

#[test]
fn examples_in_documentation_go_first() {
    let docs = "/// Adds a shape to the drawing.\n///\n/// It is drawn last.\n///\n/// # Examples\n\
                ///\n/// ```\n/// let drawing = Drawing::new();\n/// drawing.add(shape);\n/// \
                assert_eq!(drawing.shapes(), 1);\n/// ```\n";
    let text = format!("{}{docs}pub fn add() {{\n    draw();\n}}\n", SHAPES.repeat(4));
    let question = CurationQuery::from_text("Add a shape to a drawing");
    let view = view("a.rs", &text, &question, ViewBudget::Adaptive);
    let rendered = view.render(&parse_file("a.rs", &text), &text);
    assert!(rendered.contains("draw();"), "{rendered}");
    assert!(!rendered.contains("assert_eq!(drawing"), "{rendered}");
}

#[test]
fn of_a_lock_file_the_ends_are_kept() {
    let package = |at: usize| format!("[[package]]\nname = \"p{at}\"\nversion = \"1.0.{at}\"\n\n");
    let text: String = (0..1_000).map(package).collect();
    for (question, most) in
        [(CurationQuery::default(), 40), (CurationQuery::from_text("Update p300"), 82)]
    {
        let view = view("Cargo.lock", &text, &question, ViewBudget::Adaptive);
        assert_eq!(view.sort, Some(MachineFileKind::Lock));
        assert!(view.kept_line_count() <= most, "{} lines", view.kept_line_count());
        let ends = [view.parts[0].lines.first.0, view.parts[view.parts.len() - 1].lines.last.0];
        assert_eq!(ends, [1, view.line_count]);
    }
    assert_eq!(view("a.rs", SHAPES, &CurationQuery::default(), ViewBudget::Adaptive).sort, None);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn views_of_any_text_hold(
        path in "[a-z]{1,4}\\.(rs|py|js|go|md|json|txt)",
        text in "([ \\t]{0,4}(fn |class |def |if |x = |\\{|\\}|# |\")?[a-zA-Z_(){}:.é0-9 ]{0,12}\r?\n){0,60}[a-z]{0,5}",
        question in "[a-zA-Z_ é0-9`\n:]{0,60}",
    ) {
        views(&path, &text, &CurationQuery::from_text(&question));
    }
}
