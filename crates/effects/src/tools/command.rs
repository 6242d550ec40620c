//! Tools that run a command line.

use serde_json::Value;

use crate::arguments::Arguments;
use crate::effect::{Effect, EffectKind, Output};
use crate::{path, shell};

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
