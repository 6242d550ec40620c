//! Rule `encoded`: encoded bytes are counted, not shown.
//!
//! Base64 (keys, images, `data:` addresses), long hexadecimal, the rows of a hex dump, and remains
//! of binary data in text.

use std::ops::Range;

use crate::message_shape::ShapeKind;
use crate::note::{Counts, DataEncoding, Note, NoteKind};
use foveal_transcript::Handle;

use super::draft::{DraftGap, ShapeDraft};

const RULE: &str = "encoded";

/// Rows of a hex dump that are kept; the first rows identify the data.
const DUMP_ROWS_MAX: usize = 8;

/// Omits runs of encoded bytes longer than `bytes_max`.
pub fn omit_encoded_runs(draft: &mut ShapeDraft<'_>, bytes_max: usize) {
    let handle = draft.handle();
    for at in 0..draft.len() {
        if !draft.is_visible(at) || draft.visible_len(at) <= bytes_max {
            continue;
        }
        let base = draft.result_line(at).text.start;
        for (what, run) in find_encoded_runs(draft.line_text(at), bytes_max) {
            let range = base + run.start as u32..base + run.end as u32;
            draft.replace_in_line(RULE, at, range, |bytes| {
                let counts = Counts { bytes: bytes as u32, ..Counts::default() };
                let note = Note::new(NoteKind::Encoded(what));
                DraftGap::new(ShapeKind::Excerpt, Note { counts, handle: Some(handle), ..note })
            });
        }
    }
    omit_dump_rows(draft, bytes_max, handle);
}

/// Returns the runs of encoded bytes in a line, ascending.
fn find_encoded_runs(text: &str, bytes_max: usize) -> Vec<(DataEncoding, Range<usize>)> {
    let mut found = Vec::new();
    let mut start = 0;
    for run in text.split_inclusive(|c: char| !is_base64(c)) {
        let body = run.trim_end_matches(|c: char| !is_base64(c));
        if body.len() > bytes_max && is_encoded(body) {
            let hex = body.bytes().all(|byte| byte.is_ascii_hexdigit());
            let what = if hex { DataEncoding::Hexadecimal } else { DataEncoding::Base64 };
            found.push((what, start..start + body.len()));
        }
        start += run.len();
    }
    found.extend(find_binary_run(text, bytes_max).map(|run| (DataEncoding::Binary, run)));
    found.sort_by_key(|(_, run)| run.start);
    found
}

fn is_base64(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=' | '_' | '-')
}

/// Returns whether a run is too mixed to be words or a path: base64 has letters, digits and
/// capitals in certain shares, and hexadecimal has no other letters.
fn is_encoded(run: &str) -> bool {
    let share = |is: fn(&u8) -> bool| run.bytes().filter(is).count() * 100 / run.len();
    if run.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return share(u8::is_ascii_digit) >= 20;
    }
    let marks = run.bytes().filter(|byte| matches!(byte, b'-' | b'_' | b'/')).count();
    share(u8::is_ascii_uppercase) >= 10
        && share(u8::is_ascii_lowercase) >= 10
        && share(u8::is_ascii_digit) >= 5
        && marks * 100 / run.len() <= 10
}

/// Returns the range from the first to the last control or replacement character, if there are
/// many.
fn find_binary_run(text: &str, bytes_max: usize) -> Option<Range<usize>> {
    let odd = |c: char| c == '\u{fffd}' || (c.is_control() && !matches!(c, '\t' | '\r' | '\u{1b}'));
    let count = text.chars().filter(|c| odd(*c)).count();
    if count * 10 < text.chars().count() {
        return None;
    }
    let last = text.rfind(odd)?;
    let run = text.find(odd)?..last + text[last..].chars().next().map_or(0, char::len_utf8);
    (run.len() > bytes_max).then_some(run)
}

fn omit_dump_rows(draft: &mut ShapeDraft<'_>, bytes_max: usize, handle: Handle) {
    let mut at = 0;
    while at < draft.len() {
        let start = at;
        while at < draft.len() && draft.is_visible(at) && is_dump_row(draft.line_text(at)) {
            at += 1;
        }
        let gone = start + DUMP_ROWS_MAX..at;
        let bytes: usize = gone.clone().map(|line| draft.visible_len(line)).sum();
        if bytes > bytes_max {
            let counts = Counts { lines: gone.len() as u32, ..Counts::default() };
            let note = Note { counts, handle: Some(handle), ..Note::new(NoteKind::DumpRows) };
            draft.omit_lines(RULE, gone, DraftGap::new(ShapeKind::Excerpt, note));
        }
        at = at.max(start + 1);
    }
}

/// Returns whether a line is a row of a hex dump:
/// `00000010: 7f45 4c46 …` or `00000010  7f 45 4c 46 …`.
fn is_dump_row(text: &str) -> bool {
    let mut parts = text.split_ascii_whitespace();
    let offset = parts.next().unwrap_or_default().trim_end_matches(':');
    let is_hex = |part: &str| part.bytes().all(|byte| byte.is_ascii_hexdigit());
    let pairs = parts.take_while(|part| matches!(part.len(), 2 | 4) && is_hex(part)).count();
    offset.len() >= 6 && is_hex(offset) && pairs >= 6
}
