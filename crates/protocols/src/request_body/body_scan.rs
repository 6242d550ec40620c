//! Scan of a request body: the positions of its parts, and its settings.

use std::ops::Range;
use std::sync::Arc;

use foveal_transcript::ContentHash;

use super::body_field::BodyField;
use super::cache_breakpoints::{self, BodyBreakpoint, BreakpointTarget};
use super::canonical_strings;
use super::error::BodyError;
use super::json_cursor::JsonCursor;
use super::json_lookup::{self, ByteRange};
use super::request_history::{self, RequestHistory, SharedPrefix};
use crate::protocol::Protocol;

/// Positions of the parts of one request body. Holds offsets and no bytes: every method takes the
/// scanned bytes again and panics if they are others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestBody {
    /// The API of the request.
    pub protocol: Protocol,
    /// The requested model; Gemini has it in the path.
    pub model: Option<String>,
    /// Whether the client asks for a stream; Gemini has this in the path, too.
    pub is_streaming: bool,
    /// Ranges of the elements of `messages`, `input` or `contents`.
    pub messages: Vec<Range<usize>>,
    /// Range of the value of `system`, `instructions` or `systemInstruction`.
    pub system: Option<Range<usize>>,
    /// Range of the value of `tools`.
    pub tools: Option<Range<usize>>,
    /// The reason that the request is passed on unchanged.
    pub pass_through_reason: Option<PassThroughReason>,
    /// `prompt_cache_key`, by which some clients name their session.
    pub prompt_cache_key: Option<String>,
    /// `metadata.user_id`; Claude Code sends a JSON object in a string that has the session's id.
    pub user_id: Option<String>,
    /// Whether the request turns the model's thinking on.
    pub has_thinking: bool,
    /// With Anthropic, the values of `thinking` and `tool_choice`. A change of either invalidates
    /// the cached messages.
    pub cache_sensitive_fields: Vec<Range<usize>>,
    /// Whether the answer has to follow a schema, as in side requests for titles and checks.
    pub has_answer_schema: bool,
    /// The maximum number of tokens of the answer.
    pub max_tokens: Option<u64>,
    /// The value of `store`: whether the provider should store the request.
    pub store: Option<bool>,
    /// The `cache_control` marks in the order of their positions.
    pub breakpoints: Vec<BodyBreakpoint>,
    /// The number of occurrences of `"cache_control"` that may be the name of a member.
    pub(super) cache_control_count: usize,
    /// The edits that the provider is asked to apply to the prompt, by its own names, such as
    /// `clear_tool_uses_20250919`. The model may then see less than was sent.
    pub server_edits: Vec<String>,
}

/// The reason that a request is passed on unchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
pub enum PassThroughReason {
    /// `previous_response_id`: the provider holds the history.
    #[error("the history is kept by the provider (previous_response_id)")]
    PreviousResponse,
    /// `conversation`: the provider holds the history.
    #[error("the history is kept by the provider (conversation)")]
    Conversation,
    /// The input is a single string.
    #[error("the input is a plain string")]
    PlainText,
    /// The body has no list of messages.
    #[error("the body has no list of messages")]
    NoMessages,
    /// A member that the conversation depends on occurs twice; the provider decides which one
    /// counts.
    #[error("a field occurs twice")]
    DuplicateField,
}

impl RequestBody {
    /// Scans the bytes of a request body in one pass over strings and brackets.
    ///
    /// # Errors
    /// If the bytes are no JSON object, end early, or are nested deeper than 1024 brackets. Skipped
    /// values may be invalid in other ways.
    pub fn scan(protocol: Protocol, bytes: &[u8]) -> Result<Self, BodyError> {
        let (body, _) = Self::scan_after(protocol, bytes, |_| Vec::<Arc<RequestHistory>>::new())?;
        Ok(body)
    }

