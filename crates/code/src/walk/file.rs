//! One file from its syntax tree to what is in it.

use foveal_parser_runtime::Tree;

use super::seams::seams;
use super::walker::{Frame, Walker};
use crate::entity::Parsed;
use crate::language::Language;

/// Fills `parsed` from the syntax tree of `text`.
pub(crate) fn walk<'a>(
    language: Language,
    tree: &'a Tree,
    path: &str,
    text: &'a str,
    parsed: &'a mut Parsed,
) {
    parsed.broken = tree.root_node().has_error();
    let mut walker = Walker {
        compiled: language.compiled(),
        text,
        in_test_file: is_test_path(path),
        parsed,
        frames: Vec::new(),
        names: Vec::new(),
        head: None,
        long: Vec::new(),
        exports: (language.compiled().spec.exports)(text).into_iter().collect(),
    };
    walker.frames.push(Frame { statements: true, ..Frame::default() });
    walker.run(tree);
    walker.keep_head();
    walker.parsed.seams = seams(&walker.long, text, walker.parsed);
}

/// Whether the path of a file says that it holds tests.
fn is_test_path(path: &str) -> bool {
    let path = path.to_ascii_lowercase();
    path.split(['/', '\\', '.', '_', '-'])
        .any(|part| matches!(part, "test" | "tests" | "spec" | "specs" | "__tests__"))
}
