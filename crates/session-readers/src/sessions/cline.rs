//! Reads Cline's sessions: one document with the messages in Anthropic's form. Results are recorded
//! whole, as lists of queries and results; Cline sends the model each text cut to
//! [`SENT_CHARS_MAX`].

use foveal_protocols::anthropic::add_response_blocks;
use foveal_protocols::conversation_builder::{
    ConversationBuilder, RecordedResult, StepDraft, StepMark,
};
use foveal_protocols::json::{self, JsonObject};
use foveal_protocols::problem::ProblemKind;
use foveal_protocols::wrapped_results::{has_failed, is_cline_result};
use foveal_transcript::{MessageRole, Timestamp, Usage};
use serde_json::Value;

use crate::key_paths::KeyPaths;
use crate::session_sink::SessionSink;

/// Maximum length in characters of a result text as sent to the model, with the note on the cut.
const SENT_CHARS_MAX: usize = 8000;

/// Detects a session by its keys.
pub(crate) fn is_format(head: &KeyPaths) -> bool {
    head.has_all_keys(&["updated_at", "agent", "sessionId"])
        && head.has_any_key(&["origin", "messages"])
}

/// Reads one session.
pub(crate) fn read_session(mut root: JsonObject, output: &mut SessionSink<'_>) {
    let messages = json::take_list(&mut root, "messages");
    let (Some(messages), true) = (messages, root.contains_key("updated_at")) else {
        output.report_problem(ProblemKind::NotARecord);
        return;
    };
    let session = json::take_text(&mut root, "sessionId");
    let is_lead = matches!(json::get_text(&root, "agent"), Some("lead") | None);
    let mut draft = match (is_lead, session) {
        (true, Some(id)) => ConversationBuilder::new(id),
        // Agents started by the lead agent have files of their own with the id of its session.
        (_, parent) => {
            let mut draft = ConversationBuilder::new(output.name);
            draft.parent = parent;
            draft
        }
    };
    draft.agent = Some("Cline".to_owned());
    if let Some(text) = json::take_text(&mut root, "system_prompt").filter(|text| !text.is_empty())
    {
        draft.push_step(StepDraft::with_text(MessageRole::System, None, text));
    }
    output.for_each_object("messages[]", messages, |message, output| {
        self::add_message(&mut draft, message, output);
    });
    output.emit_conversation(draft);
}

fn add_message(
    draft: &mut ConversationBuilder,
    mut message: JsonObject,
    output: &mut SessionSink<'_>,
) {
    let time = message.get("ts").and_then(Value::as_f64).map(|ms| Timestamp(ms as i64));
    let content = json::take_value(&mut message, "content");
    match json::get_text(&message, "role") {
        Some("assistant") => {
            let mut step = StepDraft::with_blocks(MessageRole::Assistant, time, Vec::new());
            let model = json::get_object(&message, "modelInfo");
            step.model = model.and_then(|model| json::get_text(model, "id")).map(Into::into);
            step.usage = json::get_object(&message, "metrics").map(parse_usage);
            let index = draft.push_step(step);
            add_response_blocks(draft, index, content, &mut output.problems);
        }
        Some("user") => add_user_message(draft, content, time, output),
        Some("system") => {
            let step =
                StepDraft::with_blocks(MessageRole::System, time, json::message_blocks(content));
            draft.push_step(step.with_mark(StepMark::Injected));
        }
        _ => output.report_bad_field("messages[].role", "`user` or `assistant`"),
    }
}

fn add_user_message(
    draft: &mut ConversationBuilder,
    content: Option<Value>,
    time: Option<Timestamp>,
    output: &mut SessionSink<'_>,
) {
    let parts = match content {
        Some(Value::Array(parts)) => parts,
        other => other.into_iter().collect(),
    };
    let mut blocks = Vec::new();
    for part in parts {
        match part {
            Value::Object(mut part) if json::get_text(&part, "type") == Some("tool_result") => {
                let call = json::take_text(&mut part, "tool_use_id").unwrap_or_default();
                let content = json::take_value(&mut part, "content");
                let mut answer = self::parse_result(call, content, time);
                answer.is_error |= json::is_true(&part, "is_error");
                output.report_error(draft.add_result(answer));
            }
            other => blocks.extend(json::message_blocks(Some(other))),
        }
    }
    if !blocks.is_empty() {
        draft.push_step(StepDraft::with_blocks(MessageRole::User, time, blocks));
    }
}

/// Parses a result. Each part has a query, its result and whether it succeeded; a single part may
/// be an object in a string.
fn parse_result(call: String, content: Option<Value>, time: Option<Timestamp>) -> RecordedResult {
    let parts = match content {
        Some(Value::String(text)) => match serde_json::from_str(&text) {
            Ok(part @ Value::Object(_)) if is_cline_result(&part) => vec![part],
            _ => {
                return RecordedResult {
                    content: truncate_as_sent(text),
                    time,
                    ..RecordedResult::from_recorded(call, None, time)
                };
            }
        },
        Some(Value::Array(parts)) => parts,
        other => return RecordedResult::from_recorded(call, other, time),
    };
    let mut texts = Vec::new();
    let mut failed = !parts.is_empty();
    let mut others = Vec::new();
    for mut part in parts {
        failed &= has_failed(&part);
        if !is_cline_result(&part) {
            let (text, more) = json::result_content(Some(Value::Array(vec![part])));
            texts.extend((!text.is_empty()).then(|| truncate_as_sent(text)));
            others.extend(more);
            continue;
        }
        let said = |part: &mut Value, key| match part.get_mut(key).map(Value::take) {
            Some(Value::String(text)) => text,
            None | Some(Value::Null) => String::new(),
            Some(other) => other.to_string(),
        };
        let mut text = said(&mut part, "result");
        if text.is_empty() {
            text = said(&mut part, "error");
        }
        texts.push(truncate_as_sent(text));
    }
    RecordedResult {
        call,
        content: texts.join("\n"),
        is_error: failed,
        time,
        other_blocks: others,
        ..RecordedResult::default()
    }
}

/// Returns the text as Cline sends it to the model: only both ends of a long one.
fn truncate_as_sent(text: String) -> String {
    let chars = text.chars().count();
    if chars <= SENT_CHARS_MAX {
        return text;
    }
    let note = |left_out: usize| format!("\n\n...[truncated {left_out} chars]...\n\n");
    // The length of the note depends on the number in it.
    let half = (SENT_CHARS_MAX - note(chars - SENT_CHARS_MAX).len()) / 2;
    let place = |at: usize| text.char_indices().nth(at).map_or(text.len(), |(byte, _)| byte);
    let (head, tail) = (&text[..place(half)], &text[place(chars - half)..]);
    format!("{head}{}{tail}", note(chars - 2 * half))
}

/// Parses usage. The input includes cached tokens.
fn parse_usage(metrics: &JsonObject) -> Usage {
    let cache_read = json::get_count(metrics, "cacheReadTokens");
    let cache_write = json::get_count(metrics, "cacheWriteTokens");
    let input = json::get_count(metrics, "inputTokens");
    Usage {
        input: input.saturating_sub(cache_read).saturating_sub(cache_write),
        cache_read,
        cache_write,
        cache_write_hour: 0,
        output: json::get_count(metrics, "outputTokens"),
    }
}
