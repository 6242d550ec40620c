//! The walk over the syntax tree of one file.

use foveal_parser_runtime::Tree;

use super::seams::find_seams;
use super::walker::{TreeWalker, WalkFrame};
use crate::entity::ParsedFile;
use crate::language::Language;

/// Fills `parsed` from the syntax tree of `text`.
pub(crate) fn walk_tree<'a>(
    language: Language,
    tree: &'a Tree,
    path: &str,
    text: &'a str,
    parsed: &'a mut ParsedFile,
) {
    parsed.broken = tree.root_node().has_error();
    let mut walker = TreeWalker {
        compiled: language.compiled_spec(),
        text,
        in_test_file: is_test_path(path),
        parsed,
        frames: Vec::new(),
        definition_names: Vec::new(),
        file_comment: None,
        long_nodes: Vec::new(),
        exports: (language.compiled_spec().spec.exports)(text).into_iter().collect(),
    };
    walker.frames.push(WalkFrame { has_statements: true, ..WalkFrame::default() });
    walker.walk_children(tree);
    walker.record_file_comment();
    walker.parsed.seams = find_seams(&walker.long_nodes, text, walker.parsed);
}

/// Returns whether the path marks a test file.
fn is_test_path(path: &str) -> bool {
    let path = path.to_ascii_lowercase();
    path.split(['/', '\\', '.', '_', '-'])
        .any(|part| matches!(part, "test" | "tests" | "spec" | "specs" | "__tests__"))
}
