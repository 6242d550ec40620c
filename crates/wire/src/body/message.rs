//! One message of a body, decoded.

use std::ops::Range;

use foveal_transcript::{Block, Entry, Role, Source, ToolResult};

use super::error::BodyError;
use super::inner;
use super::respelling::encoding_of;
use super::scan::Body;
use super::slots::{self, Texts};
use super::string_encoding::StringEncoding;
use super::walk::{self, Place};
use crate::decode;
use crate::draft::{Draft, Step};
use crate::json::{self, Object};
use crate::output::Output;
use crate::protocol::Protocol;
use crate::requests::openai_responses::{Items, NEVER_FAILED};
use crate::requests::{anthropic, google, openai_chat};

/// How many messages are looked back over for what one belongs to, such as the calls that results
/// answer.
const LOOKED_BACK_MAX: usize = 256;

/// Blocks from which on a provider counts a conversation anew: it does not read what stands in
/// front of them, though clients may go on sending it.
const COMPACTIONS: [&str; 3] = ["compaction", "compaction_summary", "context_compaction"];

/// What a message says.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Message {
    /// The entries it makes, in the client's order: results, each an entry, in front of what else
    /// the user says. None where its role is unknown or it says nothing.
    pub entries: Vec<Entry>,
    /// Where the texts of its tool results stand. A result whose text cannot be replaced as a
    /// whole has none.
    pub slots: Vec<Slot>,
    /// Whether it goes on with the response that the message before it belongs to: an item of
    /// Responses, where a response is several. Whoever counts responses joins their entries.
    pub continues: bool,
    /// Whether the provider reads nothing that stands before this message but the system prompt
    /// and the tools: it holds the provider's own compaction.
    pub compacts: bool,
}

/// One JSON string that is a tool result's text, or a part of it; or what the model said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slot {
    /// The entry, of [`Message::entries`].
    pub entry: usize,
    /// Its block: the [`Block::Result`], or the [`Block::Text`].
    pub block: usize,
    /// The place among the result's text parts. All of them have slots.
    pub part: usize,
    /// The JSON string with its quotes, from the message's start. Where a result is a JSON document
    /// in a string, this is a string of that document, and its quotes are escaped: [`splice`]
    /// sees it by these.
    ///
    /// [`splice`]: super::splice()
    pub string: Range<usize>,
    /// How it is spelled: what takes its place is spelled so, too.
    pub spelling: StringEncoding,
    /// The bytes of [`ToolResult::content`], or of the text, that it is. Between two parts there is
    /// one line break that belongs to neither.
    pub content: Range<usize>,
}

impl Body {
    /// What a message says, and where the texts of its tool results stand.
    ///
    /// # Errors
    /// If it is no valid JSON object.
    pub fn message(&self, bytes: &[u8], message: usize) -> Result<Message, BodyError> {
        let own = &bytes[self.messages[message].clone()];
        let serde_json::Value::Object(object) = decode::value(own)? else {
            return Err(BodyError::NotAMessage);
        };
        let mut entries = self.entries(bytes, message, object)?;
        let step = self.step(bytes, message)?;
        let mut results = 0;
        for entry in &mut entries {
            let is_result = entry.role == Role::Tool;
            entry.source = Source { step, result: is_result.then_some(results) };
            results = results.saturating_add(u16::from(is_result));
        }
        let compacts = entries.iter().flat_map(|entry| &entry.blocks).any(is_compaction);
        let slots = slots_of(own, &entries, slots::of_results(self.protocol, own)?);
        let continues = self.continues(bytes, message)?;
        Ok(Message { entries, slots, continues, compacts })
    }

    /// What the system prompt says that stands apart from the messages; `None` where there is none.
    ///
    /// # Errors
    /// If it is no valid JSON.
    pub fn system_entry(&self, bytes: &[u8]) -> Result<Option<Entry>, BodyError> {
        let Some(place) = &self.system else { return Ok(None) };
        let value = decode::value(&bytes[place.clone()])?;
        let blocks = match self.protocol {
            Protocol::Gemini => match value {
                serde_json::Value::Object(mut content) => {
                    json::message_blocks(json::take(&mut content, "parts"))
                }
                text => json::message_blocks(Some(text)),
            },
            Protocol::Responses => match value {
                serde_json::Value::String(text) => vec![Block::Text(text)],
                _ => Vec::new(),
            },
            Protocol::Messages | Protocol::Chat => json::message_blocks(Some(value)),
        };
        if blocks.is_empty() {
            return Ok(None);
        }
        let mut draft = Draft::default();
        draft.push(Step::with(Role::System, None, blocks));
        Ok(draft.take_entries().pop())
    }

    /// The entries of a message, read as those of whole bodies are.
    fn entries(
        &self,
        bytes: &[u8],
        message: usize,
        object: Object,
    ) -> Result<Vec<Entry>, BodyError> {
        let mut draft = Draft::default();
        let ignored = &mut |_| {};
        let mut output = Output::new("", ignored);
        match self.protocol {
            Protocol::Messages => {
                let is_first = self.is_first(bytes, message)?;
                anthropic::message(&mut draft, object, is_first, &mut output);
            }
            Protocol::Chat => {
                openai_chat::request_message(&mut draft, object, &mut output);
            }
            Protocol::Responses => {
                let mut items = Items::new(draft, NEVER_FAILED);
                items.earlier = message;
                items.item(object, None, &mut output);
                draft = items.draft;
            }
            Protocol::Gemini => google::message(&mut draft, object, &mut output),
        }
        Ok(draft.take_entries())
    }

