//! Launches Qwen Code with an argument, and with an environment variable for the processes that it
//! starts.

use super::launch_plan::{LaunchPlan, LaunchRequest, WrapError};
use crate::agent_settings::{read_dot_env_variable, read_json_file};

const ADDRESS_VARIABLE: &str = "OPENAI_BASE_URL";
const ARGUMENT: &str = "--openai-base-url";

/// The variable with an address that Qwen Code treats as Alibaba's: it sets cache breakpoints and
/// headers for it (github.com/QwenLM/qwen-code/pull/3991). It has to equal the model's address
/// exactly.
pub(crate) const DASHSCOPE_PROXY: &str = "DASHSCOPE_PROXY_BASE_URL";

/// Alibaba's servers, which Qwen Code recognizes by their host names.
const DASHSCOPE_HOSTS: [&str; 3] =
    ["dashscope.aliyuncs.com", "dashscope-intl.aliyuncs.com", "dashscope-us.aliyuncs.com"];

/// Returns whether Qwen Code treats an address as Alibaba's.
pub(crate) fn is_dashscope(address: &str) -> bool {
    let rest = address.strip_prefix("https://").unwrap_or_default();
    let host = rest.split(['/', ':', '?']).next().unwrap_or_default().to_ascii_lowercase();
    let is_of = |known: &&str| {
        host.strip_suffix(*known).is_some_and(|before| before.is_empty() || before.ends_with('.'))
    };
    let is_plan = host.starts_with("token-plan.") && host.ends_with(".maas.aliyuncs.com");
    is_plan || DASHSCOPE_HOSTS.iter().any(is_of)
}

pub(crate) fn plan_launch(asked: &LaunchRequest<'_>) -> Result<LaunchPlan, WrapError> {
    if asked.arguments.iter().any(|one| one.split('=').next() == Some(ARGUMENT)) {
        return Err(WrapError::Agent(format!(
            "`{ARGUMENT}` would bypass foveal: use `foveal wrap --upstream URL qwen`"
        )));
    }
    let settings = asked.environment.path_in_home(".qwen/settings.json");
    let settings = settings.map(|path| read_json_file(&path)).transpose()?.unwrap_or_default();
    let auth = &settings["security"]["auth"];
    if auth["selectedType"] == "qwen-oauth" {
        return Err(WrapError::Agent(
            "Qwen Code uses its own service with this login: to use foveal, authenticate with a \
             key (OPENAI_API_KEY)"
                .to_owned(),
        ));
    }
    if settings["modelProviders"].as_object().is_some_and(|all| !all.is_empty()) {
        return Err(WrapError::Agent(
            "its settings define providers (`modelProviders`), which arguments cannot override: \
             use `foveal init --gateway qwen`"
                .to_owned(),
        ));
    }
    let of_file = read_dot_env_variable(
        asked.folder,
        asked.environment.home.as_deref(),
        ".qwen",
        ADDRESS_VARIABLE,
    );
    let of_settings = settings["env"][ADDRESS_VARIABLE].as_str().or(auth["baseUrl"].as_str());
    let of_settings = of_settings.map(str::to_owned);
    let set = asked
        .environment
        .agent_variable(ADDRESS_VARIABLE)
        .map(str::to_owned)
        .or(of_file)
        .or(of_settings);
    let mut plan = LaunchPlan::new(asked.upstreams.clone());
    let address = plan.plan_single_address(set.as_deref(), "/v1")?;
    plan.arguments.extend([ARGUMENT.to_owned(), address.clone()]);
    let is_chosen = asked.environment.agent_variable(DASHSCOPE_PROXY).is_some()
        || read_dot_env_variable(
            asked.folder,
            asked.environment.home.as_deref(),
            ".qwen",
            DASHSCOPE_PROXY,
        )
        .is_some();
    if set.as_deref().is_some_and(is_dashscope) && !is_chosen {
        // Environment variables take precedence over variables in settings.
        plan.variables.push((DASHSCOPE_PROXY, address.clone()));
    }
    plan.variables.push((ADDRESS_VARIABLE, address));
    Ok(plan)
}
