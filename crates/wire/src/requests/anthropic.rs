//! The request body of Anthropic's Messages, and the parts its messages are made of.

use foveal_transcript::{Block, Call, Role, Timestamp, Usage};
use serde_json::Value;

use crate::draft::{Answer, Draft, Step, StepIndex, StepMark};
use crate::head::Head;
use crate::json::{self, Object};
use crate::output::Output;
use crate::problem::ProblemKind;

/// Reads one request body.
pub(crate) fn read(mut body: Object, output: &mut Output<'_>) {
    let Some(messages) = json::take_list(&mut body, "messages") else {
        output.problem(ProblemKind::NotARecord);
        return;
    };
    let mut draft = Draft::new(output.name);
    let system = json::message_blocks(json::take(&mut body, "system"));
    if !system.is_empty() {
        draft.push(Step::with(Role::System, None, system));
    }
    let mut is_first = true;
    output.each_object("messages[]", messages, |message, output| {
        let is_system = json::text(&message, "role") == Some("system");
        self::message(&mut draft, message, is_first, output);
        is_first &= is_system;
    });
    output.conversation(draft);
}

/// Signs of a request body. Where nothing else tells it from OpenAI's and all was seen, the
/// model does.
pub(crate) fn is_format(head: &Head) -> bool {
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
    let by_model = head.is_all && head.has("messages[].role") && head.starts("model", "claude");
    head.has("messages") && (head.any(&SIGNS) || by_model)
}

/// Adds one message. `is_first` says that none but system messages stand before it.
pub(crate) fn message(
    draft: &mut Draft,
    mut message: Object,
    is_first: bool,
    output: &mut Output<'_>,
) {
    let content = json::take(&mut message, "content");
    match json::text(&message, "role") {
        Some("assistant") => {
            let index = draft.push(Step::new(Role::Assistant));
            response_blocks(draft, index, content, output);
        }
        Some("user") => {
            let (answers, blocks) = user_blocks(content, None);
            for answer in answers {
                output.check(draft.answer(answer.unwrapped()));
            }
            if !blocks.is_empty() {
                draft.push(Step::with(Role::User, None, blocks));
            }
        }
        Some("system") => {
            let mark = if is_first { StepMark::None } else { StepMark::Injected };
            let step = Step::with(Role::System, None, json::message_blocks(content));
            draft.push(step.marked(mark));
        }
        _ => output.bad_field("role", "a known role"),
    }
}

/// Adds the blocks of an Anthropic response to a step.
pub(crate) fn response_blocks(
    draft: &mut Draft,
    index: StepIndex,
    content: Option<Value>,
    output: &mut Output<'_>,
) {
    let parts = match content {
        Some(Value::Array(parts)) => parts,
        other => {
            draft.step_mut(index).blocks.extend(json::message_blocks(other));
            return;
        }
    };
    for part in parts {
        let Value::Object(mut object) = part else {
            draft.step_mut(index).blocks.extend(json::message_blocks(Some(part)));
            continue;
        };
        match json::text(&object, "type") {
            Some("thinking") => {
                let text = json::take_text(&mut object, "thinking").unwrap_or_default();
                let block = json::reasoning(text, "thinking", &Value::Object(object));
                draft.step_mut(index).blocks.push(block);
            }
            Some("tool_use" | "server_tool_use" | "mcp_tool_use") => {
                let call = Call {
                    id: json::take_text(&mut object, "id").unwrap_or_default(),
                    name: json::take_text(&mut object, "name").unwrap_or_default(),
                    arguments: json::arguments(json::take(&mut object, "input")),
                };
                output.check(draft.call(index, call));
            }
            _ => {
                let part = Value::Object(object);
                draft.step_mut(index).blocks.extend(json::message_blocks(Some(part)));
            }
        }
    }
}

/// The results and the other blocks of an Anthropic user message.
pub(crate) fn user_blocks(
    content: Option<Value>,
    time: Option<Timestamp>,
) -> (Vec<Answer>, Vec<Block>) {
    let parts = match content {
        Some(Value::Array(parts)) => parts,
        other => return (Vec::new(), json::message_blocks(other)),
    };
    let mut answers = Vec::new();
    let mut blocks = Vec::new();
    for part in parts {
        match part {
            Value::Object(mut object) if json::text(&object, "type") == Some("tool_result") => {
                let call = json::take_text(&mut object, "tool_use_id").unwrap_or_default();
                let is_error = json::is_true(&object, "is_error");
                let content = json::take(&mut object, "content");
                answers.push(Answer { is_error, ..Answer::of(call, content, time) });
            }
            other => blocks.extend(json::message_blocks(Some(other))),
        }
    }
    (answers, blocks)
}

/// Usage as Anthropic reports it.
pub(crate) fn anthropic_usage(usage: &Object) -> Usage {
    Usage {
        input: json::count(usage, "input_tokens"),
        cache_read: json::count(usage, "cache_read_input_tokens"),
        cache_write: json::count(usage, "cache_creation_input_tokens"),
        cache_write_hour: json::object(usage, "cache_creation")
            .map_or(0, |written| json::count(written, "ephemeral_1h_input_tokens")),
        output: json::count(usage, "output_tokens"),
    }
}