    /// Whether none but system messages stand before this one.
    fn is_first(&self, bytes: &[u8], message: usize) -> Result<bool, BodyError> {
        for earlier in &self.messages[..message] {
            if text_of(bytes, earlier, "role")?.as_deref() != Some("system") {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The number of the step that a message belongs to, counted from 1. Where each result is a
    /// message of its own, they belong to that of the calls.
    fn step(&self, bytes: &[u8], message: usize) -> Result<u32, BodyError> {
        let mut first = message;
        for _ in 0..LOOKED_BACK_MAX {
            if first == 0 || !self.is_result(bytes, first)? {
                break;
            }
            first -= 1;
        }
        let before = usize::from(self.system.is_some());
        Ok(u32::try_from(before + first + 1).unwrap_or(u32::MAX))
    }

    /// Whether a message is a result and nothing else.
    fn is_result(&self, bytes: &[u8], message: usize) -> Result<bool, BodyError> {
        let place = &self.messages[message];
        Ok(match self.protocol {
            Protocol::Chat => {
                matches!(text_of(bytes, place, "role")?.as_deref(), Some("tool" | "function"))
            }
            Protocol::Responses => {
                text_of(bytes, place, "type")?.is_some_and(|kind| kind.ends_with("_output"))
            }
            Protocol::Messages | Protocol::Gemini => false,
        })
    }

    fn continues(&self, bytes: &[u8], message: usize) -> Result<bool, BodyError> {
        if self.protocol != Protocol::Responses || message == 0 {
            return Ok(false);
        }
        if is_of_a_response(bytes, &self.messages[message])? != Some(true) {
            return Ok(false);
        }
        for earlier in self.messages[..message].iter().rev().take(LOOKED_BACK_MAX) {
            if let Some(is_of_a_response) = is_of_a_response(bytes, earlier)? {
                return Ok(is_of_a_response);
            }
        }
        Ok(false)
    }
}

/// Whether an item of Responses is the model's; `None` for one that says nothing.
fn is_of_a_response(bytes: &[u8], item: &Place) -> Result<Option<bool>, BodyError> {
    Ok(match text_of(bytes, item, "type")?.as_deref() {
        None | Some("message") => match text_of(bytes, item, "role")?.as_deref() {
            Some("assistant") => Some(true),
            Some("user" | "system" | "developer") => Some(false),
            _ => None,
        },
        Some(kind) => Some(!kind.ends_with("_output")),
    })
}

/// The text of a member.
fn text_of(bytes: &[u8], object: &Place, name: &str) -> Result<Option<String>, BodyError> {
    let [value] = walk::members(bytes, object, [name])?;
    Ok(value.and_then(|value| Some(walk::text(bytes, &value)?.into_owned())))
}

fn is_compaction(block: &Block) -> bool {
    matches!(block, Block::Opaque { kind, .. } if COMPACTIONS.contains(&kind.as_str()))
}

/// The slots of the results among `entries`, each of which has its strings in `results`.
fn slots_of(own: &[u8], entries: &[Entry], results: Vec<Texts>) -> Vec<Slot> {
    let answers: Vec<_> = (0..entries.len()).filter(|at| entries[*at].role == Role::Tool).collect();
    if answers.len() != results.len() {
        return Vec::new();
    }
    let mut slots = Vec::new();
    for (entry, texts) in answers.into_iter().zip(results) {
        for (place, block) in entries[entry].blocks.iter().enumerate() {
            if let Block::Result(result) = block {
                let of = |strings| slots_of_result(own, (entry, place), result, strings);
                let inner = of(&texts.inner);
                slots.extend(if inner.is_empty() { of(&texts.strings) } else { inner });
            }
        }
    }
    slots
}

/// The slots of one result; none unless their texts are its whole content, and each can be spelled
/// again as it is.
fn slots_of_result(
    own: &[u8],
    (entry, block): (usize, usize),
    result: &ToolResult,
    strings: &[Place],
) -> Vec<Slot> {
    let mut slots = Vec::with_capacity(strings.len());
    let mut at = 0;
    for (part, string) in strings.iter().enumerate() {
        let Some(text) = inner::text(own, string) else { return Vec::new() };
        // Parts are joined by line breaks.
        let start = at + usize::from(part > 0);
        at = start + text.len();
        if result.content.get(start..at) != Some(&*text) {
            return Vec::new();
        }
        let Some(spelling) = encoding_of(&own[string.clone()], &text) else {
            return Vec::new();
        };
        slots.push(Slot {
            entry,
            block,
            part,
            string: string.clone(),
            spelling,
            content: start..at,
        });
    }
    if at == result.content.len() { slots } else { Vec::new() }
}
