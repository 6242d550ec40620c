//! One place writes to a terminal, and it spells out what a terminal would obey. A write
//! past it passes on what foreign names and contents hold.

use crate::tidy::finding::Place;
use crate::tidy::source::Source;
use crate::tidy::tree::Tree;

/// The files that write to the terminal or ask for its properties.
const WRITERS: &[&str] = &[
    // It draws cells, whose texts `foveal-tui` has spelled out.
    "crates/cli/src/commands/chat/screen.rs",
    "crates/cli/src/environment.rs",
    "crates/cli/src/notice.rs",
    "crates/cli/src/output.rs",
    // Its streams are those of a command, which are captured.
    "crates/sandbox/src/guard/guard_process.rs",
];

/// A program of developers, whose terminal shows figures.
const DEVELOPERS: &str = "crates/dev-bench/";

/// Macros that write.
const MACROS: &[&str] = &["dbg", "eprint", "eprintln", "print", "println"];

/// Functions that give the streams away.
const STREAMS: &[&str] = &["stdout", "stderr", "inherit"];

pub(crate) fn check(tree: &Tree) -> Vec<Place> {
    let is_meant = |source: &&Source| {
        let in_program = source.path.starts_with("crates/") && source.path.contains("/src/");
        let is_for_users = !source.path.starts_with(DEVELOPERS);
        in_program
            && is_for_users
            && !source.is_test_file()
            && !WRITERS.contains(&source.path.as_str())
    };
    tree.sources.iter().filter(is_meant).flat_map(check_source).collect()
}

fn check_source(source: &Source) -> Vec<Place> {
    let mut places = Vec::new();
    let mut find = |name: &str, follows: char, is_call: bool| {
        for at in source.words_outside_tests(name) {
            let before = source.code[..at].trim_end();
            let is_method = before.ends_with('.') || before.ends_with("fn");
            let is_import = before.ends_with("::") && before[..before.len() - 2].ends_with("io");
            let is_used = source.code[at + name.len()..].starts_with(follows);
            if (is_used && !is_method) || (is_call && is_import && !is_used) {
                let what = format!("`{name}`; print with `output` or `notice` of the program");
                places.push(Place::new(source.path.clone(), source.line_at(at), what));
            }
        }
    };
    MACROS.iter().for_each(|name| find(name, '!', false));
    STREAMS.iter().for_each(|name| find(name, '(', true));
    places
}

#[cfg(test)]
mod tests;
