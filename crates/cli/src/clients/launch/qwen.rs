//! Qwen Code: an argument, and a variable for what it starts itself.

use super::plan::{Asked, CannotWrap, Plan};
use crate::clients::settings::{dot_env, read_json};

const ADDRESS: &str = "OPENAI_BASE_URL";
const ARGUMENT: &str = "--openai-base-url";

pub(super) fn plan(asked: &Asked<'_>) -> Result<Plan, CannotWrap> {
    if asked.arguments.iter().any(|one| one.split('=').next() == Some(ARGUMENT)) {
        return Err(CannotWrap::Agent(format!(
            "`{ARGUMENT}` would lead past foveal: say it as `foveal wrap --upstream URL qwen`"
        )));
    }
    let settings = asked.environment.in_home(".qwen/settings.json");
    let settings = settings.map(|path| read_json(&path)).transpose()?.unwrap_or_default();
    let auth = &settings["security"]["auth"];
    if auth["selectedType"] == "qwen-oauth" {
        return Err(CannotWrap::Agent(
            "Qwen Code asks its own service with this login: foveal can be put between where it \
             asks with a key (OPENAI_API_KEY)"
                .to_owned(),
        ));
    }
    if settings["modelProviders"].as_object().is_some_and(|all| !all.is_empty()) {
        return Err(CannotWrap::Agent(
            "its settings name providers (`modelProviders`), which no argument overrules: \
             `foveal init --gateway qwen` sets them"
                .to_owned(),
        ));
    }
    let of_file = dot_env(asked.folder, asked.environment.home.as_deref(), ".qwen", ADDRESS);
    let of_settings = settings["env"][ADDRESS].as_str().or(auth["baseUrl"].as_str());
    let of_settings = of_settings.map(str::to_owned);
    let set = asked.environment.told(ADDRESS).map(str::to_owned).or(of_file).or(of_settings);
    let mut plan = Plan::new(asked.given.clone());
    let address = plan.one_address(set.as_deref(), "/v1")?;
    plan.arguments.extend([ARGUMENT.to_owned(), address.clone()]);
    plan.variables.push((ADDRESS, address));
    Ok(plan)
}
