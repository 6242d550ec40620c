//! Tests of symbol search with symbols as people write them.

use foveal_relevance::relations::SymbolMatch;

use super::{named, relations};

const REPOSITORY: &str = "
//- src/lines.rs
pub struct Line { text: String }
impl Line {
    pub fn len(&self) -> usize { self.text.len() }
}
impl Display for Line {
    fn fmt(&self) {}
}
//- src/words.rs
pub struct Word;
impl Word {
    pub fn len(&self) -> usize { 0 }
}
//- tests/lines.rs
fn len() {}
";

#[track_caller]
fn check(symbol: &str, expected: &str) {
    let relations = relations(REPOSITORY);
    let found = match relations.find_symbol(symbol) {
        SymbolMatch::Nodes(nodes) => {
            nodes.iter().map(|node| named(&relations, *node)).collect::<Vec<_>>().join(" | ")
        }
        SymbolMatch::None => {
            let near = relations.similar_symbols(symbol, 3);
            let near: Vec<&str> = near.iter().map(|near| &*near.name).collect();
            format!("none; {}", near.join(", "))
        }
    };
    assert_eq!(found, expected, "{symbol}");
}

#[test]
fn names_paths_and_lines() {
    check("Line", "src/lines.rs:Line | src/lines.rs:Line");
    check("len", "src/lines.rs:Line.len | src/words.rs:Word.len | tests/lines.rs:len");
    check("Line.len", "src/lines.rs:Line.len");
    check("Line::len", "src/lines.rs:Line.len");
    check("Line::fmt()", "src/lines.rs:Display for Line.fmt");
    check("words::Word::len", "src/words.rs:Word.len");
    check("src/words.rs", "src/words.rs");
    check("words.rs", "src/words.rs");
    check("lines.rs", "src/lines.rs | tests/lines.rs");
    check("src/lines.rs:3", "src/lines.rs:Line.len");
    check("words.rs:len", "src/words.rs:Word.len");
}

#[test]
fn nearest_names() {
    check("lenn", "none; len");
    check("wrod", "none; ");
    check("WORDS", "none; Word");
    check("Line.lem", "none; len");
    check("entirely_different", "none; ");
    check("::", "none; ");
    check("", "none; ");
}
