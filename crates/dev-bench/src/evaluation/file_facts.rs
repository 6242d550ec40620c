//! Tokens and functions of a case's file.

use std::ops::RangeInclusive;

use foveal_code::{LineNumber, LineRange, Parsed, parse};
use foveal_context::tokens::{Tokenizer, Tokens};

use crate::case::CurationCase;
use crate::line_ranges::lines_of;

/// Most lines of a function that is to be kept whole.
const FUNCTION_LINES_MAX: usize = 60;

/// The tokens of a case's file by line, and its short functions that the gold lines touch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FileFacts {
    /// Tokens of every line, each counted for itself (o200k). The sum differs from the count of
    /// the whole text by what few tokens reach over a line break.
    pub(crate) tokens: Vec<Tokens>,
    /// Of every short function that is touched, its lines.
    pub(crate) functions: Vec<Vec<u32>>,
}

impl FileFacts {
    /// Counts the lines of the case's file and looks for the functions that are touched.
    pub(crate) fn from_case(case: &CurationCase) -> Self {
        let text = &case.content_before;
        let tokens = lines_of(text).map(|line| Tokenizer::O200k.count(line)).collect();
        let functions = match case.gold_lines.as_deref() {
            None | Some([]) => Vec::new(),
            Some(gold) => touched_functions(&parse(&case.path, text), gold),
        };
        Self { tokens, functions }
    }

    /// Returns the number of lines of the file.
    pub(crate) fn line_count(&self) -> u32 {
        u32::try_from(self.tokens.len()).unwrap_or(u32::MAX)
    }
}

/// Returns the lines of each function that holds a line of `gold`, from its header to its end without
/// its documentation; longer ones than [`FUNCTION_LINES_MAX`] left out. Of functions in each
/// other the innermost counts.
fn touched_functions(parsed: &Parsed, gold: &[u32]) -> Vec<Vec<u32>> {
    let mut found: Vec<Vec<u32>> = Vec::new();
    for line in gold {
        let Some(innermost) = parsed.innermost(LineNumber(*line)) else { continue };
        let mut around = parsed.ancestry(innermost).map(|(_, entity)| entity);
        let Some(function) = around.find(|entity| entity.kind.is_function()) else { continue };
        let is_doc = |line: &u32| function.doc.is_some_and(|doc| numbers(doc).contains(line));
        let all = function.signature.first.0..=function.lines.last.0;
        let lines: Vec<u32> = all.filter(|line| !is_doc(line)).collect();
        if lines.len() <= FUNCTION_LINES_MAX && lines.contains(line) && !found.contains(&lines) {
            found.push(lines);
        }
    }
    found
}

fn numbers(lines: LineRange) -> RangeInclusive<u32> {
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
        let found: Vec<String> = touched_functions(&parse("a.py", &text), gold)
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
