//! The texts in the arguments of a message's calls, and where they stand in it.
//!
//! A shape is made of byte ranges of [`Entry::prompt_text`]; this is what lets one leave out
//! a text inside a call's JSON and everything around it stay as it was.

use std::ops::Range;

use serde_json::Value;

use crate::shape::{Piece, Shape};
use foveal_transcript::{Block, Call, Entry};

/// One text in a call's arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallText<'a> {
    /// Which call of the entry, from 0.
    pub call: u16,
    /// Which of [`argument_texts`] of that call, from 0.
    pub text: u16,
    /// Where its JSON spelling stands in [`Entry::prompt_text`], quotes not included.
    pub range: Range<u32>,
    /// The text itself.
    pub value: &'a str,
}

/// The texts in a call's arguments, however deep, in order.
pub fn argument_texts(call: &Call) -> Vec<&str> {
    let mut texts = Vec::new();
    let mut length = 0;
    walk(&call.arguments, &mut length, &mut |text, _| texts.push(text));
    texts
}

/// The texts in the arguments of the calls of `entry`, in order, and where they stand; of what
/// `u16` can count.
pub fn placed(entry: &Entry) -> Vec<CallText<'_>> {
    let mut all = Vec::new();
    let mut length = entry.text().len();
    for (call, at) in entry.calls().zip(0..u16::MAX) {
        // A line break before all but the first, and the name with a space behind it.
        length += usize::from(length > 0) + call.name.len() + 1;
        let mut next = 0u16;
        walk(&call.arguments, &mut length, &mut |value, range| {
            if next < u16::MAX {
                all.push(CallText { call: at, text: next, range, value });
                next += 1;
            }
        });
    }
    all
}

/// Walks `value` as it is spelled in compact JSON from byte `at` on.
fn walk<'a>(value: &'a Value, at: &mut usize, found: &mut dyn FnMut(&'a str, Range<u32>)) {
    match value {
        Value::String(text) => {
            let end = *at + spelled_len(text);
            found(text, *at as u32 + 1..end as u32 + 1);
            *at = end + 2;
        }
        Value::Array(items) => {
            *at += 1;
            for (place, item) in items.iter().enumerate() {
                *at += usize::from(place > 0);
                walk(item, at, found);
            }
            *at += 1;
        }
        Value::Object(map) => {
            *at += 1;
            for (place, (key, item)) in map.iter().enumerate() {
                // The key's quotes and the colon.
                *at += usize::from(place > 0) + spelled_len(key) + 3;
                walk(item, at, found);
            }
            *at += 1;
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => *at += value.to_string().len(),
    }
}

/// Bytes of [`json_spelling`](crate::shape::json_spelling), without making it.
fn spelled_len(text: &str) -> usize {
    text.bytes()
        .map(|byte| match byte {
            b'"' | b'\\' | b'\n' | b'\r' | b'\t' | 0x08 | 0x0c => 2,
            0..0x20 => 6,
            _ => 1,
        })
        .sum()
}

/// Whether a shape keeps the bytes of `range`.
pub fn keeps(shape: &Shape, range: &Range<u32>) -> bool {
    shape.pieces.iter().any(|piece| match piece {
        Piece::Keep(kept) => kept.start <= range.start && range.end <= kept.end,
        Piece::Break | Piece::Note(..) => false,
    })
}

/// The message that stands in `entry`'s place under `shape`: the same blocks, with a note in
/// place of each text that the shape leaves out.
pub fn projected(entry: &Entry, shape: &Shape) -> Entry {
    let mut gone = placed(entry).into_iter().filter(|text| !keeps(shape, &text.range)).peekable();
    let mut projected = entry.clone();
    let calls = projected.blocks.iter_mut().filter_map(|block| match block {
        Block::Call(call) => Some(call),
        Block::Text(_) | Block::Reasoning(_) | Block::Result(_) | Block::Opaque { .. } => None,
    });
    for (call, at) in calls.zip(0..u16::MAX) {
        let mut next = 0u16;
        each_text_mut(&mut call.arguments, &mut |text| {
            if let Some(place) = gone.next_if(|gone| (gone.call, gone.text) == (at, next)) {
                *text = note_at(shape, place.range.start);
            }
            next = next.saturating_add(1);
        });
    }
    projected
}

/// The note that stands at byte `start` of the original.
fn note_at(shape: &Shape, start: u32) -> String {
    let mut gaps = shape.gaps();
    let gap = gaps.find(|gap| gap.bytes.start == start);
    gap.map(|gap| gap.note.to_string()).unwrap_or_default()
}

fn each_text_mut(value: &mut Value, change: &mut dyn FnMut(&mut String)) {
    match value {
        Value::String(text) => change(text),
        Value::Array(items) => items.iter_mut().for_each(|item| each_text_mut(item, change)),
        Value::Object(map) => map.values_mut().for_each(|item| each_text_mut(item, change)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests;
