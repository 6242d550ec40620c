//! Tokens and functions of a case's file.

use std::ops::RangeInclusive;

use foveal_pricing::tokens::{Tokenizer, Tokens};
use foveal_syntax::{LineRange, ParsedFile, parse_file};
use foveal_transcript::LineNumber;

use crate::case::CurationCase;
use crate::line_ranges::lines_of;

/// The most lines of a function that counts as touched.
const FUNCTION_LINES_MAX: usize = 60;

/// The tokens of a case's file by line, and its short functions that the gold lines touch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FileFacts {
    /// The tokens of each line, counted separately (o200k). Their sum differs from the count of the
    /// whole text by the few tokens that span a line break.
    pub(crate) tokens: Vec<Tokens>,
    /// The lines of each touched short function.
    pub(crate) functions: Vec<Vec<u32>>,
}

impl FileFacts {
    /// Counts the tokens of the lines of the case's file, and finds the touched functions.
    pub(crate) fn from_case(case: &CurationCase) -> Self {
        let text = &case.content_before;
        let tokens = lines_of(text).map(|line| Tokenizer::O200k.count(line)).collect();
        let functions = match case.gold_lines.as_deref() {
            None | Some([]) => Vec::new(),
            Some(gold) => touched_functions(&parse_file(&case.path, text), gold),
        };
        Self { tokens, functions }
    }

    /// Returns the number of lines of the file.
    pub(crate) fn line_count(&self) -> u32 {
        u32::try_from(self.tokens.len()).unwrap_or(u32::MAX)
    }
}

/// Returns the lines of each function that holds a line of `gold`, from its header to its end
/// without its documentation. Functions longer than [`FUNCTION_LINES_MAX`] are left out; of nested
/// functions, the innermost counts.
fn touched_functions(parsed: &ParsedFile, gold: &[u32]) -> Vec<Vec<u32>> {
    let mut found: Vec<Vec<u32>> = Vec::new();
    for line in gold {
        let Some(innermost) = parsed.innermost_entity(LineNumber(*line)) else { continue };
        let mut around = parsed.ancestry(innermost).map(|(_, entity)| entity);
        let Some(function) = around.find(|entity| entity.kind.is_function()) else { continue };
        let is_doc = |line: &u32| function.doc.is_some_and(|doc| line_numbers(doc).contains(line));
        let all = function.signature.first.0..=function.lines.last.0;
        let lines: Vec<u32> = all.filter(|line| !is_doc(line)).collect();
        if lines.len() <= FUNCTION_LINES_MAX && lines.contains(line) && !found.contains(&lines) {
            found.push(lines);
        }
    }
    found
}

fn line_numbers(lines: LineRange) -> RangeInclusive<u32> {
    lines.first.0..=lines.last.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(gold: &[u32], expected: &str) {
        let long: String = (0..61).map(|at| format!("    x = {at}\n")).collect();
        let text = format!(
            "# Doubles.\ndef double(x):\n    \"\"\"Twice.\n\n    Exactly.\"\"\"\n    return 2 * x\n\n\
             class Of:\n    a = 1\n\n    def outer(self):\n        def inner():\n            \
             return 1\n\n        return inner\n\ndef long():\n{long}"
        );
        let found: Vec<String> = touched_functions(&parse_file("a.py", &text), gold)
            .iter()
            .map(|lines| lines.iter().map(u32::to_string).collect::<Vec<_>>().join(","))
            .collect();
        assert_eq!(found.join(" "), expected, "{gold:?}");
    }

    #[test]
    fn short_functions_are_touched_in_their_code() {
        check(&[2], "2,6");
        check(&[2, 6], "2,6");
        check(&[4], "");
        check(&[9], "");
        check(&[13], "12,13");
        check(&[11, 15], "11,12,13,14,15");
        check(&[20], "");
        check(&[9_000], "");
    }
}
