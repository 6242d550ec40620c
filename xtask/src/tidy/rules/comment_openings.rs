//! A comment says what an item is or returns. One that begins with a question word makes the
//! reader answer it first.

use crate::tidy::finding::Place;
use crate::tidy::tree::Tree;

/// The beginnings of such comments.
const OPENINGS: &[&str] = &["How it", "The same", "What", "Whether what", "Who"];

pub(crate) fn check(tree: &Tree) -> Vec<Place> {
    let mut places = Vec::new();
    for source in tree.product_sources() {
        let tests = source.text.find("#[cfg(test)]\nmod tests {");
        let tests_line = tests.map_or(usize::MAX, |at| source.line_at(at));
        for comment in source.comments.iter().filter(|comment| comment.line < tests_line) {
            let text = comment.text.trim_start_matches(['/', '!']).trim_start();
            let opening = OPENINGS.iter().find(|opening| {
                let rest = text.strip_prefix(**opening);
                rest.is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
            });
            if let Some(opening) = opening {
                let what = format!(
                    "a comment begins with `{opening}`; begin with the thing (`Returns …`)"
                );
                places.push(Place::new(source.path.clone(), comment.line, what));
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
    fn question_words_are_found() {
        for (text, opening) in [
            ("/// What it costs.", "What"),
            ("//! Who reads it", "Who"),
            ("    // The same, but later", "The same"),
        ] {
            let expected = format!(
                "crates/a/src/b.rs:1: a comment begins with `{opening}`; begin with the thing \
                 (`Returns …`)\n"
            );
            assert_eq!(findings_in(check, &[("crates/a/src/b.rs", text)]), expected, "{text}");
        }
    }

    #[test]
    fn other_comments_pass() {
        for text in [
            "/// Returns the cost.",
            "/// Whatever is left is dropped.",
            "let text = \"// What\";",
            "#[cfg(test)]\nmod tests {\n// What it tests\n}",
        ] {
            assert_eq!(findings_in(check, &[("crates/a/src/b.rs", text)]), "", "{text}");
        }
    }
}
