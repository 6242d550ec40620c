//! pi: an extension for this run, which gives its providers other addresses.

use serde_json::{Map, Value};

use super::plan::{Asked, CannotWrap, GATEWAY, Plan};
use crate::clients::settings::read_json;

/// What follows the gateway's address for providers whose own address nobody gave.
pub(in crate::clients) const BUILT_IN: [(&str, &str); 4] =
    [("anthropic", ""), ("openai", "/v1"), ("google", "/v1beta"), ("openrouter", "/openrouter/v1")];

pub(super) fn plan(asked: &Asked<'_>) -> Result<Plan, CannotWrap> {
    let models = asked.environment.pi_folder().map(|folder| folder.join("models.json"));
    let models = models.map(|path| read_json(&path)).transpose()?.unwrap_or_default();
    let mut plan = Plan::new(asked.given.clone());
    let mut told = Map::new();
    for (name, behind) in BUILT_IN {
        let behind = if plan.given.takes_all() { "/v1" } else { behind };
        let behind = if name == "anthropic" { "" } else { behind };
        told.insert(name.to_owned(), format!("{GATEWAY}{behind}").into());
    }
    let providers = models["providers"].as_object().cloned().unwrap_or_default();
    for (name, provider) in &providers {
        if let Some(set) = provider["baseUrl"].as_str() {
            told.insert(name.clone(), plan.named_address(name, set)?.into());
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
