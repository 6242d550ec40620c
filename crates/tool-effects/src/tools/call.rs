//! The effect of one call: the action of its tool, applied to its arguments.

use serde_json::Value;

use foveal_transcript::ToolCall;

use super::command::{command_effect, command_list_effect};
use super::file_changes::{
    edit_effect, edit_or_create_effect, editor_effect, insert_effect, patch_effect,
    search_replace_effect, single_change_effect, write_effect,
};
use super::reads_and_searches::{
    END_LINE_ARGUMENTS, LIMIT_NAMES, OFFSET_NAMES, START_LINE_ARGUMENTS, read_effect,
    read_many_effect, search_effect, window_effect,
};
use super::table::{ToolAction, ToolKind};
use super::tool_names::own_tool_name;
use crate::arguments::{CallArguments, PATH_NAMES};
use crate::effect::{Effect, EffectKind, WriteChange};

/// Returns the effect of `call`. Relative paths start from `directory`, if it is known.
///
/// Unknown names and arguments give [`EffectKind::Other`], commands that cannot be parsed
/// [`EffectKind::Run`]; neither is ever cacheable.
pub fn call_effect(call: &ToolCall, directory: Option<&str>) -> Effect {
    let ToolCall { name, arguments, .. } = call;
    // Some recordings keep the arguments as the JSON text of the provider.
    let parsed = arguments
        .as_str()
        .filter(|text| text.trim_start().starts_with('{'))
        .and_then(|text| serde_json::from_str::<Value>(text).ok());
    let arguments = parsed.as_ref().unwrap_or(arguments);
    if let Some(call) = deferred_tool_call(call, arguments) {
        return call_effect(&call, directory);
    }
    let arguments = CallArguments::new(arguments, directory);
    let server = name.strip_prefix("mcp__").or_else(|| name.strip_prefix("mcp_"));
    let mut effect = match (own_tool_name(name), server) {
        (Some(name), _) => own_tool_effect(name, arguments),
        (None, Some(rest)) => mcp_tool_effect(rest, arguments),
        (None, None) => named_tool_effect(name, arguments),
    };
    effect.is_own = own_tool_name(name).is_some();
    if effect.intent.is_none() {
        effect.intent = arguments.intent();
    }
    if effect.directory.is_none() {
        effect.directory = directory.map(str::to_owned);
    }
    effect
}

/// Returns the call that Qwen Code's `tool_call` makes of a tool of which the model knows only the
/// name.
fn deferred_tool_call(call: &ToolCall, arguments: &Value) -> Option<ToolCall> {
    if call.name != "tool_call" {
        return None;
    }
    let name = arguments.get("name")?.as_str()?.to_owned();
    let arguments = arguments.get("arguments").filter(|inner| inner.is_object())?.clone();
    Some(ToolCall { id: call.id.clone(), name, arguments })
}

/// Returns the effect of one of foveal's tools, some of whose names mean something else than
/// elsewhere.
fn own_tool_effect(name: &str, arguments: CallArguments<'_>) -> Effect {
    match name {
        "bash" => action_effect(ToolAction::PersistentShell, arguments),
        _ => named_tool_effect(name, arguments),
    }
}

fn named_tool_effect(name: &str, arguments: CallArguments<'_>) -> Effect {
    match ToolKind::find_by_name(name).map(|kind| kind.action) {
        Some(ToolAction::Read) if name == "read_file" => match arguments.text(&["mode"]) {
            Some("full") => action_effect(ToolAction::ReadLines, arguments),
            mode => Effect { curated: mode == Some("curated"), ..read_effect(arguments) },
        },
        Some(action) => {
            let trims_start = TRIMMING_SHELLS.contains(&name);
            Effect { trims_start, ..action_effect(action, arguments) }
        }
        None => unlisted_tool_effect(name, arguments),
    }
}

/// The shells of Claude Code, and of Gemini CLI and Qwen Code. These clients drop empty lines at
/// the start of the output.
const TRIMMING_SHELLS: [&str; 2] = ["Bash", "run_shell_command"];

