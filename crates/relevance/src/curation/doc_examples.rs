//! Examples in documentation, which a view omits first.

use super::query_terms::QueryTerms;
use super::unit::line_rows;
use foveal_syntax::{LineRange, ParsedFile};

/// Stems of words by which a query asks for documentation.
const DOCUMENTATION_STEMS: &[&str] =
    &["doc", "docstr", "document", "documentation", "exampl", "rustdoc"];
/// Headings of examples, in lower case.
const EXAMPLE_HEADINGS: &[&str] = &["example", "examples", "usage", "@example", ".. code-block"];
/// Characters at the beginning of a comment line.
const COMMENT_SIGNS: &[char] = &['/', '*', '!', '#', '-', ';', ' ', '\t'];

/// Returns for each row whether it is part of an example in documentation; none is if the query
/// asks for documentation.
pub(crate) fn mark_example_rows(
    parsed: &ParsedFile,
    rows: &[&str],
    asked: &QueryTerms,
) -> Vec<bool> {
    let mut found = vec![false; rows.len()];
    let is_asked = |word: &str| asked.terms.get(word).is_some_and(|term| asked.in_task[*term]);
    if DOCUMENTATION_STEMS.iter().any(|word| is_asked(word)) {
        return found;
    }
    let of_entities = parsed.entities.iter().filter_map(|entity| entity.doc);
    for row in of_entities.chain(parsed.doc).flat_map(|doc| example_rows(rows, doc)) {
        found[row] = true;
    }
    found
}

/// Returns the rows of examples in a documentation comment: between fences, after a prompt, and
/// below an example heading.
fn example_rows(rows: &[&str], doc: LineRange) -> Vec<usize> {
    let (mut fenced, mut headed) = (false, false);
    let mut found = Vec::new();
    for row in line_rows(doc).take_while(|row| *row < rows.len()) {
        let text = rows[row].trim().trim_start_matches(COMMENT_SIGNS);
        let is_fence = text.starts_with("```") || text.starts_with("~~~");
        let lower = text.trim_end_matches(':').to_ascii_lowercase();
        let is_heading = EXAMPLE_HEADINGS.iter().any(|heading| {
            lower == *heading || (heading.starts_with(['@', '.']) && lower.starts_with(heading))
        });
        // A tag, or a single word with a colon, begins another section.
        let is_other = text.starts_with('@') || (text.ends_with(':') && !text.contains(' '));
        headed = is_heading || (headed && !is_other);
        if fenced || is_fence || headed || text.starts_with(">>>") {
            found.push(row);
        }
        fenced ^= is_fence;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use foveal_transcript::LineNumber;

    fn check(doc: &str, expected: &[usize]) {
        let rows: Vec<&str> = doc.lines().collect();
        let last = LineNumber(u32::try_from(rows.len()).unwrap());
        assert_eq!(example_rows(&rows, LineRange::new(LineNumber(1), last)), expected, "{doc}");
    }

    #[test]
    fn examples_are_found() {
        check("/// Adds.\n///\n/// ```\n/// add(1);\n/// ```\n/// Fast.", &[2, 3, 4]);
        check("\"\"\"Adds.\n\n    >>> add(1)\n    2\n\"\"\"", &[2]);
        check("/**\n * Adds.\n * @example\n * add(1)\n * @returns the sum\n */", &[2, 3]);
        check("# Examples:\n#   add(1)\n# Errors:\n#   none", &[0, 1]);
        check("// An example of such a thing.", &[]);
    }
}
