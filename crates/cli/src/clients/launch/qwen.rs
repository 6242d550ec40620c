//! Qwen Code: an argument, and a variable for what it starts itself.

use super::plan::{Asked, CannotWrap, Plan};
use crate::clients::settings::{dot_env, read_json};

const ADDRESS: &str = "OPENAI_BASE_URL";
const ARGUMENT: &str = "--openai-base-url";

/// Names an address for which Qwen Code does what it does for Alibaba's own: marks for the cache, and
/// headers (github.com/QwenLM/qwen-code/pull/3991). It has to be the address of the model, to the
/// letter.
pub(in crate::clients) const DASHSCOPE_PROXY: &str = "DASHSCOPE_PROXY_BASE_URL";

/// The servers of Alibaba that Qwen Code knows by their names.
const DASHSCOPE_HOSTS: [&str; 3] =
    ["dashscope.aliyuncs.com", "dashscope-intl.aliyuncs.com", "dashscope-us.aliyuncs.com"];

/// Whether Qwen Code takes an address for one of Alibaba's own.
pub(in crate::clients) fn is_dashscope(address: &str) -> bool {
    let rest = address.strip_prefix("https://").unwrap_or_default();
    let host = rest.split(['/', ':', '?']).next().unwrap_or_default().to_ascii_lowercase();
    let is_of = |known: &&str| {
        host.strip_suffix(*known).is_some_and(|before| before.is_empty() || before.ends_with('.'))
    };
    let is_plan = host.starts_with("token-plan.") && host.ends_with(".maas.aliyuncs.com");
    is_plan || DASHSCOPE_HOSTS.iter().any(is_of)
}

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
    let is_chosen = asked.environment.told(DASHSCOPE_PROXY).is_some()
        || dot_env(asked.folder, asked.environment.home.as_deref(), ".qwen", DASHSCOPE_PROXY)
            .is_some();
    if set.as_deref().is_some_and(is_dashscope) && !is_chosen {
        // Variables count before what settings say of the same name.
        plan.variables.push((DASHSCOPE_PROXY, address.clone()));
    }
    plan.variables.push((ADDRESS, address));
    Ok(plan)
}
