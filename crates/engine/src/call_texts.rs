//! The texts in the arguments of a message's calls, and their positions in the message.
//!
//! A shape consists of byte ranges of [`TranscriptEntry::prompt_text`]; these positions let a shape omit a
//! text inside a call's JSON and keep everything around it unchanged.

use std::ops::Range;

use serde_json::Value;

use crate::message_shape::{MessageShape, ShapePiece};
use foveal_transcript::{ContentBlock, ToolCall, TranscriptEntry};

/// A text in a call's arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallText<'a> {
    /// Index of the call in the entry.
    pub call: u16,
    /// Index into the [`argument_texts`] of that call.
    pub text: u16,
    /// Range of its JSON spelling in [`TranscriptEntry::prompt_text`], without the quotes.
    pub range: Range<u32>,
    /// The text.
    pub value: &'a str,
}

/// Returns all texts in a call's arguments, nested ones included, in order.
pub fn argument_texts(call: &ToolCall) -> Vec<&str> {
    let mut texts = Vec::new();
    let mut length = 0;
    walk_json_strings(&call.arguments, &mut length, &mut |text, _| texts.push(text));
    texts
}

/// Returns the texts in the arguments of the calls of `entry` with their positions, in order; at
/// most `u16::MAX` of each.
pub fn locate_call_texts(entry: &TranscriptEntry) -> Vec<CallText<'_>> {
    let mut all = Vec::new();
    let mut length = entry.text().len();
    for (call, at) in entry.tool_calls().zip(0..u16::MAX) {
        // A line break before all but the first, and the name followed by a space.
        length += usize::from(length > 0) + call.name.len() + 1;
        let mut next = 0u16;
        walk_json_strings(&call.arguments, &mut length, &mut |value, range| {
            if next < u16::MAX {
                all.push(CallText { call: at, text: next, range, value });
                next += 1;
            }
        });
    }
    all
}

/// Visits the strings of `value` with their ranges in compact JSON that begins at byte `at`.
fn walk_json_strings<'a>(
    value: &'a Value,
    at: &mut usize,
    found: &mut dyn FnMut(&'a str, Range<u32>),
) {
    match value {
        Value::String(text) => {
            let end = *at + escaped_len(text);
            found(text, *at as u32 + 1..end as u32 + 1);
            *at = end + 2;
        }
        Value::Array(items) => {
            *at += 1;
            for (place, item) in items.iter().enumerate() {
                *at += usize::from(place > 0);
                walk_json_strings(item, at, found);
            }
            *at += 1;
        }
        Value::Object(map) => {
            *at += 1;
            for (place, (key, item)) in map.iter().enumerate() {
                // The key's quotes and the colon.
                *at += usize::from(place > 0) + escaped_len(key) + 3;
                walk_json_strings(item, at, found);
            }
            *at += 1;
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => *at += value.to_string().len(),
    }
}

/// Returns the length of [`escape_json`](crate::message_shape::escape_json) without building it.
fn escaped_len(text: &str) -> usize {
    text.bytes()
        .map(|byte| match byte {
            b'"' | b'\\' | b'\n' | b'\r' | b'\t' | 0x08 | 0x0c => 2,
            0..0x20 => 6,
            _ => 1,
        })
        .sum()
}

/// Returns whether a shape keeps the bytes of `range`.
pub fn keeps_range(shape: &MessageShape, range: &Range<u32>) -> bool {
    shape.pieces.iter().any(|piece| match piece {
        ShapePiece::Keep(kept) => kept.start <= range.start && range.end <= kept.end,
        ShapePiece::Break | ShapePiece::Note(..) => false,
    })
}

/// Applies `shape` to a message: the same blocks, with a note in place of each omitted text.
pub fn apply_shape(entry: &TranscriptEntry, shape: &MessageShape) -> TranscriptEntry {
    let mut gone = locate_call_texts(entry)
        .into_iter()
        .filter(|text| !keeps_range(shape, &text.range))
        .peekable();
    let mut projected = entry.clone();
    let calls = projected.blocks.iter_mut().filter_map(|block| match block {
        ContentBlock::Call(call) => Some(call),
        ContentBlock::Text(_)
        | ContentBlock::Reasoning(_)
        | ContentBlock::Result(_)
        | ContentBlock::Opaque { .. } => None,
    });
    for (call, at) in calls.zip(0..u16::MAX) {
        let mut next = 0u16;
        for_each_string_mut(&mut call.arguments, &mut |text| {
            if let Some(place) = gone.next_if(|gone| (gone.call, gone.text) == (at, next)) {
                *text = note_text_at(shape, place.range.start);
            }
            next = next.saturating_add(1);
        });
    }
    projected
}

/// Returns the text of the note that replaces the original at byte `start`.
fn note_text_at(shape: &MessageShape, start: u32) -> String {
    let mut gaps = shape.gaps();
    let gap = gaps.find(|gap| gap.bytes.start == start);
    gap.map(|gap| gap.note.to_string()).unwrap_or_default()
}

fn for_each_string_mut(value: &mut Value, change: &mut dyn FnMut(&mut String)) {
    match value {
        Value::String(text) => change(text),
        Value::Array(items) => items.iter_mut().for_each(|item| for_each_string_mut(item, change)),
        Value::Object(map) => map.values_mut().for_each(|item| for_each_string_mut(item, change)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests;
