//! Requests to model APIs, which are recordings of a conversation too. A stream of bare messages,
//! as a list or one a line, is the conversation of one request.

use foveal_protocols::conversation_builder::{ConversationBuilder, StepDraft};
use foveal_protocols::json::{self, JsonObject};
use foveal_protocols::openai_responses::{self, ASSUME_SUCCESS, ResponseItemReader};
use foveal_protocols::problem::{ProblemCollector, ProblemKind};
use foveal_protocols::{anthropic, openai_chat};
use foveal_transcript::MessageRole;
use serde_json::Value;

use crate::key_paths::KeyPaths;
use crate::record_reader::RecordReader;
use crate::session_sink::SessionSink;

/// Reads request bodies, or the messages of one.
pub(crate) struct RequestBodyReader {
    read_body: fn(JsonObject, &mut SessionSink<'_>),
    add_message: fn(&mut ConversationBuilder, JsonObject, &mut ProblemCollector),
    /// The conversation of messages without a body.
    open_list: Option<ConversationBuilder>,
}

impl RequestBodyReader {
    /// Creates the reader of Anthropic's Messages.
    pub(crate) fn for_anthropic() -> Self {
        Self {
            read_body: read_anthropic_request,
            add_message: add_anthropic_message,
            open_list: None,
        }
    }

    /// Creates the reader of OpenAI's Chat Completions.
    pub(crate) fn for_chat() -> Self {
        Self {
            read_body: read_chat_request,
            add_message: openai_chat::add_request_message,
            open_list: None,
        }
    }
}

impl RecordReader for RequestBodyReader {
    fn read_record(&mut self, record: JsonObject, output: &mut SessionSink<'_>) {
        let is_message = !record.contains_key("messages")
            && !record.contains_key("type")
            && record.contains_key("role")
            && MESSAGE_KEYS.iter().any(|key| record.contains_key(*key));
        if is_message {
            let draft = self.open_list.get_or_insert_with(|| ConversationBuilder::new(output.name));
            (self.add_message)(draft, record, &mut output.problems);
        } else {
            (self.read_body)(record, output);
        }
    }

    fn finish(self, output: &mut SessionSink<'_>) {
        if let Some(draft) = self.open_list {
            output.emit_unless_empty(draft);
        }
    }
}

/// Reads request bodies of OpenAI's Responses, or the items of one.
#[derive(Default)]
pub(crate) struct ResponsesBodyReader {
    /// The conversation of items without a body.
    open_list: Option<ResponseItemReader>,
}

impl RecordReader for ResponsesBodyReader {
    fn read_record(&mut self, record: JsonObject, output: &mut SessionSink<'_>) {
        let is_item = json::get_text(&record, "type").is_some_and(openai_responses::is_item_type);
        if !is_item || record.contains_key("input") {
            read_responses_request(record, output);
            return;
        }
        let items = self.open_list.get_or_insert_with(|| {
            ResponseItemReader::new(ConversationBuilder::new(output.name), ASSUME_SUCCESS)
        });
        items.read_item(record, None, &mut output.problems);
    }

