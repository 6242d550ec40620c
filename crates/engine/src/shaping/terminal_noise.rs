//! Rule `noise`: output that would not stay visible on a terminal is cut.
//!
//! This covers colour codes and the states of a progress line that the next carriage return
//! overwrites. Only a command's own output is changed: in the text of a file such characters belong
//! to the file.

use foveal_tool_effects::EffectKind;

use super::draft::ShapeDraft;

const RULE: &str = "noise";

/// Cuts escape sequences and overwritten text from every kept line of a run's output that is not
/// known to be a line of a file.
pub fn cut_noise(draft: &mut ShapeDraft<'_>) {
    if !draft.facts.has_terminal_noise
        || draft.facts.kind() != EffectKind::Run
        || contains_diff(draft)
    {
        return;
    }
    for at in 0..draft.len() {
        if !draft.is_visible(at) || draft.result_line(at).path.is_some() {
            continue;
        }
        let whole = draft.result_line(at).whole.clone();
        let text = draft.result_line(at).full_text(draft.content);
        // Carriage returns at the end belong to the line break (a terminal adds one) and stay.
        let body = text.trim_end_matches('\r');
        let overwritten = overwritten_len(body);
        draft.cut_range(RULE, at, whole.start..whole.start + overwritten as u32);
        let base = whole.start + overwritten as u32;
        let found = find_escape_sequences(&body.as_bytes()[overwritten..]);
        let ranges = found.into_iter().map(|(start, end)| base + start as u32..base + end as u32);
        draft.cut_ranges(RULE, at, ranges);
    }
}

/// Returns the number of bytes at the start of a line that are not visible in the end: states
/// before a carriage return whose columns later states cover or erase.
fn overwritten_len(line: &str) -> usize {
    if !line.contains('\r') {
        return 0;
    }
    let mut starts = vec![0];
    starts.extend(line.match_indices('\r').map(|(at, _)| at + 1));
    let ends = starts.iter().skip(1).map(|start| start - 1).chain([line.len()]);
    let states: Vec<&str> =
        starts.iter().zip(ends).map(|(start, end)| &line[*start..end]).collect();
    // Columns that each state and its successors cover, and columns that the states before it have.
    let mut covered = vec![0; states.len()];
    let mut most = 0;
    for (at, state) in states.iter().enumerate().rev() {
        most = most.max(if erases_line(state) { usize::MAX } else { column_count(state) });
        covered[at] = most;
    }
    let (mut before, mut cut) = (0, 0);
    for (at, state) in states.iter().enumerate() {
        if before <= covered[at] {
            cut = starts[at];
        }
        before = before.max(column_count(state));
    }
    cut
}

/// Returns the number of characters of a text without its escape sequences.
fn column_count(text: &str) -> usize {
    let sequences = find_escape_sequences(text.as_bytes());
    let hidden: usize = sequences.iter().map(|(start, end)| end - start).sum();
    // Sequences are ASCII: one byte is one character.
    text.chars().count() - hidden
}

/// Returns whether a text erases its line to the end, or all of it.
fn erases_line(text: &str) -> bool {
    find_escape_sequences(text.as_bytes())
        .into_iter()
        .any(|(start, end)| matches!(&text[start..end], "\u{1b}[K" | "\u{1b}[0K" | "\u{1b}[2K"))
}

/// Returns whether the output has lines of files that are not attributed to a file.
fn contains_diff(draft: &ShapeDraft<'_>) -> bool {
    (0..draft.len()).any(|at| draft.line_text(at).starts_with("@@ -"))
}

/// Returns the byte ranges of escape sequences (ECMA-48: CSI, OSC, and two-byte ones).
fn find_escape_sequences(text: &[u8]) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut at = 0;
    // Searched once, not again for each sequence without an end.
    let mut ends = (0..text.len()).filter_map(|at| osc_terminator_end(text, at)).peekable();
    let mut foreign = (0..text.len()).filter(|at| !text[*at].is_ascii()).peekable();
    while at < text.len() {
        if text[at] != 0x1b {
            at += 1;
            continue;
        }
        let end = match text.get(at + 1) {
            Some(b'[') => {
                let body = at + 2;
                let last = text[body..].iter().position(|byte| (0x40..=0x7e).contains(byte));
                last.map(|last| body + last + 1)
            }
            Some(b']') => {
                while ends.next_if(|end| *end <= at + 2).is_some() {}
                ends.peek().copied()
            }
            Some(byte) if byte.is_ascii() => Some(at + 2),
            Some(_) | None => None,
        };
        while foreign.next_if(|place| *place < at).is_some() {}
        let plain_until = foreign.peek().copied().unwrap_or(usize::MAX);
        // An unfinished sequence stays: it may not be one.
        match end {
            Some(end) if end <= plain_until => {
                found.push((at, end));
                at = end;
            }
            Some(_) | None => at += 1,
        }
    }
    found
}

/// Returns the end of a sequence with a text (OSC), if its terminator is at `at`: a bell, or ESC
/// and a backslash.
fn osc_terminator_end(text: &[u8], at: usize) -> Option<usize> {
    match text[at] {
        0x07 => Some(at + 1),
        0x1b if text.get(at + 1) == Some(&b'\\') => Some(at + 2),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn without(text: &str) -> String {
        let mut left = text.as_bytes().to_vec();
        for (start, end) in find_escape_sequences(text.as_bytes()).into_iter().rev() {
            left.drain(start..end);
        }
        String::from_utf8(left).expect("sequences are ASCII")
    }

    #[test]
    fn sequences_end_where_terminals_end_them() {
        for (text, expected) in [
            ("\u{1b}[31mred\u{1b}[0m", "red"),
            (
                "a \u{1b}]8;;http://x\u{1b}\\LINK\u{1b}]8;;\u{1b}\\ seen \u{7} end",
                "a LINK seen \u{7} end",
            ),
            ("a \u{1b}]0;title\u{7}b", "a b"),
            ("\u{1b}]0;no end", "\u{1b}]0;no end"),
            ("\u{1b}]0;é\u{7}x", "\u{1b}]0;é\u{7}x"),
            ("\u{1b}]a\u{1b}]b\u{7}é", "é"),
        ] {
            assert_eq!(without(text), expected, "{text:?}");
        }
    }
}
