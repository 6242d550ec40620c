//! Rule `noise`: what a terminal would not have left on the screen is cut.
//!
//! Colour codes, and the states of a progress line that the next carriage return overwrote.
//! Only of what a command printed itself: in the text of a file such characters are the file's.

use foveal_effects::EffectKind;

use super::draft::Draft;

const RULE: &str = "noise";

/// Bytes of an escape sequence. Links (OSC 8) are the longest in use, as long as an address may be.
const SEQUENCE_BYTES_MAX: usize = 8 * 1024;

/// Cuts escape sequences and overwritten text from every kept line of a run's output that is
/// not known to be a file's.
pub fn cut(draft: &mut Draft<'_>) {
    if !draft.facts.noisy || draft.facts.kind() != EffectKind::Run || shows_diff(draft) {
        return;
    }
    for at in 0..draft.len() {
        if !draft.keeps(at) || draft.line(at).path.is_some() {
            continue;
        }
        let whole = draft.line(at).whole.clone();
        let text = draft.line(at).whole_in(draft.content);
        // Carriage returns at the end belong to the line break (a terminal adds one) and stay.
        let body = text.trim_end_matches('\r');
        let overwritten = overwritten(body);
        draft.cut(RULE, at, whole.start..whole.start + overwritten as u32);
        let base = whole.start + overwritten as u32;
        let found = escapes(&body.as_bytes()[overwritten..]);
        let ranges = found.into_iter().map(|(start, end)| base + start as u32..base + end as u32);
        draft.cut_all(RULE, at, ranges);
    }
}

/// Bytes at the start of a line that stand on no screen in the end: states before a carriage
/// return of which those after it cover every column, or which they erase.
fn overwritten(line: &str) -> usize {
    if !line.contains('\r') {
        return 0;
    }
    let mut starts = vec![0];
    starts.extend(line.match_indices('\r').map(|(at, _)| at + 1));
    let ends = starts.iter().skip(1).map(|start| start - 1).chain([line.len()]);
    let states: Vec<&str> =
        starts.iter().zip(ends).map(|(start, end)| &line[*start..end]).collect();
    // Columns that the states from each on cover, and those that the states before it have.
    let mut covered = vec![0; states.len()];
    let mut most = 0;
    for (at, state) in states.iter().enumerate().rev() {
        most = most.max(if erases(state) { usize::MAX } else { columns(state) });
        covered[at] = most;
    }
    let (mut before, mut cut) = (0, 0);
    for (at, state) in states.iter().enumerate() {
        if before <= covered[at] {
            cut = starts[at];
        }
        before = before.max(columns(state));
    }
    cut
}

/// Characters of a text without its escape sequences.
fn columns(text: &str) -> usize {
    let sequences = escapes(text.as_bytes());
    let hidden: usize = sequences.iter().map(|(start, end)| end - start).sum();
    // Sequences are ASCII: a byte of them is a character.
    text.chars().count() - hidden
}

/// Whether a text erases its line to the end, or all of it.
fn erases(text: &str) -> bool {
    escapes(text.as_bytes())
        .into_iter()
        .any(|(start, end)| matches!(&text[start..end], "\u{1b}[K" | "\u{1b}[0K" | "\u{1b}[2K"))
}

/// Whether lines of files stand in the output of which it is not known whose they are.
fn shows_diff(draft: &Draft<'_>) -> bool {
    (0..draft.len()).any(|at| draft.text(at).starts_with("@@ -"))
}

/// Byte ranges of escape sequences (ECMA-48: CSI, OSC, and two-byte ones).
fn escapes(text: &[u8]) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut at = 0;
    // Looked for once, not again for each sequence that has no end.
    let mut bells = (0..text.len()).filter(|at| text[*at] == 0x07).peekable();
    while at < text.len() {
        if text[at] != 0x1b {
            at += 1;
            continue;
        }
        let end = match text.get(at + 1) {
            Some(b'[') => {
                let body = at + 2;
                let longest = &text[body..text.len().min(body + SEQUENCE_BYTES_MAX)];
                let last = longest.iter().position(|byte| (0x40..=0x7e).contains(byte));
                last.map(|last| body + last + 1)
            }
            Some(b']') => {
                while bells.next_if(|bell| *bell < at).is_some() {}
                bells.peek().map(|bell| bell + 1)
            }
            Some(byte) if byte.is_ascii() => Some(at + 2),
            Some(_) | None => None,
        };
        // An unfinished sequence stays: it may not be one.
        match end {
            Some(end) if end <= at + SEQUENCE_BYTES_MAX && text[at..end].is_ascii() => {
                found.push((at, end));
                at = end;
            }
            Some(_) | None => at += 1,
        }
    }
    found
}
