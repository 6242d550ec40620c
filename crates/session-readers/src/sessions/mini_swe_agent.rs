//! Reads mini-swe-agent's trajectories. Version 1 has one tool, the shell, and no calls: the
//! command is the only fenced block of a response, and the next message is its output. Version 2
//! also records tool calls in the provider's form.

use foveal_protocols::conversation_builder::{ConversationBuilder, RecordedResult};
use foveal_protocols::json::{self, JsonObject};
use foveal_protocols::openai_chat;
use foveal_protocols::openai_responses::{self, ResponseItemReader};
use foveal_protocols::problem::ProblemKind;
use foveal_transcript::{Timestamp, ToolCall};
use serde_json::{Value, json};

use crate::key_paths::KeyPaths;
use crate::session_sink::SessionSink;

/// Opening fences of a block with a command.
const COMMAND_FENCES: [&str; 2] = ["```bash", "```mswea_bash_command"];

/// Reads one trajectory document.
pub(crate) fn read_session(mut root: JsonObject, output: &mut SessionSink<'_>) {
    let Some(messages) = json::take_list(&mut root, "messages") else {
        output.report_problem(ProblemKind::NotARecord);
        return;
    };
    let id = json::take_text(&mut root, "instance_id").unwrap_or_else(|| output.name.to_owned());
    let mut draft = ConversationBuilder::new(id);
    draft.agent = Some("mini-swe-agent".to_owned());
    let info = Value::Object(json::take_object(&mut root, "info").unwrap_or_default());
    let config = |path| info.pointer(path).and_then(Value::as_str);
    draft.directory = config("/config/environment/cwd").map(str::to_owned);
    let mut reader = MiniSweAgentReader {
        items: ResponseItemReader::new(draft, is_failed_output),
        model: config("/config/model/model_name"),
        open_call: None,
        call_count: 0,
    };
    output.for_each_object("messages[]", messages, |message, output| {
        reader.add_message(message, output);
    });
    output.emit_conversation(reader.items.draft);
}

/// Detects a trajectory by its keys.
pub(crate) fn is_format(head: &KeyPaths) -> bool {
    head.text_starts_with("trajectory_format", "mini-swe-agent")
        || head.has_any_key(&["info.mini_version", "info.config.agent_type"])
}

struct MiniSweAgentReader<'a> {
    items: ResponseItemReader,
    model: Option<&'a str>,
    /// The call whose output is the next message.
    open_call: Option<String>,
    call_count: usize,
}

