//! Rule `json`: white space that only formats JSON is cut.
//!
//! The result is the same text without blanks and line breaks between tokens, so the same value.
//! Text that an edit may quote is never changed.

use std::iter::Peekable;
use std::ops::Range;
use std::vec::IntoIter;

use super::draft::ShapeDraft;
use super::quotable_text::is_quotable;

const RULE: &str = "json";

/// Smallest number of lines of JSON that is compacted.
const LINES_MIN: usize = 4;

/// Compacts every JSON object or array that fills whole lines.
pub fn compact_json(draft: &mut ShapeDraft<'_>) {
    if is_quotable(draft) {
        return;
    }
    let mut closings = ClosingBrackets::from_draft(draft);
    let mut at = 0;
    while at < draft.len() {
        match find_value_end(draft, at, &mut closings) {
            Some(end) => {
                cut_whitespace(draft, at..end);
                at = end;
            }
            None => at += 1,
        }
    }
}

/// Returns the line after the JSON value that opens on the line at `at`, if it was printed over
/// several lines.
fn find_value_end(
    draft: &ShapeDraft<'_>,
    at: usize,
    closings: &mut ClosingBrackets,
) -> Option<usize> {
    // Pretty-printers put the opening bracket at the start and the closing one on its own line.
    let first = draft.result_line(at).full_text(draft.content);
    let close = match first.trim_end() {
        "{" => "}",
        "[" => "]",
        _ => return None,
    };
    let end = closings.next_closing(at, close)? + 1;
    let quoted = at > 0 && draft.line_text(at - 1).trim_start().starts_with("```");
    if quoted || end - at < LINES_MIN {
        return None;
    }
    let text = &draft.content
        [draft.result_line(at).whole.start as usize..draft.result_line(end - 1).whole.end as usize];
    // Parsing most texts that are no value fails early, even if they have many lines.
    let is_value = serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok();
    (is_value && (at..end).all(|line| draft.is_fully_visible(line))).then_some(end)
}

/// The lines that consist of a closing bracket, ascending; lines already passed are removed.
struct ClosingBrackets {
    braces: Peekable<IntoIter<usize>>,
    brackets: Peekable<IntoIter<usize>>,
}

impl ClosingBrackets {
    fn from_draft(draft: &ShapeDraft<'_>) -> Self {
        let lines_with = |close: &str| {
            let closes = |line: &usize| {
                draft.result_line(*line).full_text(draft.content).trim_end() == close
            };
            let lines: Vec<usize> = (0..draft.len()).filter(closes).collect();
            lines.into_iter().peekable()
        };
        Self { braces: lines_with("}"), brackets: lines_with("]") }
    }

    /// Returns the first such line after the line `at`. Must be called with ascending lines.
    fn next_closing(&mut self, at: usize, close: &str) -> Option<usize> {
        let lines = if close == "}" { &mut self.braces } else { &mut self.brackets };
        while lines.next_if(|line| *line <= at).is_some() {}
        lines.peek().copied()
    }
}

fn cut_whitespace(draft: &mut ShapeDraft<'_>, lines: Range<usize>) {
    for at in lines.clone() {
        let whole = draft.result_line(at).whole.clone();
        let text = draft.result_line(at).full_text(draft.content);
        // No string spans a line break, so each line starts outside of strings.
        let blanks = whitespace_runs(text).into_iter();
        let range =
            |blank: Range<usize>| whole.start + blank.start as u32..whole.start + blank.end as u32;
        draft.cut_ranges(RULE, at, blanks.map(range));
        if at > lines.start {
            draft.remove_line_break(RULE, at);
        }
    }
}

/// Returns the runs of white space outside of strings.
fn whitespace_runs(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let (mut in_string, mut escaped) = (false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b' ' | b'\t' | b'\r' if !in_string => match found.last_mut() {
                Some(run) if run.end == at => run.end = at + 1,
                _ => found.push(at..at + 1),
            },
            _ => {}
        }
    }
    found
}
