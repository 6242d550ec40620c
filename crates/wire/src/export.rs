//! A session as a document of the Agent Trajectory Interchange Format: the other direction of its
//! reader (`sessions::atif`).

use std::collections::HashSet;

use foveal_transcript::{
    Block, Call, Conversation, Entry, Mark, Role, SUB_AGENT_REFERENCE, Session, ToolResult, Usage,
};
use serde_json::{Map, Value, json};

use crate::time::spell_timestamp;

/// The version of the format that is written.
pub const ATIF_VERSION: &str = "ATIF-v1.8";

/// A session as an ATIF document.
#[derive(Debug, Clone, PartialEq)]
pub struct Exported {
    /// The document.
    pub document: Value,
    /// Parts that the format has no place for: what only a provider can read, pictures, and where a
    /// conversation went back or kept a part of what was compacted.
    pub left_out: u64,
}

/// A session as an ATIF document, with the version of the program that recorded it. What is read
/// from that again is the same conversation but for what is left out.
pub fn to_atif(session: &Session, version: &str) -> Exported {
    let mut conversations = session.conversations.iter();
    let empty = Conversation::default();
    let main = conversations.next().unwrap_or(&empty);
    let others: Vec<&Conversation> = conversations.collect();
    let embedded = others.iter().map(|other| other.id.as_str()).collect();
    let mut told = Told { embedded, left_out: 0 };
    let mut document = trajectory(main, version, &mut told);
    document.insert("session_id".to_owned(), json!(session.id));
    // Embedded ones belong to the document, whoever started them.
    if !others.is_empty() {
        let embedded: Vec<Value> = others
            .into_iter()
            .map(|other| Value::Object(trajectory(other, version, &mut told)))
            .collect();
        document.insert("subagent_trajectories".to_owned(), Value::Array(embedded));
    }
    Exported { document: Value::Object(document), left_out: told.left_out }
}

/// What is known of a document while it is made.
struct Told<'a> {
    /// The conversations that stand in it beside the main one.
    embedded: HashSet<&'a str>,
    /// Parts that the format has no place for so far.
    left_out: u64,
}

fn trajectory(
    conversation: &Conversation,
    version: &str,
    told: &mut Told<'_>,
) -> Map<String, Value> {
    let entries = conversation.entries();
    let mut agent = Map::new();
    agent.insert("name".to_owned(), json!(conversation.agent.as_deref().unwrap_or("unknown")));
    agent.insert("version".to_owned(), json!(version));
    let model = entries.iter().find_map(|entry| entry.model.as_deref());
    put(&mut agent, "model_name", model.map(Value::from));
    let directory = conversation.directory.as_ref();
    let directory = directory.map(|directory| json!({"working_directory": directory}));
    put(&mut agent, "extra", directory);
    let steps = steps(entries, told);
    let mut document = Map::new();
    document.insert("schema_version".to_owned(), json!(ATIF_VERSION));
    document.insert("trajectory_id".to_owned(), json!(conversation.id));
    document.insert("agent".to_owned(), Value::Object(agent));
    document.insert("final_metrics".to_owned(), sums(entries, steps.len()));
    document.insert("steps".to_owned(), Value::Array(steps));
    document
}

/// Each message is a step, with the results of its calls.
fn steps(entries: &[Entry], told: &mut Told<'_>) -> Vec<Value> {
    let mut steps = Vec::new();
    let mut rest = entries;
    while let Some((first, behind)) = rest.split_first() {
        let has_message = first.role != Role::Tool;
        let results = if has_message { behind } else { rest };
        let count = results.iter().take_while(|entry| entry.role == Role::Tool).count();
        let message = has_message.then_some(first);
        steps.push(step(steps.len() + 1, message, &results[..count], told));
        rest = &results[count..];
    }
    steps
}

fn step(number: usize, message: Option<&Entry>, results: &[Entry], told: &mut Told<'_>) -> Value {
    let mut step = Map::new();
    step.insert("step_id".to_owned(), json!(number));
    let time = message.or(results.first()).and_then(|entry| entry.time);
    put(&mut step, "timestamp", time.map(|time| json!(spell_timestamp(time))));
    let role = message.map_or(Role::System, |message| message.role);
    let source = match role {
        Role::User => "user",
        Role::Assistant => "agent",
        Role::System | Role::Tool => "system",
    };
    step.insert("source".to_owned(), json!(source));
    step.insert("message".to_owned(), message.map_or(json!(""), text));
    let calls: Vec<&Call> = message.map(|entry| entry.calls().collect()).unwrap_or_default();
    if let Some(entry) = message.filter(|_| role == Role::Assistant) {
        put(&mut step, "model_name", entry.model.as_deref().map(Value::from));
        put(&mut step, "reasoning_content", reasoning(entry).map(Value::from));
        let made = (!calls.is_empty()).then(|| calls.iter().map(|call| self::call(call)).collect());
        put(&mut step, "tool_calls", made);
        put(&mut step, "metrics", entry.usage.as_ref().map(metrics));
    }
    let blocks = message.into_iter().chain(results).flat_map(|entry| &entry.blocks);
    told.left_out += blocks.filter(|block| matches!(block, Block::Opaque { .. })).count() as u64;
    if !results.is_empty() {
        let results: Vec<Value> =
            results.iter().filter_map(|entry| result(entry, &calls, told)).collect();
        step.insert("observation".to_owned(), json!({"results": results}));
    }
    let mark = message.and_then(|entry| mark(entry.mark, &mut told.left_out));
    put(&mut step, "extra", mark.map(|meta| json!({"meta": meta})));
    Value::Object(step)
}

