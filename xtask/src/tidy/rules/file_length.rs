//! A file is one concept.

use crate::tidy::finding::Place;
use crate::tidy::tree::Tree;

pub(crate) fn check(tree: &Tree) -> Vec<Place> {
    let lines_max = tree.limits.file_lines_max;
    let too_long = |lines: usize| format!("{lines} lines, more than {lines_max}; split by concept");
    tree.sources
        .iter()
        .map(|source| (source, source.text.lines().count()))
        .filter(|(_, lines)| *lines > lines_max)
        .map(|(source, lines)| Place::new(source.path.clone(), lines_max + 1, too_long(lines)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::rules::printed::findings_in;

    #[test]
    fn a_long_file_is_found() {
        let files = [("a.rs", &*"\n".repeat(800)), ("b.rs", &*"\n".repeat(801))];
        assert_eq!(
            findings_in(check, &files),
            "b.rs:801: 801 lines, more than 800; split by concept\n"
        );
    }
}
