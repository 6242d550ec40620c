//! Reads SWE-agent's `.traj`. Its `history` has the messages that the model received. A response
//! has one command, in older versions as the last fenced block, in newer ones as tool calls; the
//! next message is the command's output.

use std::sync::Arc;

use foveal_protocols::conversation_builder::{
    ConversationBuilder, RecordedResult, StepDraft, StepIndex, StepMark,
};
use foveal_protocols::json::{self, JsonObject};
use foveal_protocols::openai_chat;
use foveal_protocols::problem::ProblemKind;
use foveal_transcript::{MessageRole, ToolCall};
use serde_json::Value;

use crate::key_paths::KeyPaths;
use crate::session_sink::SessionSink;

/// The message of the edit command when it refuses; the recording has no flag for it.
const EDIT_REFUSED: &str = "Your proposed edit has introduced new syntax error(s).";

/// Reads one trajectory document.
pub(crate) fn read_session(mut root: JsonObject, output: &mut SessionSink<'_>) {
    let history = json::take_list(&mut root, "history").unwrap_or_default();
    let trajectory = json::take_list(&mut root, "trajectory");
    if history.is_empty() && trajectory.is_none() {
        output.report_problem(ProblemKind::NotARecord);
        return;
    }
    let mut draft = ConversationBuilder::new(output.name);
    draft.agent = Some("SWE-agent".to_owned());
    let mut reader =
        SweAgentReader { draft, model: configured_model(&root), open_call: None, call_count: 0 };
    if history.is_empty() {
        let records = trajectory.unwrap_or_default();
        output.for_each_object("trajectory[]", records, |record, output| {
            reader.add_trajectory_record(record, output);
        });
    } else {
        output.for_each_object("history[]", history, |message, output| {
            reader.add_message(message, output);
        });
    }
    output.emit_conversation(reader.draft);
}

/// Detects a trajectory by its keys.
pub(crate) fn is_format(head: &KeyPaths) -> bool {
    head.has_any_key(&["history[].role", "trajectory[].action", "trajectory[].response"])
}

/// Returns the model of the run's configuration, which newer versions keep as JSON text.
fn configured_model(root: &JsonObject) -> Option<Arc<str>> {
    let config: Value = serde_json::from_str(json::get_text(root, "replay_config")?).ok()?;
    config.pointer("/agent/model/name").and_then(Value::as_str).map(Into::into)
}

struct SweAgentReader {
    draft: ConversationBuilder,
    model: Option<Arc<str>>,
    /// The call whose output is the next message.
    open_call: Option<String>,
    call_count: usize,
}

impl SweAgentReader {
    /// Adds one message of the history.
    fn add_message(&mut self, mut message: JsonObject, output: &mut SessionSink<'_>) {
        let demonstration = json::is_true(&message, "is_demo");
        let action = json::take_text(&mut message, "action");
        let role = json::get_text(&message, "role").unwrap_or_default().to_owned();
        if let Some(call) = self.take_answered_call(&role, &message) {
            self.add_result(call, json::take_value(&mut message, "content"), output);
            return;
        }
        self.open_call = None;
        let Some(index) =
            openai_chat::add_message(&mut self.draft, message, None, &mut output.problems)
        else {
            return;
        };
        if demonstration {
            self.draft.step_mut(index).mark = StepMark::Demonstration;
        }
        if role == "assistant" {
            self.add_response_call(index, action.as_deref(), output);
        }
    }

    /// Returns the call that a message answers: an id as in newer versions, or the open call.
    fn take_answered_call(&mut self, role: &str, message: &JsonObject) -> Option<String> {
        let named = message.get("tool_call_ids").and_then(|ids| ids.get(0)).and_then(Value::as_str);
        match (role, named) {
            ("user" | "tool", Some(id)) => Some(id.to_owned()),
            ("user", None) => self.open_call.take(),
            _ => None,
        }
    }

    fn add_result(&mut self, call: String, recorded: Option<Value>, output: &mut SessionSink<'_>) {
        let mut answer = RecordedResult::from_recorded(call, recorded, None);
        answer.is_error = answer.content.starts_with(EDIT_REFUSED);
        output.report_error(self.draft.add_result(answer));
    }

    /// Adds the command of a response as a call, unless the response has calls of its own.
    fn add_response_call(
        &mut self,
        index: StepIndex,
        action: Option<&str>,
        output: &mut SessionSink<'_>,
    ) {
        let step = self.draft.step_mut(index);
        step.model.clone_from(&self.model);
        if step.has_tool_calls() {
            return;
        }
        let Some(action) = action.filter(|action| !action.trim().is_empty()) else { return };
        self.call_count += 1;
        let id = format!("call_{:05}", self.call_count);
        let (name, arguments) = parse_action(action);
        let call = ToolCall { id: id.clone(), name, arguments: Value::Object(arguments) };
        output.report_error(self.draft.add_call(index, call));
        self.open_call = Some(id);
    }