    /// Scans a request body and skips the messages of earlier requests. `known` receives the
    /// fingerprint of the first message and returns the histories that begin with it. Messages with
    /// the same bytes as in one of them are not scanned again. Returns that history and the number
    /// of these messages, too.
    ///
    /// # Errors
    /// As [`RequestBody::scan`].
    pub fn scan_after<H: AsRef<RequestHistory>>(
        protocol: Protocol,
        bytes: &[u8],
        known: impl FnOnce(ContentHash) -> Vec<Arc<H>>,
    ) -> Result<(Self, Option<SharedPrefix<H>>), BodyError> {
        let mut cursor = JsonCursor::new(bytes, 0);
        if cursor.peek_byte()? != b'{' {
            return Err(BodyError::NotAnObject);
        }
        let mut body = Self::new(protocol);
        let api = protocol.api();
        let mut seen = 0;
        let mut list = None;
        let (mut known, mut alike) = (Some(known), None);
        cursor.for_each_member(|cursor, key| {
            let Some(field) = BodyField::from_name(api.body_fields(), &key.name()) else {
                return cursor.skip_value().map(drop);
            };
            if seen & field.bit_mask() != 0 && field.affects_prompt() {
                body.pass_through_reason = Some(PassThroughReason::DuplicateField);
            }
            seen |= field.bit_mask();
            if field == BodyField::Messages {
                alike = None;
                list = Some(body.read_message_list(cursor, |body, cursor| {
                    let known = known.take()?(body.message_fingerprint(bytes, 0));
                    alike = request_history::adopt_shared_prefix(
                        known,
                        &mut body.messages,
                        cursor,
                        bytes,
                    );
                    Some(())
                })?);
                return Ok(());
            }
            let value = cursor.skip_value()?;
            body.read_field(field, bytes, value)
        })?;
        if !cursor.has_only_whitespace() {
            return Err(cursor.unexpected_byte());
        }
        if body.pass_through_reason.is_none() {
            body.pass_through_reason = list.unwrap_or(Some(PassThroughReason::NoMessages));
        }
        body.find_breakpoints(bytes, alike.as_ref());
        Ok((body, alike))
    }

    /// Returns the messages as a history for later requests.
    pub fn to_history(&self, bytes: &[u8]) -> RequestHistory {
        let mut history = RequestHistory::default();
        self.update_history(&mut history, bytes, 0);
        history
    }

    /// Updates the history of an earlier body to this body, whose first `alike` messages have the
    /// same bytes.
    pub fn update_history(&self, history: &mut RequestHistory, bytes: &[u8], alike: usize) {
        history.update_to(&self.messages, &self.breakpoints, bytes, alike);
    }

    /// Finds the marks of the system prompt, the tools and the messages. Takes those of shared
    /// messages from the history.
    fn find_breakpoints<H: AsRef<RequestHistory>>(
        &mut self,
        bytes: &[u8],
        alike: Option<&SharedPrefix<H>>,
    ) {
        let parts = self.markable_parts();
        let mut from = 0;
        if let Some(SharedPrefix { history, messages }) = alike
            && let (Some(first), Some(last)) =
                (self.messages.first(), self.messages[..*messages].last())
        {
            self.breakpoints.extend(cache_breakpoints::part_breakpoints(
                bytes,
                0..first.start,
                &parts,
            ));
            self.breakpoints
                .extend(H::as_ref(history).breakpoints_of_first(*messages, first.start));
            self.cache_control_count =
                cache_breakpoints::count_cache_control(&bytes[..first.start])
                    + H::as_ref(history).cache_control_count(*messages);
            from = last.end;
        }
        self.cache_control_count += cache_breakpoints::count_cache_control(&bytes[from..]);
        self.breakpoints.extend(cache_breakpoints::part_breakpoints(
            bytes,
            from..bytes.len(),
            &parts,
        ));
        self.breakpoints.sort_by_key(|mark| mark.value.start);
    }

    /// Returns the fingerprint of a message: the hash of its bytes with strings in their minimal
    /// encoding and without its `cache_control` members and their commas. A content that is a list
    /// of one text counts as the plain string, since clients send either as the mark moves on.
    pub fn message_fingerprint(&self, bytes: &[u8], message: usize) -> ContentHash {
        self.hash_messages(bytes, message..message + 1)
    }

    /// Returns the fingerprint of the first messages together. Two bodies have the same if each of
    /// these messages has the same fingerprint and the bytes between them are equal. One hash over
    /// all is faster than one hash for each message.
    pub fn prefix_fingerprint(&self, bytes: &[u8], messages: usize) -> ContentHash {
        self.hash_messages(bytes, 0..messages)
    }