fn put(object: &mut Map<String, Value>, name: &str, value: Option<Value>) {
    if let Some(value) = value {
        object.insert(name.to_owned(), value);
    }
}

/// The text of a message; several as parts.
fn text(entry: &Entry) -> Value {
    let texts = entry.blocks.iter().filter_map(|block| match block {
        Block::Text(text) => Some(text.as_str()),
        Block::Reasoning(_) | Block::Call(_) | Block::Result(_) | Block::Opaque { .. } => None,
    });
    let texts: Vec<&str> = texts.collect();
    match texts.as_slice() {
        [] => json!(""),
        [only] => json!(only),
        several => several.iter().map(|text| json!({"type": "text", "text": text})).collect(),
    }
}

fn reasoning(entry: &Entry) -> Option<String> {
    let texts = entry.blocks.iter().filter_map(|block| match block {
        Block::Reasoning(text) => Some(text.as_str()),
        Block::Text(_) | Block::Call(_) | Block::Result(_) | Block::Opaque { .. } => None,
    });
    let texts: Vec<&str> = texts.collect();
    (!texts.is_empty()).then(|| texts.join("\n\n"))
}

fn call(call: &Call) -> Value {
    let Call { id, name, arguments } = call;
    // The format has objects alone: what the model spelled wrong stands in one.
    let arguments = match arguments {
        Value::Object(_) => arguments.clone(),
        other => json!({"arguments": other}),
    };
    json!({"tool_call_id": id, "function_name": name, "arguments": arguments})
}

fn result(entry: &Entry, calls: &[&Call], known: &mut Told<'_>) -> Option<Value> {
    let ToolResult { call, content, is_error } = entry.result()?;
    let mut told = Map::new();
    // A result may answer a call of an earlier step, which the format cannot say.
    let call = calls.iter().any(|known| known.id == *call).then(|| json!(call));
    put(&mut told, "source_call_id", call);
    told.insert("content".to_owned(), json!(content));
    let mut extra = Map::new();
    put(&mut extra, "is_error", is_error.then_some(json!(true)));
    put(&mut extra, "timestamp", entry.time.map(|time| json!(spell_timestamp(time))));
    if let Some(agents) = sub_agents(entry, &known.embedded) {
        known.left_out = known.left_out.saturating_sub(1);
        told.insert(SUB_AGENT_REFERENCE.to_owned(), agents);
    }
    put(&mut told, "extra", (!extra.is_empty()).then_some(Value::Object(extra)));
    Some(Value::Object(told))
}

/// The sub-agents that carried a call out, where each of them can be found: in the document, or where
/// it says.
fn sub_agents(entry: &Entry, embedded: &HashSet<&str>) -> Option<Value> {
    let raw = entry.blocks.iter().find_map(|block| match block {
        Block::Opaque { kind, raw } if kind == SUB_AGENT_REFERENCE => Some(raw),
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

fn metrics(usage: &Usage) -> Value {
    json!({
        "prompt_tokens": usage.prompt(),
        "completion_tokens": usage.output,
        "cached_tokens": usage.cache_read,
        "extra": {"cache_creation_input_tokens": usage.cache_write},
    })
}

fn sums(entries: &[Entry], steps: usize) -> Value {
    let sum = |of: fn(&Usage) -> u64| {
        let all = entries.iter().filter_map(|entry| entry.usage.as_ref()).map(of);
        all.fold(0, u64::saturating_add)
    };
    json!({
        "total_prompt_tokens": sum(Usage::prompt),
        "total_completion_tokens": sum(|usage| usage.output),
        "total_cached_tokens": sum(|usage| usage.cache_read),
        "total_steps": steps,
    })
}

/// What a message means for the course of the conversation, as the reader of the format knows it.
fn mark(mark: Mark, left_out: &mut u64) -> Option<&'static str> {
    Some(match mark {
        Mark::None => return None,
        Mark::Injected => "injected",
        Mark::Demonstration => "demo",
        Mark::CompactBoundary { keep_from } => {
            *left_out += u64::from(keep_from.is_some());
            "compact_boundary"
        }
        Mark::CompactSummary => "compact_summary",
        Mark::Rewind { .. } => {
            *left_out += 1;
            return None;
        }
    })
}
