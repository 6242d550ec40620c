//! A module is called after its concept. A name that fits everything collects everything.

use crate::tidy::finding::Place;
use crate::tidy::source::is_word;
use crate::tidy::tree::Tree;

/// Names that say nothing.
const EMPTY_NAMES: &[&str] =
    &["common", "core", "helper", "helpers", "manager", "misc", "util", "utils"];

pub(crate) fn check(tree: &Tree) -> Vec<Place> {
    let say = |name: &str| format!("`{name}` is too vague; name the concept");
    let mut places = Vec::new();
    for source in &tree.sources {
        let of_path = source.path.split('/').map(|part| part.trim_end_matches(".rs"));
        for name in of_path.filter(|name| EMPTY_NAMES.contains(name)) {
            places.push(Place::new(source.path.clone(), 1, say(name)));
        }
        for at in source.words("mod") {
            let name = source.code[at + 3..].trim_start();
            let end = name.find(|c| !is_word(c)).unwrap_or(name.len());
            let (name, rest) = name.split_at(end);
            // A declaration without a body is found by its file.
            if EMPTY_NAMES.contains(&name) && rest.trim_start().starts_with('{') {
                places.push(Place::new(source.path.clone(), source.line_at(at), say(name)));
            }
        }
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::rules::printed::findings_in;

    #[test]
    fn empty_names_are_found() {
        for (path, text, line, name) in [
            ("crates/engine/src/utils.rs", "", 1, "utils"),
            ("crates/engine/tests/common/mod.rs", "", 1, "common"),
            ("crates/core/src/lib.rs", "", 1, "core"),
            ("crates/engine/src/lib.rs", "\nmod helpers {}", 2, "helpers"),
        ] {
            let expected = format!("{path}:{line}: `{name}` is too vague; name the concept\n");
            assert_eq!(findings_in(check, &[(path, text)]), expected);
        }
    }

    #[test]
    fn concepts_pass() {
        let files = [("crates/engine/src/ledger.rs", "use core::fmt; mod score {}")];
        assert_eq!(findings_in(check, &files), "");
    }
}
