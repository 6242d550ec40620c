//! A type name means one thing. Where three types have the same, a reader of the name has to ask
//! which one is meant.

use std::collections::BTreeMap;

use crate::tidy::definition::{DefinitionKind, definitions};
use crate::tidy::finding::Place;
use crate::tidy::tree::Tree;

/// Names that the language's own conventions give to many types.
const CONVENTIONS: &[&str] = &["Builder", "Error", "Iter", "Settings"];

/// So many types have the same name where it is too many.
const TYPES_MIN: usize = 3;

pub(crate) fn check(tree: &Tree) -> Vec<Place> {
    let mut places_by_name: BTreeMap<&str, Vec<(&str, usize)>> = BTreeMap::new();
    for source in tree.product_sources() {
        for definition in definitions(source) {
            if definition.kind == DefinitionKind::Type && !CONVENTIONS.contains(&definition.name) {
                let place = (source.path.as_str(), source.line_at(definition.offset));
                places_by_name.entry(definition.name).or_default().push(place);
            }
        }
    }
    let shared = places_by_name.into_iter().filter(|(_, places)| places.len() >= TYPES_MIN);
    let finding = |(name, places): (&str, Vec<(&str, usize)>)| {
        let others: Vec<&str> = places[1..].iter().map(|(path, _)| *path).collect();
        let what = format!("`{name}` is the name of a type in {} too", others.join(", "));
        Place::new(places[0].0, places[0].1, what)
    };
    shared.map(finding).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::rules::printed::findings_in;

    #[test]
    fn three_types_of_one_name_are_found() {
        let files = ["a", "b", "c"].map(|name| format!("crates/{name}/src/lib.rs"));
        let all = |text| [0, 1, 2].map(|at| (files[at].as_str(), text));
        let expected = "crates/a/src/lib.rs:1: `Shape` is the name of a type in \
                        crates/b/src/lib.rs, crates/c/src/lib.rs too\n";
        assert_eq!(findings_in(check, &all("struct Shape;")), expected);
        assert_eq!(findings_in(check, &all("enum Error {}")), "");
        assert_eq!(findings_in(check, &all("struct Shape;")[..2]), "");
    }
}
