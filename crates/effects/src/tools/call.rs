//! What one call does: its tool's kind, applied to its arguments.

use serde_json::Value;

use foveal_transcript::Call;

use super::change::{blocks, changed, edit, edit_or_create, editor, insert, patched, write};
use super::command::{command, commands};
use super::look::{FIRST, LAST, LIMIT, OFFSET, read, read_many, search, window};
use super::names::own_name;
use super::table::{Action, ToolKind};
use crate::arguments::{Arguments, PATH};
use crate::effect::{Change, Effect, EffectKind};

/// The effect of `call`, relative paths taken from `directory` where it is known.
///
/// Names and arguments no agent is known to use give [`EffectKind::Other`], commands that
/// are not understood [`EffectKind::Run`]; neither is ever cacheable.
pub fn effect_of(call: &Call, directory: Option<&str>) -> Effect {
    let Call { name, arguments, .. } = call;
    // Some recordings keep the arguments as the JSON text the provider sent.
    let parsed = arguments
        .as_str()
        .filter(|text| text.trim_start().starts_with('{'))
        .and_then(|text| serde_json::from_str::<Value>(text).ok());
    let arguments = parsed.as_ref().unwrap_or(arguments);
    if let Some(call) = passed_on(call, arguments) {
        return effect_of(&call, directory);
    }
    let arguments = Arguments::new(arguments, directory);
    let server = name.strip_prefix("mcp__").or_else(|| name.strip_prefix("mcp_"));
    let mut effect = match (own_name(name), server) {
        (Some(name), _) => own_tool(name, arguments),
        (None, Some(rest)) => server_tool(rest, arguments),
        (None, None) => named_tool(name, arguments),
    };
    effect.is_own = own_name(name).is_some();
    if effect.intent.is_none() {
        effect.intent = arguments.intent();
    }
    if effect.directory.is_none() {
        effect.directory = directory.map(str::to_owned);
    }
    effect
}

/// The call that Qwen Code's `tool_call` makes of a tool that is only named to the model.
fn passed_on(call: &Call, arguments: &Value) -> Option<Call> {
    if call.name != "tool_call" {
        return None;
    }
    let name = arguments.get("name")?.as_str()?.to_owned();
    let arguments = arguments.get("arguments").filter(|inner| inner.is_object())?.clone();
    Some(Call { id: call.id.clone(), name, arguments })
}

/// One of foveal's tools, for which some names stand for something else than elsewhere.
fn own_tool(name: &str, arguments: Arguments<'_>) -> Effect {
    match name {
        "bash" => of_action(Action::LastingShell, arguments),
        _ => named_tool(name, arguments),
    }
}

fn named_tool(name: &str, arguments: Arguments<'_>) -> Effect {
    match ToolKind::of(name).map(|kind| kind.action) {
        Some(Action::Read) if name == "read_file" && arguments.text(&["mode"]) == Some("full") => {
            of_action(Action::ReadLines, arguments)
        }
        Some(action) => {
            let trims_start = TRIMMING_SHELLS.contains(&name);
            Effect { trims_start, ..of_action(action, arguments) }
        }
        None => unlisted(name, arguments),
    }
}

/// The shells of Claude Code, and of Gemini CLI and Qwen Code: of their output the clients leave out
/// empty lines at the start.
const TRIMMING_SHELLS: [&str; 2] = ["Bash", "run_shell_command"];

/// A tool of an MCP server: trusted only where its name says that it reads local files.
fn server_tool(rest: &str, arguments: Arguments<'_>) -> Effect {
    let name = rest.rsplit("__").next().unwrap_or(rest);
    let action = ToolKind::of(name).map(|kind| kind.action);
    let effect = match action {
        Some(
            Action::Read | Action::ReadLines | Action::ReadMany | Action::Search | Action::List,
        ) => named_tool(name, arguments),
        Some(Action::Write | Action::Edit | Action::Insert | Action::Remove | Action::Change) => {
            Effect {
                kind: EffectKind::Other,
                ..changed(EffectKind::Edit, arguments, Change::Unknown)
            }
        }
        Some(_) => Effect::default(),
        None => unlisted(name, arguments),
    };
    match effect.kind {
        EffectKind::Other => effect,
        EffectKind::Read if !effect.reads.is_empty() => effect,
        // A server may look anywhere: its answers are never taken for the working tree's.
        EffectKind::Search | EffectKind::List => Effect { cacheable: false, ..effect },
        _ => Effect::default(),
    }
}

/// A tool nobody listed: a read if its name and all of its arguments say so.
fn unlisted(name: &str, arguments: Arguments<'_>) -> Effect {
    let name = name.to_ascii_lowercase();
    let reads = ["read", "view", "cat"].iter().any(|word| {
        name.split(|letter: char| !letter.is_ascii_alphanumeric()).any(|part| {
            part == *word || (*word != "cat" && (part.starts_with(word) || part.ends_with(word)))
        })
    });
    let span = [PATH, FIRST, LAST, OFFSET, LIMIT, &["view_range"]];
    if reads && arguments.path().is_some() && arguments.only(&span) {
        return of_action(Action::Read, arguments);
    }
    match arguments.command() {
        Some(Value::String(_)) if name.contains("shell") || name.contains("bash") => {
            of_action(Action::Shell, arguments)
        }
        _ => Effect::default(),
    }
}

fn of_action(action: Action, arguments: Arguments<'_>) -> Effect {
    let plain = |kind| Effect { kind, ..Effect::default() };
    match action {
        Action::Read => read(arguments),
        Action::ReadLines => Effect { verbatim: true, ..read(arguments) },
        Action::ReadMany => read_many(arguments),
        Action::MoveWindow => Effect { cacheable: false, ..window(arguments) },
        // Which of the file's lines it prints is not told by the call.
        Action::Outline => window(arguments),
        Action::Search => search(EffectKind::Search, arguments),
        Action::List => search(EffectKind::List, arguments),
        Action::Edit => edit(arguments),
        Action::Write => write(arguments),
        Action::Insert => insert(arguments),
        Action::Remove => changed(EffectKind::Edit, arguments, Change::Remove),
        Action::Change => changed(EffectKind::Edit, arguments, Change::Unknown),
        Action::EditOrCreate => edit_or_create(arguments),
        Action::Blocks => blocks(arguments),
        Action::Patch => patched(arguments),
        Action::Editor => editor(arguments),
        Action::Shell => command(arguments, false),
        Action::Commands => commands(arguments),
        Action::LastingShell => command(arguments, true),
        Action::Run => plain(EffectKind::Run),
        Action::Fetch => Effect { cacheable: true, ..plain(EffectKind::Fetch) },
        Action::Expand => Effect { verbatim: true, ..plain(EffectKind::Other) },
        Action::Other => plain(EffectKind::Other),
    }
}
