//! mini-swe-agent's trajectory. Version 1 knows one tool, the shell, and no calls: the
//! command is the one fenced block of a response and the next message is its output.
//! Version 2 also records tool calls as the provider has them.

use foveal_transcript::{Call, Timestamp};
use serde_json::{Value, json};

use crate::draft::{Answer, Draft};
use crate::head::Head;
use crate::json::{self, Object};
use crate::output::Output;
use crate::problem::ProblemKind;
use crate::requests::openai_chat;
use crate::requests::openai_responses::{self, Items};

/// What opens a block with a command.
const FENCES: [&str; 2] = ["```bash", "```mswea_bash_command"];

/// Reads one trajectory document.
pub(crate) fn read(mut root: Object, output: &mut Output<'_>) {
    let Some(messages) = json::take_list(&mut root, "messages") else {
        output.problem(ProblemKind::NotARecord);
        return;
    };
    let id = json::take_text(&mut root, "instance_id").unwrap_or_else(|| output.name.to_owned());
    let mut draft = Draft::new(id);
    draft.agent = Some("mini-swe-agent".to_owned());
    let info = Value::Object(json::take_object(&mut root, "info").unwrap_or_default());
    let config = |path| info.pointer(path).and_then(Value::as_str);
    draft.directory = config("/config/environment/cwd").map(str::to_owned);
    let mut reader = MiniSweAgentReader {
        items: Items::new(draft, failed),
        model: config("/config/model/model_name"),
        open: None,
        calls: 0,
    };
    output.each_object("messages[]", messages, |message, output| reader.message(message, output));
    output.conversation(reader.items.draft);
}

/// Signs of a trajectory.
pub(crate) fn is_format(head: &Head) -> bool {
    head.starts("trajectory_format", "mini-swe-agent")
        || head.any(&["info.mini_version", "info.config.agent_type"])
}

struct MiniSweAgentReader<'a> {
    items: Items,
    model: Option<&'a str>,
    /// The call whose output the next message is.
    open: Option<String>,
    calls: usize,
}

impl MiniSweAgentReader<'_> {
    fn message(&mut self, mut message: Object, output: &mut Output<'_>) {
        let extra = json::take_object(&mut message, "extra").unwrap_or_default();
        let time = time(&extra);
        let role = json::text(&message, "role").map(str::to_owned);
        match role.as_deref() {
            // The run's own end mark, which no model is sent.
            Some("exit") => {}
            Some("user") if self.open.is_some() => {
                let call = self.open.take().unwrap_or_default();
                self.answer(call, message, time, output);
            }
            Some("tool") => {
                let call = json::take_text(&mut message, "tool_call_id").unwrap_or_default();
                self.answer(call, message, time, output);
            }
            Some("assistant") => self.response(message, &extra, time, output),
            Some(_) => {
                openai_chat::message(&mut self.items.draft, message, time, output);
            }
            None if json::text(&message, "object") == Some("response") => {
                let usage = json::object(&message, "usage").map(openai_responses::usage);
                for item in json::take_list(&mut message, "output").unwrap_or_default() {
                    if let Value::Object(item) = item {
                        self.items.item(item, time, output);
                    }
                }
                self.items.close();
                if let Some(last) = self.items.draft.last() {
                    let step = self.items.draft.step_mut(last);
                    step.model = self.model.map(Into::into);
                    step.usage = usage;
                }
            }
            None => self.items.item(message, time, output),
        }
    }

    fn answer(
        &mut self,
        call: String,
        mut message: Object,
        time: Option<Timestamp>,
        output: &mut Output<'_>,
    ) {
        let mut answer = Answer::of(call, json::take(&mut message, "content"), time);
        answer.is_error = failed(&answer.content);
        output.check(self.items.draft.answer(answer));
    }

    fn response(
        &mut self,
        message: Object,
        extra: &Object,
        time: Option<Timestamp>,
        output: &mut Output<'_>,
    ) {
        self.open = None;
        let Some(index) = openai_chat::message(&mut self.items.draft, message, time, output) else {
            return;
        };
        let response = json::object(extra, "response");
        let usage = response.and_then(|response| json::object(response, "usage"));
        let draft = &mut self.items.draft;
        let step = draft.step_mut(index);
        step.model = self.model.map(Into::into);
        step.usage = usage.map(openai_chat::chat_usage);
        let text = step.text();
        let has_calls = step.has_calls();
        if !has_calls && let Some(command) = command(&text) {
            self.calls += 1;
            let id = format!("call_{:05}", self.calls);
            let (name, arguments) = ("bash".to_owned(), json!({ "command": command }));
            output.check(draft.call(index, Call { id: id.clone(), name, arguments }));
            self.open = Some(id);
        }
    }
}

/// Whether an output starts with the exit code of a command that failed.
fn failed(output: &str) -> bool {
    let code = output.strip_prefix("<returncode>").and_then(|rest| rest.split_once('<'));
    code.is_some_and(|(code, _)| code.trim().parse::<i64>().is_ok_and(|code| code != 0))
}

/// The command of a response: the content of its one fenced block. With none or several,
/// the agent runs nothing and says so.
fn command(text: &str) -> Option<&str> {
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
    FENCES.iter().filter_map(|fence| text.find(fence).map(|at| (at, *fence))).min()
}

/// Seconds since the epoch, as version 2 records them.
fn time(extra: &Object) -> Option<Timestamp> {
    let seconds = extra.get("timestamp").and_then(Value::as_f64)?;
    // A float cast saturates, so no recorded number can overflow.
    Some(Timestamp((seconds * 1000.0) as i64))
}

#[cfg(test)]
mod tests {
    use super::command;

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
            assert_eq!(command(text), expected, "{text}");
        }
    }
}
