//! Rule `json`: white space that only lays JSON out is cut.
//!
//! What is left is the same text without the blanks and line breaks between its tokens, so
//! the same value. A file's own text is never touched: edits have to quote it.

use std::iter::Peekable;
use std::ops::Range;
use std::vec::IntoIter;

use foveal_effects::EffectKind;

use super::draft::Draft;

const RULE: &str = "json";

/// JSON on fewer lines is left as it is.
const LINES_MIN: usize = 4;

/// Compacts every JSON object or array that stands on lines of its own.
pub fn compact(draft: &mut Draft<'_>) {
    if !draft.facts.printed.paths.is_empty() {
        return;
    }
    // What another agent or an unknown tool writes may quote a file; a whole answer does not.
    let whole_only = match draft.facts.kind() {
        EffectKind::Run | EffectKind::Fetch => false,
        EffectKind::Other => true,
        EffectKind::Read
        | EffectKind::Search
        | EffectKind::List
        | EffectKind::Edit
        | EffectKind::Write => return,
    };
    let mut closings = Closings::of(draft);
    let mut at = 0;
    while at < draft.len() {
        match value_from(draft, at, &mut closings) {
            Some(end) if whole_only && !is_whole(draft, at..end) => at = end,
            Some(end) => {
                cut_layout(draft, at..end);
                at = end;
            }
            None => at += 1,
        }
    }
}

fn is_whole(draft: &Draft<'_>, lines: Range<usize>) -> bool {
    let blank = |at: usize| draft.text(at).trim().is_empty();
    (0..lines.start).chain(lines.end..draft.len()).all(blank)
}

/// The line after the JSON value that opens on the line at `at`, if it is one that was
/// printed over several lines.
fn value_from(draft: &Draft<'_>, at: usize, closings: &mut Closings) -> Option<usize> {
    // Pretty-printers put the opening bracket at the start and the closing one alone.
    let first = draft.line(at).whole_in(draft.content);
    let close = match first.trim_end() {
        "{" => "}",
        "[" => "]",
        _ => return None,
    };
    let end = closings.after(at, close)? + 1;
    let quoted = at > 0 && draft.text(at - 1).trim_start().starts_with("```");
    if quoted || end - at < LINES_MIN {
        return None;
    }
    let text =
        &draft.content[draft.line(at).whole.start as usize..draft.line(end - 1).whole.end as usize];
    // What is no value mostly ends it early; the lines are many.
    let is_value = serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok();
    (is_value && (at..end).all(|line| draft.keeps_all(line))).then_some(end)
}

/// The lines that hold a closing bracket alone, ascending; those passed already are gone.
struct Closings {
    braces: Peekable<IntoIter<usize>>,
    brackets: Peekable<IntoIter<usize>>,
}

impl Closings {
    fn of(draft: &Draft<'_>) -> Self {
        let lines_with = |close: &str| {
            let closes =
                |line: &usize| draft.line(*line).whole_in(draft.content).trim_end() == close;
            let lines: Vec<usize> = (0..draft.len()).filter(closes).collect();
            lines.into_iter().peekable()
        };
        Self { braces: lines_with("}"), brackets: lines_with("]") }
    }

    /// The first after the line `at`. Lines are asked for in ascending order.
    fn after(&mut self, at: usize, close: &str) -> Option<usize> {
        let lines = if close == "}" { &mut self.braces } else { &mut self.brackets };
        while lines.next_if(|line| *line <= at).is_some() {}
        lines.peek().copied()
    }
}

fn cut_layout(draft: &mut Draft<'_>, lines: Range<usize>) {
    for at in lines.clone() {
        let whole = draft.line(at).whole.clone();
        let text = draft.line(at).whole_in(draft.content);
        // No string runs over a line break, so each line starts outside of one.
        let blanks = layout(text).into_iter();
        let range =
            |blank: Range<usize>| whole.start + blank.start as u32..whole.start + blank.end as u32;
        draft.cut_all(RULE, at, blanks.map(range));
        if at > lines.start {
            draft.join(RULE, at);
        }
    }
}

/// Runs of white space outside of strings.
fn layout(text: &str) -> Vec<Range<usize>> {
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