    /// Adds one record of a trajectory without a history: the first query, then response, action
    /// and observation.
    fn add_trajectory_record(&mut self, mut record: JsonObject, output: &mut SessionSink<'_>) {
        let query = json::take_list(&mut record, "query").unwrap_or_default();
        if self.draft.is_empty() {
            for message in query {
                if let Value::Object(message) = message {
                    self.add_message(message, output);
                }
            }
        }
        let response = json::take_text(&mut record, "response").unwrap_or_default();
        let step = StepDraft::with_blocks(
            MessageRole::Assistant,
            None,
            json::message_blocks(Some(response.into())),
        );
        let index = self.draft.push_step(step);
        let action = json::take_text(&mut record, "action");
        self.add_response_call(index, action.as_deref(), output);
        if let Some(call) = self.open_call.take() {
            self.add_result(call, json::take_value(&mut record, "observation"), output);
        }
    }
}

/// The commands of the windowed tools with the names of their arguments; optional ones are in
/// brackets. A quoted argument is one word.
const WINDOWED_COMMANDS: [(&str, &[&str]); 10] = [
    ("open", &["path", "[line_number]"]),
    ("goto", &["line_number"]),
    ("scroll_up", &[]),
    ("scroll_down", &[]),
    ("create", &["filename"]),
    ("search_dir", &["search_term", "[dir]"]),
    ("search_file", &["search_term", "[file]"]),
    ("find_file", &["file_name", "[dir]"]),
    ("submit", &[]),
    ("exit_forfeit", &[]),
];

/// Parses an action as a call. An action that is no command of the windowed tools ran in the shell.
fn parse_action(action: &str) -> (String, JsonObject) {
    let action = action.trim();
    let shell = || {
        let mut arguments = JsonObject::new();
        arguments.insert("command".to_owned(), Value::String(action.to_owned()));
        ("bash".to_owned(), arguments)
    };
    let (name, rest) = action.split_once(char::is_whitespace).unwrap_or((action, ""));
    if name == "edit" {
        return parse_edit(rest).map_or_else(shell, |arguments| (name.to_owned(), arguments));
    }
    let Some((_, names)) = WINDOWED_COMMANDS.iter().find(|(known, _)| *known == name) else {
        return shell();
    };
    let Some(words) = parse_shell_words(rest) else { return shell() };
    let required = names.iter().filter(|name| !name.starts_with('[')).count();
    // Surplus words, such as the submitted answer of some challenges, must not be lost.
    if rest.contains('\n') || words.len() < required || words.len() > names.len() {
        return shell();
    }
    let mut arguments = JsonObject::new();
    for (name, word) in names.iter().zip(words) {
        let name = name.trim_matches(['[', ']']);
        let value = match (name, word.parse::<u32>()) {
            ("line_number", Ok(number)) => Value::from(number),
            _ => Value::String(word),
        };
        arguments.insert(name.to_owned(), value);
    }
    (name.to_owned(), arguments)
}

/// Parses `<first>:<last>`, the new text, and `end_of_edit`.
fn parse_edit(rest: &str) -> Option<JsonObject> {
    let (range, text) = rest.split_once('\n')?;
    let (first, last) = range.trim().split_once(':')?;
    let (first, last) = (first.parse::<u32>().ok()?, last.parse::<u32>().ok()?);
    let text = text.trim_end().strip_suffix("end_of_edit")?;
    let text = text.strip_suffix('\n').unwrap_or(text);
    let mut arguments = JsonObject::new();
    arguments.insert("start_line".to_owned(), first.into());
    arguments.insert("end_line".to_owned(), last.into());
    arguments.insert("replacement_text".to_owned(), text.into());
    Some(arguments)
}

/// Splits a text into words as a shell does and removes quotes; `None` if a quote stays open.
fn parse_shell_words(text: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for c in text.chars() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (Some(_), c) => word.get_or_insert_default().push(c),
            (None, '"' | '\'') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (None, c) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    quote.is_none().then_some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands() {
        let cases = [
            ("ls -F\n", r#"bash {"command":"ls -F"}"#),
            ("open a.py", r#"open {"path":"a.py"}"#),
            ("open \"a b.py\" 12", r#"open {"path":"a b.py","line_number":12}"#),
            ("goto 7", r#"goto {"line_number":7}"#),
            ("scroll_down", "scroll_down {}"),
            ("search_dir 'two words' src", r#"search_dir {"search_term":"two words","dir":"src"}"#),
            (
                "edit 2:3\n  a\n\n  b\nend_of_edit\n",
                r#"edit {"start_line":2,"end_line":3,"replacement_text":"  a\n\n  b"}"#,
            ),
            (
                "edit 4:4\nend_of_edit",
                r#"edit {"start_line":4,"end_line":4,"replacement_text":""}"#,
            ),
            ("edit a b", r#"bash {"command":"edit a b"}"#),
            ("open", r#"bash {"command":"open"}"#),
            ("open 'a", r#"bash {"command":"open 'a"}"#),
            ("submit", "submit {}"),
            ("submit 'flag'", r#"bash {"command":"submit 'flag'"}"#),
        ];
        for (action, expected) in cases {
            let (name, arguments) = parse_action(action);
            assert_eq!(format!("{name} {}", Value::Object(arguments)), expected, "{action}");
        }
    }
}
