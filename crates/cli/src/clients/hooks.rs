//! Claude Code's hooks: `hooks.EVENT` is a list of groups, each with the tools it is for and a
//! list of commands.

use jsonc_parser::cst::{CstNode, CstObject, CstObjectProp};
use serde_json::{Value, json};

use super::entry::{EditError, is_ours};
use super::json::{comments, ended, input, is_empty, outermost, parse, unless_lost};

/// The events that our command is for, and which of them: tools, or reasons.
const EVENTS: [(&str, &str); 4] = [
    ("PreToolUse", "mcp__foveal__.*"),
    ("PostToolUse", "Read|Bash|Grep"),
    ("PreCompact", "manual|auto"),
    ("SessionStart", "clear|compact"),
];

/// Seconds after which Claude Code goes on without an answer.
const TIME_OUT_SECONDS: u32 = 3;

/// The text with our hooks; `None` if all are there.
pub(super) fn add(text: &str, command: &str) -> Result<Option<String>, EditError> {
    let root = parse(text)?;
    let object = outermost(&root)?;
    let wrong = |key: String, expected| EditError::Kind { key, expected };
    let hooks = object
        .object_value_or_create("hooks")
        .ok_or_else(|| wrong("hooks".to_owned(), "an object"))?;
    let mut is_changed = false;
    for (event, matcher) in EVENTS {
        let groups = hooks
            .array_value_or_create(event)
            .ok_or_else(|| wrong(format!("hooks.{event}"), "a list"))?;
        let ours: Vec<CstObject> = groups.elements().iter().flat_map(our_commands).collect();
        for one in &ours {
            if let Some(known) =
                one.get("command").filter(|known| text_of(known).as_deref() != Some(command))
            {
                known.set_value(command.into());
                is_changed = true;
            }
        }
        if ours.is_empty() {
            let one = json!({
                "type": "command", "command": command, "args": ["hook"],
                "timeout": TIME_OUT_SECONDS
            });
            groups.append(input(&json!({ "matcher": matcher, "hooks": [one] })));
            is_changed = true;
        }
    }
    Ok(is_changed.then(|| ended(&root, text)))
}

/// The text without our hooks, nor what is empty without them.
pub(super) fn remove(text: &str) -> Result<Option<String>, EditError> {
    let root = parse(text)?;
    let Some(object) = root.object_value() else { return Ok(None) };
    let Some(hooks) = object.object_value("hooks") else { return Ok(None) };
    let mut events = Vec::new();
    for event in hooks.properties() {
        let Some(groups) = event.array_value() else { continue };
        let mut is_ours = false;
        for group in groups.elements() {
            let ours = our_commands(&group);
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
pub(super) fn program(text: &str) -> Option<String> {
    let root = parse(text).ok()?;
    let hooks = root.object_value()?.object_value("hooks")?;
    let groups = hooks.properties().into_iter().filter_map(|event| event.array_value());
    let mut ours =
        groups.flat_map(|groups| groups.elements()).flat_map(|group| our_commands(&group));
    text_of(&ours.next()?.get("command")?)
}

/// Our commands in a group.
fn our_commands(group: &CstNode) -> Vec<CstObject> {
    let all = group.as_object().and_then(|group| group.array_value("hooks"));
    let all = all.map(|all| all.elements()).unwrap_or_default();
    let objects = all.iter().filter_map(CstNode::as_object);
    objects.filter(|one| one.to_serde_value().as_ref().is_some_and(is_our_command)).collect()
}

fn is_our_command(one: &Value) -> bool {
    let is_hook = one["args"].get(0).and_then(Value::as_str) == Some("hook");
    is_hook && one["command"].as_str().is_some_and(is_ours)
}

fn text_of(property: &CstObjectProp) -> Option<String> {
    Some(property.value()?.to_serde_value()?.as_str()?.to_owned())
}
