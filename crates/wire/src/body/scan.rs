//! Where the parts of a request body stand, and what it says beside its messages.

use std::ops::Range;
use std::sync::Arc;

use foveal_transcript::ContentHash;

use super::cursor::Cursor;
use super::error::BodyError;
use super::field::Field;
use super::history::{self, Alike, History};
use super::marks::{self, CacheMark, MarkPlace};
use super::respelling;
use super::walk::{self, Place};
use crate::protocol::Protocol;

/// Where the parts of one request body stand. Holds offsets, no bytes: every method takes the
/// bytes again that were scanned, and panics where they are others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Body {
    /// The API it is a request to.
    pub protocol: Protocol,
    /// The model that is asked; Gemini has it in the path.
    pub model: Option<String>,
    /// Whether the answer is to be streamed; Gemini has that in the path too.
    pub streams: bool,
    /// The elements of `messages`, `input` or `contents`.
    pub messages: Vec<Range<usize>>,
    /// The value of `system`, `instructions` or `systemInstruction`.
    pub system: Option<Range<usize>>,
    /// The value of `tools`.
    pub tools: Option<Range<usize>>,
    /// Why nothing can be done with it.
    pub inactive: Option<Inactive>,
    /// `prompt_cache_key`, by which some clients name their session.
    pub prompt_cache_key: Option<String>,
    /// `metadata.user_id`: with Claude Code a JSON object in a string, which has the session's id.
    pub user_id: Option<String>,
    /// Whether the model is told to think before it answers.
    pub thinking: bool,
    /// With Anthropic the values of `thinking` and `tool_choice`: where they are others, the
    /// messages are not found in its cache.
    pub modes: Vec<Range<usize>>,
    /// Whether the answer has to follow a schema, as side requests for titles and checks want.
    pub structured: bool,
    /// The most tokens that the answer may have.
    pub max_tokens: Option<u64>,
    /// Whether the provider is told to keep the request, or not to.
    pub store: Option<bool>,
    /// The `cache_control` marks, in the order in which they stand.
    pub marks: Vec<CacheMark>,
    /// How often the word for a mark stands where it may be the name of a member.
    pub(super) words: usize,
    /// What the provider is told to take out of the prompt by itself, by its own names, such as
    /// `clear_tool_uses_20250919`: what was sent may not be what the model sees.
    pub server_edits: Vec<String>,
}

/// Why nothing can be done with a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
pub enum Inactive {
    /// `previous_response_id`: the history stands with the provider.
    #[error("the history is kept by the provider (previous_response_id)")]
    PreviousResponse,
    /// `conversation`: the history stands with the provider.
    #[error("the history is kept by the provider (conversation)")]
    Conversation,
    /// The input is one string.
    #[error("the input is a plain text")]
    PlainText,
    /// There is no list of messages.
    #[error("there is no list of messages")]
    NoMessages,
    /// A member that the conversation depends on stands twice, and which one counts is for the
    /// provider to say.
    #[error("a field stands twice")]
    FieldTwice,
}

impl Body {
    /// Scans the bytes of a request body. They are read once, strings and brackets only.
    ///
    /// # Errors
    /// If they are no JSON object, end early, or are nested deeper than 1024 brackets. What is not
    /// looked at may be broken in other ways.
    pub fn scan(protocol: Protocol, bytes: &[u8]) -> Result<Self, BodyError> {
        let (body, _) = Self::scan_after(protocol, bytes, |_| Vec::<Arc<History>>::new())?;
        Ok(body)
    }

    /// The same after earlier requests. `known` is given the fingerprint of the first message, and
    /// says in which histories that is the first one too; the messages that stand in one of them in
    /// the same bytes are not scanned again. Also returned is that history, and how many these are.
    ///
    /// # Errors
    /// As [`Body::scan`].
    pub fn scan_after<H: AsRef<History>>(
        protocol: Protocol,
        bytes: &[u8],
        known: impl FnOnce(ContentHash) -> Vec<Arc<H>>,
    ) -> Result<(Self, Option<Alike<H>>), BodyError> {
        let mut cursor = Cursor::new(bytes, 0);
        if cursor.peek()? != b'{' {
            return Err(BodyError::NotAnObject);
        }
        let mut body = Self::new(protocol);
        let mut seen = 0;
        let mut list = None;
        let (mut known, mut alike) = (Some(known), None);
        cursor.object(|cursor, key| {
            let Some(field) = Field::of(protocol, &key.name()) else {
                return cursor.skip().map(drop);
            };
            if seen & field.bit() != 0 && field.is_of_the_prompt() {
                body.inactive = Some(Inactive::FieldTwice);
            }
            seen |= field.bit();
            if field == Field::Messages {
                alike = None;
                list = Some(body.list(cursor, |body, cursor| {
                    let known = known.take()?(body.fingerprint(bytes, 0));
                    alike = history::alike(known, &mut body.messages, cursor, bytes);
                    Some(())
                })?);
                return Ok(());
            }
            let value = cursor.skip()?;
            body.field(field, bytes, value)
        })?;
        if !cursor.is_at_end() {
            return Err(cursor.unexpected());
        }
        if body.inactive.is_none() {
            body.inactive = list.unwrap_or(Some(Inactive::NoMessages));
        }
        body.find_marks(bytes, alike.as_ref());
        Ok((body, alike))
    }

