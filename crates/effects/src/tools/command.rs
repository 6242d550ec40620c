//! Tools that run a command line.

use serde_json::Value;

use crate::arguments::Arguments;
use crate::effect::{Effect, EffectKind, Output};
use crate::{path, shell};

/// Several command lines, one after the other.
pub(super) fn commands(arguments: Arguments<'_>) -> Effect {
    let list = arguments.list(&["commands"]).unwrap_or_default();
    let line = |command: &Value| match command {
        Value::String(line) => Some(line.clone()),
        other => other.get("command")?.as_str().map(str::to_owned),
    };
    let lines: Option<Vec<String>> = list.iter().map(line).collect();
    match lines {
        Some(lines) if !lines.is_empty() => {
            let effect = shell::effect(&lines.join("\n"), arguments.directory);
            Effect { directory_after: None, ..effect }
        }
        _ => Effect { kind: EffectKind::Run, ..Effect::default() },
    }
}

pub(super) fn command(arguments: Arguments<'_>, lasting: bool) -> Effect {
    let given = arguments.text(&["workdir", "working_directory", "cwd", "directory", "dir_path"]);
    let directory = given.map(|given| path::resolve(given, arguments.directory));
    let directory = directory.as_deref().or(arguments.directory);
    let line = match arguments.command() {
        Some(Value::String(line)) => line.clone(),
        Some(Value::Array(words)) => shell::joined(words),
        _ => arguments.plain().unwrap_or_default().to_owned(),
    };
    let mut effect = shell::effect(&line, directory);
    if !lasting {
        effect.directory_after = None;
    } else if effect.directory_after.is_some() {
        // Skipped, the call would leave the shell where it was.
        effect.cacheable = false;
    }
    if arguments.flag(&["run_in_background", "is_background", "isBackground"]) {
        // The result only says that it was started.
        effect.kind = EffectKind::Run;
        effect.cacheable = false;
        effect.output = vec![Output::Unknown];
    }
    effect
}
