//! Reads the Agent Trajectory Interchange Format, 1.5 to 1.8. One document is one session.

use foveal_protocols::conversation_builder::{
    ConversationBuilder, RecordedResult, StepDraft, StepMark,
};
use foveal_protocols::json::{self, JsonObject};
use foveal_protocols::problem::ProblemKind;
use foveal_transcript::{
    ContentBlock, MessageRole, RecordedSession, SUB_AGENT_REFERENCE_KIND, ToolCall, Usage,
};
use serde_json::Value;

use crate::key_paths::KeyPaths;
use crate::session_sink::SessionSink;

/// Reads one trajectory document with the embedded trajectories of sub-agents.
pub(crate) fn read_session(mut root: JsonObject, output: &mut SessionSink<'_>) {
    let is_atif = json::get_text(&root, "schema_version").is_some_and(|v| v.starts_with("ATIF"));
    if !is_atif || !root.get("steps").is_some_and(Value::is_array) {
        output.report_problem(ProblemKind::NotARecord);
        return;
    }
    let id = json::take_text(&mut root, "session_id")
        .or_else(|| json::get_text(&root, "trajectory_id").map(str::to_owned))
        .unwrap_or_else(|| output.name.to_owned());
    let mut session = RecordedSession { id: id.clone(), conversations: Vec::new() };
    add_trajectory(root, &id, None, &mut session, output);
    output.emit_session(session);
}

/// Detects a trajectory by its keys.
pub(crate) fn is_format(head: &KeyPaths) -> bool {
    head.text_starts_with("schema_version", "ATIF") || head.has_key("steps[].step_id")
}

/// Adds the conversation of a trajectory, then those of embedded trajectories. The JSON parser
/// limits their depth.
fn add_trajectory(
    mut root: JsonObject,
    id: &str,
    parent: Option<&str>,
    session: &mut RecordedSession,
    output: &mut SessionSink<'_>,
) {
    let mut draft = ConversationBuilder::new(id);
    draft.parent = parent.map(str::to_owned);
    let agent = json::take_object(&mut root, "agent").unwrap_or_default();
    draft.agent = json::get_text(&agent, "name").map(str::to_owned);
    let directory = json::get_object(&agent, "extra");
    let directory = directory.and_then(|extra| json::get_text(extra, "working_directory"));
    draft.directory = directory.map(str::to_owned);
    let model = json::get_text(&agent, "model_name");
    let steps = json::take_list(&mut root, "steps").unwrap_or_default();
    output.for_each_object("steps[]", steps, |step, output| {
        self::add_step(step, model, &mut draft, output);
    });
    session.conversations.push(draft.finish());
    let embedded = json::take_list(&mut root, "subagent_trajectories").unwrap_or_default();
    output.for_each_object("subagent_trajectories[]", embedded, |mut embedded, output| {
        let recorded = json::take_text(&mut embedded, "trajectory_id");
        let own = recorded.unwrap_or_else(|| {
            output.report_bad_field("subagent_trajectories[].trajectory_id", "a string");
            format!("{id}/{}", session.conversations.len())
        });
        let own = unused_id(own, session);
        add_trajectory(embedded, &own, Some(id), session, output);
    });
}

/// Returns `id`, with a number appended if another conversation has it.
fn unused_id(id: String, session: &RecordedSession) -> String {
    let taken = |id: &str| session.conversations.iter().any(|known| known.id == id);
    if !taken(&id) {
        return id;
    }
    (2..)
        .map(|n| format!("{id}#{n}"))
        .find(|id| !taken(id))
        .expect("one of infinitely many is free")
}

