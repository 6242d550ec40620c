//! Decoding of single messages of a body.

use std::ops::Range;

use foveal_transcript::{
    ContentBlock, MessageRole, RecordingPosition, ToolResult, TranscriptEntry,
};

use super::body_scan::RequestBody;
use super::canonical_strings::detect_encoding;
use super::error::BodyError;
use super::json_lookup::{self, ByteRange};
use super::nested_json;
use super::result_strings::ResultStrings;
use super::string_encoding::StringEncoding;
use crate::conversation_builder::{ConversationBuilder, StepDraft};
use crate::json::{self, JsonObject};
use crate::lenient_json;
use crate::problem::ProblemCollector;
use crate::provider_api::MessagePosition;

/// Maximum number of earlier messages that are searched for related messages, such as the calls of
/// results.
const LOOKBACK_MAX: usize = 256;

/// Blocks at which a provider starts its view of the conversation: it ignores everything before
/// them, though clients may continue to send it.
const COMPACTION_TYPES: [&str; 3] = ["compaction", "compaction_summary", "context_compaction"];

/// A decoded message of a request body.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct BodyMessage {
    /// The entries of the message in the client's order: one entry for each result, then the rest
    /// of a user message. Empty if the role is unknown or the message is empty.
    pub entries: Vec<TranscriptEntry>,
    /// Positions of the texts of its tool results. A result whose text cannot be replaced as a
    /// whole has none.
    pub slots: Vec<TextSlot>,
    /// Whether the message continues the response of the message before it: in Responses, one
    /// response may be several items. Code that counts responses joins their entries.
    pub continues_response: bool,
    /// Whether the message holds the provider's own compaction, so that the provider ignores all
    /// messages before it, but not the system prompt and the tools.
    pub is_compaction: bool,
}

/// A JSON string that holds the text of a tool result, a part of it, or a text of the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextSlot {
    /// Index of the entry in [`BodyMessage::entries`].
    pub entry: usize,
    /// Index of the block: the [`ContentBlock::Result`] or the [`ContentBlock::Text`].
    pub block: usize,
    /// Index among the result's text parts. All of them have slots.
    pub part: usize,
    /// Range of the JSON string with its quotes, from the message's start. If a result is a JSON
    /// document in a string, this is a string of that document with escaped quotes, by which
    /// [`splice`] recognises it.
    ///
    /// [`splice`]: super::splice()
    pub string: Range<usize>,
    /// The string's encoding, which a replacement has to use, too.
    pub encoding: StringEncoding,
    /// Range in [`ToolResult::content`], or in the text. Two parts are separated by one line break
    /// that belongs to neither.
    pub content: Range<usize>,
}

impl RequestBody {
    /// Decodes a message and finds the texts of its tool results.
    ///
    /// # Errors
    /// If the message is not a valid JSON object.
    pub fn decode_message(&self, bytes: &[u8], message: usize) -> Result<BodyMessage, BodyError> {
        let own = &bytes[self.messages[message].clone()];
        let serde_json::Value::Object(object) = lenient_json::parse_lenient(own)? else {
            return Err(BodyError::NotAMessage);
        };
        let mut entries = self.message_entries(bytes, message, object)?;
        let step = self.step_number(bytes, message)?;
        let mut results = 0;
        for entry in &mut entries {
            let is_result = entry.role == MessageRole::Tool;
            entry.source = RecordingPosition { step, result: is_result.then_some(results) };
            results = results.saturating_add(u16::from(is_result));
        }
        let compacts = entries.iter().flat_map(|entry| &entry.blocks).any(is_compaction);
        let slots = result_slots(own, &entries, self.protocol.api().result_strings(own)?);
        let continues = self.continues_response(bytes, message)?;
        Ok(BodyMessage { entries, slots, continues_response: continues, is_compaction: compacts })
    }

    /// Decodes the system prompt that stands apart from the messages; `None` if there is none.
    ///
    /// # Errors
    /// If the system prompt is not valid JSON.
    pub fn decode_system_prompt(&self, bytes: &[u8]) -> Result<Option<TranscriptEntry>, BodyError> {
        let Some(place) = &self.system else { return Ok(None) };
        let value = lenient_json::parse_lenient(&bytes[place.clone()])?;
        let blocks = self.protocol.api().system_blocks(value);
        if blocks.is_empty() {
            return Ok(None);
        }
        let mut draft = ConversationBuilder::default();
        draft.push_step(StepDraft::with_blocks(MessageRole::System, None, blocks));
        Ok(draft.take_entries().pop())
    }