    fn finish(self, output: &mut SessionSink<'_>) {
        if let Some(items) = self.open_list {
            output.emit_unless_empty(items.draft);
        }
    }
}

/// Keys of which each message beside its role has one.
const MESSAGE_KEYS: [&str; 3] = ["content", "tool_calls", "function_call"];

/// Returns whether a document is one message of a request, whatever the provider.
pub(crate) fn is_message(head: &KeyPaths) -> bool {
    const ROLES: [&str; 6] = ["system", "developer", "user", "assistant", "tool", "function"];
    !head.has_key("type") && head.has_text("role", &ROLES) && head.has_any_key(&MESSAGE_KEYS)
}

fn add_anthropic_message(
    draft: &mut ConversationBuilder,
    message: JsonObject,
    problems: &mut ProblemCollector,
) {
    let is_first = draft.steps().iter().all(|step| step.role == MessageRole::System);
    anthropic::add_message(draft, message, is_first, problems);
}

/// Reads one request body of Anthropic's Messages.
fn read_anthropic_request(mut body: JsonObject, output: &mut SessionSink<'_>) {
    let Some(messages) = json::take_list(&mut body, "messages") else {
        output.report_problem(ProblemKind::NotARecord);
        return;
    };
    let mut draft = ConversationBuilder::new(output.name);
    let system = json::message_blocks(json::take_value(&mut body, "system"));
    if !system.is_empty() {
        draft.push_step(StepDraft::with_blocks(MessageRole::System, None, system));
    }
    let mut is_first = true;
    output.for_each_object("messages[]", messages, |message, output| {
        let is_system = json::get_text(&message, "role") == Some("system");
        anthropic::add_message(&mut draft, message, is_first, &mut output.problems);
        is_first &= is_system;
    });
    output.emit_conversation(draft);
}

/// Detects a request body of Anthropic's Messages by its keys. If nothing else tells it from
/// OpenAI's and no more bytes come, the model's name decides.
pub(crate) fn is_anthropic_request(head: &KeyPaths) -> bool {
    const SIGNS: [&str; 8] = [
        "system",
        "anthropic_version",
        "thinking",
        "tools[].input_schema",
        "messages[].content[].tool_use_id",
        "messages[].content[].input",
        "messages[].content[].cache_control",
        "stop_sequences",
    ];
    let by_model = head.is_exhausted
        && head.has_key("messages[].role")
        && head.text_starts_with("model", "claude");
    const MESSAGE_SIGNS: [&str; 4] = [
        "content[].tool_use_id",
        "content[].input",
        "content[].cache_control",
        "content[].thinking",
    ];
    (head.has_key("messages") && (head.has_any_key(&SIGNS) || by_model))
        || (is_message(head) && head.has_any_key(&MESSAGE_SIGNS))
}

/// Reads one request body of OpenAI's Chat Completions.
fn read_chat_request(mut body: JsonObject, output: &mut SessionSink<'_>) {
    let Some(messages) = json::take_list(&mut body, "messages") else {
        output.report_problem(ProblemKind::NotARecord);
        return;
    };
    let mut draft = ConversationBuilder::new(output.name);
    output.for_each_object("messages[]", messages, |each, output| {
        openai_chat::add_request_message(&mut draft, each, &mut output.problems);
    });
    output.emit_conversation(draft);
}

/// Detects a request body of OpenAI's Chat Completions by its keys. A body without these keys and
/// without Anthropic's is one if no more bytes come and it names no model of Anthropic's.
pub(crate) fn is_chat_request(head: &KeyPaths) -> bool {
    const SIGNS: [&str; 8] = [
        "messages[].tool_calls",
        "messages[].tool_call_id",
        "messages[].content[].image_url",
        "messages[].reasoning_content",
        "tools[].function",
        "max_completion_tokens",
        "stream_options",
        "response_format",
    ];
    const ROLES: [&str; 3] = ["developer", "tool", "function"];
    // Claude Code sends Messages with such a role, but never first.
    let has_system = head.first_text_equals("messages[].role", "system");
    let has_signs =
        has_system || head.has_text("messages[].role", &ROLES) || head.has_any_key(&SIGNS);
    let is_plain =
        head.is_exhausted && head.has_key("messages[].role") && !is_anthropic_request(head);
    const MESSAGE_SIGNS: [&str; 3] = ["tool_calls[].function", "tool_call_id", "function_call"];
    (head.has_key("messages") && (has_signs || is_plain))
        || (is_message(head) && head.has_any_key(&MESSAGE_SIGNS))
}

/// Reads one request body of OpenAI's Responses.
fn read_responses_request(mut body: JsonObject, output: &mut SessionSink<'_>) {
    let mut draft = ConversationBuilder::new(output.name);
    if let Some(text) = json::take_text(&mut body, "instructions") {
        draft.push_step(StepDraft::with_text(MessageRole::System, None, text));
    }
    let mut items = ResponseItemReader::new(draft, ASSUME_SUCCESS);
    match json::take_value(&mut body, "input") {
        Some(Value::String(text)) => {
            items.draft.push_step(StepDraft::with_text(MessageRole::User, None, text));
        }
        Some(Value::Array(input)) => {
            output.for_each_object("input[]", input, |item, output| {
                items.read_item(item, None, &mut output.problems);
            });
        }
        _ => {
            output.report_problem(ProblemKind::NotARecord);
            return;
        }
    }
    output.emit_conversation(items.draft);
}

/// Detects a request body of OpenAI's Responses by its keys.
pub(crate) fn is_responses_request(head: &KeyPaths) -> bool {
    let is_typed = head.has_any_key(&["input[].type", "input[].role"]);
    let is_told = head.has_any_key(&["instructions", "model", "previous_response_id"]);
    let is_body = head.has_key("input") && (is_typed || (head.is_complete && is_told));
    let is_item = head.is_listed && is_responses_item(head);
    !head.has_key("messages") && (is_body || is_item)
}

/// Returns whether a document is one item of a request to OpenAI's Responses.
pub(crate) fn is_responses_item(head: &KeyPaths) -> bool {
    head.is_complete
        && head.short_text("type").is_some_and(openai_responses::is_item_type)
        && head.has_any_key(&["role", "call_id", "summary", "action"])
}