    /// Returns the hash of some messages and of the bytes between them.
    fn hash_messages(&self, bytes: &[u8], messages: Range<usize>) -> ContentHash {
        let messages = &self.messages[messages];
        let (Some(first), Some(last)) = (messages.first(), messages.last()) else {
            return ContentHash::from_content(b"");
        };
        let mut parts = Vec::new();
        let mut at = first.start;
        for message in messages {
            for cut in cache_breakpoints::ignored_ranges(&bytes[message.clone()]) {
                parts.push(&bytes[at..message.start + cut.start]);
                at = message.start + cut.end;
            }
        }
        parts.push(&bytes[at..last.end]);
        let parts: Vec<_> = parts.into_iter().map(canonical_strings::canonical_json).collect();
        ContentHash::from_segments(parts.iter().map(|part| &**part))
    }

    /// Returns the parts that may have marks, in the order of their positions.
    fn markable_parts(&self) -> Vec<(BreakpointTarget, ByteRange)> {
        let messages = self.messages.iter().enumerate();
        let mut parts: Vec<_> =
            messages.map(|(at, place)| (BreakpointTarget::Message(at), place.clone())).collect();
        parts.extend(self.system.clone().map(|place| (BreakpointTarget::System, place)));
        parts.extend(self.tools.clone().map(|place| (BreakpointTarget::Tools, place)));
        parts.sort_by_key(|(_, place)| place.start);
        parts
    }

    fn new(protocol: Protocol) -> Self {
        Self {
            protocol,
            model: None,
            is_streaming: false,
            messages: Vec::new(),
            system: None,
            tools: None,
            pass_through_reason: None,
            prompt_cache_key: None,
            user_id: None,
            has_thinking: false,
            cache_sensitive_fields: Vec::new(),
            has_answer_schema: false,
            max_tokens: None,
            store: None,
            breakpoints: Vec::new(),
            cache_control_count: 0,
            server_edits: Vec::new(),
        }
    }

