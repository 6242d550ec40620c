//! The items of OpenAI's Responses, and its request body: `{instructions, input: [...]}`.

use foveal_transcript::{Block, Call, Role, Timestamp, Usage};
use serde_json::Value;

use crate::draft::{Answer, Draft, Step, StepIndex};
use crate::head::Head;
use crate::json::{self, Object};
use crate::output::Output;
use crate::problem::ProblemKind;

/// Item types that are known, beyond those that end in `_call` or `_output`.
const ITEMS: [&str; 5] = ["message", "reasoning", "ghost_snapshot", "compaction", "item_reference"];

/// Whether `kind` is an item's type.
pub(crate) fn is_item(kind: &str) -> bool {
    ITEMS.contains(&kind) || kind.ends_with("_call") || kind.ends_with("_call_output")
}

/// Outputs in requests do not say whether their call failed.
pub(crate) const NEVER_FAILED: fn(&str) -> bool = |_| false;

/// Reads one request body.
pub(crate) fn read(mut body: Object, output: &mut Output<'_>) {
    let mut draft = Draft::new(output.name);
    if let Some(text) = json::take_text(&mut body, "instructions") {
        draft.push(Step::with(Role::System, None, vec![Block::Text(text)]));
    }
    let mut items = Items::new(draft, NEVER_FAILED);
    match json::take(&mut body, "input") {
        Some(Value::String(text)) => {
            items.draft.push(Step::with(Role::User, None, vec![Block::Text(text)]));
        }
        Some(Value::Array(input)) => {
            output.each_object("input[]", input, |item, output| items.item(item, None, output));
        }
        _ => {
            output.problem(ProblemKind::NotARecord);
            return;
        }
    }
    output.conversation(items.draft);
}

/// Signs of a request body.
pub(crate) fn is_format(head: &Head) -> bool {
    let is_typed = head.any(&["input[].type", "input[].role"]);
    let is_told = head.any(&["instructions", "model", "previous_response_id"]);
    !head.has("messages") && head.has("input") && (is_typed || (head.complete && is_told))
}

/// Joins items to messages: those of one response, in a row, are one.
pub(crate) struct Items {
    pub(crate) draft: Draft,
    response: Option<StepIndex>,
    /// Items that were read before, where the draft does not have them.
    pub(crate) earlier: usize,
    /// Whether an output is one of something that failed, where no flag says so.
    failed: fn(&str) -> bool,
}

impl Items {
    pub(crate) fn new(draft: Draft, failed: fn(&str) -> bool) -> Self {
        Self { draft, response: None, earlier: 0, failed }
    }

    /// Ends the open response, if any.
    pub(crate) fn close(&mut self) {
        self.response = None;
    }

    /// Takes the next item.
    pub(crate) fn item(
        &mut self,
        mut item: Object,
        time: Option<Timestamp>,
        output: &mut Output<'_>,
    ) {
        let kind = json::text(&item, "type").unwrap_or("message").to_owned();
        match kind.as_str() {
            "message" => self.message(item, time, output),
            "reasoning" => {
                let text = reasoning_text(&mut item);
                self.push(json::reasoning(text, &kind, &Value::Object(item)), time);
            }
            answer if answer.ends_with("_output") => self.answer(item, time, output),
            call if call.ends_with("_call") => self.call(call, item, time, output),
            _ => self.push(json::opaque(&kind, &Value::Object(item)), time),
        }
    }

    fn message(&mut self, mut item: Object, time: Option<Timestamp>, output: &mut Output<'_>) {
        let blocks = json::message_blocks(json::take(&mut item, "content"));
        let role = match json::text(&item, "role") {
            Some("assistant") => {
                for block in blocks {
                    self.push(block, time);
                }
                return;
            }
            Some("user") => Role::User,
            Some("system" | "developer") => Role::System,
            _ => {
                output.bad_field("role", "a known role");
                return;
            }
        };
        self.close();
        self.draft.push(Step::with(role, time, blocks));
    }

    /// Adds a block to the open response, or to a new one.
    fn push(&mut self, block: Block, time: Option<Timestamp>) {
        let index = self.open(time);
        self.draft.step_mut(index).blocks.push(block);
    }

    fn open(&mut self, time: Option<Timestamp>) -> StepIndex {
        let draft = &mut self.draft;
        *self
            .response
            .get_or_insert_with(|| draft.push(Step::with(Role::Assistant, time, Vec::new())))
    }

    fn call(
        &mut self,
        kind: &str,
        mut item: Object,
        time: Option<Timestamp>,
        output: &mut Output<'_>,
    ) {
        let id = json::take_text(&mut item, "call_id").or_else(|| json::take_text(&mut item, "id"));
        let index = self.open(time);
        // Calls that the provider runs itself may have no id, and never an answer.
        let id = id.unwrap_or_else(|| {
            let step = self.earlier + index.0;
            format!("{kind}-{step}-{}", self.draft.steps()[index.0].blocks.len())
        });
        let tool = kind.trim_end_matches("_call").to_owned();
        let (name, arguments) = match kind {
            "function_call" | "mcp_call" => {
                (called_name(&mut item), json::arguments(json::take(&mut item, "arguments")))
            }
            "custom_tool_call" => {
                let mut arguments = Object::new();
                let input = json::take(&mut item, "input").unwrap_or_default();
                arguments.insert("input".to_owned(), input);
                (json::take_text(&mut item, "name").unwrap_or_default(), Value::Object(arguments))
            }
            _ => {
                let action = json::take(&mut item, "action");
                (tool, json::arguments(action.or_else(|| json::take(&mut item, "arguments"))))
            }
        };
        output.check(self.draft.call(index, Call { id, name, arguments }));
    }

    /// An output: text, a list of parts, or (in older recordings) an object that holds it.
    fn answer(&mut self, mut item: Object, time: Option<Timestamp>, output: &mut Output<'_>) {
        self.close();
        let mut is_error = false;
        let recorded = match json::take(&mut item, "output") {
            Some(Value::Object(mut payload)) if payload.contains_key("content") => {
                is_error = payload.get("success").and_then(Value::as_bool) == Some(false);
                json::take(&mut payload, "content")
            }
            Some(other) => Some(other),
            None => json::take(&mut item, "tools"),
        };
        let call = json::take_text(&mut item, "call_id").unwrap_or_default();
        let mut answer = Answer::of(call, recorded, time).unwrapped();
        answer.is_error |= is_error || (self.failed)(&answer.content);
        output.check(self.draft.answer(answer));
    }
}

/// The name of the tool that is called, behind that of its server where it stands apart.
fn called_name(item: &mut Object) -> String {
    let name = json::take_text(item, "name").unwrap_or_default();
    match json::text(item, "namespace").filter(|space| !space.is_empty()) {
        Some(space) if !name.starts_with(space) => format!("{space}__{name}"),
        Some(_) | None => name,
    }
}

/// The readable parts of a reasoning item; encrypted content is none.
fn reasoning_text(item: &mut Object) -> String {
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

/// Usage as Responses reports it; cached tokens are among the input's.
pub(crate) fn usage(usage: &Object) -> Usage {
    let details = json::object(usage, "input_tokens_details");
    let cache_read = details.map_or(0, |details| json::count(details, "cached_tokens"));
    Usage {
        input: json::count(usage, "input_tokens").saturating_sub(cache_read),
        cache_read,
        cache_write: 0,
        cache_write_hour: 0,
        output: json::count(usage, "output_tokens"),
    }
}
