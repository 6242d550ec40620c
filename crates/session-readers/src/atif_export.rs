//! Writes a session as a document of the Agent Trajectory Interchange Format; `sessions::atif`
//! reads it.

use std::collections::HashSet;

use foveal_transcript::{
    ContentBlock, Conversation, EntryMark, MessageRole, RecordedSession, SUB_AGENT_REFERENCE_KIND,
    ToolCall, ToolResult, TranscriptEntry, Usage,
};
use serde_json::{Map, Value, json};

use crate::timestamps::format_timestamp;

/// The version of the format that is written.
pub const ATIF_VERSION: &str = "ATIF-v1.8";

/// A session as an ATIF document.
#[derive(Debug, Clone, PartialEq)]
pub struct AtifExport {
    /// The document.
    pub document: Value,
    /// The number of parts that the format cannot hold: provider-only content, pictures, rewinds,
    /// and the kept part of a compaction.
    pub omitted_parts: u64,
}

/// Returns a session as an ATIF document with the version of the program that recorded it. A reader
/// of the document gets the same conversation, except for the omitted parts.
pub fn export_atif(session: &RecordedSession, version: &str) -> AtifExport {
    let mut conversations = session.conversations.iter();
    let empty = Conversation::default();
    let main = conversations.next().unwrap_or(&empty);
    let others: Vec<&Conversation> = conversations.collect();
    let embedded = others.iter().map(|other| other.id.as_str()).collect();
    let mut told = ExportState { embedded, omitted_parts: 0 };
    let mut document = trajectory_json(main, version, &mut told);
    document.insert("session_id".to_owned(), json!(session.id));
    // Embedded trajectories belong to the document, whichever agent started them.
    if !others.is_empty() {
        let embedded: Vec<Value> = others
            .into_iter()
            .map(|other| Value::Object(trajectory_json(other, version, &mut told)))
            .collect();
        document.insert("subagent_trajectories".to_owned(), Value::Array(embedded));
    }
    AtifExport { document: Value::Object(document), omitted_parts: told.omitted_parts }
}

/// State of an export.
struct ExportState<'a> {
    /// Ids of the conversations embedded beside the main one.
    embedded: HashSet<&'a str>,
    /// The number of omitted parts so far.
    omitted_parts: u64,
}

fn trajectory_json(
    conversation: &Conversation,
    version: &str,
    told: &mut ExportState<'_>,
) -> Map<String, Value> {
    let entries = conversation.entries();
    let mut agent = Map::new();
    agent.insert("name".to_owned(), json!(conversation.agent.as_deref().unwrap_or("unknown")));
    agent.insert("version".to_owned(), json!(version));
    let model = entries.iter().find_map(|entry| entry.model.as_deref());
    insert_if_some(&mut agent, "model_name", model.map(Value::from));
    let directory = conversation.directory.as_ref();
    let directory = directory.map(|directory| json!({"working_directory": directory}));
    insert_if_some(&mut agent, "extra", directory);
    let steps = steps_json(entries, told);
    let mut document = Map::new();
    document.insert("schema_version".to_owned(), json!(ATIF_VERSION));
    document.insert("trajectory_id".to_owned(), json!(conversation.id));
    document.insert("agent".to_owned(), Value::Object(agent));
    document.insert("final_metrics".to_owned(), total_metrics(entries, steps.len()));
    document.insert("steps".to_owned(), Value::Array(steps));
    document
}

/// Returns one step for each message, with the results of its calls.
fn steps_json(entries: &[TranscriptEntry], told: &mut ExportState<'_>) -> Vec<Value> {
    let mut steps = Vec::new();
    let mut rest = entries;
    while let Some((first, behind)) = rest.split_first() {
        let has_message = first.role != MessageRole::Tool;
        let results = if has_message { behind } else { rest };
        let count = results.iter().take_while(|entry| entry.role == MessageRole::Tool).count();
        let message = has_message.then_some(first);
        steps.push(step_json(steps.len() + 1, message, &results[..count], told));
        rest = &results[count..];
    }
    steps
}

fn step_json(
    number: usize,
    message: Option<&TranscriptEntry>,
    results: &[TranscriptEntry],
    told: &mut ExportState<'_>,
) -> Value {
    let mut step = Map::new();
    step.insert("step_id".to_owned(), json!(number));
    let time = message.or(results.first()).and_then(|entry| entry.time);
    insert_if_some(&mut step, "timestamp", time.map(|time| json!(format_timestamp(time))));
    let role = message.map_or(MessageRole::System, |message| message.role);
    let source = match role {
        MessageRole::User => "user",
        MessageRole::Assistant => "agent",
        MessageRole::System | MessageRole::Tool => "system",
    };
    step.insert("source".to_owned(), json!(source));
    step.insert("message".to_owned(), message.map_or(json!(""), message_text));
    let calls: Vec<&ToolCall> =
        message.map(|entry| entry.tool_calls().collect()).unwrap_or_default();
    if let Some(entry) = message.filter(|_| role == MessageRole::Assistant) {
        insert_if_some(&mut step, "model_name", entry.model.as_deref().map(Value::from));
        insert_if_some(&mut step, "reasoning_content", reasoning_text(entry).map(Value::from));
        let made =
            (!calls.is_empty()).then(|| calls.iter().map(|call| self::call_json(call)).collect());
        insert_if_some(&mut step, "tool_calls", made);
        insert_if_some(&mut step, "metrics", entry.usage.as_ref().map(usage_metrics));
    }
    let blocks = message.into_iter().chain(results).flat_map(|entry| &entry.blocks);
    told.omitted_parts +=
        blocks.filter(|block| matches!(block, ContentBlock::Opaque { .. })).count() as u64;
    if !results.is_empty() {
        let results: Vec<Value> =
            results.iter().filter_map(|entry| result_json(entry, &calls, told)).collect();
        step.insert("observation".to_owned(), json!({"results": results}));
    }
    let mark = message.and_then(|entry| mark_name(entry.mark, &mut told.omitted_parts));
    insert_if_some(&mut step, "extra", mark.map(|meta| json!({"meta": meta})));
    Value::Object(step)
}