    /// Returns the entries of a message as the readers of whole bodies create them.
    fn message_entries(
        &self,
        bytes: &[u8],
        message: usize,
        object: JsonObject,
    ) -> Result<Vec<TranscriptEntry>, BodyError> {
        let mut problems = ProblemCollector::new("");
        let position = MessagePosition {
            index: message,
            is_leading_system_message: json::get_text(&object, "role") == Some("system")
                && self.is_first_message(bytes, message)?,
        };
        let draft = ConversationBuilder::default();
        let mut draft = self.protocol.api().add_message(draft, object, position, &mut problems);
        Ok(draft.take_entries())
    }

    /// Returns whether only system messages precede this one.
    fn is_first_message(&self, bytes: &[u8], message: usize) -> Result<bool, BodyError> {
        for earlier in &self.messages[..message] {
            if json_lookup::member_text(bytes, earlier, "role")?.as_deref() != Some("system") {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Returns the number of the message's step, counted from 1. Results that are messages of their
    /// own belong to the step of their calls.
    fn step_number(&self, bytes: &[u8], message: usize) -> Result<u32, BodyError> {
        let api = self.protocol.api();
        let mut first = message;
        for _ in 0..LOOKBACK_MAX {
            if first == 0 || !api.is_result_message(bytes, &self.messages[first])? {
                break;
            }
            first -= 1;
        }
        let before = usize::from(self.system.is_some());
        Ok(u32::try_from(before + first + 1).unwrap_or(u32::MAX))
    }

    fn continues_response(&self, bytes: &[u8], message: usize) -> Result<bool, BodyError> {
        let api = self.protocol.api();
        if message == 0 || api.is_response_part(bytes, &self.messages[message])? != Some(true) {
            return Ok(false);
        }
        for earlier in self.messages[..message].iter().rev().take(LOOKBACK_MAX) {
            if let Some(is_part) = api.is_response_part(bytes, earlier)? {
                return Ok(is_part);
            }
        }
        Ok(false)
    }
}

fn is_compaction(block: &ContentBlock) -> bool {
    matches!(block, ContentBlock::Opaque { kind, .. } if COMPACTION_TYPES.contains(&kind.as_str()))
}

/// Returns the slots of the results among `entries`. `results` has the strings of each result.
fn result_slots(
    own: &[u8],
    entries: &[TranscriptEntry],
    results: Vec<ResultStrings>,
) -> Vec<TextSlot> {
    let answers: Vec<_> =
        (0..entries.len()).filter(|at| entries[*at].role == MessageRole::Tool).collect();
    if answers.len() != results.len() {
        return Vec::new();
    }
    let mut slots = Vec::new();
    for (entry, texts) in answers.into_iter().zip(results) {
        for (place, block) in entries[entry].blocks.iter().enumerate() {
            if let ContentBlock::Result(result) = block {
                let of = |strings| slots_of_result(own, entry, place, result, strings);
                let inner = of(&texts.nested);
                slots.extend(if inner.is_empty() { of(&texts.strings) } else { inner });
            }
        }
    }
    slots
}

/// Returns the slots of one result; empty unless the strings make up its whole content and each can
/// be encoded again with the same bytes.
fn slots_of_result(
    own: &[u8],
    entry: usize,
    block: usize,
    result: &ToolResult,
    strings: &[ByteRange],
) -> Vec<TextSlot> {
    let mut slots = Vec::with_capacity(strings.len());
    let mut at = 0;
    for (part, string) in strings.iter().enumerate() {
        let Some(text) = nested_json::decode_string(own, string) else { return Vec::new() };
        // The parts of a result are joined by line breaks.
        let start = at + usize::from(part > 0);
        at = start + text.len();
        if result.content.get(start..at) != Some(&*text) {
            return Vec::new();
        }
        let Some(spelling) = detect_encoding(&own[string.clone()], &text) else {
            return Vec::new();
        };
        slots.push(TextSlot {
            entry,
            block,
            part,
            string: string.clone(),
            encoding: spelling,
            content: start..at,
        });
    }
    if at == result.content.len() { slots } else { Vec::new() }
}
