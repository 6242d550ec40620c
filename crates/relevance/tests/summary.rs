//! Tests of file summaries for history: their content and their budget.

use foveal_pricing::tokens::{Tokenizer, Tokens};
use foveal_relevance::curation::{CurationQuery, MentionedLine, SourceFile};
use foveal_relevance::relations::FileSymbols;
use foveal_relevance::summary::{FileSummary, summarise_for_history};
use foveal_syntax::parse_file;
use foveal_transcript::LineNumber;
use proptest::prelude::*;

fn summary(
    path: &str,
    text: &str,
    asked: &str,
    known: &[(&str, &str)],
    budget: u64,
) -> Option<FileSummary> {
    let parsed = parse_file(path, text);
    let file = SourceFile { path, text, parsed: &parsed };
    let symbols =
        |(path, text): &(&str, &str)| FileSymbols::from_parsed(path, &parse_file(path, text), text);
    let known: Vec<FileSymbols> = known.iter().map(symbols).collect();
    let mut question = CurationQuery::from_text(asked);
    for word in asked.split(' ') {
        let told = word.split_once(':').and_then(|(path, line)| Some((path, line.parse().ok()?)));
        question.told.extend(told.map(|(path, line)| MentionedLine {
            path: path.to_owned(),
            line: LineNumber(line),
            age: 0,
        }));
    }
    summarise_for_history(&file, &question, &known, Tokens(budget), Tokenizer::O200k)
}

#[track_caller]
fn check(file: (&str, &str), asked: &str, known: &[(&str, &str)], budget: u64, expected: &str) {
    let text = file.1.trim_start_matches('\n');
    let found = summary(file.0, text, asked, known, budget);
    let found = found.map_or_else(|| "nothing\n".to_owned(), |summary| summary.text);
    assert!(
        found.trim_end() == expected.trim_matches('\n'),
        "<<<\n{found}>>>\nexpected:\n{expected}"
    );
}

const RUST: &str = r#"
//! Lines.

use std::fmt;

/// A line.
pub struct Line {
    text: String,
}

impl Line {
    /// Its length.
    pub fn len(&self) -> usize {
        let length = measure(&self.text);
        length
    }

    fn short(&self) -> bool {
        let limit = 80;
        self.len() < limit
    }
}

fn measure(text: &str) -> usize {
    let width = text.chars().count();
    width
}

fn unused() {
    let nothing = 1;
    drop(nothing);
}
"#;

const MAIN: (&str, &str) =
    ("src/main.rs", "use crate::line::Line;\n\nfn main(line: Line) {\n    line.len();\n}\n");

