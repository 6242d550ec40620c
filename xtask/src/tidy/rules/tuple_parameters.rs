//! Values that belong together are a struct with named fields, never a tuple that keeps a
//! function under the limit of arguments.

use crate::tidy::definition::{DefinitionKind, definitions};
use crate::tidy::finding::Place;
use crate::tidy::source::{Source, group_end};
use crate::tidy::tree::Tree;

pub(crate) fn check(tree: &Tree) -> Vec<Place> {
    let mut places = Vec::new();
    for source in tree.product_sources() {
        for definition in definitions(source) {
            if definition.kind == DefinitionKind::Function
                && has_tuple(parameters(source, definition.offset))
            {
                let what = format!("`{}` takes a tuple; make it a struct", definition.name);
                let line = source.line_at(definition.offset);
                places.push(Place::new(source.path.clone(), line, what));
            }
        }
    }
    places
}

/// The parameters of the function whose name stands at `offset`, without their brackets.
fn parameters(source: &Source, offset: usize) -> &str {
    let code = &source.code[offset..];
    let mut angles = 0usize;
    let mut before = ' ';
    for (at, c) in code.char_indices() {
        match c {
            '<' => angles += 1,
            // The arrow of a function type closes nothing.
            '>' if before != '-' => angles = angles.saturating_sub(1),
            '(' if angles == 0 => return &code[at + 1..group_end(code, at) - 1],
            _ => {}
        }
        before = c;
    }
    ""
}

/// Returns whether a parameter is a tuple, or a reference to one.
fn has_tuple(parameters: &str) -> bool {
    let mut depth = 0usize;
    for (at, c) in parameters.char_indices() {
        match c {
            '(' | '[' | '<' => depth += 1,
            ')' | ']' | '>' => depth = depth.saturating_sub(1),
            ':' if depth == 0 => {
                let ty = parameters[at + 1..].trim_start().trim_start_matches('&');
                if is_tuple(ty) {
                    return true;
                }
            }
            _ => {}
        }
    }
    false
}

/// Returns whether `ty` begins with a tuple: round brackets around at least two types. Brackets
/// also stand around `dyn Trait + Send`.
fn is_tuple(ty: &str) -> bool {
    let mut depth = 0usize;
    for c in ty.chars() {
        match c {
            '(' | '[' | '<' => depth += 1,
            ')' | ']' | '>' => depth = depth.saturating_sub(1),
            ',' if depth == 1 => return ty.starts_with('('),
            _ => {}
        }
        if depth == 0 {
            break;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::rules::printed::findings_in;

    #[test]
    fn tuples_are_found() {
        for text in ["fn f(pair: (u8, u8)) {}", "fn f<F: Fn(u8) -> u8>(a: F, (b, c): &(u8, u8)) {}"]
        {
            let expected = "crates/a/src/b.rs:1: `f` takes a tuple; make it a struct\n";
            assert_eq!(findings_in(check, &[("crates/a/src/b.rs", text)]), expected, "{text}");
        }
    }

    #[test]
    fn other_parameters_pass() {
        for text in [
            "fn f(a: u8, b: impl Fn((u8, u8)), c: ()) -> (u8, u8) { (a, a) }",
            "fn f(a: &(dyn Fn(u8, u8) + Sync), b: &[u8; 2]) {}",
            "fn f(pairs: &[(u8, u8)], more: Vec<(u8, u8)>) {}",
            "fn f(Pair { a, b }: Pair) { let c: (u8, u8) = (a, b); }",
        ] {
            assert_eq!(findings_in(check, &[("crates/a/src/b.rs", text)]), "", "{text}");
        }
    }
}