    /// Its messages, for later requests to be compared with.
    pub fn history(&self, bytes: &[u8]) -> History {
        let mut history = History::default();
        self.go_on(&mut history, bytes, 0);
        history
    }

    /// Makes the history of an earlier body, with whose first `alike` messages this one begins in
    /// the same bytes, that of this one.
    pub fn go_on(&self, history: &mut History, bytes: &[u8], alike: usize) {
        history.becomes(&self.messages, &self.marks, bytes, alike);
    }

    /// Finds the marks of system prompt, tools and messages; those of messages that are known too
    /// are known.
    fn find_marks<H: AsRef<History>>(&mut self, bytes: &[u8], alike: Option<&Alike<H>>) {
        let parts = self.parts();
        let mut from = 0;
        if let Some(Alike { history, messages }) = alike
            && let (Some(first), Some(last)) =
                (self.messages.first(), self.messages[..*messages].last())
        {
            self.marks.extend(marks::of_parts(bytes, 0..first.start, &parts));
            self.marks.extend(H::as_ref(history).marks(*messages, first.start));
            self.words = marks::words(&bytes[..first.start]) + H::as_ref(history).words(*messages);
            from = last.end;
        }
        self.words += marks::words(&bytes[from..]);
        self.marks.extend(marks::of_parts(bytes, from..bytes.len(), &parts));
        self.marks.sort_by_key(|mark| mark.value.start);
    }

    /// The identity of a message: the hash of its bytes without its `cache_control` members and
    /// the comma that goes with each, its strings in their briefest spelling. A content that is a list of one text counts as the plain
    /// string, since clients send either, as the mark moves on.
    pub fn fingerprint(&self, bytes: &[u8], message: usize) -> ContentHash {
        self.hash(bytes, message..message + 1)
    }

    /// The identity of the first messages together: two bodies have the same where each of these
    /// has the same fingerprint, if the client puts the same between them. One hash over all is
    /// quicker than one over each.
    pub fn prefix_fingerprint(&self, bytes: &[u8], messages: usize) -> ContentHash {
        self.hash(bytes, 0..messages)
    }

    /// The hash of some messages, and of what stands between them.
    fn hash(&self, bytes: &[u8], messages: Range<usize>) -> ContentHash {
        let messages = &self.messages[messages];
        let (Some(first), Some(last)) = (messages.first(), messages.last()) else {
            return ContentHash::of(b"");
        };
        let mut parts = Vec::new();
        let mut at = first.start;
        for message in messages {
            for cut in marks::cuts(&bytes[message.clone()]) {
                parts.push(&bytes[at..message.start + cut.start]);
                at = message.start + cut.end;
            }
        }
        parts.push(&bytes[at..last.end]);
        let parts: Vec<_> = parts.into_iter().map(respelling::canonical).collect();
        ContentHash::of_parts(parts.iter().map(|part| &**part))
    }

    /// The parts that may have marks, in the order in which they stand.
    fn parts(&self) -> Vec<(MarkPlace, Place)> {
        let messages = self.messages.iter().enumerate();
        let mut parts: Vec<_> =
            messages.map(|(at, place)| (MarkPlace::Message(at), place.clone())).collect();
        parts.extend(self.system.clone().map(|place| (MarkPlace::System, place)));
        parts.extend(self.tools.clone().map(|place| (MarkPlace::Tools, place)));
        parts.sort_by_key(|(_, place)| place.start);
        parts
    }

    fn new(protocol: Protocol) -> Self {
        Self {
            protocol,
            model: None,
            streams: false,
            messages: Vec::new(),
            system: None,
            tools: None,
            inactive: None,
            prompt_cache_key: None,
            user_id: None,
            thinking: false,
            modes: Vec::new(),
            structured: false,
            max_tokens: None,
            store: None,
            marks: Vec::new(),
            words: 0,
            server_edits: Vec::new(),
        }
    }

