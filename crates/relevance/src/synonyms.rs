//! Synonyms in code: a search for code that writes data may say `serialize`, `save` or `commit`.

use crate::terms::stem;

/// Groups of synonyms, one per line; a word may be in several.
static SYNONYM_GROUPS: &str = include_str!("../data/synonyms.txt");

/// Returns for each stem of `terms` the stems of its synonyms, without stems that `terms` contains.
pub fn find_synonyms(terms: &[String]) -> Vec<Vec<String>> {
    let mut found: Vec<Vec<String>> = vec![Vec::new(); terms.len()];
    for group in SYNONYM_GROUPS.lines() {
        let stems: Vec<String> = group.split(' ').map(stem).collect();
        for (term, own) in terms.iter().zip(&mut found) {
            if stems.contains(term) {
                own.extend(stems.iter().filter(|other| !terms.contains(other)).cloned());
            }
        }
    }
    for own in &mut found {
        own.sort_unstable();
        own.dedup();
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terms::is_stop_word;

    #[test]
    fn a_verb_has_those_that_programs_use_in_its_place() {
        let found = find_synonyms(&[stem("writes"), stem("files"), stem("zebra")]);
        assert!(found[0].contains(&stem("serialize")) && found[0].contains(&stem("commit")));
        assert_eq!(found[2], Vec::<String>::new());
    }

    #[test]
    fn what_is_asked_for_stands_for_nothing_else() {
        let found = find_synonyms(&[stem("read"), stem("load")]);
        assert!(!found[0].contains(&stem("load")) && found[0].contains(&stem("parse")));
    }

    #[test]
    fn groups_are_in_order_and_have_words_that_are_looked_for() {
        let groups: Vec<&str> = SYNONYM_GROUPS.lines().collect();
        assert!(groups.is_sorted());
        for group in groups {
            assert!(group.split(' ').count() > 1, "{group}");
            assert!(!group.split(' ').any(is_stop_word), "{group}");
        }
    }
}
