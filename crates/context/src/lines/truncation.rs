//! Lines that stand for what a client left out of an output.

use super::output_body::Body;
use super::page::Page;

/// The first line that stands for what a client left out; numbers are not known behind it.
/// `usize::MAX` where there is none.
pub(super) fn mark_line(page: &Page<'_>, body: &Body) -> usize {
    marks(page, body).next().unwrap_or(usize::MAX)
}

/// The last of these lines, which is the client's: lines before it may be the output's own.
pub(super) fn last_mark_line(page: &Page<'_>, body: &Body) -> Option<usize> {
    marks(page, body).last()
}

/// Lines that may stand for what a client left out.
fn marks<'a>(page: &'a Page<'_>, body: &'a Body) -> impl Iterator<Item = usize> + 'a {
    const WORDS: [&str; 4] = ["truncated", "elided", "TRUNCATED", "omitted"];
    let says = |text: &str| WORDS.iter().any(|word| text.contains(word));
    let is_mark = move |at: &usize| {
        let line = page.line(*at);
        says(line)
            && (line.trim_start().starts_with(['.', '[', '<', '(', '…']) || line.contains('…'))
    };
    let has_gap = !body.gap.is_empty();
    let lines = if has_gap {
        body.gap.start..body.gap.start + 1
    } else if says(page.text(body.lines.clone())) {
        body.lines.clone()
    } else {
        0..0
    };
    lines.filter(move |at| has_gap || is_mark(at))
}
