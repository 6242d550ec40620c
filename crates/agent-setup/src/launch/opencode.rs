//! Launches opencode with settings in an environment variable, which override those in files.

use std::path::{Path, PathBuf};

use foveal_gateway::upstream_selection::strip_secrets;
use serde_json::{Map, Value, json};

use super::launch_plan::{GATEWAY, LaunchPlan, LaunchRequest, WrapError};
use crate::agent_paths::opencode_folder;
use crate::agent_settings::read_json_file;
use crate::user_environment::UserEnvironment;

pub(crate) const CONTENT: &str = "OPENCODE_CONFIG_CONTENT";

/// The names of the settings files in the user's folder, the strongest first. opencode reads all
/// that exist.
const USER_FILES: [&str; 3] = ["opencode.jsonc", "opencode.json", "config.json"];

/// The names of the settings files in other folders, the strongest first.
const PROJECT_FILES: [&str; 2] = ["opencode.jsonc", "opencode.json"];

/// The providers that need no address in the settings: name, suffix of the gateway's address, and
/// the variable of the API key, which shows that the provider is in use.
pub(crate) const BUILT_IN_PROVIDERS: [(&str, &str, &str); 4] = [
    ("anthropic", "/v1", "ANTHROPIC_API_KEY"),
    ("openai", "/v1", "OPENAI_API_KEY"),
    ("google", "/v1beta", "GEMINI_API_KEY"),
    ("openrouter", "/openrouter/v1", "OPENROUTER_API_KEY"),
];

pub(crate) fn plan_launch(asked: &LaunchRequest<'_>) -> Result<LaunchPlan, WrapError> {
    let mut all = vec![read_user_content(asked)?];
    let mut places = vec![None];
    let own = opencode_folder(asked.environment);
    for path in settings_files(Some(asked.folder), asked.environment) {
        all.push(read_json_file(&path)?);
        let is_own = own.as_ref().is_some_and(|own| path.starts_with(own));
        places.push(Some(path).filter(|_| !is_own));
    }
    let mut plan = LaunchPlan::new(asked.upstreams.clone());
    let mut told = Map::new();
    for name in used_providers(asked, &all) {
        let set = all.iter().zip(&places).find_map(|(one, place)| {
            Some((one["provider"][&name]["options"]["baseURL"].as_str()?, place))
        });
        if let Some((set, Some(place))) = set.filter(|_| !plan.upstreams.has_default()) {
            let (set, place) = (strip_secrets(set), place.display());
            plan.remarks.push(format!("opencode uses `{name}` at {set}, as set in {place}"));
        }
        let built_in = BUILT_IN_PROVIDERS.iter().find(|(known, ..)| *known == name);
        let address = match (set, built_in) {
            (Some((set, _)), _) => plan.plan_provider_address(&name, set)?,
            (None, Some((_, behind, _))) if !plan.upstreams.has_default() => {
                format!("{GATEWAY}{behind}")
            }
            (None, Some(_)) => format!("{GATEWAY}/v1"),
            (None, None) => {
                plan.bypassing.push(format!("the provider `{name}`, whose address is not known"));
                continue;
            }
        };
        told.insert(name, json!({ "options": { "baseURL": address } }));
    }
    if told.is_empty() {
        return Err(WrapError::Agent(
            "cannot tell which provider opencode uses: specify a model, as in \
             -m anthropic/claude-sonnet-5"
                .to_owned(),
        ));
    }
    let mut content = all.swap_remove(0);
    merge_json(&mut content, &json!({ "provider": told }));
    plan.variables.push((CONTENT, content.to_string()));
    Ok(plan)
}

/// Returns the settings that the user has put in the same variable.
fn read_user_content(asked: &LaunchRequest<'_>) -> Result<Value, WrapError> {
    let Some(text) = asked.environment.agent_variable(CONTENT) else { return Ok(json!({})) };
    let read = serde_json::from_str::<Value>(text).ok().filter(Value::is_object);
    read.ok_or_else(|| WrapError::Agent(format!("{CONTENT} is not a JSON object")))
}

/// Returns the settings files, the strongest first: those in `.opencode` folders and in the folder
/// that a variable names, those of the project up to the root of its repository, and those of the
/// user.
pub(crate) fn settings_files(folder: Option<&Path>, environment: &UserEnvironment) -> Vec<PathBuf> {
    let told = |name: &str| environment.agent_variable(name).map(PathBuf::from);
    let mut project: Vec<&Path> = Vec::new();
    for folder in folder.into_iter().flat_map(Path::ancestors) {
        project.push(folder);
        if folder.join(".git").exists() {
            break;
        }
    }
    let mut places: Vec<PathBuf> = Vec::new();
    let home = environment.home.as_deref();
    for folder in project.iter().copied().chain(home) {
        places.extend(PROJECT_FILES.map(|name| folder.join(".opencode").join(name)));
    }
    if let Some(folder) = told("OPENCODE_CONFIG_DIR") {
        places.extend(PROJECT_FILES.map(|name| folder.join(name)));
    }
    places.extend(project.iter().flat_map(|folder| PROJECT_FILES.map(|name| folder.join(name))));
    places.extend(told("OPENCODE_CONFIG"));
    if let Some(own) = opencode_folder(environment) {
        places.extend(USER_FILES.map(|name| own.join(name)));
    }
    places.retain(|path| path.is_file());
    places
}

/// Returns the providers in use: those in the settings, those of the chosen models, and those with
/// a key or a login. opencode would merely list any other.
fn used_providers(asked: &LaunchRequest<'_>, all: &[Value]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for settings in all {
        found.extend(settings["provider"].as_object().into_iter().flat_map(Map::keys).cloned());
        for key in ["model", "small_model"] {
            found.extend(settings[key].as_str().and_then(model_provider));
        }
    }
    let mut arguments = asked.arguments.iter();
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "-m" | "--model" => {
                found.extend(arguments.next().and_then(|name| model_provider(name)));
            }
            one => found.extend(one.strip_prefix("--model=").and_then(model_provider)),
        }
    }
    found.extend(authenticated_providers(asked.environment));
    // opencode's own models, which another service provides.
    found.retain(|name| name != "opencode");
    found.sort_unstable();
    found.dedup();
    found
}

/// Returns the providers with a key or a login.
pub(crate) fn authenticated_providers(environment: &UserEnvironment) -> Vec<String> {
    let has_key = |(_, _, key): &&(&str, &str, &str)| environment.agent_variable(key).is_some();
    let with_key = BUILT_IN_PROVIDERS.iter().filter(has_key).map(|(name, ..)| (*name).to_owned());
    let logins = environment.data_folder().map(|data| data.join("opencode/auth.json"));
    let logins = logins.and_then(|path| read_json_file(&path).ok()).unwrap_or_default();
    // Only the names of the providers are taken from the file of logins.
    let logins: Vec<String> = logins.as_object().into_iter().flat_map(Map::keys).cloned().collect();
    with_key.chain(logins).filter(|name| name != "opencode").collect()
}

fn model_provider(model: &str) -> Option<String> {
    model.split_once('/').map(|(provider, _)| provider.to_owned())
}

/// Merges `over` into `under`. Values of `over` take precedence.
fn merge_json(under: &mut Value, over: &Value) {
    match (under.as_object_mut(), over.as_object()) {
        (Some(under), Some(over)) => {
            for (key, value) in over {
                merge_json(under.entry(key).or_insert(Value::Null), value);
            }
        }
        _ => *under = over.clone(),
    }
}
