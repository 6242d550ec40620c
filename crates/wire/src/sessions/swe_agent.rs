//! SWE-agent's `.traj`. Its `history` is what the model was sent. Responses name one
//! command, in older versions as the last fenced block, in newer ones as tool calls; the
//! next message is what it printed.

use std::sync::Arc;

use foveal_transcript::{Call, Role};
use serde_json::Value;

use crate::draft::{Answer, Draft, Step, StepIndex, StepMark};
use crate::head::Head;
use crate::json::{self, Object};
use crate::output::Output;
use crate::problem::ProblemKind;
use crate::requests::openai_chat;

/// What the edit command prints when it refuses; the recording has no flag for it.
const EDIT_REFUSED: &str = "Your proposed edit has introduced new syntax error(s).";

/// Reads one trajectory document.
pub(crate) fn read(mut root: Object, output: &mut Output<'_>) {
    let history = json::take_list(&mut root, "history").unwrap_or_default();
    let trajectory = json::take_list(&mut root, "trajectory");
    if history.is_empty() && trajectory.is_none() {
        output.problem(ProblemKind::NotARecord);
        return;
    }
    let mut draft = Draft::new(output.name);
    draft.agent = Some("SWE-agent".to_owned());
    let mut reader = SweAgentReader { draft, model: model(&root), open: None, calls: 0 };
    if history.is_empty() {
        let records = trajectory.unwrap_or_default();
        output.each_object("trajectory[]", records, |record, output| reader.turn(record, output));
    } else {
        output.each_object("history[]", history, |message, output| reader.message(message, output));
    }
    output.conversation(reader.draft);
}

/// Signs of a trajectory.
pub(crate) fn is_format(head: &Head) -> bool {
    head.any(&["history[].role", "trajectory[].action", "trajectory[].response"])
}

/// Newer versions keep the run's configuration as JSON text.
fn model(root: &Object) -> Option<Arc<str>> {
    let config: Value = serde_json::from_str(json::text(root, "replay_config")?).ok()?;
    config.pointer("/agent/model/name").and_then(Value::as_str).map(Into::into)
}

struct SweAgentReader {
    draft: Draft,
    model: Option<Arc<str>>,
    /// The call whose output the next message is.
    open: Option<String>,
    calls: usize,
}

impl SweAgentReader {
    /// One message of the history.
    fn message(&mut self, mut message: Object, output: &mut Output<'_>) {
        let demonstration = json::is_true(&message, "is_demo");
        let action = json::take_text(&mut message, "action");
        let role = json::text(&message, "role").unwrap_or_default().to_owned();
        if let Some(call) = self.answered(&role, &message) {
            self.answer(call, json::take(&mut message, "content"), output);
            return;
        }
        self.open = None;
        let Some(index) = openai_chat::message(&mut self.draft, message, None, output) else {
            return;
        };
        if demonstration {
            self.draft.step_mut(index).mark = StepMark::Demonstration;
        }
        if role == "assistant" {
            self.response(index, action.as_deref(), output);
        }
    }

    /// The call a message answers: the ids that newer versions name, or the open one.
    fn answered(&mut self, role: &str, message: &Object) -> Option<String> {
        let named = message.get("tool_call_ids").and_then(|ids| ids.get(0)).and_then(Value::as_str);
        match (role, named) {
            ("user" | "tool", Some(id)) => Some(id.to_owned()),
            ("user", None) => self.open.take(),
            _ => None,
        }
    }

    fn answer(&mut self, call: String, recorded: Option<Value>, output: &mut Output<'_>) {
        let mut answer = Answer::of(call, recorded, None);
        answer.is_error = answer.content.starts_with(EDIT_REFUSED);
        output.check(self.draft.answer(answer));
    }

    /// Adds the command of a response as a call, unless it has calls of its own.
    fn response(&mut self, index: StepIndex, action: Option<&str>, output: &mut Output<'_>) {
        let step = self.draft.step_mut(index);
        step.model.clone_from(&self.model);
        if step.has_calls() {
            return;
        }
        let Some(action) = action.filter(|action| !action.trim().is_empty()) else { return };
        self.calls += 1;
        let id = format!("call_{:05}", self.calls);
        let (name, arguments) = command(action);
        let call = Call { id: id.clone(), name, arguments: Value::Object(arguments) };
        output.check(self.draft.call(index, call));
        self.open = Some(id);
    }

    /// One record of a trajectory without a history: what was asked first, then response,
    /// action and observation.
    fn turn(&mut self, mut record: Object, output: &mut Output<'_>) {
        let query = json::take_list(&mut record, "query").unwrap_or_default();
        if self.draft.is_empty() {
            for message in query {
                if let Value::Object(message) = message {
                    self.message(message, output);
                }
            }
        }
        let response = json::take_text(&mut record, "response").unwrap_or_default();
        let step = Step::with(Role::Assistant, None, json::message_blocks(Some(response.into())));
        let index = self.draft.push(step);
        let action = json::take_text(&mut record, "action");
        self.response(index, action.as_deref(), output);
        if let Some(call) = self.open.take() {
            self.answer(call, json::take(&mut record, "observation"), output);
        }
    }
}

/// The commands of the windowed tools with the names of what they take; one in brackets
/// may be left out. What follows in quotes is one word.
const COMMANDS: [(&str, &[&str]); 10] = [
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

/// An action as a call. What is none of the windowed tools' commands ran in the shell.
fn command(action: &str) -> (String, Object) {
    let action = action.trim();
    let shell = || {
        let mut arguments = Object::new();
        arguments.insert("command".to_owned(), Value::String(action.to_owned()));
        ("bash".to_owned(), arguments)
    };
    let (name, rest) = action.split_once(char::is_whitespace).unwrap_or((action, ""));
    if name == "edit" {
        return edit(rest).map_or_else(shell, |arguments| (name.to_owned(), arguments));
    }
    let Some((_, names)) = COMMANDS.iter().find(|(known, _)| *known == name) else {
        return shell();
    };
    let Some(words) = words(rest) else { return shell() };
    let required = names.iter().filter(|name| !name.starts_with('[')).count();
    // Words too many, as the answer that some challenges have submitted, must not be lost.
    if rest.contains('\n') || words.len() < required || words.len() > names.len() {
        return shell();
    }
    let mut arguments = Object::new();
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

/// `edit <first>:<last>`, the new text, and `end_of_edit`.
fn edit(rest: &str) -> Option<Object> {
    let (range, text) = rest.split_once('\n')?;
    let (first, last) = range.trim().split_once(':')?;
    let (first, last) = (first.parse::<u32>().ok()?, last.parse::<u32>().ok()?);
    let text = text.trim_end().strip_suffix("end_of_edit")?;
    let text = text.strip_suffix('\n').unwrap_or(text);
    let mut arguments = Object::new();
    arguments.insert("start_line".to_owned(), first.into());
    arguments.insert("end_line".to_owned(), last.into());
    arguments.insert("replacement_text".to_owned(), text.into());
    Some(arguments)
}

/// Words as a shell splits them, with quotes taken off; `None` if a quote stays open.
fn words(text: &str) -> Option<Vec<String>> {
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
            let (name, arguments) = command(action);
            assert_eq!(format!("{name} {}", Value::Object(arguments)), expected, "{action}");
        }
    }
}
