//! opencode: settings in a variable, which are laid over those in files.

use std::path::{Path, PathBuf};

use foveal_gateway::upstream::without_secrets;
use serde_json::{Map, Value, json};

use super::plan::{Asked, CannotWrap, GATEWAY, Plan};
use crate::clients::settings::read_json;
use crate::environment::Environment;

pub(in crate::clients) const CONTENT: &str = "OPENCODE_CONFIG_CONTENT";

/// Names of its files of settings in the user's folder, the strongest first: all that there are
/// are read.
const FILES: [&str; 3] = ["opencode.jsonc", "opencode.json", "config.json"];

/// The same elsewhere.
const PROJECT_FILES: [&str; 2] = ["opencode.jsonc", "opencode.json"];

/// What follows the gateway's address for providers whose own address nobody gave, and the key by
/// which they are known to be in use.
pub(in crate::clients) const BUILT_IN: [(&str, &str, &str); 4] = [
    ("anthropic", "/v1", "ANTHROPIC_API_KEY"),
    ("openai", "/v1", "OPENAI_API_KEY"),
    ("google", "/v1beta", "GEMINI_API_KEY"),
    ("openrouter", "/openrouter/v1", "OPENROUTER_API_KEY"),
];

pub(super) fn plan(asked: &Asked<'_>) -> Result<Plan, CannotWrap> {
    let mut all = vec![own_content(asked)?];
    let mut places = vec![None];
    let own = asked.environment.config_folder().map(|folder| folder.join("opencode"));
    for path in files(Some(asked.folder), asked.environment) {
        all.push(read_json(&path)?);
        let is_own = own.as_ref().is_some_and(|own| path.starts_with(own));
        places.push(Some(path).filter(|_| !is_own));
    }
    let mut plan = Plan::new(asked.given.clone());
    let mut told = Map::new();
    for name in providers(asked, &all) {
        let set = all.iter().zip(&places).find_map(|(one, place)| {
            Some((one["provider"][&name]["options"]["baseURL"].as_str()?, place))
        });
        if let Some((set, Some(place))) = set.filter(|_| !plan.given.takes_all()) {
            let (set, place) = (without_secrets(set), place.display());
            plan.remarks.push(format!("opencode asks `{name}` at {set}, as {place} says"));
        }
        let built_in = BUILT_IN.iter().find(|(known, ..)| *known == name);
        let address = match (set, built_in) {
            (Some((set, _)), _) => plan.named_address(&name, set)?,
            (None, Some((_, behind, _))) if !plan.given.takes_all() => format!("{GATEWAY}{behind}"),
            (None, Some(_)) => format!("{GATEWAY}/v1"),
            (None, None) => {
                plan.beside.push(format!("the provider `{name}`, whose address is not known"));
                continue;
            }
        };
        told.insert(name, json!({ "options": { "baseURL": address } }));
    }
    if told.is_empty() {
        return Err(CannotWrap::Agent(
            "it is not clear which provider opencode asks: name a model of one, as \
             -m anthropic/claude-sonnet-5"
                .to_owned(),
        ));
    }
    let mut content = all.swap_remove(0);
    lay_over(&mut content, &json!({ "provider": told }));
    plan.variables.push((CONTENT, content.to_string()));
    Ok(plan)
}

/// What the user says by the same variable.
fn own_content(asked: &Asked<'_>) -> Result<Value, CannotWrap> {
    let Some(text) = asked.environment.told(CONTENT) else { return Ok(json!({})) };
    let read = serde_json::from_str::<Value>(text).ok().filter(Value::is_object);
    read.ok_or_else(|| CannotWrap::Agent(format!("{CONTENT} holds no JSON object")))
}

/// Its files of settings, the strongest first: those in folders `.opencode` and in the folder of a
/// variable, those of the project, up to where its repository begins, and those of the user.
pub(in crate::clients) fn files(folder: Option<&Path>, environment: &Environment) -> Vec<PathBuf> {
    let told = |name: &str| environment.told(name).map(PathBuf::from);
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
    if let Some(own) = environment.config_folder().map(|folder| folder.join("opencode")) {
        places.extend(FILES.map(|name| own.join(name)));
    }
    places.retain(|path| path.is_file());
    places
}

/// The providers that are in use: those that settings name, that a model is named of, that there is
/// a key or a login for. Any other would only appear in lists.
fn providers(asked: &Asked<'_>, all: &[Value]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for settings in all {
        found.extend(settings["provider"].as_object().into_iter().flat_map(Map::keys).cloned());
        for key in ["model", "small_model"] {
            found.extend(settings[key].as_str().and_then(provider_of));
        }
    }
    let mut arguments = asked.arguments.iter();
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "-m" | "--model" => found.extend(arguments.next().and_then(|name| provider_of(name))),
            one => found.extend(one.strip_prefix("--model=").and_then(provider_of)),
        }
    }
    found.extend(in_use(asked.environment));
    // Its own models, which are asked elsewhere.
    found.retain(|name| name != "opencode");
    found.sort_unstable();
    found.dedup();
    found
}

/// Providers that there is a key or a login for.
pub(in crate::clients) fn in_use(environment: &Environment) -> Vec<String> {
    let has_key = |(_, _, key): &&(&str, &str, &str)| environment.told(key).is_some();
    let with_key = BUILT_IN.iter().filter(has_key).map(|(name, ..)| (*name).to_owned());
    let logins = environment.data_folder().map(|data| data.join("opencode/auth.json"));
    let logins = logins.and_then(|path| read_json(&path).ok()).unwrap_or_default();
    // Of logins nothing but whose they are.
    let logins: Vec<String> = logins.as_object().into_iter().flat_map(Map::keys).cloned().collect();
    with_key.chain(logins).filter(|name| name != "opencode").collect()
}

fn provider_of(model: &str) -> Option<String> {
    model.split_once('/').map(|(provider, _)| provider.to_owned())
}

/// Puts what `over` says in the place of what is there, and leaves all else.
fn lay_over(under: &mut Value, over: &Value) {
    match (under.as_object_mut(), over.as_object()) {
        (Some(under), Some(over)) => {
            for (key, value) in over {
                lay_over(under.entry(key).or_insert(Value::Null), value);
            }
        }
        _ => *under = over.clone(),
    }
}