    /// Reads the list of messages; returns what stands in its place, if it is none. Behind the
    /// first one `further` may go on over more of them.
    fn list(
        &mut self,
        cursor: &mut Cursor<'_>,
        mut further: impl FnMut(&mut Self, &mut Cursor<'_>) -> Option<()>,
    ) -> Result<Option<Inactive>, BodyError> {
        self.messages.clear();
        let first = cursor.peek()?;
        cursor.array(|cursor| {
            self.messages.push(cursor.skip()?);
            if self.messages.len() == 1 {
                further(self, cursor);
            }
            Ok(())
        })?;
        Ok(match first {
            b'[' => None,
            b'"' => Some(Inactive::PlainText),
            _ => Some(Inactive::NoMessages),
        })
    }

    fn field(&mut self, field: Field, bytes: &[u8], value: Place) -> Result<(), BodyError> {
        let text = |place: &Place| walk::text(bytes, place).map(|text| text.into_owned());
        let is_given = is_given(bytes, &value);
        match field {
            Field::Messages => {}
            Field::CacheControl => self.marks.extend(marks::of_request(bytes, value)),
            Field::ContextManagement => self.server_edits.extend(edits(bytes, &value)?),
            Field::Conversation if is_given => self.inactive = Some(Inactive::Conversation),
            Field::PreviousResponse if is_given => self.inactive = Some(Inactive::PreviousResponse),
            Field::Conversation | Field::PreviousResponse => {}
            Field::GenerationConfig => self.generation_config(bytes, &value)?,
            Field::MaxTokens => self.max_tokens = number(bytes, &value),
            Field::Metadata => {
                let [user_id] = walk::members(bytes, &value, ["user_id"])?;
                self.user_id = user_id.as_ref().and_then(text);
            }
            Field::Model => self.model = text(&value),
            Field::OutputConfig | Field::Text => {
                let [format] = walk::members(bytes, &value, ["format"])?;
                self.structured |= format.is_some_and(|format| wants_schema(bytes, &format));
            }
            Field::OutputFormat => self.structured |= wants_schema(bytes, &value),
            Field::PromptCacheKey => self.prompt_cache_key = text(&value),
            Field::Reasoning => {
                let [effort] = walk::members(bytes, &value, ["effort"])?;
                let is_off = effort.is_some_and(|place| text(&place).as_deref() == Some("none"));
                self.thinking |= is_given && !is_off;
            }
            Field::ReasoningEffort => {
                self.thinking |= is_given && text(&value).as_deref() != Some("none");
            }
            Field::Store => self.store = boolean(bytes, &value),
            Field::Stream => self.streams = boolean(bytes, &value) == Some(true),
            Field::System => self.system = is_given.then_some(value),
            Field::Thinking => {
                let [kind] = walk::members(bytes, &value, ["type"])?;
                let kind = kind.as_ref().and_then(text);
                self.thinking |= kind.is_some_and(|kind| kind != "disabled");
                if self.protocol == Protocol::Messages {
                    self.modes.push(value);
                }
            }
            Field::ToolChoice => self.modes.push(value),
            Field::Tools => self.tools = is_given.then_some(value),
            Field::Truncation => {
                let is_on = text(&value).as_deref() == Some("auto");
                self.server_edits.extend(is_on.then(|| "truncation".to_owned()));
            }
        }
        Ok(())
    }

    /// What Gemini is told of how to answer.
    fn generation_config(&mut self, bytes: &[u8], value: &Place) -> Result<(), BodyError> {
        const NAMES: [&str; 4] =
            ["maxOutputTokens", "thinkingConfig", "responseSchema", "responseJsonSchema"];
        let [max_tokens, thinking, schema, json_schema] = walk::members(bytes, value, NAMES)?;
        self.max_tokens = max_tokens.and_then(|place| number(bytes, &place));
        self.thinking = thinking.is_some_and(|place| is_given(bytes, &place));
        self.structured = schema.or(json_schema).is_some_and(|place| is_given(bytes, &place));
        Ok(())
    }
}

/// The model that a body names, where nothing else of it is asked for.
pub fn model(bytes: &[u8]) -> Option<String> {
    let whole = 0..bytes.len();
    let [model] = walk::members(bytes, &whole, ["model"]).ok()?;
    Some(walk::text(bytes, &model?)?.into_owned())
}

/// Whether there is a value other than null.
fn is_given(bytes: &[u8], value: &Place) -> bool {
    &bytes[value.clone()] != b"null"
}

fn boolean(bytes: &[u8], value: &Place) -> Option<bool> {
    match &bytes[value.clone()] {
        b"true" => Some(true),
        b"false" => Some(false),
        _ => None,
    }
}

fn number(bytes: &[u8], value: &Place) -> Option<u64> {
    std::str::from_utf8(&bytes[value.clone()]).ok()?.parse().ok()
}

/// Whether a format of answers is more than plain text.
fn wants_schema(bytes: &[u8], format: &Place) -> bool {
    let kind = walk::members(bytes, format, ["type"]).ok().and_then(|[kind]| kind);
    let is_text = kind.is_some_and(|kind| walk::text(bytes, &kind).as_deref() == Some("text"));
    is_given(bytes, format) && !is_text
}

/// The types of the edits that the provider is told to make: a list, or with Anthropic the list
/// of an object. One that keeps all takes nothing out.
fn edits(bytes: &[u8], value: &Place) -> Result<Vec<String>, BodyError> {
    let [inner] = walk::members(bytes, value, ["edits"])?;
    let list = walk::elements(bytes, &inner.unwrap_or_else(|| value.clone()))?;
    let mut types = Vec::new();
    for edit in list.unwrap_or_default() {
        let [kind, keep] = walk::members(bytes, &edit, ["type", "keep"])?;
        if keep.is_some_and(|keep| walk::text(bytes, &keep).as_deref() == Some("all")) {
            continue;
        }
        types.extend(kind.and_then(|kind| Some(walk::text(bytes, &kind)?.into_owned())));
    }
    Ok(types)
}

#[cfg(test)]
mod tests;
