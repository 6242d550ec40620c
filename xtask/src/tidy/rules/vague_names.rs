//! A name is a noun of the field. A module or type whose words all belong to everyday talk
//! (`told`, `Asked`, `KeptLines` is fine) says nothing to someone who looks for it, and neither
//! does a constructor called `of`.

use std::collections::BTreeSet;

use crate::tidy::definition::{DefinitionKind, definitions, name_words};
use crate::tidy::finding::Place;
use crate::tidy::source::Source;
use crate::tidy::tree::Tree;

/// Participles, verbs, adverbs, pronouns and the like; after `nouns:`, words that are nouns of
/// the field where they are the whole name.
const EVERYDAY_WORDS: &str = include_str!("vague_names/everyday_words.txt");

pub(crate) fn check(tree: &Tree) -> Vec<Place> {
    let (everyday, nouns) = EVERYDAY_WORDS.split_once("nouns:").expect("the list has both parts");
    let everyday: BTreeSet<&str> = everyday.split_whitespace().collect();
    let nouns: BTreeSet<&str> = nouns.split_whitespace().collect();
    let is_vague = |name: &str| {
        let words = name_words(name);
        let is_noun = matches!(&words[..], [one] if nouns.contains(one.as_str()));
        !is_noun && words.iter().all(|word| everyday.contains(word.as_str()))
    };
    let sources = tree.product_sources();
    sources.flat_map(|source| check_source(source, &is_vague)).collect()
}

fn check_source(source: &Source, is_vague: &dyn Fn(&str) -> bool) -> Vec<Place> {
    let wrong = definitions(source).into_iter().filter_map(|definition| {
        let is_wrong = match definition.kind {
            DefinitionKind::Type | DefinitionKind::Module => is_vague(definition.name),
            DefinitionKind::Function => definition.name == "of",
        };
        let what = format!("`{}` says nothing on its own; name what it is", definition.name);
        is_wrong.then(|| Place::new(source.path.clone(), source.line_at(definition.offset), what))
    });
    wrong.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::rules::printed::findings_in;

    fn found(text: &str) -> String {
        findings_in(check, &[("crates/a/src/b.rs", text)])
    }

    #[test]
    fn everyday_names_are_found() {
        for (text, name) in [
            ("mod told;", "told"),
            ("pub struct Asked;", "Asked"),
            ("enum LastGiven {}", "LastGiven"),
            ("impl A { pub fn of() {} }", "of"),
        ] {
            let expected =
                format!("crates/a/src/b.rs:1: `{name}` says nothing on its own; name what it is\n");
            assert_eq!(found(text), expected, "{text}");
        }
    }

    #[test]
    fn nouns_verbs_and_tests_pass() {
        for text in [
            "mod ledger; struct CacheKey; struct Line;",
            "fn keep() {} fn is_kept() {}",
            "#[cfg(test)] mod tests { struct Asked; }",
        ] {
            assert_eq!(found(text), "", "{text}");
        }
    }
}
