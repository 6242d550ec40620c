//! Unsafe code stands in one file. Of the lints, the crate it is in has its own; here the
//! exception is named, and no other crate can make one for itself.

use crate::tidy::finding::Place;
use crate::tidy::tree::Tree;

/// Where it may stand, and nowhere else.
const EXCEPTION: &str = "crates/lease/src/control.rs";

/// Times that it may.
const COUNT_MAX: usize = 1;

pub(crate) fn check(tree: &Tree) -> Vec<Place> {
    let places = tree.sources.iter().flat_map(|source| {
        let allowed = if source.path == EXCEPTION { COUNT_MAX } else { 0 };
        source.words("unsafe").skip(allowed).map(|at| {
            let what = format!("`unsafe`; only {EXCEPTION} may, {COUNT_MAX} time: see DESIGN.md");
            Place::new(source.path.clone(), source.line_at(at), what)
        })
    });
    places.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::rules::printed::findings_in;

    #[test]
    fn unsafe_code_is_found() {
        let block = "fn a() {\n    unsafe { b() }\n}\n";
        let twice = format!("{block}{block}");
        let words = "#[expect(unsafe_code)]\n// unsafe\nfn a() { \"unsafe\"; }\n";
        let files = [("a.rs", block), ("b.rs", words), (EXCEPTION, &*twice)];
        assert_eq!(
            findings_in(check, &files),
            "a.rs:2: `unsafe`; only crates/lease/src/control.rs may, 1 time: see DESIGN.md\n\
             crates/lease/src/control.rs:5: `unsafe`; only crates/lease/src/control.rs may, 1 time: \
             see DESIGN.md\n"
        );
        assert_eq!(findings_in(check, &[(EXCEPTION, block)]), "");
    }
}
