//! An error is a type with fields, so that a caller can tell one from another.

use crate::tidy::finding::Place;
use crate::tidy::tree::Tree;

/// Error types that are only text.
const TEXT_TYPES: &[&str] = &["String", "&str", "&'static str", "Box<str>", "Box<dyn Error>"];

pub(crate) fn check(tree: &Tree) -> Vec<Place> {
    let mut places = Vec::new();
    for source in tree.sources.iter().filter(|source| !source.is_test_file()) {
        for at in source.words_outside_tests("Result") {
            let Some(error) = error_type(&source.code[at + "Result".len()..]) else { continue };
            if TEXT_TYPES.contains(&error) {
                let what = format!("`Result<_, {error}>`; make the error a thiserror enum");
                places.push(Place::new(source.path.clone(), source.line_at(at), what));
            }
        }
    }
    places
}

/// The second of the type arguments that `code` starts with, if there are two.
fn error_type(code: &str) -> Option<&str> {
    let arguments = code.strip_prefix('<')?;
    let mut depth = 0usize;
    let mut start = None;
    let mut before = ' ';
    for (at, c) in arguments.char_indices() {
        match c {
            '<' | '(' | '[' => depth += 1,
            // The arrow of a function type closes nothing.
            '>' if before == '-' => {}
            '>' if depth == 0 => {
                return start.map(|start| arguments[start..at].trim().trim_end_matches(',').trim());
            }
            '>' | ')' | ']' => depth = depth.saturating_sub(1),
            ',' if depth == 0 && start.is_none() => start = Some(at + 1),
            ';' | '{' if depth == 0 => return None,
            _ => {}
        }
        before = c;
    }
    None
}

#[cfg(test)]
mod tests;
