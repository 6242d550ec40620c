//! Finds the marks that clients put in place of omitted output.

use super::output_body::OutputBody;
use super::result_lines_builder::ResultLinesBuilder;

/// Returns the first truncation mark; numbers are unknown after it. `usize::MAX` if there is none.
pub(super) fn first_mark_line(page: &ResultLinesBuilder<'_>, body: &OutputBody) -> usize {
    mark_lines(page, body).next().unwrap_or(usize::MAX)
}

/// Returns the last truncation mark, which is the client's: earlier ones may be part of the output.
pub(super) fn last_mark_line(page: &ResultLinesBuilder<'_>, body: &OutputBody) -> Option<usize> {
    mark_lines(page, body).last()
}

/// Returns the lines that may be truncation marks.
fn mark_lines<'a>(
    page: &'a ResultLinesBuilder<'_>,
    body: &'a OutputBody,
) -> impl Iterator<Item = usize> + 'a {
    const WORDS: [&str; 4] = ["truncated", "elided", "TRUNCATED", "omitted"];
    let says = |text: &str| WORDS.iter().any(|word| text.contains(word));
    let is_mark = move |at: &usize| {
        let line = page.line_text(*at);
        says(line)
            && (line.trim_start().starts_with(['.', '[', '<', '(', '…']) || line.contains('…'))
    };
    let has_gap = !body.gap.is_empty();
    let lines = if has_gap {
        body.gap.start..body.gap.start + 1
    } else if says(page.joined_text(body.lines.clone())) {
        body.lines.clone()
    } else {
        0..0
    };
    lines.filter(move |at| has_gap || is_mark(at))
}
