//! Hooks of agents: `hooks.EVENT` is a list of groups, each with the tools it is for and a list of
//! commands.

use jsonc_parser::cst::{CstNode, CstObject};
use serde_json::{Value, json};

use super::entry::{EditError, is_ours};
use super::json::{comments, ended, input, is_empty, outermost, parse, unless_lost};
use super::words::{quoted, unquoted};

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
                ("PostToolUse", "Read|Bash|Grep|Edit|Write|MultiEdit"),
                ("PostToolUseFailure", "Bash"),
                ("PreCompact", "manual|auto"),
                ("SessionStart", "clear|compact"),
            ],
            Self::Codex => &[("PostToolUse", "^Bash$"), ("PostCompact", "manual|auto")],
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

/// What earlier versions wrote in the place of that. Other times are the user's own.
const TIME_OUT_SECONDS_BEFORE: u32 = 10;

/// Tools and reasons that earlier versions wrote.
const MATCHERS_BEFORE: [&str; 1] = ["Read|Bash|Grep"];

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
        let mut is_there = false;
        for group in groups.elements() {
            let ours = our_commands(&group, host);
            is_there |= !ours.is_empty();
            for one in &ours {
                is_changed |= bring_up_to_date(one, &command);
            }
            is_changed |= widen(&group, ours.len(), matcher);
        }
        if !is_there {
            groups.append(input(&json!({ "matcher": matcher, "hooks": [command] })));
            is_changed = true;
        }
    }
    Ok(is_changed.then(|| ended(&root, text)))
}

/// Gives a command of ours the program of `wanted`, and its time where it has that of an earlier
/// version; whether it had another.
fn bring_up_to_date(one: &CstObject, wanted: &Value) -> bool {
    let time = wanted["timeout"].as_u64().unwrap_or_default() / u64::from(TIME_OUT_SECONDS);
    let time_before = json!(u64::from(TIME_OUT_SECONDS_BEFORE) * time);
    let mut is_changed = false;
    for (key, is_old) in [
        ("command", value_of(one, "command").as_ref() != Some(&wanted["command"])),
        ("timeout", value_of(one, "timeout") == Some(time_before)),
    ] {
        if let Some(known) = one.get(key).filter(|_| is_old) {
            known.set_value(input(&wanted[key]));
            is_changed = true;
        }
    }
    is_changed
}

/// Has a group with `ours` commands of ours and no others take all tools that there are by now,
/// if it takes those of an earlier version; whether it did.
fn widen(group: &CstNode, ours: usize, matcher: &str) -> bool {
    let Some(group) = group.as_object() else { return false };
    let all = group.array_value("hooks").map_or(0, |all| all.elements().len());
    let known = value_of(&group, "matcher");
    let is_before = known
        .as_ref()
        .and_then(Value::as_str)
        .is_some_and(|known| known != matcher && MATCHERS_BEFORE.contains(&known));
    let Some(property) = group.get("matcher").filter(|_| is_before && ours > 0 && ours == all)
    else {
        return false;
    };
    property.set_value(matcher.into());
    true
}

fn value_of(object: &CstObject, key: &str) -> Option<Value> {
    object.get(key)?.value()?.to_serde_value()
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