/// Returns the effect of a tool of an MCP server, which is trusted only if its name says that it
/// reads local files.
fn mcp_tool_effect(rest: &str, arguments: CallArguments<'_>) -> Effect {
    let name = rest.rsplit("__").next().unwrap_or(rest);
    let action = ToolKind::find_by_name(name).map(|kind| kind.action);
    let effect = match action {
        Some(
            ToolAction::Read
            | ToolAction::ReadLines
            | ToolAction::ReadMany
            | ToolAction::Search
            | ToolAction::List,
        ) => named_tool_effect(name, arguments),
        Some(
            ToolAction::Write
            | ToolAction::Edit
            | ToolAction::Insert
            | ToolAction::Remove
            | ToolAction::Change,
        ) => Effect {
            kind: EffectKind::Other,
            ..single_change_effect(EffectKind::Edit, arguments, WriteChange::Unknown)
        },
        Some(_) => Effect::default(),
        None => unlisted_tool_effect(name, arguments),
    };
    match effect.kind {
        EffectKind::Other => effect,
        EffectKind::Read if !effect.reads.is_empty() => effect,
        // A server may search anywhere: its answers never count as those of the working tree.
        EffectKind::Search | EffectKind::List => Effect { cacheable: false, ..effect },
        _ => Effect::default(),
    }
}

/// Returns the effect of an unlisted tool: a read if its name and all of its arguments say so.
fn unlisted_tool_effect(name: &str, arguments: CallArguments<'_>) -> Effect {
    let name = name.to_ascii_lowercase();
    let reads = ["read", "view", "cat"].iter().any(|word| {
        name.split(|letter: char| !letter.is_ascii_alphanumeric()).any(|part| {
            part == *word || (*word != "cat" && (part.starts_with(word) || part.ends_with(word)))
        })
    });
    let span = [
        PATH_NAMES,
        START_LINE_ARGUMENTS,
        END_LINE_ARGUMENTS,
        OFFSET_NAMES,
        LIMIT_NAMES,
        &["view_range"],
    ];
    if reads && arguments.path().is_some() && arguments.has_only_arguments(&span) {
        return action_effect(ToolAction::Read, arguments);
    }
    match arguments.command() {
        Some(Value::String(_)) if name.contains("shell") || name.contains("bash") => {
            action_effect(ToolAction::Shell, arguments)
        }
        _ => Effect::default(),
    }
}

fn action_effect(action: ToolAction, arguments: CallArguments<'_>) -> Effect {
    let plain = |kind| Effect { kind, ..Effect::default() };
    match action {
        ToolAction::Read => read_effect(arguments),
        ToolAction::ReadLines => Effect { verbatim: true, ..read_effect(arguments) },
        ToolAction::ReadMany => read_many_effect(arguments),
        ToolAction::MoveWindow => Effect { cacheable: false, ..window_effect(arguments) },
        // The call does not state which lines of the file it prints.
        ToolAction::Outline => window_effect(arguments),
        ToolAction::Search => search_effect(EffectKind::Search, arguments),
        ToolAction::List => search_effect(EffectKind::List, arguments),
        ToolAction::Edit => edit_effect(arguments),
        ToolAction::Write => write_effect(arguments),
        ToolAction::Insert => insert_effect(arguments),
        ToolAction::Remove => {
            single_change_effect(EffectKind::Edit, arguments, WriteChange::Remove)
        }
        ToolAction::Change => {
            single_change_effect(EffectKind::Edit, arguments, WriteChange::Unknown)
        }
        ToolAction::EditOrCreate => edit_or_create_effect(arguments),
        ToolAction::Blocks => search_replace_effect(arguments),
        ToolAction::Patch => patch_effect(arguments),
        ToolAction::Editor => editor_effect(arguments),
        ToolAction::Shell => command_effect(arguments, false),
        ToolAction::Commands => command_list_effect(arguments),
        ToolAction::PersistentShell => command_effect(arguments, true),
        ToolAction::Run => plain(EffectKind::Run),
        ToolAction::Fetch => Effect { cacheable: true, ..plain(EffectKind::Fetch) },
        ToolAction::Expand => Effect { verbatim: true, ..plain(EffectKind::Other) },
        ToolAction::Other => plain(EffectKind::Other),
    }
}
