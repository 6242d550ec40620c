//! Parses the model's answer. Its content is untrusted.

use serde_json::Value;

use super::curation::{Curation, RangeReason, UnusableAnswer};
use super::request::truncate;
use crate::model_json::find_last_object;
use crate::views::{LineSelection, ReadContext};
use foveal_tool_effects::whole_number;
use foveal_transcript::LineNumber;

/// The reason why an answer gives no curation.
#[derive(Debug)]
pub(super) enum CurationAnswerError {
    /// The model reports an error.
    Error(String),
    Unusable(UnusableAnswer),
}

/// Bytes of an answer that are parsed.
const ANSWER_BYTES_MAX: usize = 64 * 1024;
/// Largest length, in characters, of a reason, summary or error message.
const MODEL_TEXT_LENGTH_MAX: usize = 300;

/// Parses the lines that an answer chooses of a read.
pub(super) fn parse_curation(
    read: &ReadContext<'_>,
    answer: &str,
) -> Result<Curation, CurationAnswerError> {
    let answer = &answer[..answer.floor_char_boundary(ANSWER_BYTES_MAX)];
    let object = find_ranges_object(answer)?;
    let lines = u32::try_from(read.text.lines().count()).unwrap_or(u32::MAX);
    let last = read.first.0.saturating_add(lines.saturating_sub(1));
    let listed = object["line_ranges"].as_array().map_or(&[][..], Vec::as_slice);
    let mut reasons = Vec::new();
    let mut ranges = Vec::new();
    for item in listed.iter().filter(|_| lines > 0) {
        let Some((first, last)) = parse_range(item, read.first.0, last) else { continue };
        ranges.push((first, last));
        if let Some(text) = trimmed_text(&item["reason"]) {
            reasons.push(RangeReason { first, last, text });
        }
    }
    let ranges = merge_ranges(ranges);
    if ranges.is_empty() {
        return Err(CurationAnswerError::Unusable(UnusableAnswer::NoLines));
    }
    let lines_kept = ranges.iter().map(|(first, last)| last.0 - first.0 + 1).sum();
    let view = LineSelection { lines: ranges, ..LineSelection::default() };
    Ok(Curation { view, reasons, summary: trimmed_text(&object["summary"]), lines, lines_kept })
}

/// Finds the last JSON object with ranges: the model may think aloud before it.
fn find_ranges_object(answer: &str) -> Result<Value, CurationAnswerError> {
    let (mut error, mut is_found) = (None, false);
    let found = find_last_object(answer, |value| {
        let has_ranges = value["line_ranges"].is_array();
        if has_ranges {
            // Objects without ranges may be quotes of the file.
            error = error_message(value);
        } else if !is_found {
            error = error_message(value).or(error.take());
        }
        is_found |= has_ranges;
        has_ranges
    });
    let says_error = || {
        let word = answer.trim_start().get(..5)?;
        word.eq_ignore_ascii_case("error").then(|| truncate(answer.trim(), MODEL_TEXT_LENGTH_MAX))
    };
    match (error, found) {
        (Some(message), _) => Err(CurationAnswerError::Error(message)),
        (None, Some(object)) => Ok(object),
        (None, None) => Err(says_error().map_or(
            CurationAnswerError::Unusable(UnusableAnswer::NoRanges),
            CurationAnswerError::Error,
        )),
    }
}

/// Returns the error message of an object, if it has one.
fn error_message(object: &Value) -> Option<String> {
    match &object["error"] {
        Value::Null | Value::Bool(false) => None,
        Value::String(text) if text.trim().is_empty() => None,
        Value::String(text) => Some(truncate(text.trim(), MODEL_TEXT_LENGTH_MAX)),
        other => Some(truncate(&other.to_string(), MODEL_TEXT_LENGTH_MAX)),
    }
}

/// Parses a range and clips it to the existing lines, `first` to `last`.
fn parse_range(item: &Value, first: u32, last: u32) -> Option<(LineNumber, LineNumber)> {
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

/// Sorts ranges and merges those that overlap or touch.
fn merge_ranges(mut ranges: Vec<(LineNumber, LineNumber)>) -> Vec<(LineNumber, LineNumber)> {
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

fn trimmed_text(value: &Value) -> Option<Box<str>> {
    let text = value.as_str()?.trim();
    (!text.is_empty()).then(|| truncate(text, MODEL_TEXT_LENGTH_MAX).into())
}