#[test]
fn what_is_public_comes_first_and_what_is_named_before_it() {
    check(
        ("src/line.rs", RUST),
        "make it faster",
        &[],
        60,
        "
   [1-5: 5 lines; with imports]
 6→pub struct Line {
   [7-31: 25 lines of Line; with text, Line, len, short, measure, unused]
",
    );
    check(
        ("src/line.rs", RUST),
        "why is `measure` wrong?",
        &[],
        60,
        "
   [1-22: 22 lines; with imports, Line, text, Line, len, short]
   [measure: called by len]
23→fn measure(text: &str) -> usize {
   [24-31: 8 lines of measure; with unused]
",
    );
    check(
        ("src/line.rs", RUST),
        "make it faster",
        &[MAIN],
        200,
        "
   [1-5: 5 lines; with imports]
   [Line: used by main (src/main.rs:3)]
 6→pub struct Line {
   [7-9: 3 lines of Line; with text]
10→impl Line {
11→    /// Its length.
   [len: calls measure; uses text; called by short, main (src/main.rs:3)]
12→    pub fn len(&self) -> usize {
   [13-31: 19 lines of Line.len; with short, measure, unused]
",
    );
}

const PYTHON: &str = r#"
"""Orders."""
import json


class Order:
    """What was bought."""

    def __init__(self, lines):
        self.lines = lines
        self.paid = False

    def total(self):
        total = 0
        for line in self.lines:
            total += line.price
        return total

    def _check(self):
        if self.total() < 0:
            raise ValueError("negative")


def load(path):
    with open(path) as file:
        data = json.load(file)
    return Order(data["lines"])
"#;

#[test]
fn relations_lead_to_other_files_that_are_known() {
    let test = (
        "tests/test_orders.py",
        "from shop.orders import load\n\n\ndef test_load():\n    assert load('a').total() == 3\n",
    );
    check(
        ("shop/orders.py", PYTHON),
        "make load faster",
        &[test],
        220,
        r#"
   [1-4: 4 lines; with imports]
 5→class Order:
 6→    """What was bought."""
 7→
 8→    def __init__(self, lines):
   [9-22: 14 lines of Order.__init__; with total, _check]
   [load: calls Order; tested by test_load (tests/test_orders.py:4)]
23→def load(path):
   [24-26: 3 lines of load]
"#,
    );
}

const TYPESCRIPT: &str = r#"
import { request } from "./http";

export interface User {
  id: number;
  name: string;
}

const cache = new Map<number, User>();

export async function fetchUser(id: number): Promise<User> {
  const known = cache.get(id);
  if (known) {
    return known;
  }
  const user = await request<User>(`/users/${id}`);
  remember(user);
  return user;
}

function remember(user: User) {
  cache.set(user.id, user);
  prune();
}

function prune() {
  while (cache.size > 100) {
    const [first] = cache.keys();
    cache.delete(first);
  }
}
"#;

#[test]
fn lines_told_by_number_are_touched() {
    check(
        ("src/users.ts", TYPESCRIPT),
        "stuck at src/users.ts:26",
        &[],
        70,
        "
   [1-24: 24 lines; with imports, User, id, name, cache, fetchUser and 1 more]
   [prune: uses cache; called by remember]
25→function prune() {
   [26-30: 5 lines of prune]
",
    );
    check(
        ("src/users.ts", TYPESCRIPT),
        "it grows",
        &[],
        130,
        r#"
 1→import { request } from "./http";
 2→
   [User: used by fetchUser, cache, remember]
 3→export interface User {
 4→  id: number;
 5→  name: string;
   [6-9: 4 lines of User; with cache]
   [fetchUser: calls remember; uses User, cache]
10→export async function fetchUser(id: number): Promise<User> {
   [11-30: 20 lines of fetchUser; with remember, prune]
"#,
    );
}

#[test]
fn a_name_is_told_once_however_it_is_used() {
    check(
        ("a.rs", USES),
        "look at build",
        &[],
        90,
        "
   [Start: used by build]
 1→struct Start;
 2→
   [Built: used by build]
 3→struct Built;
 4→
   [build: uses Built, Start]
 5→fn build(a: Start) -> Built {
   [6-14: 9 lines of build]
",
    );
}

#[test]
fn signatures_are_shown_where_names_of_all_the_rest_would_not_fit() {
    let long = |at: usize| format!("{}_{at}", "name_of_what_is_kept_for_later_use".repeat(3));
    let fields: String = (0..9).map(|at| format!("    {}: u32,\n", long(at))).collect();
    let text = format!("pub struct Kept {{\n{fields}}}\n");
    check(
        ("a.rs", &text),
        "",
        &[],
        40,
        "
 1→pub struct Kept {
   [2-11: 10 lines of Kept]
",
    );
    check(("a.rs", &text), "", &[], 10, "   [1-11: 11 lines]");
}

const USES: &str = r#"
struct Start;

struct Built;

fn build(a: Start) -> Built {
    let first: Built = from_scratch();
    let second: Built = from_scratch();
    let third: Built = from_scratch();
    println!("one of them is kept and the others are of no use to anyone here");
    println!("so that they are dropped at once, one after the other, and not later");
    drop(first);
    drop(third);
    second
}
"#;

#[test]
fn what_does_not_fit_is_not_said() {
    check(("src/line.rs", RUST), "", &[], 5, "nothing");
    check(("src/line.rs", "fn a() {}\n"), "", &[], 500, "nothing");
    check(("src/line.rs", ""), "", &[], 500, "nothing");
}

/// Generates excerpts of real code.
fn code() -> impl Strategy<Value = String> {
    let sources: &[&str] = &[
        include_str!("../../syntax/tests/entities/native.rs"),
        include_str!("../../syntax/tests/entities/web.rs"),
        include_str!("../../syntax/tests/entities/scripts.rs"),
        include_str!("../../syntax/tests/entities/data.rs"),
    ];
    (proptest::sample::select(sources), any::<u16>(), 0usize..4000).prop_map(
        |(source, from, length)| {
            let from = source.floor_char_boundary(from as usize % source.len());
            let end = source.floor_char_boundary((from + length).min(source.len()));
            source[from..end].to_owned()
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn a_summary_keeps_to_its_budget_and_tells_every_line(
        path in proptest::sample::select(&["a.rs", "a.py", "a.ts", "a.go", "a.md", "a.json", "a.x"][..]),
        text in prop_oneof![3 => code(), 1 => "(\\PC|[\n\t{}()<>#:]){0,200}"],
        asked in "[a-z_ ]{0,40}",
        budget in 0u64..600,
    ) {
        let Some(found) = summary(path, &text, &asked, &[("b.rs", RUST)], budget) else {
            return Ok(());
        };
        let tokens = Tokenizer::O200k.count(&found.text);
        prop_assert_eq!(tokens, found.tokens);
        prop_assert!(tokens <= Tokens(budget));
        prop_assert!(tokens < Tokenizer::O200k.count(&text));
        let mut all: Vec<_> = found.parts.iter().map(|part| (part.lines, true)).collect();
        all.extend(found.gaps.iter().map(|gap| (gap.lines, false)));
        all.sort();
        let mut next = 1;
        for (lines, _) in &all {
            prop_assert_eq!(lines.first.0, next);
            next = lines.last.0 + 1;
        }
        prop_assert_eq!(next, found.line_count + 1);
        prop_assert!(all.windows(2).all(|pair| pair[0].1 != pair[1].1));
        for related in &found.related {
            let shown = found.parts.iter().any(|part| part.lines.contains(related.line));
            prop_assert!(shown, "{:?} of what is not shown", related);
        }
    }
}
