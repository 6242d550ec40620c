//! Lines that stand for what a client left out of an output.

use super::output_body::Body;
use super::page::Page;

/// The first line that stands for what a client left out; numbers are not known behind it.
/// `usize::MAX` where there is none.
pub(super) fn mark_line(page: &Page<'_>, body: &Body) -> usize {
    if !body.gap.is_empty() {
        return body.gap.start;
    }
    const WORDS: [&str; 4] = ["truncated", "elided", "TRUNCATED", "omitted"];
    let says = |text: &str| WORDS.iter().any(|word| text.contains(word));
    if !says(page.text(body.lines.clone())) {
        return usize::MAX;
    }
    let marks = |at: &usize| {
        let line = page.line(*at);
        says(line)
            && (line.trim_start().starts_with(['.', '[', '<', '(', '…']) || line.contains('…'))
    };
    body.lines.clone().find(marks).unwrap_or(usize::MAX)
}
