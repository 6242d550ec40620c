//! Cline's sessions: one document with the messages, in the form of Anthropic's. Results are
//! recorded whole, as lists of what was asked and what came of it; the model is sent each cut
//! to [`SENT_CHARS_MAX`].

use foveal_transcript::{Block, Role, Timestamp, Usage};
use serde_json::Value;

use crate::draft::{Answer, Draft, Step, StepMark};
use crate::head::Head;
use crate::json::{self, Object};
use crate::output::Output;
use crate::problem::ProblemKind;
use crate::requests::anthropic::response_blocks;
use crate::requests::wrapped::{has_failed, is_told};

/// Most characters of a text in a result that the model is sent, the note on the cut among them.
const SENT_CHARS_MAX: usize = 8000;

/// Signs of a session.
pub(crate) fn is_format(head: &Head) -> bool {
    head.all(&["updated_at", "agent", "sessionId"]) && head.any(&["origin", "messages"])
}

/// Reads one session.
pub(crate) fn read(mut root: Object, output: &mut Output<'_>) {
    let messages = json::take_list(&mut root, "messages");
    let (Some(messages), true) = (messages, root.contains_key("updated_at")) else {
        output.problem(ProblemKind::NotARecord);
        return;
    };
    let session = json::take_text(&mut root, "sessionId");
    let is_lead = matches!(json::text(&root, "agent"), Some("lead") | None);
    let mut draft = match (is_lead, session) {
        (true, Some(id)) => Draft::new(id),
        // Those that the first agent started have files of their own, with its session's id.
        (_, parent) => {
            let mut draft = Draft::new(output.name);
            draft.parent = parent;
            draft
        }
    };
    draft.agent = Some("Cline".to_owned());
    if let Some(text) = json::take_text(&mut root, "system_prompt").filter(|text| !text.is_empty())
    {
        draft.push(Step::with(Role::System, None, vec![Block::Text(text)]));
    }
    output.each_object("messages[]", messages, |message, output| {
        self::message(&mut draft, message, output);
    });
    output.conversation(draft);
}

fn message(draft: &mut Draft, mut message: Object, output: &mut Output<'_>) {
    let time = message.get("ts").and_then(Value::as_f64).map(|ms| Timestamp(ms as i64));
    let content = json::take(&mut message, "content");
    match json::text(&message, "role") {
        Some("assistant") => {
            let mut step = Step::with(Role::Assistant, time, Vec::new());
            let model = json::object(&message, "modelInfo");
            step.model = model.and_then(|model| json::text(model, "id")).map(Into::into);
            step.usage = json::object(&message, "metrics").map(usage);
            let index = draft.push(step);
            response_blocks(draft, index, content, output);
        }
        Some("user") => user(draft, content, time, output),
        Some("system") => {
            let step = Step::with(Role::System, time, json::message_blocks(content));
            draft.push(step.marked(StepMark::Injected));
        }
        _ => output.bad_field("messages[].role", "`user` or `assistant`"),
    }
}

fn user(
    draft: &mut Draft,
    content: Option<Value>,
    time: Option<Timestamp>,
    output: &mut Output<'_>,
) {
    let parts = match content {
        Some(Value::Array(parts)) => parts,
        other => other.into_iter().collect(),
    };
    let mut blocks = Vec::new();
    for part in parts {
        match part {
            Value::Object(mut part) if json::text(&part, "type") == Some("tool_result") => {
                let call = json::take_text(&mut part, "tool_use_id").unwrap_or_default();
                let content = json::take(&mut part, "content");
                let mut answer = self::answer(call, content, time);
                answer.is_error |= json::is_true(&part, "is_error");
                output.check(draft.answer(answer));
            }
            other => blocks.extend(json::message_blocks(Some(other))),
        }
    }
    if !blocks.is_empty() {
        draft.push(Step::with(Role::User, time, blocks));
    }
}

/// A result. Each of its parts says what was asked, what came of it and whether that succeeded;
/// of a single one the object may stand in a string.
fn answer(call: String, content: Option<Value>, time: Option<Timestamp>) -> Answer {
    let parts = match content {
        Some(Value::String(text)) => match serde_json::from_str(&text) {
            Ok(part @ Value::Object(_)) if is_told(&part) => vec![part],
            _ => return Answer { content: cut(text), time, ..Answer::of(call, None, time) },
        },
        Some(Value::Array(parts)) => parts,
        other => return Answer::of(call, other, time),
    };
    let mut texts = Vec::new();
    let mut failed = !parts.is_empty();
    let mut others = Vec::new();
    for mut part in parts {
        failed &= has_failed(&part);
        if !is_told(&part) {
            let (text, more) = json::result_content(Some(Value::Array(vec![part])));
            texts.extend((!text.is_empty()).then(|| cut(text)));
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
        texts.push(cut(text));
    }
    Answer { call, content: texts.join("\n"), is_error: failed, time, others, ..Answer::default() }
}

/// The text as the model is sent it: of a long one, both ends.
fn cut(text: String) -> String {
    let chars = text.chars().count();
    if chars <= SENT_CHARS_MAX {
        return text;
    }
    let note = |left_out: usize| format!("\n\n...[truncated {left_out} chars]...\n\n");
    // The note's own length depends on the number that it names.
    let half = (SENT_CHARS_MAX - note(chars - SENT_CHARS_MAX).len()) / 2;
    let place = |at: usize| text.char_indices().nth(at).map_or(text.len(), |(byte, _)| byte);
    let (head, tail) = (&text[..place(half)], &text[place(chars - half)..]);
    format!("{head}{}{tail}", note(chars - 2 * half))
}

/// Cached tokens are among the input's.
fn usage(metrics: &Object) -> Usage {
    let cache_read = json::count(metrics, "cacheReadTokens");
    let cache_write = json::count(metrics, "cacheWriteTokens");
    let input = json::count(metrics, "inputTokens");
    Usage {
        input: input.saturating_sub(cache_read).saturating_sub(cache_write),
        cache_read,
        cache_write,
        cache_write_hour: 0,
        output: json::count(metrics, "outputTokens"),
    }
}
