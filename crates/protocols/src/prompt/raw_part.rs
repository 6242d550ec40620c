//! Parts of messages as raw JSON, so that received bytes are sent unchanged.

use foveal_transcript::ContentBlock;
use serde::Serialize;
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

/// A part of a message as raw JSON.
pub(crate) type RawPart = Box<RawValue>;

/// Serialises a value as a part.
pub(crate) fn to_raw_part(value: &impl Serialize) -> RawPart {
    to_raw_value(value).expect("texts and JSON values are JSON")
}

/// Returns an opaque block of one of these kinds unchanged, if it is JSON.
pub(crate) fn opaque_part(block: &ContentBlock, kinds: &[&str]) -> Option<RawPart> {
    match block {
        ContentBlock::Opaque { kind, raw } if kinds.contains(&kind.as_str()) => {
            RawValue::from_string(raw.clone()).ok()
        }
        ContentBlock::Text(_)
        | ContentBlock::Reasoning(_)
        | ContentBlock::Call(_)
        | ContentBlock::Result(_)
        | ContentBlock::Opaque { .. } => None,
    }
}

/// Returns the text of a text block that is not blank.
pub(crate) fn visible_text(block: &ContentBlock) -> Option<&str> {
    match block {
        ContentBlock::Text(text) if !text.trim().is_empty() => Some(text),
        ContentBlock::Text(_)
        | ContentBlock::Reasoning(_)
        | ContentBlock::Call(_)
        | ContentBlock::Result(_)
        | ContentBlock::Opaque { .. } => None,
    }
}

/// Returns arguments as the text that the model wrote. Arguments that are no object are that text.
pub(crate) fn arguments_text(arguments: &Value) -> String {
    match arguments {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
