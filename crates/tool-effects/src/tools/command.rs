//! The effects of tools that run command lines.

use serde_json::Value;

use crate::arguments::CallArguments;
use crate::effect::{Effect, EffectKind, OutputPart};
use crate::{path, shell};

/// Returns the effect of several command lines in sequence.
pub(super) fn command_list_effect(arguments: CallArguments<'_>) -> Effect {
    let list = arguments.list(&["commands"]).unwrap_or_default();
    let line = |command: &Value| match command {
        Value::String(line) => Some(line.clone()),
        other => other.get("command")?.as_str().map(str::to_owned),
    };
    let lines: Option<Vec<String>> = list.iter().map(line).collect();
    match lines {
        Some(lines) if !lines.is_empty() => {
            let effect = shell::command_line_effect(&lines.join("\n"), arguments.directory);
            Effect { directory_after: None, ..effect }
        }
        _ => Effect { kind: EffectKind::Run, ..Effect::default() },
    }
}

pub(super) fn command_effect(arguments: CallArguments<'_>, lasting: bool) -> Effect {
    let given = arguments.text(&["workdir", "working_directory", "cwd", "directory", "dir_path"]);
    let directory = given.map(|given| path::resolve(given, arguments.directory));
    let directory = directory.as_deref().or(arguments.directory);
    let line = match arguments.command() {
        Some(Value::String(line)) => line.clone(),
        Some(Value::Array(words)) => shell::join_arguments(words),
        _ => arguments.as_text().unwrap_or_default().to_owned(),
    };
    let mut effect = shell::command_line_effect(&line, directory);
    if !lasting {
        effect.directory_after = None;
    } else if effect.directory_after.is_some() {
        // If the call were skipped, the shell would stay in its old directory.
        effect.cacheable = false;
    }
    if arguments.flag(&["run_in_background", "is_background", "isBackground"]) {
        // The result only says that the command was started.
        effect.kind = EffectKind::Run;
        effect.cacheable = false;
        effect.output = vec![OutputPart::Unknown];
    }
    effect
}
