//! What comes of an answer. Anything may be in it.

use serde_json::Value;

use super::curation::{Curation, Reason, Unusable};
use super::request::cut;
use crate::answered::last_object;
use crate::views::{Read, View};
use foveal_effects::whole_number;
use foveal_transcript::LineNumber;

/// Why nothing comes of an answer.
#[derive(Debug)]
pub(super) enum Bad {
    /// It says that something is wrong.
    Error(String),
    Unusable(Unusable),
}

/// Bytes of an answer that are looked at.
const ANSWER_BYTES_MAX: usize = 64 * 1024;
/// Characters of what a model says, of a range, of the whole or of an error.
const WORDS_LENGTH_MAX: usize = 300;

/// The lines that an answer chooses of a read.
pub(super) fn curation(read: &Read<'_>, answer: &str) -> Result<Curation, Bad> {
    let answer = &answer[..answer.floor_char_boundary(ANSWER_BYTES_MAX)];
    let object = object_in(answer)?;
    let lines = u32::try_from(read.text.lines().count()).unwrap_or(u32::MAX);
    let last = read.first.0.saturating_add(lines.saturating_sub(1));
    let listed = object["line_ranges"].as_array().map_or(&[][..], Vec::as_slice);
    let mut reasons = Vec::new();
    let mut ranges = Vec::new();
    for item in listed.iter().filter(|_| lines > 0) {
        let Some((first, last)) = range(item, (read.first.0, last)) else { continue };
        ranges.push((first, last));
        if let Some(text) = words(&item["reason"]) {
            reasons.push(Reason { first, last, text });
        }
    }
    let ranges = merged(ranges);
    if ranges.is_empty() {
        return Err(Bad::Unusable(Unusable::NoLines));
    }
    let lines_kept = ranges.iter().map(|(first, last)| last.0 - first.0 + 1).sum();
    let view = View { lines: ranges, ..View::default() };
    Ok(Curation { view, reasons, summary: words(&object["summary"]), lines, lines_kept })
}

/// The last object with ranges: before it a model may think aloud.
fn object_in(answer: &str) -> Result<Value, Bad> {
    let (mut error, mut is_found) = (None, false);
    let found = last_object(answer, |value| {
        let has_ranges = value["line_ranges"].is_array();
        if has_ranges {
            // Elsewhere it may quote the file.
            error = error_of(value);
        } else if !is_found {
            error = error_of(value).or(error.take());
        }
        is_found |= has_ranges;
        has_ranges
    });
    let says_error = || {
        let word = answer.trim_start().get(..5)?;
        word.eq_ignore_ascii_case("error").then(|| cut(answer.trim(), WORDS_LENGTH_MAX))
    };
    match (error, found) {
        (Some(message), _) => Err(Bad::Error(message)),
        (None, Some(object)) => Ok(object),
        (None, None) => Err(says_error().map_or(Bad::Unusable(Unusable::NoRanges), Bad::Error)),
    }
}

/// What an object says is wrong.
fn error_of(object: &Value) -> Option<String> {
    match &object["error"] {
        Value::Null | Value::Bool(false) => None,
        Value::String(text) if text.trim().is_empty() => None,
        Value::String(text) => Some(cut(text.trim(), WORDS_LENGTH_MAX)),
        other => Some(cut(&other.to_string(), WORDS_LENGTH_MAX)),
    }
}

/// A range, clipped to the lines there are.
fn range(item: &Value, (first, last): (u32, u32)) -> Option<(LineNumber, LineNumber)> {
    let start = whole_number(item.get("start")?)?;
    let end = whole_number(item.get("end")?)?;
    if start > end || end < i64::from(first) || start > i64::from(last) {
        return None;
    }
    let clip = |line: i64| {
        let line = line.clamp(i64::from(first), i64::from(last));
        u32::try_from(line).ok().map(LineNumber)
    };
    Some((clip(start)?, clip(end)?))
}

/// Ascending, with a gap between each two.
fn merged(mut ranges: Vec<(LineNumber, LineNumber)>) -> Vec<(LineNumber, LineNumber)> {
    ranges.sort_unstable();
    let mut merged: Vec<(LineNumber, LineNumber)> = Vec::with_capacity(ranges.len());
    for (first, end) in ranges {
        match merged.last_mut() {
            Some((_, last)) if first.0 <= last.0.saturating_add(1) => *last = end.max(*last),
            _ => merged.push((first, end)),
        }
    }
    merged
}

fn words(value: &Value) -> Option<Box<str>> {
    let text = value.as_str()?.trim();
    (!text.is_empty()).then(|| cut(text, WORDS_LENGTH_MAX).into())
}