impl MiniSweAgentReader<'_> {
    fn add_message(&mut self, mut message: JsonObject, output: &mut SessionSink<'_>) {
        let extra = json::take_object(&mut message, "extra").unwrap_or_default();
        let time = parse_time(&extra);
        let role = json::get_text(&message, "role").map(str::to_owned);
        match role.as_deref() {
            // The run's end mark; no model receives it.
            Some("exit") => {}
            Some("user") if self.open_call.is_some() => {
                let call = self.open_call.take().unwrap_or_default();
                self.add_result(call, message, time, output);
            }
            Some("tool") => {
                let call = json::take_text(&mut message, "tool_call_id").unwrap_or_default();
                self.add_result(call, message, time, output);
            }
            Some("assistant") => self.add_response(message, &extra, time, output),
            Some(_) => {
                openai_chat::add_message(
                    &mut self.items.draft,
                    message,
                    time,
                    &mut output.problems,
                );
            }
            None if json::get_text(&message, "object") == Some("response") => {
                let usage = json::get_object(&message, "usage")
                    .map(openai_responses::parse_responses_usage);
                for item in json::take_list(&mut message, "output").unwrap_or_default() {
                    if let Value::Object(item) = item {
                        self.items.read_item(item, time, &mut output.problems);
                    }
                }
                self.items.close_response();
                if let Some(last) = self.items.draft.last_step() {
                    let step = self.items.draft.step_mut(last);
                    step.model = self.model.map(Into::into);
                    step.usage = usage;
                }
            }
            None => self.items.read_item(message, time, &mut output.problems),
        }
    }

    fn add_result(
        &mut self,
        call: String,
        mut message: JsonObject,
        time: Option<Timestamp>,
        output: &mut SessionSink<'_>,
    ) {
        let mut answer =
            RecordedResult::from_recorded(call, json::take_value(&mut message, "content"), time);
        answer.is_error = is_failed_output(&answer.content);
        output.report_error(self.items.draft.add_result(answer));
    }

    fn add_response(
        &mut self,
        message: JsonObject,
        extra: &JsonObject,
        time: Option<Timestamp>,
        output: &mut SessionSink<'_>,
    ) {
        self.open_call = None;
        let Some(index) =
            openai_chat::add_message(&mut self.items.draft, message, time, &mut output.problems)
        else {
            return;
        };
        let response = json::get_object(extra, "response");
        let usage = response.and_then(|response| json::get_object(response, "usage"));
        let draft = &mut self.items.draft;
        let step = draft.step_mut(index);
        step.model = self.model.map(Into::into);
        step.usage = usage.map(openai_chat::parse_chat_usage);
        let text = step.joined_text();
        let has_calls = step.has_tool_calls();
        if !has_calls && let Some(command) = fenced_command(&text) {
            self.call_count += 1;
            let id = format!("call_{:05}", self.call_count);
            let (name, arguments) = ("bash".to_owned(), json!({ "command": command }));
            output
                .report_error(draft.add_call(index, ToolCall { id: id.clone(), name, arguments }));
            self.open_call = Some(id);
        }
    }
}

/// Returns whether an output starts with the exit code of a failed command.
fn is_failed_output(output: &str) -> bool {
    let code = output.strip_prefix("<returncode>").and_then(|rest| rest.split_once('<'));
    code.is_some_and(|(code, _)| code.trim().parse::<i64>().is_ok_and(|code| code != 0))
}

/// Returns the command of a response: the content of its only fenced block. With none or several,
/// the agent runs nothing and says so.
fn fenced_command(text: &str) -> Option<&str> {
    let mut found = None;
    let mut rest = text;
    while let Some((start, fence)) = next_fence(rest) {
        let body = &rest[start + fence.len()..];
        let blank = body.len() - body.trim_start_matches([' ', '\t', '\r']).len();
        let Some(body) = body[blank..].strip_prefix('\n') else {
            rest = &rest[start + fence.len()..];
            continue;
        };
        let Some(end) = body.find("\n```") else { break };
        if found.is_some() {
            return None;
        }
        found = Some(body[..end].trim());
        rest = &body[end + "\n```".len()..];
    }
    found
}

fn next_fence(text: &str) -> Option<(usize, &'static str)> {
    COMMAND_FENCES.iter().filter_map(|fence| text.find(fence).map(|at| (at, *fence))).min()
}

/// Parses the time of version 2, in seconds since the epoch.
fn parse_time(extra: &JsonObject) -> Option<Timestamp> {
    let seconds = extra.get("timestamp").and_then(Value::as_f64)?;
    // A float cast saturates, so no recorded number can overflow.
    Some(Timestamp((seconds * 1000.0) as i64))
}

#[cfg(test)]
mod tests {
    use super::fenced_command;

    #[test]
    fn commands() {
        let cases = [
            ("THOUGHT: look\n\n```bash\nls -F\n```", Some("ls -F")),
            ("```bash  \ncat <<'EOF'\n``\nEOF\n```\nbye", Some("cat <<'EOF'\n``\nEOF")),
            ("```mswea_bash_command\nls\n```", Some("ls")),
            ("```bash\nls\n```\nand\n```bash\npwd\n```", None),
            ("```bash ls\n```", None),
            ("```python\nls\n```", None),
            ("```bash\nls", None),
            ("", None),
        ];
        for (text, expected) in cases {
            assert_eq!(fenced_command(text), expected, "{text}");
        }
    }
}