fn insert_if_some(object: &mut Map<String, Value>, name: &str, value: Option<Value>) {
    if let Some(value) = value {
        object.insert(name.to_owned(), value);
    }
}

/// Returns the text of a message; several texts become a list of parts.
fn message_text(entry: &TranscriptEntry) -> Value {
    let texts = entry.blocks.iter().filter_map(|block| match block {
        ContentBlock::Text(text) => Some(text.as_str()),
        ContentBlock::Reasoning(_)
        | ContentBlock::Call(_)
        | ContentBlock::Result(_)
        | ContentBlock::Opaque { .. } => None,
    });
    let texts: Vec<&str> = texts.collect();
    match texts.as_slice() {
        [] => json!(""),
        [only] => json!(only),
        several => several.iter().map(|text| json!({"type": "text", "text": text})).collect(),
    }
}

fn reasoning_text(entry: &TranscriptEntry) -> Option<String> {
    let texts = entry.blocks.iter().filter_map(|block| match block {
        ContentBlock::Reasoning(text) => Some(text.as_str()),
        ContentBlock::Text(_)
        | ContentBlock::Call(_)
        | ContentBlock::Result(_)
        | ContentBlock::Opaque { .. } => None,
    });
    let texts: Vec<&str> = texts.collect();
    (!texts.is_empty()).then(|| texts.join("\n\n"))
}

fn call_json(call: &ToolCall) -> Value {
    let ToolCall { id, name, arguments } = call;
    // The format requires an object: arguments that are no object are wrapped in one.
    let arguments = match arguments {
        Value::Object(_) => arguments.clone(),
        other => json!({"arguments": other}),
    };
    json!({"tool_call_id": id, "function_name": name, "arguments": arguments})
}

fn result_json(
    entry: &TranscriptEntry,
    calls: &[&ToolCall],
    known: &mut ExportState<'_>,
) -> Option<Value> {
    let ToolResult { call, content, is_error } = entry.tool_result()?;
    let mut told = Map::new();
    // A result may answer a call of an earlier step, which the format cannot express.
    let call = calls.iter().any(|known| known.id == *call).then(|| json!(call));
    insert_if_some(&mut told, "source_call_id", call);
    told.insert("content".to_owned(), json!(content));
    let mut extra = Map::new();
    insert_if_some(&mut extra, "is_error", is_error.then_some(json!(true)));
    insert_if_some(&mut extra, "timestamp", entry.time.map(|time| json!(format_timestamp(time))));
    if let Some(agents) = sub_agent_references(entry, &known.embedded) {
        known.omitted_parts = known.omitted_parts.saturating_sub(1);
        told.insert(SUB_AGENT_REFERENCE_KIND.to_owned(), agents);
    }
    insert_if_some(&mut told, "extra", (!extra.is_empty()).then_some(Value::Object(extra)));
    Some(Value::Object(told))
}

/// Returns the references to the sub-agents that carried out a call, if each is embedded in the
/// document or has a path.
fn sub_agent_references(entry: &TranscriptEntry, embedded: &HashSet<&str>) -> Option<Value> {
    let raw = entry.blocks.iter().find_map(|block| match block {
        ContentBlock::Opaque { kind, raw } if kind == SUB_AGENT_REFERENCE_KIND => Some(raw),
        _ => None,
    })?;
    let named: Vec<Map<String, Value>> = serde_json::from_str(raw).ok()?;
    let text = |one: &Map<String, Value>, name: &str| one.get(name)?.as_str().map(str::to_owned);
    let is_found = |one: &Map<String, Value>| {
        text(one, "trajectory_id").is_some_and(|id| embedded.contains(&*id))
            || text(one, "trajectory_path").is_some()
    };
    (!named.is_empty() && named.iter().all(is_found)).then(|| json!(named))
}

fn usage_metrics(usage: &Usage) -> Value {
    json!({
        "prompt_tokens": usage.prompt_tokens(),
        "completion_tokens": usage.output,
        "cached_tokens": usage.cache_read,
        "extra": {"cache_creation_input_tokens": usage.cache_write},
    })
}

fn total_metrics(entries: &[TranscriptEntry], steps: usize) -> Value {
    let sum = |of: fn(&Usage) -> u64| {
        let all = entries.iter().filter_map(|entry| entry.usage.as_ref()).map(of);
        all.fold(0, u64::saturating_add)
    };
    json!({
        "total_prompt_tokens": sum(Usage::prompt_tokens),
        "total_completion_tokens": sum(|usage| usage.output),
        "total_cached_tokens": sum(|usage| usage.cache_read),
        "total_steps": steps,
    })
}

/// Returns the name by which the ATIF reader knows a mark.
fn mark_name(mark: EntryMark, left_out: &mut u64) -> Option<&'static str> {
    Some(match mark {
        EntryMark::None => return None,
        EntryMark::Injected => "injected",
        EntryMark::Demonstration => "demo",
        EntryMark::CompactBoundary { keep_from } => {
            *left_out += u64::from(keep_from.is_some());
            "compact_boundary"
        }
        EntryMark::CompactSummary => "compact_summary",
        EntryMark::Rewind { .. } => {
            *left_out += 1;
            return None;
        }
    })
}
