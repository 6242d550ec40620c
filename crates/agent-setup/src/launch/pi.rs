//! Launches pi with an extension that changes the addresses of its providers.

use serde_json::{Map, Value};

use super::launch_plan::{GATEWAY, LaunchPlan, LaunchRequest, WrapError};
use crate::agent_paths::pi_folder;
use crate::agent_settings::read_json_file;

/// The providers that need no address in the settings, with the suffix of the gateway's address.
pub(crate) const BUILT_IN_PROVIDERS: [(&str, &str); 4] =
    [("anthropic", ""), ("openai", "/v1"), ("google", "/v1beta"), ("openrouter", "/openrouter/v1")];

pub(crate) fn plan_launch(asked: &LaunchRequest<'_>) -> Result<LaunchPlan, WrapError> {
    let models = pi_folder(asked.environment).map(|folder| folder.join("models.json"));
    let models = models.map(|path| read_json_file(&path)).transpose()?.unwrap_or_default();
    let mut plan = LaunchPlan::new(asked.upstreams.clone());
    let mut told = Map::new();
    for (name, behind) in BUILT_IN_PROVIDERS {
        let behind = if plan.upstreams.has_default() { "/v1" } else { behind };
        let behind = if name == "anthropic" { "" } else { behind };
        told.insert(name.to_owned(), format!("{GATEWAY}{behind}").into());
    }
    let providers = models["providers"].as_object().cloned().unwrap_or_default();
    for (name, provider) in &providers {
        if let Some(set) = provider["baseUrl"].as_str() {
            told.insert(name.clone(), plan.plan_provider_address(name, set)?.into());
        }
    }
    let told = Value::Object(told);
    let text = format!(
        "export default function (pi) {{\n  for (const [name, baseUrl] of \
         Object.entries({told})) pi.registerProvider(name, {{ baseUrl }});\n}}\n"
    );
    plan.arguments.push("-e".to_owned());
    plan.file = Some((".ts", text));
    Ok(plan)
}