    /// Reads the list of messages. Returns the reason if the value is no list. Calls `further`
    /// behind the first message, which may advance over more of them.
    fn read_message_list(
        &mut self,
        cursor: &mut JsonCursor<'_>,
        mut further: impl FnMut(&mut Self, &mut JsonCursor<'_>) -> Option<()>,
    ) -> Result<Option<PassThroughReason>, BodyError> {
        self.messages.clear();
        let first = cursor.peek_byte()?;
        cursor.for_each_element(|cursor| {
            self.messages.push(cursor.skip_value()?);
            if self.messages.len() == 1 {
                further(self, cursor);
            }
            Ok(())
        })?;
        Ok(match first {
            b'[' => None,
            b'"' => Some(PassThroughReason::PlainText),
            _ => Some(PassThroughReason::NoMessages),
        })
    }

    fn read_field(
        &mut self,
        field: BodyField,
        bytes: &[u8],
        value: ByteRange,
    ) -> Result<(), BodyError> {
        let text = |place: &ByteRange| {
            json_lookup::string_text(bytes, place).map(|text| text.into_owned())
        };
        let is_given = is_not_null(bytes, &value);
        match field {
            BodyField::Messages => {}
            BodyField::CacheControl => {
                self.breakpoints.extend(cache_breakpoints::request_breakpoint(bytes, value));
            }
            BodyField::ContextManagement => {
                self.server_edits.extend(server_edit_types(bytes, &value)?);
            }
            BodyField::Conversation if is_given => {
                self.pass_through_reason = Some(PassThroughReason::Conversation);
            }
            BodyField::PreviousResponse if is_given => {
                self.pass_through_reason = Some(PassThroughReason::PreviousResponse);
            }
            BodyField::Conversation | BodyField::PreviousResponse => {}
            BodyField::GenerationConfig => self.read_generation_config(bytes, &value)?,
            BodyField::MaxTokens => self.max_tokens = parse_number(bytes, &value),
            BodyField::Metadata => {
                let [user_id] = json_lookup::find_members(bytes, &value, ["user_id"])?;
                self.user_id = user_id.as_ref().and_then(text);
            }
            BodyField::Model => self.model = text(&value),
            BodyField::OutputConfig | BodyField::Text => {
                let [format] = json_lookup::find_members(bytes, &value, ["format"])?;
                self.has_answer_schema |= format.is_some_and(|format| has_schema(bytes, &format));
            }
            BodyField::OutputFormat => self.has_answer_schema |= has_schema(bytes, &value),
            BodyField::PromptCacheKey => self.prompt_cache_key = text(&value),
            BodyField::Reasoning => {
                let [effort] = json_lookup::find_members(bytes, &value, ["effort"])?;
                let is_off = effort.is_some_and(|place| text(&place).as_deref() == Some("none"));
                self.has_thinking |= is_given && !is_off;
            }
            BodyField::ReasoningEffort => {
                self.has_thinking |= is_given && text(&value).as_deref() != Some("none");
            }
            BodyField::Store => self.store = parse_bool(bytes, &value),
            BodyField::Stream => self.is_streaming = parse_bool(bytes, &value) == Some(true),
            BodyField::System => self.system = is_given.then_some(value),
            BodyField::Thinking => {
                let [kind] = json_lookup::find_members(bytes, &value, ["type"])?;
                let kind = kind.as_ref().and_then(text);
                self.has_thinking |= kind.is_some_and(|kind| kind != "disabled");
                if self.protocol.api().has_cache_control() {
                    self.cache_sensitive_fields.push(value);
                }
            }
            BodyField::ToolChoice => self.cache_sensitive_fields.push(value),
            BodyField::Tools => self.tools = is_given.then_some(value),
            BodyField::Truncation => {
                let is_on = text(&value).as_deref() == Some("auto");
                self.server_edits.extend(is_on.then(|| "truncation".to_owned()));
            }
        }
        Ok(())
    }

    /// Reads Gemini's `generationConfig`.
    fn read_generation_config(&mut self, bytes: &[u8], value: &ByteRange) -> Result<(), BodyError> {
        const NAMES: [&str; 4] =
            ["maxOutputTokens", "thinkingConfig", "responseSchema", "responseJsonSchema"];
        let [max_tokens, thinking, schema, json_schema] =
            json_lookup::find_members(bytes, value, NAMES)?;
        self.max_tokens = max_tokens.and_then(|place| parse_number(bytes, &place));
        self.has_thinking = thinking.is_some_and(|place| is_not_null(bytes, &place));
        self.has_answer_schema =
            schema.or(json_schema).is_some_and(|place| is_not_null(bytes, &place));
        Ok(())
    }
}

/// Returns whether the value is not null.
fn is_not_null(bytes: &[u8], value: &ByteRange) -> bool {
    &bytes[value.clone()] != b"null"
}

fn parse_bool(bytes: &[u8], value: &ByteRange) -> Option<bool> {
    match &bytes[value.clone()] {
        b"true" => Some(true),
        b"false" => Some(false),
        _ => None,
    }
}

fn parse_number(bytes: &[u8], value: &ByteRange) -> Option<u64> {
    std::str::from_utf8(&bytes[value.clone()]).ok()?.parse().ok()
}

/// Returns whether an answer format is more than plain text.
fn has_schema(bytes: &[u8], format: &ByteRange) -> bool {
    let kind = json_lookup::find_members(bytes, format, ["type"]).ok().and_then(|[kind]| kind);
    let is_text =
        kind.is_some_and(|kind| json_lookup::string_text(bytes, &kind).as_deref() == Some("text"));
    is_not_null(bytes, format) && !is_text
}

/// Returns the types of the edits that the provider is asked to make: a list, or with Anthropic the
/// list of an object. An edit that keeps everything is left out.
fn server_edit_types(bytes: &[u8], value: &ByteRange) -> Result<Vec<String>, BodyError> {
    let [inner] = json_lookup::find_members(bytes, value, ["edits"])?;
    let list = json_lookup::array_elements(bytes, &inner.unwrap_or_else(|| value.clone()))?;
    let mut types = Vec::new();
    for edit in list.unwrap_or_default() {
        let [kind, keep] = json_lookup::find_members(bytes, &edit, ["type", "keep"])?;
        if keep.is_some_and(|keep| json_lookup::string_text(bytes, &keep).as_deref() == Some("all"))
        {
            continue;
        }
        types.extend(
            kind.and_then(|kind| Some(json_lookup::string_text(bytes, &kind)?.into_owned())),
        );
    }
    Ok(types)
}

#[cfg(test)]
mod tests;
