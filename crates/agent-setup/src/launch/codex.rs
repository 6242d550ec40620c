//! Launches Codex with arguments that override its settings.

use toml_edit::{DocumentMut, Item};

use super::launch_plan::{GATEWAY, LaunchPlan, LaunchRequest, WrapError};
use crate::agent_paths::codex_path;
use crate::agent_settings::AgentSettingsError;
use crate::agent_settings_file::read_settings_file;

/// The key of the built-in provider's address.
const ADDRESS_KEY: &str = "openai_base_url";

/// Returns the settings in `arguments`: the values of `-c` and `--config`, joined or separate.
fn setting_arguments(arguments: &[String]) -> impl Iterator<Item = &String> {
    let before = std::iter::once(None).chain(arguments.iter().map(Some));
    let pairs = before.zip(arguments);
    pairs.filter_map(|(before, own)| {
        let follows = before.is_some_and(|before| before == "-c" || before == "--config");
        let is_both = own.starts_with("-c") || own.starts_with("--config=");
        (follows || is_both).then_some(own)
    })
}

pub(crate) fn plan_launch(asked: &LaunchRequest<'_>) -> Result<LaunchPlan, WrapError> {
    if let Some(own) = setting_arguments(asked.arguments).find(|own| own.contains("base_url")) {
        return Err(WrapError::Agent(format!(
            "`{own}` would bypass foveal: use `foveal wrap --upstream URL codex`"
        )));
    }
    let mut plan = LaunchPlan::new(asked.upstreams.clone());
    let settings = read_settings(asked)?;
    let built_in = settings.get(ADDRESS_KEY).and_then(Item::as_str);
    let built_in = built_in.or_else(|| asked.environment.agent_variable("OPENAI_BASE_URL"));
    let address = match built_in {
        Some(set) => plan.plan_provider_address("openai-own", set)?,
        None => format!("{GATEWAY}/v1"),
    };
    add_setting_argument(&mut plan, ADDRESS_KEY, &address);
    let providers = settings.get("model_providers").and_then(Item::as_table_like);
    for (name, provider) in providers.into_iter().flat_map(toml_edit::TableLike::iter) {
        let Some(set) = provider.get("base_url").and_then(Item::as_str) else { continue };
        if !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte)) {
            plan.bypassing
                .push(format!("the provider `{name}`, whose name cannot be passed as an argument"));
            continue;
        }
        let address = plan.plan_provider_address(name, set)?;
        add_setting_argument(&mut plan, &format!("model_providers.{name}.base_url"), &address);
    }
    Ok(plan)
}

fn add_setting_argument(plan: &mut LaunchPlan, key: &str, address: &str) {
    plan.arguments.extend(["-c".to_owned(), format!("{key}=\"{address}\"")]);
}

fn read_settings(asked: &LaunchRequest<'_>) -> Result<DocumentMut, WrapError> {
    let Some(path) = codex_path(asked.environment, "config.toml") else {
        return Ok(DocumentMut::new());
    };
    let text = read_settings_file(&path)
        .map_err(|source| AgentSettingsError::File { path: path.clone(), source })?;
    let parsed = text.unwrap_or_default().parse();
    parsed.map_err(|error: toml_edit::TomlError| WrapError::Broken {
        path,
        what: error.message().trim().replace('\n', "; "),
    })
}
