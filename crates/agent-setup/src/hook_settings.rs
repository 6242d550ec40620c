//! Hook settings of agents: `hooks.EVENT` is a list of groups, each with a matcher for tools and a
//! list of commands.

use jsonc_parser::cst::{CstNode, CstObject};
use serde_json::{Value, json};

use super::foveal_entry::{EditError, is_foveal_command};
use super::json_servers::{
    comment_count, is_empty, parse_tree, root_object, text_unless_comment_lost,
    text_with_final_newline, to_cst_input,
};
use super::shell_quoting::{shell_quote, shell_unquote};

/// An agent's format of hook settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct HookSettingsFormat {
    /// The events for foveal's hook, each with its matcher for tools or reasons.
    pub(crate) events: &'static [(&'static str, &'static str)],
    pub(crate) command: HookCommandForm,
    /// The unit of time-outs, in milliseconds.
    pub(crate) timeout_unit_ms: u32,
}

/// The form of a hook's command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HookCommandForm {
    /// A program and its arguments.
    Arguments,
    /// A line of a shell, in which foveal is told the agent's name.
    ShellLine(&'static str),
}

impl HookSettingsFormat {
    /// Returns the hook entry for a program.
    fn hook_entry(self, program: &str) -> Value {
        let timeout = TIME_OUT_MS / self.timeout_unit_ms;
        match self.command {
            HookCommandForm::Arguments => json!({
                "type": "command", "command": program, "args": ["hook"], "timeout": timeout
            }),
            HookCommandForm::ShellLine(agent) => json!({
                "type": "command",
                "command": format!("{} hook {agent}", shell_quote(program)),
                "timeout": timeout
            }),
        }
    }

    /// Returns the program that a hook entry runs, if it is foveal.
    fn foveal_program(self, command: &Value) -> Option<String> {
        let line = command["command"].as_str()?;
        let program = match self.command {
            HookCommandForm::Arguments => {
                let is_hook = command["args"].get(0).and_then(Value::as_str) == Some("hook");
                is_hook.then(|| line.to_owned())?
            }
            HookCommandForm::ShellLine(agent) => {
                shell_unquote(line.strip_suffix(agent)?.strip_suffix(" hook ")?)
            }
        };
        is_foveal_command(&program).then_some(program)
    }
}

/// The time after which agents continue without an answer, in milliseconds.
const TIME_OUT_MS: u32 = 3_000;

/// The time-out that earlier versions wrote. Other values are the user's own.
const OLD_TIME_OUT_MS: u32 = 10_000;

/// The matchers that earlier versions wrote.
const OLD_MATCHERS: [&str; 1] = ["Read|Bash|Grep"];

/// Returns the text with foveal's hooks; `None` if it has them all.
pub(crate) fn add_hooks(
    text: &str,
    format: HookSettingsFormat,
    program: &str,
) -> Result<Option<String>, EditError> {
    let root = parse_tree(text)?;
    let object = root_object(&root)?;
    let wrong = |key: String, expected| EditError::WrongType { key, expected };
    let hooks = object
        .object_value_or_create("hooks")
        .ok_or_else(|| wrong("hooks".to_owned(), "an object"))?;
    let mut is_changed = false;
    let command = format.hook_entry(program);
    for (event, matcher) in format.events {
        let groups = hooks
            .array_value_or_create(event)
            .ok_or_else(|| wrong(format!("hooks.{event}"), "a list"))?;
        let mut is_there = false;
        for group in groups.elements() {
            let ours = foveal_entries(&group, format);
            is_there |= !ours.is_empty();
            for one in &ours {
                is_changed |= update_entry(one, &command, format);
            }
            is_changed |= update_matcher(&group, ours.len(), matcher);
        }
        if !is_there {
            groups.append(to_cst_input(&json!({ "matcher": matcher, "hooks": [command] })));
            is_changed = true;
        }
    }
    Ok(is_changed.then(|| text_with_final_newline(&root, text)))
}

/// Updates the program of a foveal hook, and its time-out if an earlier version wrote it. Returns
/// whether anything changed.
fn update_entry(one: &CstObject, wanted: &Value, format: HookSettingsFormat) -> bool {
    let time_before = json!(OLD_TIME_OUT_MS / format.timeout_unit_ms);
    let mut is_changed = false;
    for (key, is_old) in [
        ("command", property_value(one, "command").as_ref() != Some(&wanted["command"])),
        ("timeout", property_value(one, "timeout") == Some(time_before)),
    ] {
        if let Some(known) = one.get(key).filter(|_| is_old) {
            known.set_value(to_cst_input(&wanted[key]));
            is_changed = true;
        }
    }
    is_changed
}

/// Updates the matcher of a group if an earlier version wrote it and all commands of the group are
/// foveal's. `ours` is the number of these. Returns whether anything changed.
fn update_matcher(group: &CstNode, ours: usize, matcher: &str) -> bool {
    let Some(group) = group.as_object() else { return false };
    let all = group.array_value("hooks").map_or(0, |all| all.elements().len());
    let known = property_value(&group, "matcher");
    let is_before = known
        .as_ref()
        .and_then(Value::as_str)
        .is_some_and(|known| known != matcher && OLD_MATCHERS.contains(&known));
    let Some(property) = group.get("matcher").filter(|_| is_before && ours > 0 && ours == all)
    else {
        return false;
    };
    property.set_value(matcher.into());
    true
}

fn property_value(object: &CstObject, key: &str) -> Option<Value> {
    object.get(key)?.value()?.to_serde_value()
}

/// Returns the text without foveal's hooks and the objects that become empty; `None` if there are
/// none.
pub(crate) fn remove_hooks(
    text: &str,
    format: HookSettingsFormat,
) -> Result<Option<String>, EditError> {
    let root = parse_tree(text)?;
    let Some(object) = root.object_value() else { return Ok(None) };
    let Some(hooks) = object.object_value("hooks") else { return Ok(None) };
    let mut events = Vec::new();
    for event in hooks.properties() {
        let Some(groups) = event.array_value() else { continue };
        let mut is_ours = false;
        for group in groups.elements() {
            let ours = foveal_entries(&group, format);
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
    let (with_empty, comments) = (root.to_string(), comment_count(&root));
    for (event, groups) in events {
        if groups.elements().is_empty() {
            event.remove();
        }
    }
    if let Some(own) = object.get("hooks").filter(|_| is_empty(&hooks)) {
        own.remove();
    }
    Ok(Some(text_unless_comment_lost(&root, comments, with_empty)))
}

/// Returns the program that foveal's hooks run.
pub(crate) fn installed_program(text: &str, format: HookSettingsFormat) -> Option<String> {
    let root = parse_tree(text).ok()?;
    let hooks = root.object_value()?.object_value("hooks")?;
    let groups = hooks.properties().into_iter().filter_map(|event| event.array_value());
    let mut ours = groups
        .flat_map(|groups| groups.elements())
        .flat_map(|group| foveal_entries(&group, format));
    format.foveal_program(&ours.next()?.to_serde_value()?)
}

/// Returns foveal's hook entries in a group.
fn foveal_entries(group: &CstNode, format: HookSettingsFormat) -> Vec<CstObject> {
    let all = group.as_object().and_then(|group| group.array_value("hooks"));
    let all = all.map(|all| all.elements()).unwrap_or_default();
    let objects = all.iter().filter_map(CstNode::as_object);
    let is_ours = |one: &CstObject| {
        one.to_serde_value().is_some_and(|one| format.foveal_program(&one).is_some())
    };
    objects.filter(is_ours).collect()
}
