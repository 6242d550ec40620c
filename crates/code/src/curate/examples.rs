//! Examples in documentation: the first lines of it to go.

use super::asked::Asked;
use super::unit::rows_of;
use crate::entity::Parsed;
use crate::lines::LineRange;

/// Stems of words by which a question asks for documentation.
const DOCUMENTATION: &[&str] = &["doc", "docstr", "document", "documentation", "exampl", "rustdoc"];
/// Words that open examples, in lower case, where a line has no others.
const HEADINGS: &[&str] = &["example", "examples", "usage", "@example", ".. code-block"];
/// Signs that begin a line of a comment.
const COMMENT_SIGNS: &[char] = &['/', '*', '!', '#', '-', ';', ' ', '\t'];

/// For each row, whether it is of an example in documentation; none is where the question asks
/// for documentation.
pub(crate) fn examples(parsed: &Parsed, rows: &[&str], asked: &Asked) -> Vec<bool> {
    let mut found = vec![false; rows.len()];
    let is_asked = |word: &str| asked.terms.get(word).is_some_and(|term| asked.in_task[*term]);
    if DOCUMENTATION.iter().any(|word| is_asked(word)) {
        return found;
    }
    let of_entities = parsed.entities.iter().filter_map(|entity| entity.doc);
    for row in of_entities.chain(parsed.doc).flat_map(|doc| examples_of(rows, doc)) {
        found[row] = true;
    }
    found
}

/// The rows of examples in some documentation: between fences, after a prompt, and below a
/// heading that says so.
fn examples_of(rows: &[&str], doc: LineRange) -> Vec<usize> {
    let (mut fenced, mut headed) = (false, false);
    let mut found = Vec::new();
    for row in rows_of(doc).take_while(|row| *row < rows.len()) {
        let text = rows[row].trim().trim_start_matches(COMMENT_SIGNS);
        let is_fence = text.starts_with("```") || text.starts_with("~~~");
        let lower = text.trim_end_matches(':').to_ascii_lowercase();
        let is_heading = HEADINGS.iter().any(|heading| {
            lower == *heading || (heading.starts_with(['@', '.']) && lower.starts_with(heading))
        });
        // What has no indentation of its own and ends with a colon, or begins with a sign of its
        // own, opens another part.
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
        assert_eq!(examples_of(&rows, LineRange::new(LineNumber(1), last)), expected, "{doc}");
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
