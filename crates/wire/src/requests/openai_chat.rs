//! The messages of OpenAI's Chat Completions, and its request body. Other recordings hold
//! the same messages.

use foveal_transcript::{Block, Call, Role, Timestamp, Usage};
use serde_json::Value;

use crate::draft::{Answer, Draft, Step, StepIndex};
use crate::head::Head;
use crate::json::{self, Object};
use crate::output::Output;
use crate::problem::ProblemKind;
use crate::requests::anthropic;

/// Reads one request body.
pub(crate) fn read(mut body: Object, output: &mut Output<'_>) {
    let Some(messages) = json::take_list(&mut body, "messages") else {
        output.problem(ProblemKind::NotARecord);
        return;
    };
    let mut draft = Draft::new(output.name);
    output.each_object("messages[]", messages, |each, output| {
        request_message(&mut draft, each, output);
    });
    output.conversation(draft);
}

/// Adds one message of a request. Of a result that is a document in a string, what the document
/// says is told.
pub(crate) fn request_message(draft: &mut Draft, mut message: Object, output: &mut Output<'_>) {
    if matches!(json::text(&message, "role"), Some("tool" | "function")) {
        let answer = self::answer(&mut message, None);
        output.check(draft.answer(answer.unwrapped()));
        return;
    }
    self::message(draft, message, None, output);
}

/// Signs of a request body. What has neither these nor Anthropic's is one too, if all was seen
/// and it names no model of Anthropic's.
pub(crate) fn is_format(head: &Head) -> bool {
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
    // Claude Code sends Anthropic's Messages with such a role, but never first.
    let has_system = head.is_first("messages[].role", "system");
    let has_signs = has_system || head.is("messages[].role", &ROLES) || head.any(&SIGNS);
    let is_plain = head.is_all && head.has("messages[].role") && !anthropic::is_format(head);
    head.has("messages") && (has_signs || is_plain)
}

/// Adds one message; returns its step unless it is a result.
pub(crate) fn message(
    draft: &mut Draft,
    mut message: Object,
    time: Option<Timestamp>,
    output: &mut Output<'_>,
) -> Option<StepIndex> {
    let role = match json::text(&message, "role") {
        Some("system" | "developer") => Role::System,
        Some("user") => Role::User,
        Some("assistant") => Role::Assistant,
        Some("tool" | "function") => {
            output.check(draft.answer(answer(&mut message, time)));
            return None;
        }
        _ => {
            output.bad_field("role", "a known role");
            return None;
        }
    };
    let mut step = Step::with(role, time, Vec::new());
    for field in ["reasoning_content", "reasoning"] {
        if let Some(text) = json::take_text(&mut message, field) {
            step.blocks.push(Block::Reasoning(text));
            break;
        }
    }
    step.blocks.extend(json::message_blocks(json::take(&mut message, "content")));
    let index = draft.push(step);
    for call in json::take_list(&mut message, "tool_calls").unwrap_or_default() {
        match self::call(call) {
            Some(call) => output.check(draft.call(index, call)),
            None => output.bad_field("tool_calls[]", "a call with a function"),
        }
    }
    if let Some(function) = json::take_object(&mut message, "function_call") {
        // The form before tools: no ids, and the result names the function.
        let id = json::text(&function, "name").unwrap_or_default().to_owned();
        output.check(draft.call(index, function_call(id, function)));
    }
    Some(index)
}

/// A call of a message.
pub(crate) fn call(call: Value) -> Option<Call> {
    let Value::Object(mut call) = call else { return None };
    let id = json::take_text(&mut call, "id").unwrap_or_default();
    match json::take_object(&mut call, "function") {
        Some(function) => Some(function_call(id, function)),
        None => {
            let mut custom = json::take_object(&mut call, "custom")?;
            let mut arguments = Object::new();
            arguments.insert("input".to_owned(), json::take(&mut custom, "input")?);
            let name = json::take_text(&mut custom, "name")?;
            Some(Call { id, name, arguments: Value::Object(arguments) })
        }
    }
}

fn function_call(id: String, mut function: Object) -> Call {
    Call {
        id,
        name: json::take_text(&mut function, "name").unwrap_or_default(),
        arguments: json::arguments(json::take(&mut function, "arguments")),
    }
}

fn answer(message: &mut Object, time: Option<Timestamp>) -> Answer {
    let call = answered_call(message);
    let content = json::take(message, "content");
    Answer::of(call, content, time)
}

/// The call that a result answers, or in its older form the function.
fn answered_call(message: &mut Object) -> String {
    let id = json::take_text(message, "tool_call_id").filter(|id| !id.is_empty());
    id.or_else(|| json::take_text(message, "name")).unwrap_or_default()
}

/// Usage as Chat Completions reports it; cached tokens are among the prompt's.
pub(crate) fn chat_usage(usage: &Object) -> Usage {
    let details = json::object(usage, "prompt_tokens_details");
    let cached = |key| details.map_or(0, |details| json::count(details, key));
    let cache_read = cached("cached_tokens");
    let cache_write = json::count(usage, "cache_creation_input_tokens");
    let prompt = json::count(usage, "prompt_tokens");
    Usage {
        input: prompt.saturating_sub(cache_read).saturating_sub(cache_write),
        cache_read,
        cache_write,
        cache_write_hour: 0,
        output: json::count(usage, "completion_tokens"),
    }
}
