//! A model that does a task by a plan, against what it is shown.

use std::collections::VecDeque;

use foveal_mock_provider::{ModelReply, ReplyCall};
use serde_json::{Value, json};

use crate::commits::{Edit, File, Task};

/// Plays a task.
#[derive(Debug)]
pub(crate) struct Player {
    steps: VecDeque<Step>,
    repairs: usize,
}

/// What is done in one answer.
#[derive(Debug)]
enum Step {
    /// Calls that only look.
    Look(Vec<(&'static str, Value)>),
    /// A change of lines that have to be in view.
    Change { path: String, first: usize, last: usize, old: String, new: String, is_read: bool },
}

impl Player {
    pub(crate) fn of(task: &Task) -> Self {
        let shell = |command: &str| Step::Look(vec![("bash", json!({"command": command}))]);
        let mut steps = VecDeque::new();
        steps.push_back(Step::Look(vec![
            ("list", json!({})),
            ("bash", json!({"command": "git log --oneline -60"})),
        ]));
        let searches = task.names().into_iter().map(|name| ("grep", json!({"pattern": name})));
        steps.push_back(Step::Look(searches.collect()));
        for file in &task.files {
            steps.push_back(Step::Look(vec![read(&file.path)]));
            steps.push_back(Step::Look(file.beside.iter().map(|path| read(path)).collect()));
            steps.push_back(shell(&format!("git log -p -4 -- {}", file.path)));
        }
        for file in &task.files {
            steps.extend(file.edits.iter().map(|edit| change(file, edit)));
            steps.push_back(shell("git diff"));
            steps.push_back(Step::Look(vec![read(&file.path)]));
        }
        steps.push_back(shell("git log --stat -30"));
        steps.push_back(shell("git status && git diff"));
        steps.retain(|step| !matches!(step, Step::Look(calls) if calls.is_empty()));
        Self { steps, repairs: 0 }
    }

    /// How often something had to be read anew.
    pub(crate) fn repairs(&self) -> usize {
        self.repairs
    }

    /// What it says to a prompt.
    pub(crate) fn next(&mut self, body: &Value) -> ModelReply {
        match self.steps.front_mut() {
            Some(Step::Change { path, first, last, old, is_read, .. })
                if !*is_read && !shows(body, old) =>
            {
                *is_read = true;
                self.repairs += 1;
                let lines = json!({"path": path, "start": first, "end": last});
                return reply(vec![("read_lines", lines)]);
            }
            _ => {}
        }
        match self.steps.pop_front() {
            Some(Step::Look(calls)) => reply(calls),
            Some(Step::Change { path, old, new, .. }) => {
                let why = "as the task says";
                let edit = json!({"path": path, "old_str": old, "new_str": new, "intent": why});
                reply(vec![("edit_file", edit)])
            }
            None => ModelReply::from_text("It is done."),
        }
    }
}

fn read(path: &str) -> (&'static str, Value) {
    ("read_file", json!({"path": path}))
}

fn change(file: &File, edit: &Edit) -> Step {
    let Edit { first, last, old, new } = edit;
    let (path, old, new) = (file.path.clone(), old.clone(), new.clone());
    Step::Change { path, first: *first, last: *last, old, new, is_read: false }
}

fn reply(calls: Vec<(&'static str, Value)>) -> ModelReply {
    let call =
        |(name, arguments): (&'static str, Value)| ReplyCall { name: name.to_owned(), arguments };
    let calls = calls.into_iter().map(call).collect();
    ModelReply { text: "I go on with the task.".to_owned(), calls, ..ModelReply::default() }
}

/// Whether each line of a text stands in a prompt.
fn shows(body: &Value, text: &str) -> bool {
    let mut said = Vec::new();
    strings(&body["messages"], &mut said);
    let lines = text.lines().map(str::trim).filter(|line| line.len() > 3);
    lines.into_iter().all(|line| said.iter().any(|text| text.contains(line)))
}

fn strings<'a>(value: &'a Value, found: &mut Vec<&'a str>) {
    match value {
        Value::String(text) => found.push(text),
        Value::Array(items) => items.iter().for_each(|item| strings(item, found)),
        Value::Object(fields) => fields.values().for_each(|item| strings(item, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
