//! Launches Claude Code by environment variables, which its settings override.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::launch_plan::{GATEWAY, LaunchPlan, LaunchRequest, WrapError};
use crate::agent_paths::claude_settings_path;
use crate::agent_settings::read_json_file;
use crate::user_environment::UserEnvironment;

const ADDRESS: &str = "ANTHROPIC_BASE_URL";

/// The features that Claude Code enables only at Anthropic's own address, and the variables that
/// enable them elsewhere: tool search, and streaming of tool arguments
/// (code.claude.com/docs/en/llm-gateway-protocol).
pub(crate) const ANTHROPIC_FEATURES: [(&str, &str); 2] =
    [("ENABLE_TOOL_SEARCH", "true"), ("CLAUDE_CODE_ENABLE_FINE_GRAINED_TOOL_STREAMING", "1")];

/// The variables that make Claude Code use another cloud with that cloud's own protocol.
const CLOUD_VARIABLES: [&str; 5] = [
    "CLAUDE_CODE_USE_BEDROCK",
    "CLAUDE_CODE_USE_VERTEX",
    "CLAUDE_CODE_USE_FOUNDRY",
    "CLAUDE_CODE_USE_MANTLE",
    "CLAUDE_CODE_USE_ANTHROPIC_AWS",
];

/// The settings files that no argument overrides.
pub(crate) const MANAGED_SETTINGS: [&str; 2] = [
    "/etc/claude-code/managed-settings.json",
    "/Library/Application Support/ClaudeCode/managed-settings.json",
];

/// Returns whether Claude Code treats the value of a variable as true.
fn is_truthy(value: &str) -> bool {
    !matches!(value.trim().to_ascii_lowercase().as_str(), "" | "0" | "false" | "no" | "off")
}

pub(crate) fn plan_launch(asked: &LaunchRequest<'_>) -> Result<LaunchPlan, WrapError> {
    let files = read_settings_files(asked)?;
    let managed = MANAGED_SETTINGS.map(PathBuf::from);
    let managed: Vec<Value> =
        managed.iter().map(|path| read_json_file(path)).collect::<Result<_, _>>()?;
    let set = |name: &str| -> Option<String> {
        let of_file = files.iter().chain(&managed).find_map(|file| settings_variable(file, name));
        of_file.or_else(|| asked.environment.agent_variable(name).map(str::to_owned))
    };
    if let Some(cloud) =
        CLOUD_VARIABLES.into_iter().find(|cloud| set(cloud).is_some_and(|value| is_truthy(&value)))
    {
        return Err(WrapError::Agent(format!(
            "Claude Code is configured for another cloud ({cloud}): `foveal wrap` does not support \
             this; use `foveal serve --upstream` if that cloud's requests are not signed"
        )));
    }
    if managed.iter().any(|file| settings_variable(file, ADDRESS).is_some()) {
        return Err(WrapError::Agent(format!(
            "your organisation's Claude Code settings set {ADDRESS}, and cannot be overridden"
        )));
    }
    let mut plan = LaunchPlan::new(asked.upstreams.clone());
    let of_files = files.iter().find_map(|file| settings_variable(file, ADDRESS));
    let address = plan.plan_single_address(set(ADDRESS).as_deref(), "")?;
    if of_files.is_some() {
        if asked.arguments.iter().any(|one| one.split('=').next() == Some("--settings")) {
            return Err(WrapError::Agent(format!(
                "its settings set {ADDRESS}, which foveal can override only with its own \
                 --settings argument: move the contents of yours to a settings file"
            )));
        }
        let overruled = json!({ "env": { ADDRESS: address } }).to_string();
        plan.arguments.extend(["--settings".to_owned(), overruled]);
    }
    plan.variables.push((ADDRESS, address));
    plan.replaces_vendor_api = uses_anthropic_api(&plan);
    if plan.replaces_vendor_api {
        for (name, value) in ANTHROPIC_FEATURES.into_iter().filter(|(name, _)| set(name).is_none())
        {
            plan.variables.push((name, value.to_owned()));
        }
    }
    debug_assert!(plan.variables[0].1.starts_with(GATEWAY), "the gateway is told first");
    Ok(plan)
}

/// Returns whether requests go to Anthropic itself, which supports every feature of Claude Code.
fn uses_anthropic_api(plan: &LaunchPlan) -> bool {
    let every = plan.upstreams.default_address();
    every.is_none_or(|every| every.starts_with("https://api.anthropic.com"))
}

/// Reads the settings files that override variables, the strongest first.
fn read_settings_files(asked: &LaunchRequest<'_>) -> Result<Vec<Value>, WrapError> {
    let places = settings_paths(Some(asked.folder), asked.environment);
    Ok(places.iter().map(|path| read_json_file(path)).collect::<Result<_, _>>()?)
}

fn settings_paths(folder: Option<&Path>, environment: &UserEnvironment) -> Vec<PathBuf> {
    let own = folder.map(|folder| folder.join(".claude")).into_iter();
    let of_project =
        own.flat_map(|own| [own.join("settings.local.json"), own.join("settings.json")]);
    of_project.chain(claude_settings_path(environment)).collect()
}

/// Returns the variables of [`ANTHROPIC_FEATURES`] that are not set. Unreadable files count as
/// empty.
pub(crate) fn unset_feature_variables(
    environment: &UserEnvironment,
    folder: Option<&Path>,
) -> Vec<&'static str> {
    let managed = MANAGED_SETTINGS.map(PathBuf::from).into_iter();
    let places = settings_paths(folder, environment).into_iter().chain(managed);
    let files: Vec<Value> = places.map(|path| read_json_file(&path).unwrap_or_default()).collect();
    let is_set = |name: &str| {
        files.iter().any(|file| settings_variable(file, name).is_some())
            || environment.agent_variable(name).is_some()
    };
    ANTHROPIC_FEATURES.iter().map(|(name, _)| *name).filter(|name| !is_set(name)).collect()
}

fn settings_variable(settings: &Value, name: &str) -> Option<String> {
    let value = settings["env"].get(name)?;
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    (!text.is_empty()).then_some(text)
}
