//! Agent Trajectory Interchange Format, 1.5 to 1.8: one document is one session.

use foveal_transcript::{Block, Call, Role, SUB_AGENT_REFERENCE, Session, Usage};
use serde_json::Value;

use crate::draft::{Answer, Draft, Step, StepMark};
use crate::head::Head;
use crate::json::{self, Object};
use crate::output::Output;
use crate::problem::ProblemKind;

/// Reads one trajectory document with the sub-agents' trajectories it embeds.
pub(crate) fn read(mut root: Object, output: &mut Output<'_>) {
    let is_atif = json::text(&root, "schema_version").is_some_and(|v| v.starts_with("ATIF"));
    if !is_atif || !root.get("steps").is_some_and(Value::is_array) {
        output.problem(ProblemKind::NotARecord);
        return;
    }
    let id = json::take_text(&mut root, "session_id")
        .or_else(|| json::text(&root, "trajectory_id").map(str::to_owned))
        .unwrap_or_else(|| output.name.to_owned());
    let mut session = Session { id: id.clone(), conversations: Vec::new() };
    trajectory(root, &id, None, &mut session, output);
    output.session(session);
}

/// Signs of a trajectory.
pub(crate) fn is_format(head: &Head) -> bool {
    head.starts("schema_version", "ATIF") || head.has("steps[].step_id")
}

/// Adds a trajectory's conversation, then those it embeds. The JSON parser bounds how deep
/// they nest.
fn trajectory(
    mut root: Object,
    id: &str,
    parent: Option<&str>,
    session: &mut Session,
    output: &mut Output<'_>,
) {
    let mut draft = Draft::new(id);
    draft.parent = parent.map(str::to_owned);
    let agent = json::take_object(&mut root, "agent").unwrap_or_default();
    draft.agent = json::text(&agent, "name").map(str::to_owned);
    let directory = json::object(&agent, "extra");
    let directory = directory.and_then(|extra| json::text(extra, "working_directory"));
    draft.directory = directory.map(str::to_owned);
    let model = json::text(&agent, "model_name");
    let steps = json::take_list(&mut root, "steps").unwrap_or_default();
    output.each_object("steps[]", steps, |step, output| {
        self::step(step, model, &mut draft, output);
    });
    session.conversations.push(draft.finish());
    let embedded = json::take_list(&mut root, "subagent_trajectories").unwrap_or_default();
    output.each_object("subagent_trajectories[]", embedded, |mut embedded, output| {
        let recorded = json::take_text(&mut embedded, "trajectory_id");
        let own = recorded.unwrap_or_else(|| {
            output.bad_field("subagent_trajectories[].trajectory_id", "a string");
            format!("{id}/{}", session.conversations.len())
        });
        let own = unused_id(own, session);
        trajectory(embedded, &own, Some(id), session, output);
    });
}

/// `id`, with a number behind it where another conversation has it already.
fn unused_id(id: String, session: &Session) -> String {
    let taken = |id: &str| session.conversations.iter().any(|known| known.id == id);
    if !taken(&id) {
        return id;
    }
    (2..)
        .map(|n| format!("{id}#{n}"))
        .find(|id| !taken(id))
        .expect("one of infinitely many is free")
}

fn step(mut record: Object, model: Option<&str>, draft: &mut Draft, output: &mut Output<'_>) {
    let role = match json::text(&record, "source") {
        Some("system") => Role::System,
        Some("user") => Role::User,
        Some("agent") => Role::Assistant,
        _ => {
            output.bad_field("steps[].source", "`system`, `user` or `agent`");
            return;
        }
    };
    let mut step = Step::new(role);
    step.number = record
        .get("step_id")
        .and_then(Value::as_u64)
        .and_then(|number| u32::try_from(number).ok())
        .filter(|number| *number > 0);
    if step.number.is_none() {
        output.bad_field("steps[].step_id", "a number from 1");
    }
    step.time = output.time(&record, "timestamp");
    step.mark = mark(&record);
    if role == Role::Assistant {
        step.model = json::text(&record, "model_name").or(model).map(Into::into);
        step.usage = json::object(&record, "metrics").map(usage);
    }
    if let Some(reasoning) = json::take_text(&mut record, "reasoning_content") {
        step.blocks.push(Block::Reasoning(reasoning));
    }
    step.blocks.extend(json::message_blocks(json::take(&mut record, "message")));
    let index = draft.push(step);
    for call in json::take_list(&mut record, "tool_calls").unwrap_or_default() {
        match self::call(call) {
            Some(call) => output.check(draft.call(index, call)),
            None => output.bad_field("steps[].tool_calls[]", "a call with id and name"),
        }
    }
    let observation = json::take_object(&mut record, "observation");
    let results = observation.and_then(|mut o| json::take_list(&mut o, "results"));
    let results = results.unwrap_or_default();
    output.each_object("steps[].observation.results[]", results, |result, output| {
        let answer = self::answer(result, output);
        output.check(draft.append_answer(index, answer));
    });
}

fn call(call: Value) -> Option<Call> {
    let Value::Object(mut call) = call else { return None };
    Some(Call {
        id: json::take_text(&mut call, "tool_call_id")?,
        name: json::take_text(&mut call, "function_name")?,
        arguments: json::arguments(json::take(&mut call, "arguments")),
    })
}

/// A result; one without a `source_call_id` answers no call and names none.
fn answer(mut result: Object, output: &mut Output<'_>) -> Answer {
    let extra = json::take_object(&mut result, "extra").unwrap_or_default();
    let call = json::take_text(&mut result, "source_call_id").unwrap_or_default();
    let time = output.time(&extra, "timestamp");
    let mut answer = Answer::of(call, json::take(&mut result, "content"), time);
    answer.is_error = json::is_true(&extra, "is_error");
    if let Some(reference) = json::take(&mut result, SUB_AGENT_REFERENCE) {
        answer.others.push(json::opaque(SUB_AGENT_REFERENCE, &reference));
    }
    answer
}

fn mark(record: &Object) -> StepMark {
    let meta = json::object(record, "extra").and_then(|extra| json::text(extra, "meta"));
    match meta {
        Some("compact_boundary") => StepMark::CompactBoundary { keep_from: None },
        Some("compact_summary") => StepMark::CompactSummary,
        Some("injected") => StepMark::Injected,
        Some("demo") => StepMark::Demonstration,
        // `extra` is free for anyone's use.
        Some(_) | None => StepMark::None,
    }
}

/// ATIF counts cached tokens among the prompt's. Cache writes have no field of their own;
/// converters from Claude Code record them under the provider's name.
fn usage(metrics: &Object) -> Usage {
    let cache_read = json::count(metrics, "cached_tokens");
    let extra = json::object(metrics, "extra");
    let cache_write = extra.map_or(0, |extra| json::count(extra, "cache_creation_input_tokens"));
    let prompt = json::count(metrics, "prompt_tokens");
    Usage {
        input: prompt.saturating_sub(cache_read).saturating_sub(cache_write),
        cache_read,
        cache_write,
        cache_write_hour: 0,
        output: json::count(metrics, "completion_tokens"),
    }
}
