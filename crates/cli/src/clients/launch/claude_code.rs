//! Claude Code: variables, which its settings overrule.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::plan::{Asked, CannotWrap, GATEWAY, Plan};
use crate::clients::settings::read_json;
use crate::environment::Environment;

const ADDRESS: &str = "ANTHROPIC_BASE_URL";

/// What Claude Code does of itself only where it asks Anthropic directly, and how it is had back:
/// tools that are looked for when they are needed, and their arguments as they are written
/// (code.claude.com/docs/en/llm-gateway-protocol).
pub(in crate::clients) const OF_ANTHROPIC: [(&str, &str); 2] =
    [("ENABLE_TOOL_SEARCH", "true"), ("CLAUDE_CODE_ENABLE_FINE_GRAINED_TOOL_STREAMING", "1")];

/// By which it is told to ask another cloud, in that one's own way.
const CLOUDS: [&str; 5] = [
    "CLAUDE_CODE_USE_BEDROCK",
    "CLAUDE_CODE_USE_VERTEX",
    "CLAUDE_CODE_USE_FOUNDRY",
    "CLAUDE_CODE_USE_MANTLE",
    "CLAUDE_CODE_USE_ANTHROPIC_AWS",
];

/// Settings that no argument overrules.
pub(in crate::clients) const MANAGED: [&str; 2] = [
    "/etc/claude-code/managed-settings.json",
    "/Library/Application Support/ClaudeCode/managed-settings.json",
];

/// Whether Claude Code takes a variable for a yes.
fn is_on(value: &str) -> bool {
    !matches!(value.trim().to_ascii_lowercase().as_str(), "" | "0" | "false" | "no" | "off")
}

pub(super) fn plan(asked: &Asked<'_>) -> Result<Plan, CannotWrap> {
    let files = settings_files(asked)?;
    let managed = MANAGED.map(PathBuf::from);
    let managed: Vec<Value> =
        managed.iter().map(|path| read_json(path)).collect::<Result<_, _>>()?;
    let set = |name: &str| -> Option<String> {
        let of_file = files.iter().chain(&managed).find_map(|file| variable(file, name));
        of_file.or_else(|| asked.environment.told(name).map(str::to_owned))
    };
    if let Some(cloud) =
        CLOUDS.into_iter().find(|cloud| set(cloud).is_some_and(|value| is_on(&value)))
    {
        return Err(CannotWrap::Agent(format!(
            "Claude Code is told to ask another cloud ({cloud}): foveal cannot be put between for \
             one run; `foveal serve --upstream` can, where that cloud's requests are not signed"
        )));
    }
    if managed.iter().any(|file| variable(file, ADDRESS).is_some()) {
        return Err(CannotWrap::Agent(format!(
            "your organisation's settings of Claude Code say {ADDRESS}, and nothing overrules them"
        )));
    }
    let mut plan = Plan::new(asked.given.clone());
    let of_files = files.iter().find_map(|file| variable(file, ADDRESS));
    let address = plan.one_address(set(ADDRESS).as_deref(), "")?;
    if of_files.is_some() {
        if asked.arguments.iter().any(|one| one.split('=').next() == Some("--settings")) {
            return Err(CannotWrap::Agent(format!(
                "its settings say {ADDRESS}, and foveal can overrule that only by an argument \
                 --settings of its own: put what yours says into a file of settings"
            )));
        }
        let overruled = json!({ "env": { ADDRESS: address } }).to_string();
        plan.arguments.extend(["--settings".to_owned(), overruled]);
    }
    plan.variables.push((ADDRESS, address));
    plan.replaces_maker = asks_anthropic(&plan);
    if plan.replaces_maker {
        for (name, value) in OF_ANTHROPIC.into_iter().filter(|(name, _)| set(name).is_none()) {
            plan.variables.push((name, value.to_owned()));
        }
    }
    debug_assert!(plan.variables[0].1.starts_with(GATEWAY), "the gateway is told first");
    Ok(plan)
}

/// Whether requests go to Anthropic itself, which knows all that Claude Code can ask for.
fn asks_anthropic(plan: &Plan) -> bool {
    let every = plan.given.every_address();
    every.is_none_or(|every| every.starts_with("https://api.anthropic.com"))
}

/// The settings that overrule variables, the strongest first.
fn settings_files(asked: &Asked<'_>) -> Result<Vec<Value>, CannotWrap> {
    let places = settings_places(Some(asked.folder), asked.environment);
    Ok(places.iter().map(|path| read_json(path)).collect::<Result<_, _>>()?)
}

fn settings_places(folder: Option<&Path>, environment: &Environment) -> Vec<PathBuf> {
    let own = folder.map(|folder| folder.join(".claude")).into_iter();
    let of_project =
        own.flat_map(|own| [own.join("settings.local.json"), own.join("settings.json")]);
    let of_user = environment.claude_folder().map(|folder| folder.join("settings.json"));
    of_project.chain(of_user).collect()
}

/// Returns the variables of [`OF_ANTHROPIC`] that are set nowhere. A file that cannot be read sets
/// none.
pub(in crate::clients) fn unset_variables(
    environment: &Environment,
    folder: Option<&Path>,
) -> Vec<&'static str> {
    let managed = MANAGED.map(PathBuf::from).into_iter();
    let places = settings_places(folder, environment).into_iter().chain(managed);
    let files: Vec<Value> = places.map(|path| read_json(&path).unwrap_or_default()).collect();
    let is_set = |name: &str| {
        files.iter().any(|file| variable(file, name).is_some()) || environment.told(name).is_some()
    };
    OF_ANTHROPIC.iter().map(|(name, _)| *name).filter(|name| !is_set(name)).collect()
}

fn variable(settings: &Value, name: &str) -> Option<String> {
    let value = settings["env"].get(name)?;
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    (!text.is_empty()).then_some(text)
}
