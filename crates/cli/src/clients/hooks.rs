//! Hooks of agents: `hooks.EVENT` is a list of groups, each with the tools it is for and a list of
//! commands.

use jsonc_parser::cst::{CstNode, CstObject, CstObjectProp};
use serde_json::{Value, json};

use super::entry::{EditError, is_ours};
use super::json::{comments, ended, input, is_empty, outermost, parse, unless_lost};

/// An agent with hooks, and how it wants to be told of ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HookHost {
    ClaudeCode,
    Codex,
    Gemini,
}

impl HookHost {
    /// The events that our command is for, and which of them: tools, or reasons.
    fn events(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::ClaudeCode => &[
                ("PreToolUse", "mcp__foveal__.*"),
                ("PostToolUse", "Read|Bash|Grep"),
                ("PostToolUseFailure", "Bash"),
                ("PreCompact", "manual|auto"),
                ("SessionStart", "clear|compact"),
            ],
            Self::Codex => &[("PostToolUse", "^Bash$")],
            Self::Gemini => &[("AfterTool", "run_shell_command")],
        }
    }

    /// What the agent runs: a program and its arguments, or a line for a shell. Each counts the
    /// time that it waits in units of its own.
    fn command(self, program: &str) -> Value {
        match self {
            Self::ClaudeCode => json!({
                "type": "command", "command": program, "args": ["hook"],
                "timeout": TIME_OUT_SECONDS
            }),
            Self::Codex => json!({
                "type": "command", "command": format!("{} hook codex", quoted(program)),
                "timeout": TIME_OUT_SECONDS
            }),
            Self::Gemini => json!({
                "type": "command", "command": format!("{} hook gemini", quoted(program)),
                "timeout": TIME_OUT_SECONDS * 1_000
            }),
        }
    }

    /// The program that a command runs, if it is ours.
    fn program_in(self, command: &Value) -> Option<String> {
        let line = command["command"].as_str()?;
        let program = match self {
            Self::ClaudeCode => {
                let is_hook = command["args"].get(0).and_then(Value::as_str) == Some("hook");
                is_hook.then(|| line.to_owned())?
            }
            Self::Codex => unquoted(line.strip_suffix(" hook codex")?),
            Self::Gemini => unquoted(line.strip_suffix(" hook gemini")?),
        };
        is_ours(&program).then_some(program)
    }
}

/// Seconds after which agents go on without an answer.
const TIME_OUT_SECONDS: u32 = 3;

/// A word as a shell reads it.
fn quoted(word: &str) -> String {
    let is_plain = |sign: char| sign.is_alphanumeric() || "/._-+=:,@\\".contains(sign);
    match word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

fn unquoted(word: &str) -> String {
    let within = word.strip_prefix('\'').and_then(|word| word.strip_suffix('\''));
    within.map_or(word.to_owned(), |word| word.replace(r"'\''", "'"))
}

/// The text with our hooks; `None` if all are there.
pub(super) fn add(text: &str, host: HookHost, program: &str) -> Result<Option<String>, EditError> {
    let root = parse(text)?;
    let object = outermost(&root)?;
    let wrong = |key: String, expected| EditError::Kind { key, expected };
    let hooks = object
        .object_value_or_create("hooks")
        .ok_or_else(|| wrong("hooks".to_owned(), "an object"))?;
    let mut is_changed = false;
    let command = host.command(program);
    for (event, matcher) in host.events() {
        let groups = hooks
            .array_value_or_create(event)
            .ok_or_else(|| wrong(format!("hooks.{event}"), "a list"))?;
        let ours: Vec<CstObject> =
            groups.elements().iter().flat_map(|group| our_commands(group, host)).collect();
        let line = command["command"].as_str().unwrap_or_default();
        for one in &ours {
            if let Some(known) =
                one.get("command").filter(|known| text_of(known).as_deref() != Some(line))
            {
                known.set_value(line.into());
                is_changed = true;
            }
        }
        if ours.is_empty() {
            groups.append(input(&json!({ "matcher": matcher, "hooks": [command] })));
            is_changed = true;
        }
    }
    Ok(is_changed.then(|| ended(&root, text)))
}

/// The text without our hooks, nor what is empty without them.
pub(super) fn remove(text: &str, host: HookHost) -> Result<Option<String>, EditError> {
    let root = parse(text)?;
    let Some(object) = root.object_value() else { return Ok(None) };
    let Some(hooks) = object.object_value("hooks") else { return Ok(None) };
    let mut events = Vec::new();
    for event in hooks.properties() {
        let Some(groups) = event.array_value() else { continue };
        let mut is_ours = false;
        for group in groups.elements() {
            let ours = our_commands(&group, host);
            if ours.is_empty() {
                continue;
            }
            is_ours = true;
            ours.into_iter().for_each(CstObject::remove);
            let left = group.as_object().and_then(|group| group.array_value("hooks"));
            if left.is_none_or(|left| left.elements().is_empty()) {
                group.remove();
            }
        }
        if is_ours {
            events.push((event, groups));
        }
    }
    if events.is_empty() {
        return Ok(None);
    }
    let (with_empty, comments) = (root.to_string(), comments(&root));
    for (event, groups) in events {
        if groups.elements().is_empty() {
            event.remove();
        }
    }
    if let Some(own) = object.get("hooks").filter(|_| is_empty(&hooks)) {
        own.remove();
    }
    Ok(Some(unless_lost(&root, comments, with_empty)))
}

/// The program of our hooks.
pub(super) fn program(text: &str, host: HookHost) -> Option<String> {
    let root = parse(text).ok()?;
    let hooks = root.object_value()?.object_value("hooks")?;
    let groups = hooks.properties().into_iter().filter_map(|event| event.array_value());
    let mut ours =
        groups.flat_map(|groups| groups.elements()).flat_map(|group| our_commands(&group, host));
    host.program_in(&ours.next()?.to_serde_value()?)
}

/// Our commands in a group.
fn our_commands(group: &CstNode, host: HookHost) -> Vec<CstObject> {
    let all = group.as_object().and_then(|group| group.array_value("hooks"));
    let all = all.map(|all| all.elements()).unwrap_or_default();
    let objects = all.iter().filter_map(CstNode::as_object);
    let is_ours =
        |one: &CstObject| one.to_serde_value().is_some_and(|one| host.program_in(&one).is_some());
    objects.filter(is_ours).collect()
}

fn text_of(property: &CstObjectProp) -> Option<String> {
    Some(property.value()?.to_serde_value()?.as_str()?.to_owned())
}
