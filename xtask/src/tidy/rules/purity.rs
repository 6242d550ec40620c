//! The pure crates reach for nothing outside their arguments: no files, clock, environment,
//! network, processes, threads or terminal. Read from the source, because the target that
//! would prove it (wasm32) is not on every machine.

use crate::tidy::finding::Place;
use crate::tidy::source::{Source, is_word};
use crate::tidy::tree::Tree;
use crate::tidy::use_tree::expand;

/// Folders whose `src` is pure.
pub(crate) const PURE: &[&str] = &[
    "crates/transcript",
    "crates/screen",
    "crates/tool-effects",
    "crates/agent",
    "crates/tui",
    "crates/pricing",
    "crates/engine",
    "crates/proxy",
    "crates/protocols",
    "crates/session-readers",
    "crates/syntax",
    "crates/relevance",
    "crates/redaction",
    "crates/replay",
    "crates/report",
];

/// Paths that are out of bounds, each with what to do instead. A path forbids what is below
/// it too; one that ends in `*` or names a whole module forbids importing all of it.
const FORBIDDEN_PATHS: &[(&str, &str)] = &[
    ("std::*", "import what is used by name"),
    ("std::fs", "take the bytes as an argument"),
    ("std::env", "take the value as an argument"),
    ("std::net", "leave the network to a caller"),
    ("std::os", "leave the system to a caller"),
    ("std::process", "leave processes to a caller"),
    ("std::thread", "leave threads to a caller"),
    ("std::time::Instant", "take the time as an argument"),
    ("std::time::SystemTime", "take the time as an argument"),
    ("std::time::UNIX_EPOCH", "take the time as an argument"),
    ("std::time::*", "import what is used by name"),
    ("std::io::stdin", "take a reader as an argument"),
    ("std::io::stdout", "return text or take a writer"),
    ("std::io::stderr", "return text or take a writer"),
    ("tokio", "leave the runtime to a caller"),
    ("reqwest", "leave the network to a caller"),
    ("rand", "take the randomness as an argument"),
];

/// Macros that write to the terminal.
const FORBIDDEN_MACROS: &[&str] = &["println", "eprintln", "print", "eprint"];

pub(crate) fn check(tree: &Tree) -> Vec<Place> {
    let is_pure = |source: &&Source| {
        PURE.iter().any(|folder| {
            source.path.strip_prefix(folder).is_some_and(|rest| rest.starts_with("/src/"))
        })
    };
    tree.sources.iter().filter(is_pure).flat_map(check_source).collect()
}

fn check_source(source: &Source) -> Vec<Place> {
    let mut places = Vec::new();
    let heads = ["std", "tokio", "reqwest", "rand"];
    for at in heads.iter().flat_map(|head| source.words(head)) {
        let before = source.code[..at].trim_end();
        let inner = before.ends_with("::") && before[..before.len() - 2].ends_with(is_word);
        let is_path = source.code[at..].trim_start_matches(is_word).trim_start().starts_with("::");
        if inner || !is_path {
            continue;
        }
        for path in expand(&source.code[at..]) {
            let path = path.segments.join("::");
            if let Some((_, advice)) = FORBIDDEN_PATHS.iter().find(|(bad, _)| lies_in(&path, bad)) {
                let what = format!("`{path}` in a pure crate; {advice}");
                places.push(Place::new(source.path.clone(), source.line_at(at), what));
            }
        }
    }
    for name in FORBIDDEN_MACROS {
        for at in source.words(name).filter(|at| source.code[at + name.len()..].starts_with('!')) {
            let what = format!("`{name}!` in a pure crate; return text instead");
            places.push(Place::new(source.path.clone(), source.line_at(at), what));
        }
    }
    places
}

/// Whether `path` is `bad` or below it, or imports the module that holds it.
fn lies_in(path: &str, bad: &str) -> bool {
    let holds_it = bad.strip_prefix(path).is_some_and(|rest| rest == "::*");
    path == bad
        || path.strip_prefix(bad).is_some_and(|rest| rest.starts_with("::"))
        || (holds_it && path != "std")
}

#[cfg(test)]
mod tests;
