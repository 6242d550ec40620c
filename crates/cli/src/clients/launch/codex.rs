//! Codex: arguments that stand for lines of its settings.

use toml_edit::{DocumentMut, Item};

use super::plan::{Asked, CannotWrap, GATEWAY, Plan};
use crate::clients::file::read;
use crate::clients::settings::SettingsError;

/// The address of the provider that is built in.
const ADDRESS: &str = "openai_base_url";

/// The settings among arguments: what follows `-c` or `--config`, apart or not.
fn settings_of(arguments: &[String]) -> impl Iterator<Item = &String> {
    let before = std::iter::once(None).chain(arguments.iter().map(Some));
    let pairs = before.zip(arguments);
    pairs.filter_map(|(before, own)| {
        let follows = before.is_some_and(|before| before == "-c" || before == "--config");
        let is_both = own.starts_with("-c") || own.starts_with("--config=");
        (follows || is_both).then_some(own)
    })
}

pub(super) fn plan(asked: &Asked<'_>) -> Result<Plan, CannotWrap> {
    if let Some(own) = settings_of(asked.arguments).find(|own| own.contains("base_url")) {
        return Err(CannotWrap::Agent(format!(
            "`{own}` would lead past foveal: say it as `foveal wrap --upstream URL codex`"
        )));
    }
    let mut plan = Plan::new(asked.given.clone());
    let settings = settings(asked)?;
    let built_in = settings.get(ADDRESS).and_then(Item::as_str);
    let built_in = built_in.or_else(|| asked.environment.told("OPENAI_BASE_URL"));
    let address = match built_in {
        Some(set) => plan.named_address("openai-own", set)?,
        None => format!("{GATEWAY}/v1"),
    };
    tell(&mut plan, ADDRESS, &address);
    let providers = settings.get("model_providers").and_then(Item::as_table_like);
    for (name, provider) in providers.into_iter().flat_map(toml_edit::TableLike::iter) {
        let Some(set) = provider.get("base_url").and_then(Item::as_str) else { continue };
        if !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte)) {
            plan.beside.push(format!("the provider `{name}`, whose name no argument can tell"));
            continue;
        }
        let address = plan.named_address(name, set)?;
        tell(&mut plan, &format!("model_providers.{name}.base_url"), &address);
    }
    Ok(plan)
}

fn tell(plan: &mut Plan, key: &str, address: &str) {
    plan.arguments.extend(["-c".to_owned(), format!("{key}=\"{address}\"")]);
}

fn settings(asked: &Asked<'_>) -> Result<DocumentMut, CannotWrap> {
    let Some(folder) = asked.environment.codex_folder() else { return Ok(DocumentMut::new()) };
    let path = folder.join("config.toml");
    let text = read(&path).map_err(|source| SettingsError::File { path: path.clone(), source })?;
    let parsed = text.unwrap_or_default().parse();
    parsed.map_err(|error: toml_edit::TomlError| CannotWrap::Broken {
        path,
        what: error.message().trim().replace('\n', "; "),
    })
}
