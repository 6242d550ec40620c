//! Items of requests and recordings in the form of OpenAI's Responses.

use foveal_transcript::{ContentBlock, MessageRole, Timestamp, ToolCall, Usage};
use serde_json::Value;

use crate::conversation_builder::{ConversationBuilder, RecordedResult, StepDraft, StepIndex};
use crate::json::{self, JsonObject};
use crate::problem::ProblemCollector;

/// Known item types that end neither in `_call` nor in `_output`.
const ITEM_TYPES: [&str; 5] =
    ["message", "reasoning", "ghost_snapshot", "compaction", "item_reference"];

/// Returns whether `kind` is the type of an item.
pub fn is_item_type(kind: &str) -> bool {
    ITEM_TYPES.contains(&kind) || kind.ends_with("_call") || kind.ends_with("_call_output")
}

/// The failure check for requests, whose outputs do not tell whether their call failed.
pub const ASSUME_SUCCESS: fn(&str) -> bool = |_| false;

/// Joins items to messages: consecutive items of one response are one message.
pub struct ResponseItemReader {
    /// The conversation so far.
    pub draft: ConversationBuilder,
    response: Option<StepIndex>,
    /// The number of items before the first one of the conversation builder.
    pub(crate) earlier_items: usize,
    /// Returns whether an output is from a failed call, if no flag tells.
    is_failed_output: fn(&str) -> bool,
}

impl ResponseItemReader {
    /// Creates the reader of items that extend `draft`.
    pub fn new(draft: ConversationBuilder, is_failed_output: fn(&str) -> bool) -> Self {
        Self { draft, response: None, earlier_items: 0, is_failed_output }
    }

    /// Ends the open response, if any.
    pub fn close_response(&mut self) {
        self.response = None;
    }

    /// Reads the next item.
    pub fn read_item(
        &mut self,
        mut item: JsonObject,
        time: Option<Timestamp>,
        problems: &mut ProblemCollector,
    ) {
        let kind = json::get_text(&item, "type").unwrap_or("message").to_owned();
        match kind.as_str() {
            "message" => self.read_message(item, time, problems),
            "reasoning" => {
                let text = reasoning_text(&mut item);
                self.push_block(json::reasoning_block(text, &kind, &Value::Object(item)), time);
            }
            answer if answer.ends_with("_output") => self.read_output(item, time, problems),
            call if call.ends_with("_call") => self.read_call(call, item, time, problems),
            _ => self.push_block(json::opaque_block(&kind, &Value::Object(item)), time),
        }
    }

    fn read_message(
        &mut self,
        mut item: JsonObject,
        time: Option<Timestamp>,
        problems: &mut ProblemCollector,
    ) {
        let blocks = json::message_blocks(json::take_value(&mut item, "content"));
        let role = match json::get_text(&item, "role") {
            Some("assistant") => {
                for block in blocks {
                    self.push_block(block, time);
                }
                return;
            }
            Some("user") => MessageRole::User,
            Some("system" | "developer") => MessageRole::System,
            _ => {
                problems.report_bad_field("role", "a known role");
                return;
            }
        };
        self.close_response();
        self.draft.push_step(StepDraft::with_blocks(role, time, blocks));
    }

    /// Adds a block to the open response or to a new one.
    fn push_block(&mut self, block: ContentBlock, time: Option<Timestamp>) {
        let index = self.open_response(time);
        self.draft.step_mut(index).blocks.push(block);
    }

    fn open_response(&mut self, time: Option<Timestamp>) -> StepIndex {
        let draft = &mut self.draft;
        *self.response.get_or_insert_with(|| {
            draft.push_step(StepDraft::with_blocks(MessageRole::Assistant, time, Vec::new()))
        })
    }

    fn read_call(
        &mut self,
        kind: &str,
        mut item: JsonObject,
        time: Option<Timestamp>,
        problems: &mut ProblemCollector,
    ) {
        let id = json::take_text(&mut item, "call_id").or_else(|| json::take_text(&mut item, "id"));
        let index = self.open_response(time);
        // Calls that the provider runs itself may have no id, and never have a result.
        let id = id.unwrap_or_else(|| {
            let step = self.earlier_items + index.0;
            format!("{kind}-{step}-{}", self.draft.steps()[index.0].blocks.len())
        });
        let tool = kind.trim_end_matches("_call").to_owned();
        let (name, arguments) = match kind {
            "function_call" | "mcp_call" => (
                qualified_tool_name(&mut item),
                json::parse_arguments(json::take_value(&mut item, "arguments")),
            ),
            "custom_tool_call" => {
                let mut arguments = JsonObject::new();
                let input = json::take_value(&mut item, "input").unwrap_or_default();
                arguments.insert("input".to_owned(), input);
                (json::take_text(&mut item, "name").unwrap_or_default(), Value::Object(arguments))
            }
            _ => {
                let action = json::take_value(&mut item, "action");
                (
                    tool,
                    json::parse_arguments(
                        action.or_else(|| json::take_value(&mut item, "arguments")),
                    ),
                )
            }
        };
        problems.report_error(self.draft.add_call(index, ToolCall { id, name, arguments }));
    }

    /// Reads an output: text, a list of parts, or in older recordings an object that holds either.
    fn read_output(
        &mut self,
        mut item: JsonObject,
        time: Option<Timestamp>,
        problems: &mut ProblemCollector,
    ) {
        self.close_response();
        let mut is_error = false;
        let recorded = match json::take_value(&mut item, "output") {
            Some(Value::Object(mut payload)) if payload.contains_key("content") => {
                is_error = payload.get("success").and_then(Value::as_bool) == Some(false);
                json::take_value(&mut payload, "content")
            }
            Some(other) => Some(other),
            None => json::take_value(&mut item, "tools"),
        };
        let call = json::take_text(&mut item, "call_id").unwrap_or_default();
        let mut answer = RecordedResult::from_recorded(call, recorded, time).unwrap_content();
        answer.is_error |= is_error || (self.is_failed_output)(&answer.content);
        problems.report_error(self.draft.add_result(answer));
    }
}

/// Returns the name of the called tool, prefixed by its server's name if that is a separate field.
fn qualified_tool_name(item: &mut JsonObject) -> String {
    let name = json::take_text(item, "name").unwrap_or_default();
    match json::get_text(item, "namespace").filter(|space| !space.is_empty()) {
        Some(space) if !name.starts_with(space) => format!("{space}__{name}"),
        Some(_) | None => name,
    }
}

/// Returns the readable parts of a reasoning item, without encrypted content.
fn reasoning_text(item: &mut JsonObject) -> String {
    let mut texts = Vec::new();
    for field in ["summary", "content"] {
        for mut part in json::take_list(item, field).unwrap_or_default() {
            if let Some(text) = part.as_object_mut().and_then(|part| json::take_text(part, "text"))
            {
                texts.push(text);
            }
        }
    }
    texts.join("\n")
}

/// Parses usage in the form of Responses, where the input includes cached tokens.
pub fn parse_responses_usage(usage: &JsonObject) -> Usage {
    let details = json::get_object(usage, "input_tokens_details");
    let cache_read = details.map_or(0, |details| json::get_count(details, "cached_tokens"));
    Usage {
        input: json::get_count(usage, "input_tokens").saturating_sub(cache_read),
        cache_read,
        cache_write: 0,
        cache_write_hour: 0,
        output: json::get_count(usage, "output_tokens"),
    }
}