fn add_step(
    mut record: JsonObject,
    model: Option<&str>,
    draft: &mut ConversationBuilder,
    output: &mut SessionSink<'_>,
) {
    let role = match json::get_text(&record, "source") {
        Some("system") => MessageRole::System,
        Some("user") => MessageRole::User,
        Some("agent") => MessageRole::Assistant,
        _ => {
            output.report_bad_field("steps[].source", "`system`, `user` or `agent`");
            return;
        }
    };
    let mut step = StepDraft::new(role);
    step.number = record
        .get("step_id")
        .and_then(Value::as_u64)
        .and_then(|number| u32::try_from(number).ok())
        .filter(|number| *number > 0);
    if step.number.is_none() {
        output.report_bad_field("steps[].step_id", "a number from 1");
    }
    step.time = output.parse_time(&record, "timestamp");
    step.mark = parse_mark(&record);
    if role == MessageRole::Assistant {
        step.model = json::get_text(&record, "model_name").or(model).map(Into::into);
        step.usage = json::get_object(&record, "metrics").map(parse_usage);
    }
    if let Some(reasoning) = json::take_text(&mut record, "reasoning_content") {
        step.blocks.push(ContentBlock::Reasoning(reasoning));
    }
    step.blocks.extend(json::message_blocks(json::take_value(&mut record, "message")));
    let index = draft.push_step(step);
    for call in json::take_list(&mut record, "tool_calls").unwrap_or_default() {
        match self::parse_call(call) {
            Some(call) => output.report_error(draft.add_call(index, call)),
            None => output.report_bad_field("steps[].tool_calls[]", "a call with id and name"),
        }
    }
    let observation = json::take_object(&mut record, "observation");
    let results = observation.and_then(|mut o| json::take_list(&mut o, "results"));
    let results = results.unwrap_or_default();
    output.for_each_object("steps[].observation.results[]", results, |result, output| {
        let answer = self::parse_result(result, output);
        output.report_error(draft.append_result(index, answer));
    });
}

fn parse_call(call: Value) -> Option<ToolCall> {
    let Value::Object(mut call) = call else { return None };
    Some(ToolCall {
        id: json::take_text(&mut call, "tool_call_id")?,
        name: json::take_text(&mut call, "function_name")?,
        arguments: json::parse_arguments(json::take_value(&mut call, "arguments")),
    })
}

/// Parses a result. Without a `source_call_id` it answers no call.
fn parse_result(mut result: JsonObject, output: &mut SessionSink<'_>) -> RecordedResult {
    let extra = json::take_object(&mut result, "extra").unwrap_or_default();
    let call = json::take_text(&mut result, "source_call_id").unwrap_or_default();
    let time = output.parse_time(&extra, "timestamp");
    let mut answer =
        RecordedResult::from_recorded(call, json::take_value(&mut result, "content"), time);
    answer.is_error = json::is_true(&extra, "is_error");
    if let Some(reference) = json::take_value(&mut result, SUB_AGENT_REFERENCE_KIND) {
        answer.other_blocks.push(json::opaque_block(SUB_AGENT_REFERENCE_KIND, &reference));
    }
    answer
}

fn parse_mark(record: &JsonObject) -> StepMark {
    let meta = json::get_object(record, "extra").and_then(|extra| json::get_text(extra, "meta"));
    match meta {
        Some("compact_boundary") => StepMark::CompactBoundary { keep_from: None },
        Some("compact_summary") => StepMark::CompactSummary,
        Some("injected") => StepMark::Injected,
        Some("demo") => StepMark::Demonstration,
        // Any program may use `extra`.
        Some(_) | None => StepMark::None,
    }
}

/// Parses usage. In ATIF the prompt includes cached tokens. Cache writes have no field of their
/// own; converters from Claude Code record them under the provider's name.
fn parse_usage(metrics: &JsonObject) -> Usage {
    let cache_read = json::get_count(metrics, "cached_tokens");
    let extra = json::get_object(metrics, "extra");
    let cache_write =
        extra.map_or(0, |extra| json::get_count(extra, "cache_creation_input_tokens"));
    let prompt = json::get_count(metrics, "prompt_tokens");
    Usage {
        input: prompt.saturating_sub(cache_read).saturating_sub(cache_write),
        cache_read,
        cache_write,
        cache_write_hour: 0,
        output: json::get_count(metrics, "completion_tokens"),
    }
}
