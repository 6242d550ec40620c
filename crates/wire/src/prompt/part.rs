//! Parts of messages as JSON text, so that what came as bytes goes as the same bytes.

use foveal_transcript::Block;
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

/// A part of a message.
pub(super) type Part = Box<RawValue>;

/// A value as a part.
pub(super) fn part(value: &impl Serialize) -> Part {
    to_raw_value(value).expect("texts and JSON values are JSON")
}

/// A block that goes back as it came, if it is one of these kinds and JSON.
pub(super) fn as_it_came(block: &Block, kinds: &[&str]) -> Option<Part> {
    match block {
        Block::Opaque { kind, raw } if kinds.contains(&kind.as_str()) => {
            RawValue::from_string(raw.clone()).ok()
        }
        Block::Text(_)
        | Block::Reasoning(_)
        | Block::Call(_)
        | Block::Result(_)
        | Block::Opaque { .. } => None,
    }
}

/// The text of a block that says something.
pub(super) fn text(block: &Block) -> Option<&str> {
    match block {
        Block::Text(text) if !text.trim().is_empty() => Some(text),
        Block::Text(_)
        | Block::Reasoning(_)
        | Block::Call(_)
        | Block::Result(_)
        | Block::Opaque { .. } => None,
    }
}
