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
    use crate::tidy::rules::printed::printed;
    use crate::tidy::source::Source;
    use crate::tidy::tree::Limits;

    #[test]
    fn a_long_file_is_found() {
        let sources =
            [("a.rs", 8), ("b.rs", 9)].map(|(path, lines)| Source::new(path, "\n".repeat(lines)));
        let limits = Limits { file_lines_max: 8, ..Limits::default() };
        let tree = Tree { sources: sources.into(), limits, ..Tree::default() };
        assert_eq!(printed(check, &tree), "b.rs:9: 9 lines, more than 8; split by concept\n");
    }
}
